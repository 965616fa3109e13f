package ai

import (
	"regexp"
	"strings"
	"unicode"
)

// fold writes a word as the lexicons do: lower case, ё as е and й as и, Latin letters without accents.
func fold(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		r = unicode.ToLower(r)
		switch {
		case r == 'ё':
			out.WriteRune('е')
		case r == 'й':
			out.WriteRune('и')
		case unicode.Is(unicode.Mn, r) || r == '\u00ad' || r == '\u200b' || r == '\u2060' || r == '\ufeff':
		case r > 127 && r < 0x250:
			if l, ok := latinOf[r]; ok {
				out.WriteString(l)
			} else {
				out.WriteRune(r)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// loanTerms are terms with a hyphen that every language takes over as they are: "follow-up", "win-back". They tell no language.
var loanTerms = regexp.MustCompile(`\b(?:follow-ups?|win-back|opt-in|check-in|check-out|up-sell|cross-sell|pop-up|sign-up|no-show|e-mail|e-book|call-back)\b`)

// language tells the language of a text: en, pl, ru, or "other" for one the planner does not speak.
//
// A text in Latin letters without any word that tells is of the language hinted at.
func language(s, hint string) string {
	if lang := script(s); lang != "" {
		return lang
	}
	pl, en := 0, 0
	for _, word := range strings.FieldsFunc(loanTerms.ReplaceAllString(fold(s), " "), func(r rune) bool { return !unicode.IsLetter(r) }) {
		pl += lexicons["pl"].tells(word)
		en += lexicons["en"].tells(word)
	}
	if pl > en || pl == en && hint == "pl" {
		return "pl"
	}
	return "en"
}

// script tells the language that the letters alone give away; "" when they do not.
func script(s string) string {
	var cyrillic, letters, foreign, polish int
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case strings.ContainsRune("іїєґўІЇЄҐЎ", r):
			foreign++
			cyrillic++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case strings.ContainsRune("ąćęłńśźżĄĆĘŁŃŚŹŻ", r):
			polish++
		case r > 0x24f:
			foreign += 2
		}
	}
	switch {
	case letters == 0:
		return ""
	case foreign*4 > letters || foreign > 0 && cyrillic*3 > letters:
		return "other"
	case cyrillic*10 > letters*3:
		return "ru"
	case polish > 0:
		return "pl"
	}
	return ""
}

// distance counts the insertions, deletions, changes and swaps of neighbours between two words.
func distance(a, b []rune) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// LanguageOf tells the language of a text: en, pl, ru, or "other".
func LanguageOf(text string) string { return language(text, "") }
