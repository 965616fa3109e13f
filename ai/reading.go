package ai

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// reading is a prompt with what its words mean. Marks are in order of position; several may stand at one place.
type reading struct {
	prompt string
	lang   string
	lex    []*lexicon // the prompt's language first, then English for its borrowed words
	tokens []token
	marks  []mark
	byAt   [][]mark // marks by their first token
	known  []bool   // tokens that were understood
	taken  []bool   // tokens that a larger phrase has used up
	aside  []bool   // tokens that are no wish: words of others, orders to the machine
	asides bool     // a part was no wish
	orders bool     // a part was an order to the machine
	days   []timing // of the week, that are waited for
	awaits string   // what the script waits for, which starts nothing
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
	r := &reading{prompt: prompt, lang: lang, tokens: tokenize(prompt)}
	if l := lexicons[lang]; l != nil {
		r.lex = append(r.lex, l)
	}
	if lang != "en" {
		r.lex = append(r.lex, lexicons["en"])
	}
	r.partNegations()
	r.joinNumbers()
	n := len(r.tokens)
	r.known, r.taken, r.aside = make([]bool, n), make([]bool, n), make([]bool, n)
	for i := range r.tokens {
		t := &r.tokens[i]
		t.sure = t.kind != aWord || slices.ContainsFunc(r.lex, func(l *lexicon) bool { return l.knows(t.text) })
	}
	r.mark()
	if r.setAside() {
		r.mark()
	}
	return r
}

// partNegations parts "not" from a verb it is written together with by mistake: "некликнул", "niekupił".
func (r *reading) partNegations() {
	no := map[string]string{"pl": "nie", "ru": "не"}[r.lang]
	if no == "" {
		return
	}
	out := r.tokens[:0:0]
	for _, t := range r.tokens {
		rest, glued := strings.CutPrefix(t.text, no)
		if !glued || t.kind != aWord || len([]rune(rest)) < 4 || len(t.raw) <= len(no) || r.lex[0].knows(t.text) || !r.lex[0].tellsEvent(rest) {
			out = append(out, t)
			continue
		}
		at := t.at + len(no)
		out = append(out, token{kind: aWord, text: no, raw: t.raw[:len(no)], at: t.at, end: at}, token{kind: aWord, text: rest, raw: t.raw[len(no):], at: at, end: t.end})
	}
	r.tokens = out
}

// mark finds the cues.
func (r *reading) mark() {
	r.marks, r.byAt = nil, make([][]mark, len(r.tokens))
	for i := range r.tokens {
		if r.tokens[i].kind != aWord || r.aside[i] {
			continue
		}
		from := len(r.marks)
		switch {
		case r.namesEvent(i):
			r.marks = append(r.marks, mark{"event", "api_event", i, 1})
			r.understand(i, 1)
		case strings.HasPrefix(r.tokens[i].text, "/"):
			r.marks = append(r.marks, mark{"event", "page_visit", i, 1})
			r.understand(i, 1)
		case !r.cuesAt(i, false):
			r.cuesAt(i, true)
		}
		r.byAt[i] = r.marks[from:len(r.marks):len(r.marks)]
	}
	for i := range r.byAt {
		r.byAt[i] = slices.DeleteFunc(slices.Clone(r.byAt[i]), func(m mark) bool {
			return m.class == "event" && (r.onlyNamed(m) || r.withinDenial(m))
		})
	}
	r.marks = slices.Concat(r.byAt...)
}

// withinDenial tells whether the words of a happening are part of one that denies it: "came" in "never came".
func (r *reading) withinDenial(m mark) bool {
	return m.value == "attended" && slices.ContainsFunc(r.marks, func(o mark) bool {
		return o.class == "event" && o.value == "no_show" && o.at < m.at && o.end() >= m.end()
	})
}

// cuesAt marks the cues at one place: of each class the longest only. English words in another language count where they are
// borrowed: names of playbooks, channels and topics.
func (r *reading) cuesAt(i int, loose bool) bool {
	found := map[string]bool{}
	text := []rune(r.tokens[i].text)
	firsts := text[:1]
	if loose && len(text) > 4 {
		firsts = text[:2] // a letter was left out, or two changed places
	}
	for k, l := range r.lex {
		for _, first := range firsts {
			for _, c := range l.cues[first] {
				if k > 0 && !slices.Contains(borrowed, c.class) || found[c.class] && c.class != "word" {
					continue
				}
				if n := c.at(r.tokens, i, loose); n > 0 && !slices.Contains(r.aside[i:i+n], true) {
					r.marks = append(r.marks, mark{c.class, c.value, i, n})
					r.understand(i, n)
					found[c.class] = true
				}
			}
		}
	}
	return len(found) > 0
}

// borrowed are the classes of English words that other languages use as they are.
var borrowed = []string{"playbook", "channel", "plural", "role", "other", "refuse", "inject"}

func (r *reading) understand(at, n int) {
	for i := max(at, 0); i < at+n && i < len(r.known); i++ {
		r.known[i] = true
	}
}

// take uses tokens up for a larger phrase: nothing else is read out of them.
func (r *reading) take(from, to int) {
	for i := max(from, 0); i < to && i < len(r.taken); i++ {
		r.taken[i] = true
	}
	r.understand(from, to-from)
}

// at returns the mark of a class at a place.
func (r *reading) at(i int, class string) (mark, bool) {
	if i < 0 || i >= len(r.byAt) {
		return mark{}, false
	}
	for _, m := range r.byAt[i] {
		if m.class == class {
			return m, true
		}
	}
	return mark{}, false
}

// word tells whether a word of the grammar stands at a place.
func (r *reading) word(i int, values ...string) bool {
	if i < 0 || i >= len(r.byAt) {
		return false
	}
	for _, m := range r.byAt[i] {
		if m.class == "word" && slices.Contains(values, m.value) {
			return true
		}
	}
	return false
}

// before tells whether a word of the grammar begins within n tokens before i, in the same sentence.
func (r *reading) before(i, n int, values ...string) bool {
	for j := i - 1; j >= 0 && j >= i-n; j-- {
		if r.tokens[j].kind == aBreak {
			return false
		}
		if r.word(j, values...) {
			return true
		}
	}
	return false
}

// ended tells whether a word of the grammar ends right before i.
func (r *reading) ended(i int, values ...string) bool {
	for j := max(0, i-3); j < i; j++ {
		for _, m := range r.byAt[j] {
			if m.class == "word" && m.end() == i && slices.Contains(values, m.value) {
				return true
			}
		}
	}
	return false
}

// following tells whether a word of the grammar begins within n tokens from i on, in the same sentence.
func (r *reading) following(i, n int, values ...string) bool {
	for j := i; j < len(r.tokens) && j < i+n; j++ {
		if r.tokens[j].kind == aBreak {
			return false
		}
		if r.word(j, values...) {
			return true
		}
	}
	return false
}

// sentence returns the bounds of the sentence around a token: sentences end at full stops, lines and arrows.
func (r *reading) sentence(i int) (from, to int) {
	from, to = i, i
	for from > 0 && r.tokens[from-1].kind != aBreak {
		from--
	}
	for to < len(r.tokens) && r.tokens[to].kind != aBreak {
		to++
	}
	return from, to
}

// clause returns the bounds of the clause around a token: like a sentence, and commas end it too.
func (r *reading) clause(i int) (from, to int) {
	stops := func(j int) bool { return r.tokens[j].kind == aBreak || r.tokens[j].kind == aComma }
	from, to = i, i
	for from > 0 && !stops(from-1) {
		from--
	}
	for to < len(r.tokens) && !stops(to) {
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
	return slices.ContainsFunc(r.marks, func(m mark) bool {
		return m.class == class && (len(values) == 0 || slices.Contains(values, m.value))
	})
}

// find returns the first mark of a class in a range of tokens, which must begin in it.
func (r *reading) find(from, to int, class string, values ...string) (mark, bool) {
	for i := max(from, 0); i < to && i < len(r.byAt); i++ {
		for _, m := range r.byAt[i] {
			if m.class == class && (len(values) == 0 || slices.Contains(values, m.value)) {
				return m, true
			}
		}
	}
	return mark{}, false
}

// number reads a number, in digits or words, at a place.
func (r *reading) number(i int) (float64, bool) {
	if i < 0 || i >= len(r.tokens) || r.aside[i] {
		return 0, false
	}
	t := r.tokens[i]
	if t.kind == aNumber {
		return t.num, true
	}
	if t.kind != aWord {
		return 0, false
	}
	for k, l := range r.lex {
		if n, ok := l.numbers[t.text]; ok && k == 0 { // "ten" is no number in Polish
			return n, true
		}
	}
	return 0, false
}

// joinNumbers makes one number of tens and ones written as words: "thirty-six", "trzydziestu sześciu".
func (r *reading) joinNumbers() {
	r.known, r.taken, r.aside = make([]bool, len(r.tokens)), make([]bool, len(r.tokens)), make([]bool, len(r.tokens))
	out := r.tokens[:0:0]
	for i := 0; i < len(r.tokens); i++ {
		t := r.tokens[i]
		tens, ok := r.number(i)
		ones, more := r.number(i + 1)
		if ok && more && t.kind == aWord && r.tokens[i+1].kind == aWord && tens >= 20 && tens < 100 && math.Mod(tens, 10) == 0 && ones >= 1 && ones < 10 && ones == math.Trunc(ones) && len(r.tokens[i+1].text) > 2 {
			end := r.tokens[i+1].end
			t = token{kind: aNumber, text: trimNumber(tens + ones), raw: trimNumber(tens + ones), num: tens + ones, at: t.at, end: end}
			i++
		}
		out = append(out, t)
	}
	r.tokens = out
}

func (r *reading) unitAt(i int) string {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != aWord || r.aside[i] {
		return ""
	}
	for k, l := range r.lex {
		if k > 0 && len(r.tokens[i].text) == 1 && r.tokens[i].text != "h" && r.tokens[i].text != "d" {
			continue // "w" is a word of Polish
		}
		if u := l.unit(r.tokens[i].text, !r.tokens[i].sure); u != "" {
			return u
		}
	}
	return ""
}

var hoursPer = map[string]float64{"minutes": 1.0 / 60, "hours": 1, "days": 24, "weeks": 168, "months": 720, "years": 8760}

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

// speakers are words that are an order to the machine only as the name of who speaks: "SYSTEM: do this".
var speakers = []string{"system", "assistant", "asystent", "система", "ассистент"}

func (r *reading) speaks(i int) bool {
	raw := r.tokens[i].raw
	return raw == strings.ToUpper(raw) || i+1 < len(r.tokens) && r.tokens[i+1].text == ":"
}

// setAside finds what is no wish: quotations of what somebody else said, and orders to the machine that reads this. It tells
// whether there is any.
func (r *reading) setAside() bool {
	for i, t := range r.tokens {
		if t.kind == aQuote && r.before(i, 4, "said") {
			r.aside[i], r.asides = true, true
		}
	}
	r.each("inject", func(m mark) {
		if m.n == 1 && slices.Contains(speakers, r.tokens[m.at].text) && !r.speaks(m.at) {
			return // "our lab system"
		}
		from, to := r.sentence(m.at)
		for i := from; i < to; i++ {
			r.aside[i] = true
		}
		r.asides, r.orders = true, true
	})
	return r.asides
}
