package ai

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/lejek/lejek/engine"
)

// Of each kind of name a model is told the few that are most like something in the request, and of all kinds together no more than this many
// bytes: a workspace with ten thousand tags costs no more than one with ten.
const (
	namesEach  = 8
	namesBytes = 3000
)

// workspaceNames are the names a plan may refer to, and no more of the workspace: no addresses, no people.
func workspaceNames(ws *engine.Workspace, prompt string) any {
	if ws == nil {
		return nil
	}
	said := saidIn(prompt)
	left := namesBytes
	out := fields{}
	for _, kind := range []struct {
		name string
		all  []string
	}{
		{"lists", ws.Lists},
		{"tags", ws.Tags},
		{"segments", ws.Segments},
		{"events", sortedKeys(ws.Events)},
		{"fields", mapped(ws.Fields, func(f engine.ContactField) string { return f.Key })},
		{"forms", mapped(ws.Forms, func(f engine.Form) string { return f.Slug })},
		{"services", ws.Resources},
		{"connections", mapped(ws.Connections, func(c engine.Connection) string { return c.Slug })},
		{"funnels", ws.Funnels},
		{"topics", ws.Topics},
	} {
		var told []string
		for _, name := range mostAlike(kind.all, said, namesEach) {
			if left -= len(name) + 3; left < 0 {
				break
			}
			told = append(told, name)
		}
		if len(told) > 0 {
			out[kind.name] = told
		}
	}
	return out
}

// saidIn are the words of a text as names are written: without accents, in Latin letters.
func saidIn(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) }) {
		if w := slug(word); len(w) > 1 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// wordsIn are the words of a name.
func wordsIn(name string) []string {
	return strings.FieldsFunc(slug(strings.ReplaceAll(name, "_", "-")), func(r rune) bool { return r == '-' })
}

// mostAlike are the names most like what is said, the best first; among equals the order stays.
func mostAlike(names, said []string, most int) []string {
	type scored struct {
		name  string
		score float64
	}
	all := make([]scored, 0, len(names))
	for _, name := range names {
		all = append(all, scored{name, spokenOf(name, said)})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]string, 0, most)
	for _, s := range all[:min(len(all), most)] {
		out = append(out, s.name)
	}
	return out
}

// spokenOf is how much of a name is said, from 0 to 1: for each of its words, the most alike one.
func spokenOf(name string, said []string) float64 {
	words := wordsIn(name)
	if len(words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range words {
		best := 0.0
		for _, s := range said {
			best = max(best, wordLikeness(w, s))
		}
		sum += best
	}
	return sum / float64(len(words))
}

// wordLikeness is by common trigrams, or by a common beginning: an inflected word changes its end.
func wordLikeness(a, b string) float64 {
	if a == b {
		return 1
	}
	like := trigrams(a, b)
	if n := beginning(a, b); n >= 3 {
		like = max(like, 0.3+0.65*float64(n)/float64(max(len(a), len(b))))
	}
	return like
}

// trigrams is the share of trigrams two words have in common.
func trigrams(a, b string) float64 {
	cut := func(s string) map[string]int {
		s = "  " + s + " "
		out := map[string]int{}
		for i := 0; i+3 <= len(s); i++ {
			out[s[i:i+3]]++
		}
		return out
	}
	x, y := cut(a), cut(b)
	same := 0
	for t, n := range x {
		same += min(n, y[t])
	}
	return 2 * float64(same) / float64(len(a)+len(b)+2)
}

// beginning is how many letters two words begin with alike.
func beginning(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// inflected finds the one name that is what is said in another case or number: "stali-klienci" for "stałych klientów". Without exactly one it is "".
func inflected(names []string, want string) string {
	found := ""
	said := wordsIn(want)
	for _, name := range names {
		words := wordsIn(name)
		if len(words) != len(said) || len(words) == 0 {
			continue
		}
		alike := true
		for i, w := range words {
			n := beginning(w, said[i])
			alike = alike && (w == said[i] || n >= 3 && len(w)-n <= 3 && len(said[i])-n <= 3 && !digits(w) && !digits(said[i]))
		}
		switch {
		case alike && found != "":
			return ""
		case alike:
			found = name
		}
	}
	return found
}

func digits(s string) bool { return strings.ContainsAny(s, "0123456789") }
