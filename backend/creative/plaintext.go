package creative

import (
	"strings"

	"github.com/lejek/lejek/engine"
)

// plainText writes the text version: merge text whose holes are cut out, and addresses of links.
type plainText struct {
	out   strings.Builder
	holes []Hole
}

// paragraph begins a new paragraph with merge text.
func (p *plainText) paragraph(text string) {
	if p.out.Len() > 0 || len(p.holes) > 0 {
		p.out.WriteString("\n\n")
	}
	p.write(text)
}

// write adds merge text. What cannot be read has been reported by the HTML and is left out.
func (p *plainText) write(text string) {
	merge, err := engine.ParseMerge(text)
	if err != nil {
		return
	}
	for i, literal := range merge.Literals() {
		p.out.WriteString(literal)
		if i < len(merge.Holes()) {
			p.holes = append(p.holes, Hole{At: p.out.Len(), Text: "{{ " + merge.Holes()[i].Source + " }}", Place: InPlain})
		}
	}
}

// mark begins or ends a part that is repeated or shown on a condition.
func (p *plainText) mark(mark *Mark) {
	p.holes = append(p.holes, Hole{At: p.out.Len(), Place: InPlain, Mark: mark})
}

// word adds a text of ours.
func (p *plainText) word(w Word) {
	p.holes = append(p.holes, Hole{At: p.out.Len(), Word: w, Place: InPlain})
}

// address adds where a link leads.
func (p *plainText) address(link int) {
	p.holes = append(p.holes, Hole{At: p.out.Len(), Place: InPlain, Link: link})
}

func (p *plainText) body() Body {
	holes := p.holes
	if holes == nil {
		holes = []Hole{}
	}
	return Body{Source: p.out.String() + "\n", Holes: holes}
}
