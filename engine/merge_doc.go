package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The bounds of rich text.
const (
	maxDocNodes = 5000
	maxDocDepth = 16
	maxDocBytes = 256 * 1024
)

// DocNode is one node of rich text, the part of Tiptap's JSON that messages know:
//
//	doc, paragraph, heading (Level 1 to 3), bulletList, orderedList, listItem   Content
//	text                                                                        Text (merge text), Marks
//	variable                                                                    Text (merge text), Marks
//	hardBreak                                                                   -
type DocNode struct {
	Type    string
	Level   int
	Text    string
	Marks   []DocMark
	Content []DocNode
}

// DocMark is bold, italic, underline, strike or link. Href of a link is merge text.
type DocMark struct {
	Type string
	Href string
}

// docShapes lists what may stand inside each node.
var docShapes = map[string][]string{
	"doc":         {"paragraph", "heading", "bulletList", "orderedList"},
	"paragraph":   {"text", "variable", "hardBreak"},
	"heading":     {"text", "variable", "hardBreak"},
	"bulletList":  {"listItem"},
	"orderedList": {"listItem"},
	"listItem":    {"paragraph", "bulletList", "orderedList"},
}

// DecodeDoc reads rich text. No JSON at all is an empty text. The error says for people what cannot be read.
func DecodeDoc(raw json.RawMessage) (DocNode, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return DocNode{Type: "doc"}, nil
	}
	if len(raw) > maxDocBytes {
		return DocNode{}, fmt.Errorf("this text is too long: at most %d KB", maxDocBytes/1024)
	}
	d := docDecoder{}
	return d.node(raw, []string{"doc"}, 0)
}

// docWire is a node as Tiptap writes it. Attributes that carry only looks are ignored.
type docWire struct {
	Type    string            `json:"type"`
	Text    string            `json:"text"`
	Content []json.RawMessage `json:"content"`
	Marks   []struct {
		Type  string `json:"type"`
		Attrs struct {
			Href string `json:"href"`
		} `json:"attrs"`
	} `json:"marks"`
	Attrs struct {
		Level    int     `json:"level"`
		Expr     string  `json:"expr"`
		Fallback *string `json:"fallback"`
	} `json:"attrs"`
}

type docDecoder struct{ nodes int }

func (d *docDecoder) node(raw json.RawMessage, allowed []string, depth int) (DocNode, error) {
	var wire docWire
	if err := json.Unmarshal(raw, &wire); err != nil {
		return DocNode{}, fmt.Errorf("this text cannot be read: it is not a document of the editor")
	}
	if d.nodes++; d.nodes > maxDocNodes || depth > maxDocDepth {
		return DocNode{}, fmt.Errorf("this text has too many parts: split it into several blocks")
	}
	if !strings.Contains(","+strings.Join(allowed, ",")+",", ","+wire.Type+",") || wire.Type == "" {
		return DocNode{}, fmt.Errorf("a text cannot hold %q here: only %s", shorten(wire.Type, 40), strings.Join(allowed, ", "))
	}
	node := DocNode{Type: wire.Type, Text: wire.Text}
	switch wire.Type {
	case "heading":
		node.Level = min(max(wire.Attrs.Level, 1), 3)
	case "variable":
		if strings.TrimSpace(wire.Attrs.Expr) == "" {
			return DocNode{}, fmt.Errorf("a variable in this text is empty: choose one or remove it")
		}
		node.Text = VariableText(wire.Attrs.Expr, wire.Attrs.Fallback)
	}
	for _, mark := range wire.Marks {
		switch mark.Type {
		case "bold", "italic", "underline", "strike", "link":
			node.Marks = append(node.Marks, DocMark{Type: mark.Type, Href: mark.Attrs.Href})
		default:
			return DocNode{}, fmt.Errorf("a text cannot be marked as %q: only bold, italic, underline, strike, link", shorten(mark.Type, 40))
		}
	}
	for _, child := range wire.Content {
		inner, err := d.node(child, docShapes[wire.Type], depth+1)
		if err != nil {
			return DocNode{}, err
		}
		node.Content = append(node.Content, inner)
	}
	return node, nil
}

// VariableText writes the merge text of a chip: its expression, with a fallback if it has one.
func VariableText(expression string, fallback *string) string {
	expression = strings.TrimSpace(expression)
	if fallback == nil || *fallback == "" {
		return "{{ " + expression + " }}"
	}
	return "{{ default(" + expression + ", " + strconv.Quote(*fallback) + ") }}"
}

// IsEmpty tells that the text shows nothing.
func (n DocNode) IsEmpty() bool {
	if strings.TrimSpace(n.Text) != "" {
		return false
	}
	for _, child := range n.Content {
		if !child.IsEmpty() {
			return false
		}
	}
	return true
}

// CreativeText is a merge text of a creative with its place.
type CreativeText struct {
	Field  string // "subject", "text", another member of the creative, or "blocks.<id>"
	Text   string
	Within []Block // the repeat and show_if blocks it stands in, the outermost first
}

// Texts lists every merge text of the creative in the order of reading. Problems are blocks whose rich text cannot be
// read; their Field is relative to the creative.
func (c Creative) Texts() (texts []CreativeText, problems []Problem) {
	add := func(field, text string) {
		if text != "" {
			texts = append(texts, CreativeText{Field: field, Text: text})
		}
	}
	add("subject", c.Subject)
	add("preheader", c.Preheader)
	add("reply_to", c.ReplyTo)
	add("title", c.Title)
	add("text", c.Text)
	add("url", c.URL)
	add("icon", c.Icon)
	for _, block := range c.Blocks {
		inside, wrong := block.texts(nil)
		texts, problems = append(texts, inside...), append(problems, wrong...)
	}
	return texts, problems
}

// texts are those of a block and of the blocks inside it.
func (b Block) texts(within []Block) (texts []CreativeText, problems []Problem) {
	field := "blocks." + b.ID
	add := func(text string) {
		if text != "" {
			texts = append(texts, CreativeText{Field: field, Text: text, Within: within})
		}
	}
	add(b.Text)
	add(b.URL)
	add(b.Alt)
	add(b.Href)
	doc, err := DecodeDoc(b.Doc)
	if err != nil {
		return texts, []Problem{{Code: "FIELD_INVALID", Severity: Error, Field: field, Message: sentence(err)}}
	}
	doc.walk(func(n DocNode) {
		for _, mark := range n.Marks {
			add(mark.Href)
		}
		add(n.Text)
	})
	for _, child := range b.Blocks {
		inside, wrong := child.texts(append(slices.Clip(within), b))
		texts, problems = append(texts, inside...), append(problems, wrong...)
	}
	return texts, problems
}

// Headline is the merge text a message is known by in lists: its subject, or the first of what it says.
func (c Creative) Headline() string {
	for _, text := range []string{c.Subject, c.Title, c.Text} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	for _, block := range c.Blocks {
		if block.Type == "heading" && strings.TrimSpace(block.Text) != "" {
			return block.Text
		}
	}
	return ""
}

func (n DocNode) walk(visit func(DocNode)) {
	visit(n)
	for _, child := range n.Content {
		child.walk(visit)
	}
}
