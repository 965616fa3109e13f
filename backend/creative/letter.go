package creative

import (
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Paragraph is one part of a letter on paper. Kind decides which members count.
type Paragraph struct {
	Kind   string `json:"kind"`            // heading, text, rule, space
	Level  int    `json:"level,omitempty"` // of a heading: 1 to 3
	Align  string `json:"align,omitempty"` // center, right; "" is left
	Indent int    `json:"indent,omitempty"`
	Mark   string `json:"mark,omitempty"` // of an item of a list
	Height int    `json:"height,omitempty"`
	Runs   []Run  `json:"runs,omitempty"`
}

// Run is a stretch of a paragraph that looks the same: merge text, or a line break.
type Run struct {
	Text      string `json:"text"`
	Bold      bool   `json:"bold,omitempty"`
	Italic    bool   `json:"italic,omitempty"`
	Underline bool   `json:"underline,omitempty"`
	Strike    bool   `json:"strike,omitempty"`
}

// The kinds of paragraphs.
const (
	paragraphHeading = "heading"
	paragraphText    = "text"
	paragraphRule    = "rule"
	paragraphSpace   = "space"
)

// letter compiles the blocks of a letter.
func (b *builder) letter(creative engine.Creative, artifact *Artifact) {
	for _, block := range creative.Blocks {
		b.blockID, b.block = block.ID, "blocks."+block.ID
		align := ""
		if block.Align == "center" || block.Align == "right" {
			align = block.Align
		}
		switch block.Type {
		case "heading":
			b.checkMerge(b.block, block.Text)
			artifact.Letter = append(artifact.Letter, Paragraph{
				Kind: paragraphHeading, Level: min(max(block.Level, 1), 3), Align: align, Runs: []Run{{Text: block.Text, Bold: true}},
			})
			b.plain.paragraph(block.Text)
		case "text":
			b.letterText(block, align, artifact)
		case "divider":
			artifact.Letter = append(artifact.Letter, Paragraph{Kind: paragraphRule})
		case "spacer":
			artifact.Letter = append(artifact.Letter, Paragraph{Kind: paragraphSpace, Height: min(max(block.Height, 4), 200)})
		default:
			b.reportf(engine.Error, "FIELD_INVALID", b.block, "A letter has no part of the type %q. Remove it.", block.Type)
		}
	}
}

func (b *builder) letterText(block engine.Block, align string, artifact *Artifact) {
	doc, err := engine.DecodeDoc(block.Doc)
	if err != nil {
		b.reportf(engine.Error, "FIELD_INVALID", b.block, "%s%s.", strings.ToUpper(err.Error()[:1]), err.Error()[1:])
		return
	}
	before := len(artifact.Letter)
	b.letterNodes(doc.Content, 0, align, artifact)
	for _, paragraph := range artifact.Letter[before:] {
		b.plain.paragraph(paragraph.Mark)
		for _, run := range paragraph.Runs {
			b.checkMerge(b.block, run.Text)
			b.plain.write(run.Text)
		}
	}
}

// letterNodes writes paragraphs, headings and lists; an item of a list is a paragraph with a mark before it.
func (b *builder) letterNodes(nodes []engine.DocNode, indent int, align string, artifact *Artifact) {
	for _, node := range nodes {
		switch node.Type {
		case "paragraph":
			artifact.Letter = append(artifact.Letter, Paragraph{Kind: paragraphText, Align: align, Indent: indent, Runs: runsOf(node.Content)})
		case "heading":
			artifact.Letter = append(artifact.Letter, Paragraph{Kind: paragraphHeading, Level: node.Level, Align: align, Indent: indent, Runs: runsOf(node.Content)})
		case "bulletList", "orderedList":
			for i, item := range node.Content {
				first := len(artifact.Letter)
				b.letterNodes(item.Content, indent+1, "", artifact)
				if first < len(artifact.Letter) {
					artifact.Letter[first].Mark = markOf(node.Type, i)
				}
			}
		}
	}
}

func markOf(list string, i int) string {
	if list == "orderedList" {
		return strconv.Itoa(i+1) + ". "
	}
	return "• "
}

// runsOf writes texts with their looks. Where a link leads stands behind it in brackets, for paper cannot be clicked.
func runsOf(nodes []engine.DocNode) []Run {
	var runs []Run
	for i, node := range nodes {
		if node.Type == "hardBreak" {
			runs = append(runs, Run{Text: "\n"})
			continue
		}
		run := Run{Text: node.Text}
		for _, mark := range node.Marks {
			switch mark.Type {
			case "bold":
				run.Bold = true
			case "italic":
				run.Italic = true
			case "underline":
				run.Underline = true
			case "strike":
				run.Strike = true
			}
		}
		runs = append(runs, run)
		href := hrefOf(node)
		last := i+1 == len(nodes) || hrefOf(nodes[i+1]) != href
		if href != "" && last && href != strings.TrimSpace(node.Text) {
			runs = append(runs, Run{Text: " (" + href + ")"})
		}
	}
	return runs
}

// letter fills the page: whom it goes to, from whom, and what it says.
func (r *filler) letter(out *Rendered) {
	page := sheet{sender: r.senderLine()}
	page.recipient = r.recipient()
	out.Address = page.recipient
	for _, paragraph := range r.artifact.Letter {
		filled := paragraph
		filled.Runs = make([]Run, len(paragraph.Runs))
		for i, run := range paragraph.Runs {
			filled.Runs[i] = run
			if run.Text != "\n" {
				filled.Runs[i].Text = r.merge(run.Text, engine.ContextPlain)
			}
		}
		if filled.Kind == paragraphHeading && out.Subject == "" && len(filled.Runs) > 0 {
			out.Subject = strings.TrimSpace(filled.Runs[0].Text)
		}
		page.paragraphs = append(page.paragraphs, filled)
	}
	out.Text = strings.TrimSpace(r.whole(&r.artifact.Text))
	if r.err == nil {
		out.PDF, out.Pages, r.err = page.print()
	}
}

// recipient is the name and the postal address, line by line.
func (r *filler) recipient() []string {
	var lines []string
	field := func(key string) string {
		if r.scope == nil {
			return ""
		}
		text, _ := r.scope.Fields[key].(string)
		return strings.Join(strings.Fields(text), " ")
	}
	for _, line := range []string{
		field("first_name") + " " + field("last_name"), field("street"), field("postal_code") + " " + field("city"), field("country"),
	} {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// senderLine is the small line above the address in the window.
func (r *filler) senderLine() string {
	var parts []string
	for _, key := range []string{"name", "address"} {
		if r.scope == nil {
			break
		}
		if text, _ := r.scope.Workspace[key].(string); strings.TrimSpace(text) != "" {
			parts = append(parts, strings.Join(strings.Fields(text), " "))
		}
	}
	return strings.Join(parts, " · ")
}
