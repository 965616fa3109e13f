package creative

import (
	"sort"
	"strings"

	"golang.org/x/net/html"
)

// find is a token met in compiled HTML.
type find struct {
	at    int // byte in the HTML
	index int // of the token
	place Place
	fault string // why a hole must not be there; "" is fine
}

// urlAttributes are the attributes that hold an address.
var urlAttributes = map[string]bool{"href": true, "src": true, "background": true, "action": true, "cite": true, "poster": true}

// locate finds every token of the HTML and the place it lies in, in order.
func locate(document string, tokens *tokens) []find {
	l := locator{tokens: tokens}
	l.region(document, 0)
	sort.Slice(l.finds, func(i, j int) bool { return l.finds[i].at < l.finds[j].at })
	return l.finds
}

type locator struct {
	tokens *tokens
	finds  []find
}

// region reads a stretch of HTML that begins at a byte of the document.
func (l *locator) region(source string, base int) {
	tokenizer := html.NewTokenizer(strings.NewReader(source))
	inside := "" // the element whose content is not markup
	for {
		kind := tokenizer.Next()
		raw := string(tokenizer.Raw())
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			switch inside {
			case "":
				l.all(raw, base, InText, "")
			case "title", "textarea":
				l.all(raw, base, InAttr, "")
			default:
				l.all(raw, base, "", "inside <"+inside+">")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokenizer.TagName()
			inside = ""
			if kind == html.StartTagToken && rawElement(string(name)) {
				inside = string(name)
			}
			l.tag(raw, base)
		case html.CommentToken:
			l.comment(raw, base)
		default:
			inside = ""
			l.all(raw, base, "", "inside a tag that takes no values")
		}
		base += len(raw)
	}
}

func rawElement(name string) bool {
	switch name {
	case "title", "textarea", "style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext":
		return true
	default:
		return false
	}
}

// comment reads what Outlook reads: the markup inside a conditional comment. Any other comment holds no markup.
func (l *locator) comment(raw string, base int) {
	open := strings.Index(raw, "]>")
	if !strings.HasPrefix(raw, "<!--[if") || open < 0 {
		l.all(raw, base, "", "inside a comment")
		return
	}
	open += len("]>")
	end := strings.LastIndex(raw, "<![endif]")
	if end < open {
		end = len(raw)
	}
	l.all(raw[:open], base, "", "inside a comment")
	l.region(raw[open:end], base+open)
	l.all(raw[end:], base+end, "", "inside a comment")
}

// all notes every token of a stretch that is one single place.
func (l *locator) all(raw string, base int, place Place, fault string) {
	for at := 0; ; {
		start, end, index := l.tokens.next(raw, at)
		if start < 0 {
			return
		}
		l.finds = append(l.finds, find{at: base + start, index: index, place: place, fault: fault})
		at = end
	}
}

// tag reads the attributes of a start tag. Only quoted ones may hold a value.
func (l *locator) tag(raw string, base int) {
	if start, _, _ := l.tokens.next(raw, 0); start < 0 {
		return
	}
	i := upTo(raw, 1, spaces+"/>")
	l.all(raw[:i], base, "", "in the name of a tag")
	for i < len(raw) {
		nameStart := skip(raw, i, spaces+"/>")
		i = upTo(raw, nameStart, spaces+"=/>")
		name := strings.ToLower(raw[nameStart:i])
		l.all(raw[nameStart:i], base+nameStart, "", "in the name of an attribute")
		value := skip(raw, i, spaces)
		if value >= len(raw) || raw[value] != '=' {
			i = max(value, nameStart+1)
			continue
		}
		i = l.value(name, raw, skip(raw, value+1, spaces), base)
	}
}

// value reads the value of an attribute from a byte of the tag and gives the byte after it.
func (l *locator) value(name, raw string, from, base int) int {
	if from < len(raw) && (raw[from] == '"' || raw[from] == '\'') {
		length := strings.IndexByte(raw[from+1:], raw[from])
		if length < 0 {
			l.all(raw[from:], base+from, "", "in an open attribute")
			return len(raw)
		}
		l.attribute(name, raw[from+1:from+1+length], base+from+1)
		return from + length + 2
	}
	end := upTo(raw, from, spaces+">")
	l.all(raw[from:end], base+from, "", "in an attribute without quotes")
	return end
}

const spaces = " \n\t\r\f"

// skip gives the first byte at or after i that is not one of the set.
func skip(text string, i int, set string) int {
	for i < len(text) && strings.IndexByte(set, text[i]) >= 0 {
		i++
	}
	return i
}

// upTo gives the first byte at or after i that is one of the set.
func upTo(text string, i int, set string) int {
	for i < len(text) && strings.IndexByte(set, text[i]) < 0 {
		i++
	}
	return i
}

func (l *locator) attribute(name, value string, base int) {
	switch {
	case urlAttributes[name]:
		if start, end, _ := l.tokens.next(value, 0); start > 0 || start == 0 && end != len(value) {
			l.all(value, base, "", "inside a part of an address")
			return
		}
		l.all(value, base, InURL, "")
	case name == "style" || name == "srcset" || name == "srcdoc" || strings.HasPrefix(name, "on"):
		l.all(value, base, "", "in the attribute "+name)
	default:
		l.all(value, base, InAttr, "")
	}
}
