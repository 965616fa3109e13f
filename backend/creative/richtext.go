package creative

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// text writes a block of rich text.
func (b *builder) text(block engine.Block) {
	doc, err := engine.DecodeDoc(block.Doc)
	if err != nil {
		message := err.Error()
		b.reportf(engine.Error, "FIELD_INVALID", b.block, "%s.", strings.ToUpper(message[:1])+message[1:])
		return
	}
	if doc.IsEmpty() {
		return
	}
	b.mjml.WriteString(`<mj-text css-class="ink" align="` + align(block) + `">`)
	b.blocks(doc.Content, "", true)
	b.mjml.WriteString(`</mj-text>`)
}

// blocks writes paragraphs, headings and lists. Indent begins each line of the text version; spaced tells that an empty line
// goes between them there.
func (b *builder) blocks(nodes []engine.DocNode, indent string, spaced bool) {
	for i, node := range nodes {
		style := paragraphStyle
		if i == len(nodes)-1 {
			style = "margin:0"
		}
		switch node.Type {
		case "paragraph":
			b.begin(indent, spaced || i > 0)
			b.mjml.WriteString(`<p style="` + style + `">`)
			b.inlineNodes(node.Content)
			b.mjml.WriteString(`</p>`)
		case "heading":
			b.begin(indent, true)
			fmt.Fprintf(&b.mjml, `<h%d style="%s;padding:0 0 10px;color:%s">`, node.Level, headingStyles[node.Level-1], brandColour)
			b.inlineNodes(node.Content)
			fmt.Fprintf(&b.mjml, `</h%d>`, node.Level)
		case "bulletList", "orderedList":
			b.list(node, indent, style)
		}
	}
}

// begin starts a line of the text version. The first paragraph of a list item follows its mark on the same line.
func (b *builder) begin(indent string, fresh bool) {
	if !fresh {
		return
	}
	if indent == "" {
		b.plain.paragraph("")
		return
	}
	b.plain.write("\n" + indent)
}

func (b *builder) list(node engine.DocNode, indent, style string) {
	tag := "ul"
	if node.Type == "orderedList" {
		tag = "ol"
	}
	b.mjml.WriteString(`<` + tag + ` style="` + style + `;padding:0 0 0 24px">`)
	if indent == "" {
		b.plain.write("\n")
	}
	for i, item := range node.Content {
		mark := "- "
		if tag == "ol" {
			mark = strconv.Itoa(i+1) + ". "
		}
		b.plain.write("\n" + indent + mark)
		spacing := itemStyle
		if i == len(node.Content)-1 {
			spacing = "margin:0"
		}
		b.mjml.WriteString(`<li style="` + spacing + `">`)
		b.blocks(item.Content, indent+strings.Repeat(" ", len(mark)), false)
		b.mjml.WriteString(`</li>`)
	}
	b.mjml.WriteString(`</` + tag + `>`)
}

// inlineNodes writes texts, chips and breaks; neighbours with the same address become one link.
func (b *builder) inlineNodes(nodes []engine.DocNode) {
	if len(nodes) == 0 {
		b.mjml.WriteString("&nbsp;")
	}
	for i := 0; i < len(nodes); {
		href := hrefOf(nodes[i])
		end := i + 1
		for href != "" && end < len(nodes) && hrefOf(nodes[end]) == href {
			end++
		}
		b.run(nodes[i:end], href)
		i = end
	}
}

// run writes neighbours that share an address, or have none.
func (b *builder) run(nodes []engine.DocNode, href string) {
	var words strings.Builder
	for _, node := range nodes {
		words.WriteString(node.Text)
	}
	link := 0
	if href != "" {
		link = b.link(href, words.String())
	}
	if link > 0 {
		token := b.tokens.add(tokenValue{text: href, block: b.block, link: link})
		b.mjml.WriteString(`<a href="` + token + `" target="_blank" style="` + linkStyle + `">`)
	}
	for _, node := range nodes {
		b.leaf(node)
	}
	if link == 0 {
		return
	}
	b.mjml.WriteString(`</a>`)
	if shown := strings.TrimSpace(words.String()); href == shown || href == "mailto:"+shown || href == "tel:"+shown {
		return // the address stands there already
	}
	b.plain.write(" (")
	b.plain.address(link)
	b.plain.write(")")
}

var markTags = map[string]string{"bold": "strong", "italic": "em", "underline": "u", "strike": "s"}

func (b *builder) leaf(node engine.DocNode) {
	if node.Type == "hardBreak" {
		b.mjml.WriteString("<br>")
		b.plain.write("\n")
		return
	}
	closing := ""
	for _, mark := range node.Marks {
		if tag := markTags[mark.Type]; tag != "" {
			b.mjml.WriteString("<" + tag + ">")
			closing = "</" + tag + ">" + closing
		}
	}
	b.mjml.WriteString(b.inline(node.Text) + closing)
	b.plain.write(node.Text)
}

func hrefOf(node engine.DocNode) string {
	for _, mark := range node.Marks {
		if mark.Type == "link" {
			return mark.Href
		}
	}
	return ""
}
