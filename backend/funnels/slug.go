package funnels

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/lejek/lejek/engine"
)

const maxSlug = 48

// slugFor makes the name by which other funnels refer to this one, free among the taken ones. It never changes again.
func slugFor(name string, taken []string) string {
	used := make(map[string]bool, len(taken))
	for _, slug := range taken {
		used[slug] = true
	}
	base := ascii(name)
	for n := 1; ; n++ {
		slug := base
		if n > 1 {
			slug += "-" + strconv.Itoa(n)
		}
		if !used[slug] {
			return slug
		}
	}
}

// letters that do not fall apart into a letter and a mark.
var letters = strings.NewReplacer("ł", "l", "ß", "ss", "ø", "o", "đ", "d", "æ", "ae", "œ", "oe",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ё", "e", "ж", "zh", "з", "z", "и", "i", "й", "i", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "shch",
	"ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya")

func ascii(name string) string {
	var slug strings.Builder
	dash := false
	for _, r := range norm.NFD.String(letters.Replace(engine.Fold(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if dash && slug.Len() > 0 {
				slug.WriteByte('-')
			}
			dash = false
			slug.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			dash = true
		}
		if slug.Len() >= maxSlug {
			break
		}
	}
	if slug.Len() == 0 {
		return "funnel"
	}
	return slug.String()
}
