package ai

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SuggestName names the funnel of a proposal by its prompt.
func (r *Result) SuggestName(prompt string) {
	if r.Outcome == StatusGraph && r.Change == nil {
		r.Name = nameFor(prompt, r.Language)
	}
}

// nameFor gives a funnel a name: that of the playbook the request speaks of, else its first words.
func nameFor(prompt, lang string) string {
	r := read(prompt, lang)
	say := sayIn(lang)
	for _, p := range r.nearest() {
		if name := say.Playbooks[p.ID]; name != "" {
			return capital(name)
		}
	}
	words := strings.Join(strings.Fields(prompt), " ")
	if at := strings.IndexAny(words, ".!?\n"); at > 0 {
		words = words[:at]
	}
	return capital(short(words, 48))
}

func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
