package ai

import "math"

// countsUnits tells whether a number counts things of a series that have a name of their own: "6 lessons", "7 zadań". They are messages only
// where something says how often one of them comes.
func (r *reading) countsUnits(i int) bool {
	n, ok := r.number(i)
	if !ok || n < 2 || n > 40 || n != math.Trunc(n) || i+1 >= len(r.tokens) || r.taken[i] || r.aside[i] {
		return false
	}
	next := r.tokens[i+1]
	if next.kind != aWord || len([]rune(next.text)) < 3 || r.unitAt(i+1) != "" || r.word(i+1, "money", "percent", "times", "people", "parts", "day", "after", "later", "before", "ways", "apart", "per", "and", "or", "more", "am", "pm", "oclock", "every") {
		return false
	}
	if i > 0 && r.word(i-1, "every", "within", "after", "before", "most") {
		return false
	}
	for _, class := range []string{"channel", "target", "people", "weekday", "recur", "score", "span", "event"} {
		if _, is := r.at(i+1, class); is {
			return false
		}
	}
	topic, is := r.at(i+1, "role")
	return !is || topic.value != "remind"
}

// unitsNear tells whether other things than the one at i are counted in its sentence.
func (r *reading) unitsNear(i int) bool {
	from, to := r.sentence(i)
	for j := from; j < to; j++ {
		if _, _, clock := r.clockAt(j); clock {
			continue
		}
		if n, ok := r.number(j); ok && j != i && n > 1 && (r.countsUnits(j) || r.countsMessages(j) || r.word(j+1, "parts")) && !r.taken[j] {
			return true
		}
	}
	return false
}

// unitsAt reads counted things that come at a pace as messages: "5 lekcji, jedna dziennie", "6 tips every two days".
func (r *reading) unitsAt(w *wish, i int) (beat, bool) {
	if w.every == 0 || !r.countsUnits(i) || r.countsMessages(i) || r.countsElsewhere(i) {
		return beat{}, false
	}
	n, _ := r.number(i)
	r.understand(i, 2)
	b := beat{kind: sendBeat, at: i, count: int(n), verb: true, plural: true}
	from, to := r.clause(i)
	if m, ok := r.find(from, to, "channel"); ok && m.value != "any" && !r.ruledOut(m) {
		b.channel = m.value
		r.take(m.at, m.end())
	}
	return b, true
}

// onceAt reads how often somebody may come again: "not more than once a month", "nie częściej niż raz w tygodniu". It returns the days and
// where it ends.
func (r *reading) onceAt(i int) (days, end int) {
	switch r.tokens[i].text {
	case "once", "raz", "раз", "раза", "разу":
	default:
		return 0, 0
	}
	if !r.before(i, 4, "most") {
		return 0, 0
	}
	per, end := r.rateAt(i + 1)
	for j := i + 1; per == 0 && j < len(r.tokens) && j < i+4; j++ {
		if hours, n := r.duration(j); n > 0 {
			per, end = hours[0], j+n
		}
	}
	if per == 0 {
		return 0, 0
	}
	return int(math.Ceil(per / 24)), end
}

// partsAt reads "5-part series", "3 step sequence", "серия из 5".
func (r *reading) partsAt(i int) (beat, bool) {
	n, ok := r.number(i)
	if !ok || n < 2 || n > 40 || n != float64(int(n)) || r.taken[i] || r.countsMessages(i) {
		return beat{}, false
	}
	ends := i + 1
	if m, ok := r.at(ends+1, "playbook"); ok && m.value == "trial_onboarding" && r.word(ends, "lasting") {
		return beat{}, false // "14-dniowy trial"
	}
	if r.word(ends, "parts") || r.word(i-1, "series") && r.endsCount(ends) && !r.countsMessages(i) || r.word(i-2, "series") && r.tokens[i-1].text != "in" && r.endsCount(ends) && !r.countsMessages(i) && r.lang != "en" {
		r.understand(i, 2)
		return beat{kind: sendBeat, at: i, count: int(n)}, true
	}
	return beat{}, false
}

// goodsBefore tells whether what goes "by mail" is a thing and not a text: "сувенир по почте", "a gift in the mail".
func (r *reading) goodsBefore(m mark) bool {
	if last := r.tokens[m.end()-1].text; !begunWith(last, "почт") && last != "mail" && last != "post" || !begunWith(last, "почт") && !r.before(m.at, 2, "by", "within") {
		return false
	}
	for j := m.at - 1; j >= 0 && j >= m.at-3 && r.tokens[j].kind == aWord; j-- {
		if _, ok := r.at(j, "goods"); ok {
			return true
		}
	}
	return false
}

// messageQuote is what a message shall say, in quotes.
func (r *reading) messageQuote(c stretch) string {
	for i := c.from; i < c.to; i++ {
		if r.tokens[i].kind == aQuote && !r.taken[i] && !r.aside[i] && !r.before(i, 2, "tag", "list", "segment", "field", "funnel", "named", "code") {
			r.take(i, i+1)
			return short(r.tokens[i].raw, 200)
		}
	}
	return ""
}
