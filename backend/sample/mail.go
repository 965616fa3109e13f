package sample

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/lejek/lejek/engine"
)

// letter is a mail as its author thinks of it. Variables are written {First name|first_name|there}: label, expression, fallback.
type letter struct {
	subject, preheader string // merge text
	heading            string // merge text
	body               []string
	button, url        string
}

func (l letter) creative(name string) engine.Creative {
	c := engine.Creative{Channel: "email", Name: name, Subject: l.subject, Preheader: l.preheader}
	add := func(b engine.Block) {
		b.ID = fmt.Sprintf("b%d", len(c.Blocks)+1)
		c.Blocks = append(c.Blocks, b)
	}
	if l.heading != "" {
		add(engine.Block{Type: "heading", Text: l.heading, Level: 1})
	}
	if len(l.body) > 0 {
		add(engine.Block{Type: "text", Doc: richText(l.body)})
	}
	if l.button != "" {
		add(engine.Block{Type: "button", Text: l.button, URL: l.url})
	}
	add(engine.Block{Type: "footer"})
	return c
}

type node map[string]any

// richText is paragraphs with their variables as chips.
func richText(paragraphs []string) json.RawMessage {
	content := make([]node, len(paragraphs))
	for i, p := range paragraphs {
		content[i] = node{"type": "paragraph", "content": inline(p)}
	}
	raw, err := json.Marshal(node{"type": "doc", "content": content})
	if err != nil {
		panic(err) // maps of strings
	}
	return raw
}

var chip = regexp.MustCompile(`\{([^|{}]+)\|([^{}]+)\|([^|{}]*)\}`)

func inline(text string) []node {
	var out []node
	plain := func(s string) {
		if s != "" {
			out = append(out, node{"type": "text", "text": s})
		}
	}
	at := 0
	for _, m := range chip.FindAllStringSubmatchIndex(text, -1) {
		plain(text[at:m[0]])
		out = append(out, node{"type": "variable", "attrs": node{
			"label": text[m[2]:m[3]], "expr": strings.TrimSpace(text[m[4]:m[5]]), "fallback": text[m[6]:m[7]],
		}})
		at = m[1]
	}
	plain(text[at:])
	return out
}
