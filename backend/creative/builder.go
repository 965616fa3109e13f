package creative

import (
	"fmt"
	"html"
	"strings"

	"github.com/lejek/lejek/engine"
)

// builder writes MJML and the text version side by side, block by block.
type builder struct {
	tokens   *tokens
	mjml     strings.Builder
	plain    plainText
	links    []Link
	problems []engine.Problem
	inside   int    // parts around the one at work that are repeated or shown on a condition
	block    string // path of the block at work, for problems: "blocks.<id>"
	blockID  string
}

// document writes a whole message: the brand on top, the blocks on paper, the footer below a line.
func (b *builder) document(creative engine.Creative, language string) string {
	lang := ""
	if language != "" {
		lang = ` lang="` + language + `"`
	}
	b.mjml.WriteString(`<mjml` + lang + `><mj-head><mj-title>` + b.whole(creative.Subject, "subject") + `</mj-title>`)
	if strings.TrimSpace(creative.Preheader) != "" {
		b.mjml.WriteString(`<mj-preview>` + b.whole(creative.Preheader, "preheader") + afterPreheader + `</mj-preview>`)
	}
	b.mjml.WriteString(head + `</mj-head><mj-body width="600px" background-color="` + groundColour + `" css-class="ground">` +
		`<mj-section padding="12px 0 0"><mj-column><mj-spacer height="1px"/></mj-column></mj-section>` +
		`<mj-wrapper css-class="paper" background-color="` + paperColour + `" border="1px solid ` + lineColour + `" border-radius="8px">`)
	b.brand()
	b.mjml.WriteString(`<mj-section padding="6px 0 18px"><mj-column>`)
	footers := 0
	for _, block := range creative.Blocks {
		b.blockID, b.block = block.ID, "blocks."+block.ID
		if block.Type == "footer" {
			footers++
			continue
		}
		b.part(block)
	}
	b.mjml.WriteString(`</mj-column></mj-section>`)
	for _, block := range creative.Blocks {
		if block.Type == "footer" && footers > 0 {
			b.blockID, b.block = block.ID, "blocks."+block.ID
			b.footer()
			footers = 0
		}
	}
	b.mjml.WriteString(`</mj-wrapper><mj-section padding="12px 0 0"><mj-column><mj-spacer height="1px"/></mj-column></mj-section></mj-body></mjml>`)
	return b.mjml.String()
}

func (b *builder) brand() {
	name := b.tokens.add(tokenValue{text: `{{ workspace.name | default("") }}`})
	b.mjml.WriteString(`<mj-section padding="14px 0 0"><mj-column><mj-text css-class="title" font-size="15px" font-weight="600" color="` +
		brandColour + `">` + name + `</mj-text></mj-column></mj-section>`)
}

// part writes a block, at its own place for problems.
func (b *builder) part(block engine.Block) {
	b.blockID, b.block = block.ID, "blocks."+block.ID
	b.content(block)
}

// holder writes the blocks inside one between two marks. Rows of a column follow each other, so that what is between them may be taken
// once, often or not at all.
func (b *builder) holder(block engine.Block, begin Mark) {
	if !begin.begins() {
		return // the validator says so
	}
	b.mark(&begin)
	b.inside++
	for _, child := range block.Blocks {
		if child.Type == "footer" {
			b.reportf(engine.Error, "FIELD_INVALID", "blocks."+child.ID, "The footer cannot stand inside another part. Put it at the end of the message.")
			continue
		}
		b.part(child)
	}
	b.inside--
	b.mark(&Mark{})
}

func (b *builder) mark(mark *Mark) {
	b.mjml.WriteString(`<mj-raw>` + b.tokens.add(tokenValue{block: b.block, mark: mark}) + `</mj-raw>`)
	b.plain.mark(mark)
}

func (b *builder) content(block engine.Block) {
	switch block.Type {
	case engine.BlockRepeat:
		b.holder(block, Mark{Over: strings.TrimSpace(block.Over)})
	case engine.BlockShowIf:
		b.holder(block, Mark{When: strings.TrimSpace(block.When)})
	case "heading":
		b.heading(block)
	case "text":
		b.text(block)
	case "button":
		b.button(block)
	case "image":
		b.image(block)
	case "divider":
		b.mjml.WriteString(`<mj-divider css-class="line"/>`)
		b.plain.paragraph("----------------------------------------")
	case "spacer":
		fmt.Fprintf(&b.mjml, `<mj-spacer height="%dpx"/>`, min(max(block.Height, 4), 200))
	default:
		b.reportf(engine.Error, "FIELD_INVALID", b.block, "There is no block of type %q. Remove it.", block.Type)
	}
}

func (b *builder) heading(block engine.Block) {
	level := min(max(block.Level, 1), 3)
	inner := b.inline(block.Text)
	fmt.Fprintf(&b.mjml, `<mj-text css-class="title" color="%s" align="%s" padding-bottom="4px"><h%d style="%s">%s</h%d></mj-text>`,
		brandColour, align(block), level, headingStyles[level-1], inner, level)
	b.plain.paragraph(block.Text)
}

func (b *builder) button(block engine.Block) {
	href := ""
	if link := b.link(block.URL, block.Text); link > 0 {
		href = ` href="` + b.tokens.add(tokenValue{text: block.URL, block: b.block, link: link}) + `"`
		b.plain.paragraph(block.Text + ": ")
		b.plain.address(link)
	}
	b.mjml.WriteString(`<mj-button css-class="cta" align="` + align(block) + `"` + href + `>` + b.inline(block.Text) + `</mj-button>`)
}

func (b *builder) image(block engine.Block) {
	if !b.address(block.URL, "Give the image an address.") {
		return
	}
	source := b.tokens.add(tokenValue{text: block.URL, block: b.block})
	href := ""
	link := 0
	if block.Href != "" {
		if link = b.link(block.Href, block.Alt); link > 0 {
			href = ` href="` + b.tokens.add(tokenValue{text: block.Href, block: b.block, link: link}) + `"`
		}
	}
	alt := b.whole(block.Alt, b.block)
	b.mjml.WriteString(`<mj-image align="` + align(block) + `" src="` + source + `" alt="` + alt + `"` + href + `/>`)
	if strings.TrimSpace(block.Alt) == "" && link == 0 {
		return
	}
	b.plain.paragraph("[" + block.Alt + "]")
	if link > 0 {
		b.plain.write(" ")
		b.plain.address(link)
	}
}

// footer says who writes and how to stop it. Its address comes from the workspace.
func (b *builder) footer() {
	sender := `{{ workspace.name | default("") }}`
	address := `{{ workspace.address | default("") }}`
	unsubscribe := b.serviceLink("{{ unsubscribe_url }}", WordUnsubscribe)
	view := b.serviceLink("{{ view_url }}", WordView)
	say := func(word Word) string { return b.tokens.add(tokenValue{block: b.block, word: word}) }
	anchor := func(link int, word Word) string {
		return `<a href="` + b.tokens.add(tokenValue{block: b.block, link: link}) + `" target="_blank" style="` + footLinkStyle + `">` + say(word) + `</a>`
	}
	b.mjml.WriteString(`<mj-section css-class="foot" border-top="1px solid ` + lineColour + `" padding="14px 0 18px"><mj-column>` +
		`<mj-text css-class="quiet" font-size="12px" line-height="18px" color="` + dimColour + `">` +
		b.tokens.add(tokenValue{text: sender, block: b.block}) + `<br>` + b.tokens.add(tokenValue{text: address, block: b.block}) +
		`<br>` + say(WordWhy) + `<br>` + anchor(unsubscribe, WordUnsubscribe) + ` &middot; ` + anchor(view, WordView) +
		`</mj-text></mj-column></mj-section>`)
	b.plain.paragraph("-- ")
	b.plain.write("\n" + sender + "\n" + address + "\n")
	b.plain.word(WordWhy)
	b.plain.write("\n")
	b.plain.word(WordUnsubscribe)
	b.plain.write(": ")
	b.plain.address(unsubscribe)
	b.plain.write("\n")
	b.plain.word(WordView)
	b.plain.write(": ")
	b.plain.address(view)
}

// inline writes merge text between tags: literals escaped, a token per hole.
func (b *builder) inline(text string) string {
	merge, err := engine.ParseMerge(text)
	if err != nil {
		b.merged(b.block, err)
		return ""
	}
	var out strings.Builder
	for i, literal := range merge.Literals() {
		out.WriteString(strings.ReplaceAll(html.EscapeString(literal), "\n", "<br>"))
		if i < len(merge.Holes()) {
			out.WriteString(b.tokens.add(tokenValue{text: "{{ " + merge.Holes()[i].Source + " }}", block: b.block}))
		}
	}
	return out.String()
}

// whole gives one token for a text that is filled as a whole, such as an attribute.
func (b *builder) whole(text, field string) string {
	if _, err := engine.ParseMerge(text); err != nil {
		if field == b.block {
			b.merged(field, err) // those of the head are reported where they are kept
		}
		return ""
	}
	return b.tokens.add(tokenValue{text: text, block: field})
}

func align(block engine.Block) string {
	switch block.Align {
	case "center", "right":
		return block.Align
	default:
		return "left"
	}
}
