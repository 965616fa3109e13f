package engine

import (
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

// SafeURL takes a whole address if a mail may link to it: http, https, mailto or tel, without spaces and control
// characters. Otherwise fault says what is wrong with it.
func SafeURL(text string) (address, fault string) {
	text = strings.TrimSpace(text)
	for _, r := range text {
		if r <= ' ' || r == 0x7f || r == '\\' || r == '"' || r == '\'' || r == '<' || r == '>' || r == '`' {
			return "", "the address " + say(text) + " has a character that addresses cannot have"
		}
	}
	parsed, err := url.Parse(text)
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
	return text, ""
}
