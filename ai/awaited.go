package ai

import (
	"math"
	"slices"
)

// readAwaited finds what the script waits for: "wait up to 3 days for a click", "czekaj aż otworzy", "ждать оплаты до 5 дней". It is a question
// that is asked as soon as it happens; what follows is the answer. It returns the times that are not part of one.
func (r *reading) readAwaited(w *wish, times []timing) []timing {
	r.each("word", func(m mark) {
		if m.value != "wait" || r.taken[m.at] || r.aside[m.at] {
			return
		}
		_, to := r.clause(m.at)
		e, ok := r.awaitedIn(m.end(), min(to, m.end()+8))
		if to+1 < len(r.tokens) && r.tokens[to].kind == aComma && r.word(to+1, "most") { // ", at most 5 days"
			_, to = r.clause(to + 1)
		}
		if !ok {
			return
		}
		r.awaits = e.value
		c := condition{event: e.value, op: "is", within: 168, until: true}
		if e.value == "api_event" {
			c.ref = eventSlug(r.tokens[e.at].raw)
		}
		end := e.end()
		times = slices.DeleteFunc(times, func(t timing) bool {
			if t.at < m.at || t.at >= to || t.hours == 0 {
				return false
			}
			until := t.end()
			if t.rel { // "up to 24 hours after the booking": that is what starts the funnel
				for j := t.at; j < t.end(); j++ {
					if _, happens := r.eventAt(j); happens && j > e.at {
						until = min(until, j)
					}
				}
			}
			c.within, end = t.hours, max(end, until)
			return true
		})
		r.take(m.at, end)
		for i := end; i < to; i++ { // "the link", "in the email" say more of the same
			if _, noun := r.at(i, "channel"); noun || r.word(i, "link", "message") {
				r.take(i, i+1)
			}
		}
		w.script = append(w.script, beat{kind: condBeat, at: m.at, time: timing{n: end - m.at}, cond: c})
	})
	return times
}

// plainWaits makes a plain wait of what is waited for where nothing is said of the two answers: "wait until they book, at most 5 days, then ...".
func (w *wish) plainWaits() {
	for k := range w.script {
		b := &w.script[k]
		if b.kind != condBeat || !b.cond.until || b.cond.answered || slices.ContainsFunc(w.script, func(o beat) bool { return o.kind == elseBeat && o.at > b.at }) {
			continue
		}
		c := b.cond
		*b = beat{kind: deedBeat, at: b.at, step: Step{Do: doWaitUntil, Event: c.event, Ref: c.ref, TimeoutHours: c.hours()}}
	}
}

func (c condition) hours() int { return int(math.Max(1, math.Round(c.within))) }

// awaitedIn finds what is waited for: something that happens, before any word that begins something else.
func (r *reading) awaitedIn(from, to int) (mark, bool) {
	for i := from; i < to; i++ {
		if r.word(i, "if", "then", "after", "later", "who") && !r.word(i, "stop") || r.sends(i) || r.conjunction(i) {
			return mark{}, false
		}
		if e, ok := r.eventAt(i); ok && !r.taken[i] && !r.negatedAt(i) && (e.value == "api_event" || slices.Contains(planEvents, e.value)) {
			return e, true
		}
	}
	return mark{}, false
}

// answersAwaited takes the words that only repeat what is waited for: "if they do", "jeśli tak", "если открыл". A denied one begins the other
// answer. It tells whether there are any at a place.
func (r *reading) answersAwaited(w *wish, i int) bool {
	k := slices.IndexFunc(w.script, func(b beat) bool { return b.kind == condBeat && b.cond.until && b.at < i })
	if k >= 0 && r.begunAt(i) && r.barelyAnswered(w, k, i) {
		return true
	}
	if k < 0 || !r.word(i, "if") || r.word(i, "else") {
		return false
	}
	asked := w.script[k].cond
	end, not := 0, false
	for j := i + 1; j < len(r.tokens) && j < i+6 && r.tokens[j].kind == aWord; j++ {
		not = not || r.word(j, "not")
		if e, ok := r.eventAt(j); ok {
			if e.value != asked.event {
				return false
			}
			end = e.end()
			break
		}
		if j < i+4 && slices.Contains([]string{"do", "does", "did", "so", "yes", "tak", "zrobi", "да", "сделал", "сделает"}, r.tokens[j].text) {
			end = j + 1
			not = not || r.word(j+1, "not")
			break
		}
	}
	if end == 0 {
		return false
	}
	r.take(i, end)
	w.script[k].cond.answered = true
	if not {
		w.script = append(w.script, beat{kind: elseBeat, at: i})
	}
	return true
}

// begunAt tells whether a clause or sentence begins at a place.
func (r *reading) begunAt(i int) bool {
	return i > 0 && (r.tokens[i-1].kind == aBreak || r.tokens[i-1].kind == aComma || r.conjunction(i-1))
}

// barelyAnswered takes a clause that is nothing but one of the answers to what is waited for, set off from what it leads to: "when it comes, ...",
// "jest rezerwacja – ...", "ответил → ...", "молчит → ...".
func (r *reading) barelyAnswered(w *wish, k, i int) bool {
	asked := &w.script[k].cond
	end, yes, not := i, false, false
	for ; end < len(r.tokens) && r.tokens[end].kind == aWord && end < i+6; end++ {
		if r.taken[end] || r.sends(end) {
			return false
		}
		if _, channel := r.at(end, "channel"); channel {
			return false
		}
		not = not || r.word(end, "not") || slices.Contains([]string{"молчит", "молчат", "тишина", "cisza", "milczy", "brak", "silence", "nothing"}, r.tokens[end].text)
		if e, ok := r.eventAt(end); ok && e.value == "react" {
			not = true
		} else if ok {
			if e.value != asked.event {
				return false
			}
			yes = true
		}
		yes = yes || slices.Contains([]string{"comes", "arrives", "happens", "does", "did", "przyjdzie", "jest", "пришел", "пришла", "пришло", "есть"}, r.tokens[end].text)
	}
	if end == i || end >= len(r.tokens) || r.tokens[end].kind != aBreak && r.tokens[end].kind != aComma || r.tokens[end].text == "." || !yes && !not {
		return false
	}
	r.take(i, end)
	asked.answered = true
	if not {
		w.script = append(w.script, beat{kind: elseBeat, at: i})
	}
	return true
}

// unknownAsked knows a question about something that has no word here: "if no session within 24 hours". It is an event of the customer's own.
func (r *reading) unknownAsked(i int, times []timing) (beat, bool) {
	_, to := r.clause(i)
	not := -1
	for j := i + 1; j < to && j < i+5; j++ {
		if r.word(j, "not") {
			not = j
			break
		}
	}
	if not < 0 {
		return beat{}, false
	}
	for _, t := range times {
		if t.at <= not || t.at > not+4 || t.at >= to {
			continue
		}
		name := ""
		for j := not + 1; j < t.at; j++ {
			if r.tokens[j].kind != aWord || r.taken[j] || r.sends(j) || r.word(j, "if", "send", "else") {
				return beat{}, false
			}
			for _, class := range []string{"channel", "event", "silence"} {
				if _, is := r.at(j, class); is {
					return beat{}, false
				}
			}
			if !r.stops(r.tokens[j].text) && !r.word(j, "not") && name == "" {
				name = eventSlug(slug(r.tokens[j].raw))
			}
		}
		if name == "" {
			return beat{}, false
		}
		r.take(i, t.at)
		return beat{kind: condBeat, at: i, time: timing{n: t.at - i}, cond: condition{event: "api_event", ref: name, op: "is", not: true}}, true
	}
	return beat{}, false
}
