package ai

import (
	"cmp"
	"slices"
)

// readBeats finds the messages of the script and the times that go with them, clause by clause, and puts the whole script in the order of
// the prompt.
func (r *reading) readBeats(w *wish, times []timing) {
	var found []beat
	for _, c := range r.clauses() {
		found = append(found, r.clauseBeats(w, c, times)...)
	}
	for i, t := range r.tokens {
		if t.kind == aBreak {
			found = append(found, beat{kind: breakBeat, at: i, stop: slices.Contains([]string{".", ";", "!", "\n"}, t.text)})
		}
	}
	w.script = append(w.script, found...)
	slices.SortStableFunc(w.script, func(a, b beat) int {
		if a.at == b.at && (a.kind == timeBeat) != (b.kind == timeBeat) {
			return map[bool]int{true: -1, false: 1}[a.kind == timeBeat]
		}
		return cmp.Compare(a.at, b.at)
	})
	r.mergeOffers(w)
	w.script = slices.DeleteFunc(w.script, func(b beat) bool { return b.kind == sendBeat && b.count == -2 })
}

// stretch is a clause: tokens between separators.
type stretch struct{ from, to int }

// clauses cuts the prompt at stops, commas, "and", "then", and around what has been read already.
func (r *reading) clauses() []stretch {
	var out []stretch
	from := 0
	for i := 0; i <= len(r.tokens); i++ {
		if end := r.onlyName(i); end > i {
			i = end
			continue
		}
		if i < len(r.tokens) && (r.tokens[i].kind != aBreak && r.tokens[i].kind != aComma && !r.conjunction(i) && !r.thenAt(i) || r.subordinate(i)) {
			continue
		}
		if i > from {
			out = append(out, stretch{from, i})
		}
		from = i + 1
	}
	return out
}

// thenAt tells whether a word goes on to the next clause. "The next one" does not.
func (r *reading) thenAt(i int) bool {
	return r.word(i, "then", "but") && !r.inSpan(i) && (r.tokens[i].text != "next" || i == 0 || !slices.Contains([]string{"the", "a", "their", "our", "to"}, r.tokens[i-1].text))
}

// subordinate tells whether a comma only begins what somebody asks or says: "спросить, как впечатления", "mail, że czas zamówić".
func (r *reading) subordinate(i int) bool {
	if r.tokens[i].text != "," || i+2 >= len(r.tokens) || r.tokens[i+1].kind != aWord {
		return false
	}
	switch r.tokens[i+1].text {
	case "ze", "zeby", "aby", "czy", "что", "чтобы", "чтоб":
		return true
	case "как":
		return r.tokens[i+2].text != "только"
	}
	for j := i + 2; j < len(r.tokens) && j < i+5 && r.tokens[j].kind == aWord; j++ {
		if r.tokens[j].text == "ли" {
			return true
		}
	}
	return false
}

// beyondSeparator is the first token of a time that separates nothing: "then after 3 days" begins with a separator.
func (r *reading) beyondSeparator(t timing) int {
	at := t.at
	for at < t.end()-1 && (r.conjunction(at) || r.word(at, "then", "but")) {
		at++
	}
	return at
}

// clauseBeats reads one clause.
func (r *reading) clauseBeats(w *wish, c stretch, all []timing) []beat {
	var times []timing
	for _, t := range all {
		if at := r.beyondSeparator(t); at >= c.from && at < c.to {
			times = append(times, t)
		}
	}
	times = onThatDay(times)
	inTime := func(i int) bool {
		return slices.ContainsFunc(all, func(t timing) bool { return i >= t.at && i < t.end() && t.n > 0 })
	}
	msgs := r.messagesIn(w, c, inTime, len(times) > 0)
	for k := range msgs {
		msgs[k].word = max(msgs[k].word, msgs[k].at)
	}
	if len(msgs) == 0 && len(times) <= 1 && r.answersMeeting(w, c, inTime) {
		return pair([]beat{{kind: sendBeat, at: c.to - 1, verb: true}}, times)
	}
	if len(msgs) == 0 && len(times) == 1 {
		return []beat{r.loneTime(w, c, times[0], inTime)}
	}
	for i := c.from; i < c.to; i++ {
		if r.word(i, "mix") {
			for k := range msgs {
				msgs[k].count, msgs[k].kind = 0, sendBeat
				msgs[k].plural, msgs[k].verb = false, false
			}
		}
	}
	if len(msgs) > 0 && c.from > 0 {
		msgs[0].later = r.ended(c.from, "then") || r.word(c.from, "then")
	}
	if len(msgs) > 0 && len(times) == 0 {
		for i := c.from; i < msgs[0].at; i++ {
			msgs[0].then = msgs[0].then || r.word(i, "atthat")
		}
	}
	return pair(msgs, times)
}

// onThatDay joins the day of a date and the hours before it that are named for the same message: "w dniu wizyty 3 godziny wcześniej".
func onThatDay(times []timing) []timing {
	for k := 0; k+1 < len(times); k++ {
		a, b := times[k], times[k+1]
		if a.kind == beforeTiming && b.kind == beforeTiming && a.hours == 0 && b.hours < 24 && b.hours > 0 && b.at-a.end() <= 1 {
			times = slices.Delete(slices.Clone(times), k, k+1)
		}
	}
	return times
}

// answersMeeting tells whether a clause is what those get who were there, or who were not, in words nobody knows: "who missed it: a new date".
func (r *reading) answersMeeting(w *wish, c stretch, inTime func(int) bool) bool {
	asked, other, from := false, false, -1
	for _, b := range w.script {
		switch {
		case b.at >= c.from && b.at < c.to && b.kind == deedBeat:
			return false
		case b.kind == condBeat && b.cond.ref == "attended":
			asked = true
			fallthrough
		case b.kind == elseBeat && asked:
			other = other || b.kind == elseBeat
			if b.at >= c.from && b.at < c.to || b.at < c.from && c.from-b.at <= 4 {
				from = b.at
			}
		}
	}
	if from < 0 || !other {
		return false
	}
	words := 0
	for i := max(from, c.from); i < c.to; i++ {
		if r.tokens[i].kind == aWord && !r.taken[i] && !inTime(i) && !r.stops(r.tokens[i].text) && !r.word(i, "who", "not", "if") {
			words++
		}
	}
	return words > 0
}

// loneTime is a time whose clause names no message: of a deed before it, which it then goes ahead of, or of what words nobody knows say.
func (r *reading) loneTime(w *wish, c stretch, t timing, inTime func(int) bool) beat {
	b := beat{kind: timeBeat, at: t.at, timed: true, time: t}
	for _, o := range w.script {
		if o.at < c.from || o.at >= c.to {
			continue
		}
		if o.kind == deedBeat && o.at < t.at && t.kind != beforeTiming {
			b.at, b.lead = o.at, true
		}
		if o.kind == deedBeat && o.at >= t.end() && o.at <= t.end()+2 {
			b.lead = true // "on day 21 alert accounting"
		}
		if o.kind != breakBeat {
			return b
		}
	}
	if w.trigger.strength > 0 && w.trigger.from >= c.from && w.trigger.from < c.to || t.wait {
		return b
	}
	if t.at <= c.from && t.end() >= c.to && r.arrowAt(c.from-1) && r.arrowAt(c.to) {
		b.time.kind, b.time.wait = gapTiming, true // "email -> 2 days -> sms"
		return b
	}
	if c.to < len(r.tokens) && r.conjunction(c.to) && w.doesIn(stretch{c.to + 1, c.to + 3}) {
		return b // "give up on day 10 and add the tag x"
	}
	for i := c.from; i < c.to; i++ {
		_, page := r.at(i, "page")
		known := len(r.byAt[i]) > 0 || r.known[i]
		if r.word(i, "if", "who", "since") {
			return b
		}
		b.names = b.names || t.list == t.at && r.tokens[i].kind == aWord && !r.taken[i] && !r.aside[i] && !inTime(i) && len(r.tokens[i].text) > 2 && !r.stops(r.tokens[i].text) && (!known || page)
	}
	return b
}

// arrowAt tells whether an arrow stands at a place.
func (r *reading) arrowAt(i int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == aBreak && slices.Contains([]string{"→", "\u2023", "-", "="}, r.tokens[i].text)
}

// pair gives the messages of a clause their times: the only message all of them; of several each the one that follows it, or the one
// before it where the clause begins with a time.
func pair(msgs []beat, times []timing) []beat {
	out := msgs
	switch {
	case len(msgs) == 0:
		for _, t := range times {
			out = append(out, beat{kind: timeBeat, at: t.at, timed: true, time: t})
		}
		return out
	case len(times) == 0:
		return out
	case len(msgs) == 1:
		out[0].timed, out[0].time, out[0].also, out[0].trail = true, times[0], times[1:], times[0].at > out[0].at
		out[0].at = min(out[0].at, times[0].at)
		return out
	}
	ahead := times[0].at < msgs[0].at
	for _, t := range times {
		k := -1
		for i := range out {
			if ahead && out[i].at > t.at && k < 0 || !ahead && out[i].at < t.at {
				k = i
			}
		}
		switch {
		case k < 0:
			out = append(out, beat{kind: timeBeat, at: t.at, timed: true, time: t})
		case out[k].timed:
			out[k].also = append(out[k].also, t)
		default:
			out[k].timed, out[k].time, out[k].trail = true, t, !ahead
			out[k].at = min(out[k].at, t.at)
		}
	}
	return out
}
