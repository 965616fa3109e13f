package creative

import (
	"strings"
	"unicode/utf16"
)

// The alphabets of an SMS.
const (
	GSM7 = "gsm7"
	UCS2 = "ucs2"
)

// Parts is how carriers count a text. Units are septets of GSM-7 or 16-bit units of UCS-2.
type Parts struct {
	Encoding string `json:"encoding"`
	Units    int    `json:"units"`
	PerPart  int    `json:"per_part"` // what fits into each: less when there are several, for each then says which it is
	Parts    int    `json:"parts"`
}

// gsmBasic and gsmExtended are the default alphabet of GSM 03.38; a character of the second counts two, because an escape goes before
// it.
const (
	gsmBasic    = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtended = "\f^{}\\[~]|€"
)

// alphabet is how much a text is cut into: alone, and each of several.
type alphabet struct {
	name        string
	single, one int
}

var (
	gsm7 = alphabet{GSM7, 160, 153}
	ucs2 = alphabet{UCS2, 70, 67}
)

// PartsOf counts a text. One character outside the default alphabet of GSM turns the whole of it into UCS-2, where a character beyond
// the first plane, such as most emoji, counts two. No character is cut in two at the end of a part.
func PartsOf(text string) Parts {
	widths, known := gsmWidths(text)
	if known {
		return gsm7.count(widths)
	}
	widths = widths[:0]
	for _, r := range text {
		widths = append(widths, utf16.RuneLen(r))
	}
	return ucs2.count(widths)
}

// gsmWidths are the septets of each character; false when one is in neither alphabet.
func gsmWidths(text string) ([]int, bool) {
	widths := make([]int, 0, len(text))
	for _, r := range text {
		switch {
		case strings.ContainsRune(gsmBasic, r):
			widths = append(widths, 1)
		case strings.ContainsRune(gsmExtended, r):
			widths = append(widths, 2)
		default:
			return widths, false
		}
	}
	return widths, true
}

func (a alphabet) count(widths []int) Parts {
	total := 0
	for _, width := range widths {
		total += width
	}
	if total <= a.single {
		return Parts{Encoding: a.name, Units: total, PerPart: a.single, Parts: 1}
	}
	parts, room := 1, a.one
	for _, width := range widths {
		if width > room {
			parts, room = parts+1, a.one
		}
		room -= width
	}
	return Parts{Encoding: a.name, Units: total, PerPart: a.one, Parts: parts}
}
