package ai

import (
	"slices"
	"strconv"
)

// reading is a prompt with what its words mean. Marks are in order of position; several may stand at one place.
type reading struct {
	lang   string
	lex    []*lexicon // the prompt's language first, then English for its borrowed words
	tokens []token
	marks  []mark
	known  []bool // tokens that were understood
}

// mark says that n tokens from at mean class and value.
type mark struct {
	class, value string
	at, n        int
}

func (m mark) end() int { return m.at + m.n }

// read takes a prompt in. The language is a hint for a prompt that does not show its own.
func read(prompt, lang string) *reading {
	if lang = language(prompt, lang); lang == "" {
		lang = "en"
	}
	r := &reading{lang: lang, tokens: tokenize(prompt)}
	if l := lexicons[lang]; l != nil {
		r.lex = append(r.lex, l)
	}
	if lang != "en" {
		r.lex = append(r.lex, lexicons["en"])
	}
	r.known = make([]bool, len(r.tokens))
	for i := range r.tokens {
		if r.tokens[i].kind != aWord {
			continue
		}
		if !r.cuesAt(i, false) {
			r.cuesAt(i, true)
		}
	}
	return r
}

// cuesAt marks the cues at one place: of each class the longest only.
func (r *reading) cuesAt(i int, loose bool) bool {
	found := map[string]bool{}
	for k, l := range r.lex {
		first := []rune(r.tokens[i].text)[0]
		for _, c := range l.cues[first] {
			if k > 0 && (c.class == "word" || c.class == "event") || found[c.class] && c.class != "word" {
				continue
			}
			if n := c.at(r.tokens, i, loose); n > 0 {
				r.marks = append(r.marks, mark{c.class, c.value, i, n})
				r.understand(i, n)
				found[c.class] = true
			}
		}
	}
	return len(found) > 0
}

func (r *reading) understand(at, n int) {
	for i := at; i < at+n && i < len(r.known); i++ {
		r.known[i] = true
	}
}

// is tells whether a word with a meaning stands at a place, and how long it is.
func (r *reading) is(i int, class, value string) (int, bool) {
	for _, m := range r.marks {
		if m.at == i && m.class == class && m.value == value {
			return m.n, true
		}
	}
	return 0, false
}

func (r *reading) word(i int, value string) bool {
	_, ok := r.is(i, "word", value)
	return ok
}

// near tells whether a word with a meaning ends within n tokens before i, in the same clause.
func (r *reading) before(i, n int, value string) bool {
	for j := i - 1; j >= 0 && j >= i-n; j-- {
		if r.tokens[j].kind == aBreak {
			return false
		}
		if r.word(j, value) {
			return true
		}
	}
	return false
}

// following tells whether a word with a meaning begins within n tokens from i on, in the same clause.
func (r *reading) following(i, n int, value string) bool {
	for j := i; j < len(r.tokens) && j < i+n; j++ {
		if r.tokens[j].kind == aBreak {
			return false
		}
		if r.word(j, value) {
			return true
		}
	}
	return false
}

// clause returns the bounds of the clause around a token: clauses end at full stops, lines and arrows.
func (r *reading) clause(i int) (from, to int) {
	from, to = i, i
	for from > 0 && r.tokens[from-1].kind != aBreak {
		from--
	}
	for to < len(r.tokens) && r.tokens[to].kind != aBreak {
		to++
	}
	return from, to
}

// each calls f for the marks of a class in order.
func (r *reading) each(class string, f func(mark)) {
	for _, m := range r.marks {
		if m.class == class {
			f(m)
		}
	}
}

func (r *reading) any(class string, values ...string) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.class == class && slices.Contains(values, m.value) })
}

// number reads a number, in digits or words, at a place.
func (r *reading) number(i int) (float64, bool) {
	if i < 0 || i >= len(r.tokens) {
		return 0, false
	}
	t := r.tokens[i]
	if t.kind == aNumber {
		return t.num, true
	}
	if t.kind != aWord {
		return 0, false
	}
	for _, l := range r.lex {
		if n, ok := l.numbers[t.text]; ok {
			return n, true
		}
	}
	return 0, false
}

func (r *reading) unitAt(i int) string {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != aWord {
		return ""
	}
	for _, l := range r.lex {
		if u := l.unit(r.tokens[i].text); u != "" {
			return u
		}
	}
	return ""
}

var hoursPer = map[string]float64{"minutes": 1.0 / 60, "hours": 1, "days": 24, "weeks": 168, "months": 720, "years": 8760}

// coverage is the share of content words that were understood, from 0 to 1.
func (r *reading) coverage() float64 {
	total, known := 0, 0
	for i, t := range r.tokens {
		if t.kind != aWord && t.kind != aNumber || r.stops(t.text) {
			continue
		}
		total++
		if r.known[i] {
			known++
		}
	}
	if total == 0 {
		return 0
	}
	return float64(known) / float64(total)
}

func (r *reading) stops(word string) bool {
	for _, l := range r.lex {
		if l.stop[word] {
			return true
		}
	}
	return len([]rune(word)) < 3
}

func parseSpan(value string) float64 {
	h, _ := strconv.ParseFloat(value, 64)
	return h
}
