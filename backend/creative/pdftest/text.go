package pdftest

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// Text is what is shown in a PDF, piece by piece in the order of drawing, one piece a line. It knows what Lejek prints: pages whose texts
// are UTF-16 in literal strings.
func Text(pdf []byte) (string, error) {
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("%%EOF")) {
		return "", errors.New("these bytes are no PDF")
	}
	var lines []string
	for rest := pdf; ; {
		begin := bytes.Index(rest, []byte("stream\n"))
		if begin < 0 {
			return strings.Join(lines, "\n"), nil
		}
		rest = rest[begin+len("stream\n"):]
		end := bytes.Index(rest, []byte("\nendstream"))
		if end < 0 {
			return "", errors.New("a stream of this PDF does not end")
		}
		content := inflate(rest[:end])
		rest = rest[end+len("\nendstream"):]
		if bytes.Contains(content, []byte("BT ")) {
			shown, err := shownIn(content)
			if err != nil {
				return "", err
			}
			lines = append(lines, shown...)
		}
	}
}

// inflate unpacks a stream; one that is not packed is itself.
func inflate(stream []byte) []byte {
	reader, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return stream
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return stream
	}
	return content
}

// shownIn reads the literal strings that Tj and TJ show, on lines of their own.
func shownIn(content []byte) ([]string, error) {
	var lines []string
	var line []byte
	for i := 0; i < len(content); i++ {
		switch content[i] {
		case '(':
			text, next, err := literal(content, i+1)
			if err != nil {
				return nil, err
			}
			line = append(line, text...)
			i = next
		case 'E':
			if len(line) > 0 && bytes.HasPrefix(content[i:], []byte("ET")) {
				lines = append(lines, decode(line))
				line = nil
			}
		}
	}
	return lines, nil
}

// literal reads the bytes of a string up to its bracket.
func literal(content []byte, from int) (text []byte, end int, err error) {
	depth := 0
	for i := from; i < len(content); i++ {
		switch c := content[i]; c {
		case '\\':
			i++
			if i == len(content) {
				break
			}
			if escaped, known := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}[content[i]]; known {
				text = append(text, escaped)
			} else {
				text = append(text, content[i])
			}
		case '(':
			depth++
			text = append(text, c)
		case ')':
			if depth == 0 {
				return text, i, nil
			}
			depth--
			text = append(text, c)
		default:
			text = append(text, c)
		}
	}
	return nil, 0, fmt.Errorf("a string at byte %d does not end", from)
}

func decode(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}
