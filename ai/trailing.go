package ai

import "slices"

// askAhead puts a question that stands behind what it is about in front of it: "an SMS after 3 days if they did not open" asks after the
// three days, and sends then. A question is trailing when its sentence has something to do before it and nothing behind it.
func (w *wish) askAhead() {
	for k := 1; k < len(w.script); k++ {
		if w.script[k].kind == elseBeat && w.script[k-1].kind == sendBeat && w.script[k-1].again && !w.script[k-1].timed && (k+1 == len(w.script) || w.script[k+1].kind == breakBeat) {
			w.script[k-1], w.script[k] = w.script[k], w.script[k-1] // "another one for those who did not come"
			continue
		}
		if w.script[k].kind != condBeat || w.script[k].cond.until || !w.ends(k) && !w.script[k].glued {
			continue
		}
		to := w.about(k)
		if to == k {
			continue
		}
		question := w.script[k]
		question.trail = true
		if !w.ends(k) {
			question.reach = k - to // in the midst of a list it is about its own message
		}
		w.script = slices.Insert(slices.Delete(w.script, k, k+1), to, question)
	}
}

// asksNext tells whether words of another answer are a question of their own: "если нет заказа" is not "если нет".
func (r *reading) asksNext(i int) bool {
	m, _ := r.wordAt(i, "else")
	_, happens := r.eventAt(m.end())
	return happens && r.word(i, "if") && m.n > 1
}

// ends tells whether nothing of its own follows a question: the sentence or the prompt is over, but for another answer.
func (w *wish) ends(k int) bool {
	if k+1 >= len(w.script) || w.addressed(k) {
		return true
	}
	next := w.script[k+1]
	return next.kind == breakBeat && next.stop || next.kind == elseBeat
}

// addressed tells whether a question only says who gets the message right before it: "remind those who did not open".
func (w *wish) addressed(k int) bool {
	b, before := w.script[k], w.script[k-1]
	return b.who && before.kind == sendBeat && b.at-max(before.at, before.word) <= 3
}

// about is the place of what a trailing question is about: the message or deeds right before it in its sentence. Deeds that stand
// together belong together.
func (w *wish) about(k int) int {
	to := k
	for to > 0 && w.script[to-1].kind == deedBeat {
		to--
	}
	if to == k && w.script[k-1].kind == sendBeat && !w.script[k-1].weak() {
		to--
	}
	return to
}

// goalInstead makes a goal of a trailing "if they did not buy" in a series that is there for buying: whoever buys leaves it, at any time.
func (d *drawing) goalInstead() {
	if d.book == nil || d.book.Goal == "" {
		return
	}
	for k := len(d.w.script) - 1; k >= 0; k-- {
		b := d.w.script[k]
		if b.kind != condBeat || !b.trail || !b.cond.not || b.cond.event != d.book.Goal || d.answered(k) {
			continue
		}
		d.w.script, d.asked = slices.Delete(d.w.script, k, k+1), true
		if !slices.Contains(d.w.goals, d.book.Goal) {
			d.w.goals = append(d.w.goals, d.book.Goal)
		}
	}
}

// answered tells whether the other answer of a question is spoken of too.
func (d *drawing) answered(k int) bool {
	for _, b := range d.w.script[k+1:] {
		if b.kind == elseBeat {
			return true
		}
		if b.kind == condBeat {
			return b.cond.event == d.w.script[k].cond.event && !b.cond.not
		}
	}
	return false
}

// glue marks the questions that stand in the midst of a list, in the clause of the message they are about: "after 3 days a reminder if they did
// not buy, after a week the last one".
func (r *reading) glue(w *wish, times []timing) {
	for k := range w.script {
		b := &w.script[k]
		end := b.at + b.time.n
		if b.kind != condBeat || b.cond.until || b.at == 0 || end >= len(r.tokens) || r.tokens[end].kind != aComma && !r.conjunction(end) && !r.thenAt(end) {
			continue
		}
		if from, _ := r.clause(b.at); b.at-from < 2 || r.conjunction(b.at-1) || !r.spoken(from, b.at) {
			continue
		}
		next := end
		for next < len(r.tokens) && next < end+3 && (r.tokens[next].kind == aComma || r.conjunction(next) || r.thenAt(next)) {
			next++
		}
		b.glued = slices.ContainsFunc(times, func(t timing) bool { return t.at >= end && t.at <= next && t.end() > next })
	}
}

// spoken tells whether a message or a topic is named in a range.
func (r *reading) spoken(from, to int) bool {
	_, topic := r.find(from, to, "role")
	return topic || r.messageBetween(from, to)
}
