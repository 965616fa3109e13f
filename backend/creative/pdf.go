package creative

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
)

// sheet is a letter ready to be printed, after DIN 5008 form B: A4, the address in the window of the envelope, marks to fold at.
type sheet struct {
	sender     string
	recipient  []string
	paragraphs []Paragraph
}

// The measures of DIN 5008 form B, in millimetres, and ours inside it.
const (
	leftMargin   = 25.0
	rightMargin  = 20.0
	topMargin    = 27.0 // of pages after the first
	bottomMargin = 25.0
	windowWidth  = 80.0
	senderTop    = 57.7 // the line of the sender, last of the zone of notes
	addressTop   = 62.7
	addressLine  = 4.5
	maxAddress   = 6 // lines the window shows
	bodyTop      = 103.4
	foldFirst    = 105.0
	punch        = 148.5
	foldSecond   = 210.0
	indentWidth  = 7.0

	textSize   = 10.5
	textLine   = 5.2
	smallSize  = 7.0
	pixel      = 25.4 / 96
	family     = "body"
	pageFormat = "A4"
)

var headingSizes = [3]float64{16, 13, 11}

//go:embed fonts/*.ttf.gz
var packedFonts embed.FS

// fontFiles are the four looks of the font, by the names fpdf has for them.
var fontFiles = map[string]string{
	"": "DejaVuSansCondensed", "B": "DejaVuSansCondensed-Bold", "I": "DejaVuSansCondensed-Oblique", "BI": "DejaVuSansCondensed-BoldOblique",
}

// typeface is the font, unpacked once per process.
type typeface struct {
	files map[string][]byte
	shape *sfnt.Font
}

var faces = sync.OnceValues(func() (typeface, error) {
	face := typeface{files: map[string][]byte{}}
	for style, name := range fontFiles {
		packed, err := packedFonts.Open("fonts/" + name + ".ttf.gz")
		if err != nil {
			return face, fmt.Errorf("open a font: %w", err)
		}
		reader, err := gzip.NewReader(packed)
		if err != nil {
			return face, fmt.Errorf("unpack a font: %w", err)
		}
		if face.files[style], err = io.ReadAll(reader); err != nil {
			return face, fmt.Errorf("unpack a font: %w", err)
		}
	}
	var err error
	if face.shape, err = sfnt.Parse(face.files[""]); err != nil {
		return face, fmt.Errorf("read a font: %w", err)
	}
	return face, nil
})

// printer writes one letter.
type printer struct {
	*fpdf.Fpdf

	shape *sfnt.Font
	glyph sfnt.Buffer
}

// print makes the PDF. The same letter gives the same bytes.
func (s sheet) print() (pdf []byte, pages int, err error) {
	face, err := faces()
	if err != nil {
		return nil, 0, err
	}
	p := printer{Fpdf: fpdf.New("P", "mm", pageFormat, ""), shape: face.shape}
	p.SetCreationDate(time.Unix(0, 0).UTC())
	p.SetModificationDate(time.Unix(0, 0).UTC())
	p.SetCatalogSort(true)
	p.SetProducer("Lejek", true)
	for _, style := range s.styles() {
		p.AddUTF8FontFromBytes(family, style, face.files[style])
	}
	p.SetMargins(leftMargin, topMargin, rightMargin)
	p.SetAutoPageBreak(true, bottomMargin)
	p.SetFooterFunc(p.foot)
	p.AddPage()
	p.window(s)
	p.SetXY(leftMargin, bodyTop)
	for _, paragraph := range s.paragraphs {
		p.paragraph(paragraph)
	}
	var out bytes.Buffer
	if err := p.Output(&out); err != nil {
		return nil, 0, fmt.Errorf("print a letter: %w", err)
	}
	return out.Bytes(), p.PageCount(), nil
}

// styles are the looks of the font that the letter needs: reading one costs milliseconds.
func (s sheet) styles() []string {
	styles := []string{""}
	for _, paragraph := range s.paragraphs {
		for _, run := range paragraph.Runs {
			style := strings.Trim(styleOf(paragraph.Kind, run), "US")
			if !slices.Contains(styles, style) {
				styles = append(styles, style)
			}
		}
	}
	return styles
}

// window prints the address where the envelope shows it, and the marks at the edge.
func (p *printer) window(s sheet) {
	p.SetDrawColor(150, 150, 150)
	p.SetLineWidth(0.1)
	for _, mark := range [][2]float64{{foldFirst, 5}, {punch, 7}, {foldSecond, 5}} {
		p.Line(0, mark[0], mark[1], mark[0])
	}
	p.SetFont(family, "", smallSize)
	p.SetTextColor(90, 90, 90)
	sender := p.cut(p.known(s.sender), windowWidth)
	p.SetXY(leftMargin, senderTop)
	p.CellFormat(windowWidth, 4, sender, "B", 0, "L", false, 0, "")
	p.SetFont(family, "", textSize)
	p.SetTextColor(0, 0, 0)
	for i, line := range s.recipient[:min(len(s.recipient), maxAddress)] {
		p.SetXY(leftMargin, addressTop+float64(i)*addressLine)
		p.CellFormat(windowWidth, addressLine, p.cut(p.known(line), windowWidth), "", 0, "L", false, 0, "")
	}
}

// cut shortens a line to a width.
func (p *printer) cut(line string, width float64) string {
	letters := []rune(line)
	for len(letters) > 0 && p.GetStringWidth(string(letters)) > width-2 {
		letters = letters[:len(letters)-1]
	}
	return string(letters)
}

func (p *printer) foot() {
	if p.PageNo() == 1 {
		return
	}
	p.SetY(-15)
	p.SetFont(family, "", smallSize)
	p.SetTextColor(90, 90, 90)
	p.CellFormat(0, 4, strconv.Itoa(p.PageNo()), "", 0, "R", false, 0, "")
	p.SetTextColor(0, 0, 0)
}

func (p *printer) paragraph(paragraph Paragraph) {
	switch paragraph.Kind {
	case paragraphRule:
		y := p.GetY() + 1
		p.SetDrawColor(180, 180, 180)
		p.SetLineWidth(0.2)
		p.Line(leftMargin, y, 210-rightMargin, y)
		p.SetY(y + 3)
	case paragraphSpace:
		p.SetY(p.GetY() + float64(paragraph.Height)*pixel)
	default:
		p.text(paragraph)
	}
}

// text prints one paragraph of words.
func (p *printer) text(paragraph Paragraph) {
	size, line, after := textSize, textLine, 2.6
	if paragraph.Kind == paragraphHeading {
		size = headingSizes[min(max(paragraph.Level, 1), 3)-1]
		line, after = size*0.46, 1.6
	}
	left := leftMargin + float64(paragraph.Indent)*indentWidth
	if paragraph.Mark != "" {
		p.SetFont(family, "", size)
		p.SetX(left - p.GetStringWidth(paragraph.Mark))
		p.CellFormat(p.GetStringWidth(paragraph.Mark), line, p.known(paragraph.Mark), "", 0, "L", false, 0, "")
	}
	p.SetLeftMargin(left)
	p.SetX(left)
	if align, moved := map[string]string{"center": "C", "right": "R"}[paragraph.Align]; moved {
		var whole strings.Builder
		for _, run := range paragraph.Runs {
			whole.WriteString(run.Text)
		}
		p.SetFont(family, styleOf(paragraph.Kind, Run{}), size)
		p.MultiCell(0, line, p.known(whole.String()), "", align, false)
	} else {
		for _, run := range paragraph.Runs {
			p.SetFont(family, styleOf(paragraph.Kind, run), size)
			p.Write(line, p.known(run.Text))
		}
		p.Ln(line)
	}
	p.SetLeftMargin(leftMargin)
	p.SetXY(leftMargin, p.GetY()+after)
}

func styleOf(kind string, run Run) string {
	var style strings.Builder
	for _, look := range []struct {
		on   bool
		name string
	}{{run.Bold || kind == paragraphHeading, "B"}, {run.Italic, "I"}, {run.Underline, "U"}, {run.Strike, "S"}} {
		if look.on {
			style.WriteString(look.name)
		}
	}
	return style.String()
}

// known leaves out what the font has no picture of, such as emoji: a box in its place would say nothing.
func (p *printer) known(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ' || r > 0xFFFF:
			return -1
		}
		if index, err := p.shape.GlyphIndex(&p.glyph, r); err != nil || index == 0 {
			return -1
		}
		return r
	}, text)
}
