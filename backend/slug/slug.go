// Package slug makes the short names that documents and addresses use out of what people type, in the languages of the interface.
package slug

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Max is the longest slug made here, in bytes; it leaves room for a number behind it.
const Max = 48

// latin are letters that do not fall apart into a base letter and a mark.
var latin = map[rune]string{
	'ł': "l", 'ø': "o", 'đ': "d", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th",
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'е': "e", 'ж': "zh", 'з': "z", 'и': "i", 'к': "k", 'л': "l", 'м': "m", 'н': "n", 'о': "o",
	'п': "p", 'р': "r", 'с': "s", 'т': "t", 'у': "u", 'ф': "f", 'х': "kh", 'ц': "ts", 'ч': "ch", 'ш': "sh", 'щ': "shch", 'ъ': "", 'ы': "y",
	'ь': "", 'э': "e", 'ю': "yu", 'я': "ya", 'і': "i", 'ї': "i", 'є': "ye", 'ґ': "g",
}

// Of is the slug of a text: small Latin letters and digits with single hyphens between. A text without any gives fallback.
func Of(text, fallback string) string {
	var b strings.Builder
	gap := false
	put := func(part string) {
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(part)
	}
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch part, known := latin[r]; {
		case unicode.Is(unicode.Mn, r), known && part == "":
		case known:
			put(part)
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			put(string(r))
		default:
			gap = true
		}
		if b.Len() >= Max {
			break
		}
	}
	made := b.String()
	made = strings.Trim(made[:min(len(made), Max)], "-")
	if made == "" {
		return fallback
	}
	return made
}
