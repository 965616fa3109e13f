package engine

import (
	"fmt"
	"html"
	"net/url"
	"strings"
)

// MergeContext is the place a value is put, which decides how it is escaped.
type MergeContext string

// The places. ContextURL and ContextURLPart give an address that still has to be escaped where it stands in an attribute.
const (
	ContextPlain   MergeContext = "plain"
	ContextHTML    MergeContext = "html"     // between tags: line breaks become <br>
	ContextAttr    MergeContext = "attr"     // inside a quoted attribute that is no address
	ContextURL     MergeContext = "url"      // the whole of an address: its scheme is checked
	ContextURLPart MergeContext = "url_part" // a piece of an address after its beginning
	ContextHeader  MergeContext = "header"   // a subject or address: one line
	ContextJSON    MergeContext = "json"     // inside a quoted text of JSON; see Merge.RenderJSON
)

var toBreaks = strings.NewReplacer("\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// escape fits a value to its place, or says why it must not stand there.
func escape(text string, context MergeContext) (escaped, fault string) {
	switch context {
	case ContextHTML:
		return toBreaks.Replace(html.EscapeString(printable(text))), ""
	case ContextAttr:
		return html.EscapeString(printable(text)), ""
	case ContextURL:
		return SafeURL(text)
	case ContextURLPart:
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20"), ""
	case ContextJSON:
		return jsonText(printable(text)), ""
	case ContextHeader:
		if hasLineBreak(text) {
			return "", "a line break cannot stand in a subject or address"
		}
		return printable(text), ""
	default:
		return printable(text), ""
	}
}

// escapeLiteral fits the author's own text to its place.
func escapeLiteral(text string, context MergeContext) string {
	switch context {
	case ContextHTML:
		return toBreaks.Replace(html.EscapeString(text))
	case ContextAttr:
		return html.EscapeString(text)
	default:
		return text
	}
}

func hasLineBreak(text string) bool { return strings.ContainsAny(text, "\r\n\u2028\u2029\v\f\x00") }

// printable drops control characters other than tabs and line breaks; readers show none of them, parsers trip over some.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f || r == '\ufffe' || r == '\uffff' {
			return -1
		}
		return r
	}, text)
}

// SafeURL takes a whole address if a mail may link to it or a request ask it: http, https, mailto or tel. What cannot stand behind the host as
// it is, such as a space or a quotation mark of a merged value, is encoded; in front of it, and where it is a control character, it makes the
// address wrong, and fault says so.
func SafeURL(text string) (address, fault string) {
	text = strings.TrimSpace(text)
	begin := addressBegins(text)
	head, rest := text[:begin], text[begin:]
	if strings.ContainsFunc(head, cannotStand) || strings.ContainsFunc(rest, isControl) {
		return "", "the address " + say(text) + " has a character that addresses cannot have"
	}
	address = head + encodeRest(rest)
	parsed, err := url.Parse(address)
	if err != nil {
		return "", "the address " + say(text) + " cannot be read"
	}
	switch strings.ToLower(parsed.Scheme) {
	case "http", "https":
		if parsed.Host == "" {
			return "", "the address " + say(text) + " has no host"
		}
	case "mailto", "tel":
	default:
		return "", "the address " + say(text) + " has to begin with https://, http://, mailto: or tel:"
	}
	return address, ""
}

// AddressFault says what is wrong with an address whatever its holes bring, "" if one may become right: a value at its very beginning is a whole
// address.
func (m *Merge) AddressFault() string {
	var whole strings.Builder
	for i, literal := range m.literals {
		whole.WriteString(literal)
		switch {
		case i+1 == len(m.literals):
		case strings.TrimSpace(whole.String()) == "":
			whole.WriteString("https://x.example")
		default:
			whole.WriteString("x")
		}
	}
	_, fault := SafeURL(whole.String())
	return fault
}

// addressBegins is where the host of an address ends, or the scheme of one without a host.
func addressBegins(text string) int {
	if scheme, rest, found := strings.Cut(text, "://"); found && !strings.ContainsAny(scheme, "/?#") {
		begin := len(scheme) + len("://")
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			return begin + end
		}
		return len(text)
	}
	if colon := strings.IndexByte(text, ':'); colon >= 0 {
		return colon + 1
	}
	return len(text)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func cannotStand(r rune) bool { return isControl(r) || strings.ContainsRune(" \\\"'<>`{}|^", r) }

// encodeRest encodes what cannot stand in a path, a query or a fragment; what is encoded already stays.
func encodeRest(rest string) string {
	var out strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '%' && (i+2 >= len(rest) || !isHex(rest[i+1]) || !isHex(rest[i+2])), c < 0x80 && cannotStand(rune(c)):
			fmt.Fprintf(&out, "%%%02X", c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
