package mailwire

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"strings"
	"unicode/utf8"
)

// Header is one line of a mail's head.
type Header struct{ Name, Value string }

// Message is a mail before it is written. Text and HTML are UTF-8; one of them may be empty.
type Message struct {
	Headers []Header // in order; values without line breaks. What is not ASCII is encoded
	Subject string
	HTML    string
	Text    string
}

// structured are headers whose values have parts of their own: they are folded, and come encoded.
func structured(name string) bool {
	switch name {
	case "From", "To", "Reply-To", "Message-ID", "List-Unsubscribe", "Date":
		return true
	}
	return false
}

// Encode writes the mail. Lines end with CRLF, none is longer than 998 bytes.
func (m Message) Encode() []byte {
	var out bytes.Buffer
	out.Grow(2048 + len(m.HTML)*5/4 + len(m.Text)*5/4)
	for _, h := range m.Headers {
		writeHeader(&out, h.Name, h.Value)
	}
	writeHeader(&out, "Subject", m.Subject)
	out.WriteString("MIME-Version: 1.0\r\n")
	switch {
	case m.HTML == "":
		writePart(&out, "text/plain", m.Text)
	case m.Text == "":
		writePart(&out, "text/html", m.HTML)
	default:
		boundary := m.boundary()
		out.WriteString("Content-Type: multipart/alternative;\r\n boundary=\"")
		out.WriteString(boundary)
		out.WriteString("\"\r\n\r\n--")
		out.WriteString(boundary)
		out.WriteString("\r\n")
		writePart(&out, "text/plain", m.Text)
		out.WriteString("\r\n--")
		out.WriteString(boundary)
		out.WriteString("\r\n")
		writePart(&out, "text/html", m.HTML)
		out.WriteString("\r\n--")
		out.WriteString(boundary)
		out.WriteString("--\r\n")
	}
	return out.Bytes()
}

// boundary is the same for the same mail, and cannot stand in a part: "=_" never comes out of quoted-printable.
func (m Message) boundary() string {
	sum := sha256.New()
	for _, h := range m.Headers {
		sum.Write([]byte(h.Value))
	}
	return "=_" + hex.EncodeToString(sum.Sum(nil)[:12])
}

func writePart(out *bytes.Buffer, kind, text string) {
	out.WriteString("Content-Type: ")
	out.WriteString(kind)
	out.WriteString("; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	quote(out, text)
}

const (
	foldAt     = 76
	upperHex   = "0123456789ABCDEF"
	wordLimit  = 45 // bytes of UTF-8 in one encoded word, which may have 75 characters
	encodedTag = "=?utf-8?b?"
)

// writeHeader writes a line of the head. A text that is not ASCII is encoded in words (RFC 2047), a long one is folded at its spaces.
func writeHeader(out *bytes.Buffer, name, value string) {
	out.WriteString(name)
	out.WriteString(": ")
	switch {
	case plain(value):
		fold(out, len(name)+2, value)
	case structured(name):
		fold(out, len(name)+2, strings.Map(oneLine, value))
	default:
		encodeWords(out, value)
	}
	out.WriteString("\r\n")
}

// oneLine keeps a value from beginning another header: those who made it checked it, and this is the wall behind them.
func oneLine(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return !strings.Contains(text, "=?")
}

func encodeWords(out *bytes.Buffer, text string) {
	for first := true; text != "" || first; first = false {
		cut := len(text)
		if cut > wordLimit {
			for cut = wordLimit; cut > 0 && !utf8.RuneStart(text[cut]); cut-- {
			}
		}
		if !first {
			out.WriteString("\r\n ")
		}
		out.WriteString(encodedTag)
		out.WriteString(base64.StdEncoding.EncodeToString([]byte(text[:cut])))
		out.WriteString("?=")
		text = text[cut:]
	}
}

// fold breaks a value at spaces. One that has none stays in one line; nothing we write comes near 998 bytes without a space.
func fold(out *bytes.Buffer, column int, value string) {
	for len(value) > 0 {
		end := strings.IndexByte(value[1:], ' ') + 1
		if end == 0 {
			end = len(value)
		}
		if column+end > foldAt && column > 1 && value[0] == ' ' {
			out.WriteString("\r\n")
			column = 0
		}
		out.WriteString(value[:end])
		column += end
		value = value[end:]
	}
}

// EncodeName writes a display name for an address header.
func EncodeName(name string) string { return mime.QEncoding.Encode("utf-8", name) }

// quote writes text as quoted-printable. Line breaks of the text, LF or CRLF, become CRLF.
func quote(out *bytes.Buffer, text string) {
	var line [foldAt + 3]byte
	n := 0
	flush := func(soft bool) {
		if soft {
			line[n] = '='
			n++
		}
		out.Write(line[:n])
		out.WriteString("\r\n")
		n = 0
	}
	for i := 0; i < len(text); i++ {
		b := text[i]
		if b == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		if b == '\n' {
			if n > 0 && (line[n-1] == ' ' || line[n-1] == '\t') { // a space at a line's end would be lost
				last := line[n-1]
				n--
				if n+3 > foldAt-1 {
					flush(true)
				}
				line[n], line[n+1], line[n+2] = '=', upperHex[last>>4], upperHex[last&15]
				n += 3
			}
			flush(false)
			continue
		}
		size := 3
		if b >= ' ' && b <= '~' && b != '=' || b == '\t' {
			size = 1
		}
		if n+size > foldAt-1 {
			flush(true)
		}
		if size == 1 {
			line[n] = b
			n++
			continue
		}
		line[n], line[n+1], line[n+2] = '=', upperHex[b>>4], upperHex[b&15]
		n += 3
	}
	if n > 0 && (line[n-1] == ' ' || line[n-1] == '\t') {
		last := line[n-1]
		n--
		if n+3 > foldAt-1 {
			flush(true)
		}
		line[n], line[n+1], line[n+2] = '=', upperHex[last>>4], upperHex[last&15]
		n += 3
	}
	out.Write(line[:n])
}

// AppendDots writes a mail as SMTP's DATA takes it: a dot before a dot at the beginning of a line, and the final one.
func AppendDots(to, mail []byte) []byte {
	start := 0
	for at := 0; at < len(mail); {
		if mail[at] == '.' {
			to = append(to, mail[start:at]...)
			to = append(to, '.')
			start = at
		}
		end := bytes.IndexByte(mail[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	to = append(to, mail[start:]...)
	if !bytes.HasSuffix(mail, []byte("\r\n")) {
		to = append(to, "\r\n"...)
	}
	return append(to, ".\r\n"...)
}
