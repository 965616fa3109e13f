package ai

import "slices"

// timingKind is how a time in a prompt is meant. Kinds are never mixed up: "2 days later" and "on day 2" are not the same
// in a series.
type timingKind string

const (
	gapTiming    timingKind = "gap"    // after the step before: "another week later", "wait 2 days"
	offsetTiming timingKind = "offset" // from the start: "on day 3"
	afterTiming  timingKind = "after"  // one or the other, by the whole prompt: "after 3 days"
	everyTiming  timingKind = "every"  // between all messages: "every 2 days"
	spanTiming   timingKind = "span"   // for the whole series: "over 10 days"
	beforeTiming timingKind = "before" // before a date: "24h before the visit"
	withinTiming timingKind = "within" // a limit for something to happen: "if they do not click within 2 days"
	sinceTiming  timingKind = "since"  // for how long nothing happened: "no order for 90 days"
	aboutTiming  timingKind = "about"  // describes a thing: "a 14-day trial"
)

// timing is one time named in a prompt.
type timing struct {
	hours float64
	kind  timingKind
	at, n int // its tokens
}

// timings finds all times of a prompt, in order.
func (r *reading) timings() []timing {
	var out []timing
	for i := 0; i < len(r.tokens); i++ {
		if days, n := r.dayList(i); n > 0 {
			for _, d := range days {
				out = append(out, timing{hours: d * 24, kind: offsetTiming, at: i, n: n})
			}
			r.understand(i, n)
			i += n - 1
			continue
		}
		hours, n := r.duration(i)
		if n == 0 {
			if r.word(i, "now") {
				out = append(out, timing{kind: offsetTiming, at: i, n: 1})
			}
			continue
		}
		for _, h := range hours {
			out = append(out, timing{hours: h, kind: r.meant(i, n), at: i, n: n})
		}
		r.understand(i, n)
		i += n - 1
	}
	return r.inherit(out)
}

// dayList reads "day 0, 1, 3 and 7" and "на 5 день": days of a calendar that starts with the entry.
func (r *reading) dayList(i int) ([]float64, int) {
	if r.tokens[i].kind == aWord && r.word(i, "day") {
		if _, before := r.number(i - 1); before {
			return nil, 0
		}
		return r.numberList(i + 1)
	}
	if r.lang == "ru" && r.tokens[i].text == "на" {
		if d, ok := r.number(i + 1); ok && i+2 < len(r.tokens) && r.tokens[i+2].text == "день" {
			return []float64{d}, 3
		}
	}
	return nil, 0
}

// numberList reads digits separated by commas or "and", and returns how many tokens it takes with the word before it.
func (r *reading) numberList(i int) ([]float64, int) {
	var out []float64
	end := i
	for j := i; j < len(r.tokens); j++ {
		t := r.tokens[j]
		switch {
		case t.kind == aNumber && r.unitAt(j+1) == "" && (len(out) > 1 || !r.countsMessages(j)):
			out = append(out, t.num)
			end = j + 1
			continue
		case t.kind == aComma && len(out) > 0, t.kind == aWord && len(out) > 0 && slices.Contains(andWords, t.text):
			continue
		}
		break
	}
	if len(out) == 0 {
		return nil, 0
	}
	return out, end - i + 1
}

var andWords = []string{"and", "i", "oraz", "и", "or", "lub"}

// countsMessages tells whether the number at i counts messages: "5 emails".
func (r *reading) countsMessages(i int) bool {
	for j := i + 1; j <= i+2 && j < len(r.tokens); j++ {
		if r.tokens[j].kind != aWord {
			return false
		}
		if r.unitAt(j) != "" {
			return false
		}
		for _, m := range r.marks {
			if m.at == j && m.class == "channel" && m.value != "team" {
				return true
			}
		}
	}
	return false
}

// duration reads a time at a place, or several that share a unit ("30, 14, 3 days"), and how many tokens it takes.
func (r *reading) duration(i int) ([]float64, int) {
	for _, m := range r.marks {
		if m.at == i && m.class == "span" {
			return []float64{parseSpan(m.value)}, m.n
		}
	}
	if n, ok := r.number(i); ok {
		return r.numberedDuration(i, n)
	}
	// A unit alone after a preposition is one of it: "after a week" has a number, "po tygodniu" and "через неделю" have not.
	if u := r.unitAt(i); u != "" && (r.lang != "en" || r.before(i, 1, "every")) && i > 0 && r.tokens[i-1].kind == aWord && len([]rune(r.tokens[i].text)) > 2 {
		if _, numbered := r.number(i - 1); !numbered && (r.prepositionBefore(i) || r.following(i+1, 1, "before") || r.following(i+1, 1, "later") || r.lang == "pl" && r.following(i+1, 1, "after")) {
			return []float64{hoursPer[u]}, 1
		}
	}
	return nil, 0
}

func (r *reading) prepositionBefore(i int) bool {
	for _, w := range []string{"after", "another", "within", "every", "before"} {
		if r.before(i, 1, w) {
			return true
		}
	}
	return false
}

func (r *reading) numberedDuration(i int, n float64) ([]float64, int) {
	if u := r.unitAt(i + 1); u != "" {
		return []float64{n * hoursPer[u]}, 2
	}
	// "2-3 days" and "30, 14, 3 days": numbers up to one with a unit.
	values := []float64{n}
	for j := i + 1; j < len(r.tokens) && j < i+12; j++ {
		t := r.tokens[j]
		switch {
		case t.kind == aNumber:
			values = append(values, t.num)
			if u := r.unitAt(j + 1); u != "" {
				out := make([]float64, len(values))
				for k, v := range values {
					out[k] = v * hoursPer[u]
				}
				if j == i+1 { // a range
					return out[:1], 3
				}
				return out, j + 2 - i
			}
		case t.kind == aComma, t.kind == aWord && slices.Contains(andWords, t.text):
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// meant decides how the time at a place is meant, by the words around it.
func (r *reading) meant(i, n int) timingKind {
	end := i + n
	switch {
	case r.describes(end):
		return aboutTiming
	case r.since(i, end):
		return sinceTiming
	case r.following(end, 1, "before") || r.beforeDate(i, end):
		return beforeTiming
	case r.before(i, 2, "within") && r.conditional(i):
		return withinTiming
	default:
		return r.meantOfMessage(i, end)
	}
}

// meantOfMessage decides between the times of messages.
func (r *reading) meantOfMessage(i, end int) timingKind {
	switch {
	case r.before(i, 1, "another") || r.following(end, 1, "another") || r.waits(i):
		return gapTiming
	case r.before(i, 2, "every") && !r.before(i, 1, "after") || r.following(end, 1, "every"):
		return everyTiming
	case r.before(i, 2, "over"):
		return spanTiming
	default:
		return afterTiming
	}
}

// waits tells whether the time is that of a step on its own: "wait 2 days".
func (r *reading) waits(i int) bool {
	if i == 0 || r.tokens[i-1].kind != aWord {
		return false
	}
	word := r.tokens[i-1].text
	return slices.Contains([]string{"wait", "odczekaj", "poczekaj", "czekaj"}, word) || r.lang == "ru" && wordMatches("подожд*", word)
}

// describes tells whether the word after a time is what the time is a property of: "14-day trial", "14-dniowy okres".
func (r *reading) describes(end int) bool {
	if end >= len(r.tokens) || r.tokens[end].kind != aWord {
		return false
	}
	for _, m := range r.marks {
		if m.at == end && m.class == "playbook" && m.value == "trial" {
			return true
		}
	}
	if end+1 < len(r.tokens) {
		for _, m := range r.marks {
			if m.at == end+1 && m.class == "playbook" && m.value == "trial" && r.tokens[end].kind == aWord && !r.word(end, "after") {
				return true
			}
		}
	}
	return false
}

// since tells whether the time says for how long nothing was bought: a negated purchase or "inactive" stands close by.
func (r *reading) since(i, end int) bool {
	if r.following(end, 1, "every") || r.before(i, 2, "every") {
		return false
	}
	from, to := r.clause(i)
	for _, m := range r.marks {
		if m.class != "playbook" || m.value != "winback" || m.at < from || m.at >= to {
			continue
		}
		if m.end() <= i && i-m.end() <= 3 && (!r.before(i, 1, "after") || r.tokens[i-1].text == "in") && !r.messageBetween(m.end(), i) || m.at >= end && m.at-end <= 2 {
			return true
		}
	}
	return false
}

// beforeDate knows "za 2 dni do" and "за сутки до", and Russian "за сутки" in a reminder.
func (r *reading) beforeDate(i, end int) bool {
	if i == 0 || r.tokens[i-1].text != "за" || r.conditional(i) {
		return false
	}
	return end < len(r.tokens) && r.tokens[end].text == "до" || r.any("role", "remind")
}

// conditional tells whether a place stands in an "if not ..." clause.
func (r *reading) conditional(i int) bool {
	from, _ := r.clause(i)
	hasIf, hasNot := false, false
	for j := from; j < len(r.tokens) && j < i+6; j++ {
		hasIf = hasIf || r.word(j, "if")
		hasNot = hasNot || r.word(j, "not")
	}
	return hasIf && hasNot
}

// inherit gives numbers that follow "after" without a unit the unit of the time before: "review after 14 days, offer after 30".
func (r *reading) inherit(known []timing) []timing {
	if len(known) == 0 {
		return known
	}
	var out []timing
	next := 0
	per := 0.0
	for i := range r.tokens {
		for next < len(known) && known[next].at == i {
			out = append(out, known[next])
			if known[next].n == 2 {
				per = hoursPer[r.unitAt(i+1)]
			}
			next++
		}
		t := r.tokens[i]
		if t.kind != aNumber || per == 0 || r.unitAt(i+1) != "" || r.countsMessages(i) || !r.before(i, 1, "after") || r.covered(known, i) || i+1 < len(r.tokens) && r.tokens[i+1].kind == aPercent {
			continue
		}
		out = append(out, timing{hours: t.num * per, kind: afterTiming, at: i, n: 1})
		r.understand(i, 1)
	}
	return out
}

func (r *reading) covered(known []timing, i int) bool {
	return slices.ContainsFunc(known, func(t timing) bool { return i >= t.at && i < t.at+t.n })
}
