package ai

import (
	"slices"
)

// A telling is a prompt read as a story: clause by clause, each one thing that starts the funnel, is done, is waited for, is asked or ends it.
//
//	prompt   = { clause separator }
//	clause   = start | { time } { action } { time } | question [ action ] | answer | end | frame
//	start    = happening, or the name of a tag, list, segment, form, field or event
//	question = ("if" | "who" | a denial) happening [ within time ]; a happening alone, set off from what follows
//	answer   = the same happening with the other sign, "otherwise", "yes", "no", "free", "full"
//	end      = "stop" with a happening, or behind one
//
// It says of itself whether it is sure: what it cannot place is a doubt, and a reading with doubts leaves the prompt to the playbooks.
type telling struct {
	r       *reading
	w       *wish
	said    []map[string]int // by token, the words of the grammar that begin there and how many tokens they take
	times   []timing
	offers  []beat
	deeds   []beat
	splits  []beat
	arms    []beat // what each share of the people gets
	asked   []beat // questions about sums and scores
	clauses []*told

	root    []*twig
	open    []*frame // questions whose answers are being read, the innermost last
	last    *twig    // the question asked last, for its other answer
	acted   *twig    // what was done last
	pending []timing // times whose action is still to come
	paced   bool
	nouns   bool  // messages are named by their channels
	verbs   bool  // or only meant by verbs
	booked  *twig // the slot booked last: it may have been free or not
	named   bool  // what starts the funnel has been read
	doubts  []string
}

// twig is a beat with the answers that hang on it.
type twig struct {
	beat

	then, other []*twig
}

// frame is one answer of a question that is being read.
type frame struct {
	question *twig
	side     *[]*twig
}

// told is a clause with what stands in it.
type told struct {
	stretch

	before, after string // the separators around it; "" at the ends of the prompt
	first         bool   // begins a sentence
	items         []item
	content       bool // says only what a message is about
}

type itemKind int

const (
	anAction itemKind = iota // a message or a deed
	aHappening
	aTime
)

// item is one thing of a clause.
type item struct {
	kind   itemKind
	at, to int
	beat   beat
	event  mark
	not    bool
	time   timing
}

func (r *reading) grammarAt(i int) map[string]int {
	t := r.tokens[i]
	if t.kind != aWord || r.aside[i] {
		return nil
	}
	var out map[string]int
	for _, c := range r.lex[0].grammar[[]rune(t.text)[0]] {
		if n := c.at(r.tokens, i, false); n > out[c.value] {
			if out == nil {
				out = map[string]int{}
			}
			out[c.value] = n
		}
	}
	return out
}

// tell reads the prompt as a story; false where it is not sure of it.
func (r *reading) tell() (*wish, []string) {
	t := &telling{r: r, w: &wish{}, said: make([]map[string]int, len(r.tokens))}
	for i := range r.tokens {
		t.said[i] = r.grammarAt(i)
	}
	return r.tellInto(t)
}

func (r *reading) tellInto(t *telling) (*wish, []string) {
	t.prepare()
	t.cut()
	for _, c := range t.clauses {
		t.itemsOf(c)
	}
	t.contents()
	t.findStart()
	t.bareDeeds()
	for i := range r.tokens {
		if !r.taken[i] && !r.aside[i] && t.named && r.amountAsked(t.w, i) {
			t.asked, t.w.script = append(t.asked, t.w.script...), nil
		}
	}
	for k := range t.clauses {
		t.read(k)
	}
	t.close()
	return t.w, t.doubts
}

func (t *telling) doubt(why string) {
	if !slices.Contains(t.doubts, why) {
		t.doubts = append(t.doubts, why)
	}
}

// prepare reads what is the same wherever it stands: recurring times, limits, deeds, times, shares and offers.
func (t *telling) prepare() {
	r, w := t.r, t.w
	r.readShareOut(w)
	r.readNextDays()
	t.splits, w.script = w.script, nil
	for i := range t.said {
		if r.taken[i] {
			t.said[i] = nil
		}
	}
	r.readSchedule(w)
	r.readLimits(w)
	r.readDeeds(w)
	all := r.withDays(r.timings())
	t.deeds, w.script = w.script, nil
	r.readSplit(w)
	t.splits, w.script = append(t.splits, w.script...), nil
	for _, tm := range all {
		if tm.kind != weekdayTiming && r.taken[tm.at] && r.taken[min(tm.end(), len(r.taken))-1] {
			continue
		}
		switch tm.kind {
		case everyTiming:
			w.every = tm.hours
			r.take(tm.at, tm.end())
		case spanTiming:
			t.times = append(t.times, tm)
		case aboutTiming:
			r.take(tm.at, tm.end())
		default:
			t.times = append(t.times, tm)
		}
	}
	for i := range r.tokens {
		if !r.taken[i] && !r.aside[i] && r.scoreAt(w, i) {
			t.asked = append(t.asked, w.script...)
			w.script = nil
		}
	}
	r.readOffers(w, t.times)
	t.offers, w.script = w.script, nil
	t.parts()
	r.readChannels(w)
}

// is tells whether a word of the grammar begins at a place.
func (t *telling) is(i int, values ...string) bool {
	if i < 0 || i >= len(t.said) {
		return false
	}
	return slices.ContainsFunc(values, func(v string) bool { return t.said[i][v] > 0 })
}

// find is the first place in a range where a word of the grammar begins; -1 is none.
func (t *telling) find(from, to int, values ...string) int {
	for i := max(from, 0); i < to && i < len(t.said); i++ {
		if t.is(i, values...) {
			return i
		}
	}
	return -1
}

// timeAt is the time that a place lies in.
func (t *telling) timeAt(i int) (timing, bool) {
	for _, tm := range t.times {
		if i >= tm.at && i < tm.end() {
			return tm, true
		}
	}
	return timing{}, false
}

// cut parts the prompt into clauses.
func (t *telling) cut() {
	r := t.r
	from, before, first := 0, "", true
	add := func(to int, after string) {
		if to > from {
			t.clauses = append(t.clauses, &told{stretch: stretch{from, to}, before: before, after: after, first: first})
			first = false
		}
	}
	for i := 0; i < len(r.tokens); i++ {
		if end := r.onlyName(i); end > i {
			i = end
			continue
		}
		if tm, ok := t.timeAt(i); ok && i > tm.at && i < tm.end()-1 {
			continue
		}
		tok := r.tokens[i]
		sep := ""
		if t.is(i, "else") && i > from && t.begins(i+1) && tok.kind == aWord {
			add(i, ",")
			from, before = i, ","
			continue
		}
		switch {
		case tok.kind == aBreak:
			sep = tok.text
			if r.arrowAt(i) {
				sep = "→"
			}
		case tok.kind == aComma:
			if r.subordinate(i) || tok.text == "/" || tok.text == "+" || tok.text == "&" {
				if tok.text != "+" && tok.text != "&" || !t.begins(i+1) {
					continue
				}
			}
			sep = tok.text
			if sep == "–" || sep == "—" {
				sep = "-"
			}
		case r.conjunction(i) || tok.text == "a" && r.lang == "pl" || tok.text == "а" || r.thenAt(i):
			if i == from || !t.begins(i+1) && !r.thenAt(i) {
				continue
			}
			sep = "and"
			if r.thenAt(i) {
				sep = "then"
			}
		default:
			continue
		}
		add(i, sep)
		if i > from || before == "" || tok.kind == aBreak {
			before = sep
		} else if sep == "then" || before == "" {
			before = sep
		}
		if tok.kind == aBreak && sep != "→" && sep != "?" {
			first = true
		}
		from = i + 1
		if m, ok := r.wordAt(i, "then"); sep == "then" && ok && m.n > 1 {
			from = max(from, m.end())
			i = from - 1
		}
	}
	add(len(r.tokens), "")
}

// begins tells whether something of its own begins within a few words of a place: a message, a deed, a time, a question, a verb.
func (t *telling) begins(i int) bool {
	r := t.r
	for j := i; j < len(r.tokens) && j < i+5; j++ {
		if k := r.tokens[j].kind; k != aWord && k != aNumber && k != aQuote && k != aClock {
			return false
		}
		if _, ok := t.timeAt(j); ok {
			return true
		}
		if t.is(j, "if", "who", "unless", "until", "else", "stop") && j < i+2 || r.sends(j) {
			return true
		}
		if slices.ContainsFunc(t.deeds, func(b beat) bool { return b.at == j }) {
			return true
		}
		if m, ok := r.at(j, "channel"); ok && !r.ruledOut(m) {
			return true
		}
		if e, ok := r.eventAt(j); ok && j < i+4 && r.negatedAt(e.at) {
			return true
		}
		if j > i && r.conjunction(j) {
			return false
		}
	}
	return false
}
