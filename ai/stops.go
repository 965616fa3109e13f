package ai

import "slices"

// readStops finds what ends the funnel early: "stop when they buy", "until they book", "jak kupi to przestań", "goal: bookings",
// "купил - прекращаем".
func (r *reading) readStops(w *wish) {
	r.each("word", func(m mark) {
		if m.value != "stop" && (m.value != "finish" || !r.finishes(m)) || r.taken[m.at] || r.endsItself(m) {
			return
		}
		if from, e, ok := r.whoLeaves(m); ok {
			r.leaves(w, m, from, e)
			return
		}
		if e, ok := r.eventBehind(m.end(), 9); ok && (e.value != "react" || r.tokens[m.at].text != "пока") {
			r.stop(w, m.at, e)
			for ok { // "stop if they reply or book a call"
				if e, ok = r.eventBeside(e.end()); ok {
					r.stop(w, e.at, e)
				}
			}
			return
		}
		if from, e, ok := r.eventAhead(m.at); ok && from <= 1 && r.actsBehind(m.end()) {
			r.take(m.at, m.end()) // "when they reply, stop everything and tell sales": it starts this funnel, and ends what else there is
		} else if ok {
			r.leaves(w, m, from, e)
		} else if from >= 0 && e.n > 0 {
			r.leaveBe(w, m)
		}
	})
}

// endsItself tells whether a word for ending is said of something else: "kończy się abonament".
func (r *reading) endsItself(m mark) bool {
	return begunWith(r.tokens[m.at].text, "koncz") && (m.end() < len(r.tokens) && r.tokens[m.end()].text == "sie" || m.at > 0 && r.tokens[m.at-1].text == "sie")
}

// leaves makes a goal of what somebody did who leaves, or where the next words say what the others get, an answer with nothing to do.
func (r *reading) leaves(w *wish, m mark, from int, e mark) {
	next := m.end()
	for next < len(r.tokens) && next < m.end()+4 && (r.tokens[next].kind != aWord || !r.word(next, "else", "if") && r.tokens[next].kind == aWord && !r.conjunction(next-1) && !r.word(next, "then")) {
		next++
	}
	if e.at > from && (r.word(next, "else") || r.word(next, "if") && r.elseShort(next)) && r.asked(w, from) {
		r.leaveBe(w, m)
		return
	}
	r.stop(w, from, e)
	r.take(m.at, m.end())
}

// asked tells whether something is done before a place, so that what stands there may be a question.
func (r *reading) asked(_ *wish, from int) bool {
	for i := range from {
		if _, channel := r.at(i, "channel"); channel || r.sends(i) {
			return true
		}
	}
	return false
}

// leaveBe makes an answer with nothing to do of the clause that ends.
func (r *reading) leaveBe(w *wish, m mark) {
	_, to := r.clause(m.at)
	for i := m.at; i < to; i++ {
		if r.word(i, "if", "else") {
			to = i
		}
	}
	r.take(m.at, to)
	w.script = append(w.script, beat{kind: deedBeat, at: m.at, step: Step{Do: doExitFunnel}})
}

// whoLeaves finds who leaves right before a word that says so, without any word of condition: "anyone who pays drops out", "spłata kończy",
// "на замер записался — выходит".
func (r *reading) whoLeaves(m mark) (from int, e mark, ok bool) {
	end := m.at
	if slices.Contains([]string{"until", "till", "пока", "покуда", "до", "az", "dopoki", "dopok", "poki", "do", "goal", "cel", "celem", "цель", "exit", "выход", "wyjscie"}, r.tokens[end].text) {
		return 0, mark{}, false
	}
	if end > 0 && (r.tokens[end-1].kind == aComma || r.arrowAt(end-1)) {
		end--
	}
	for end > 0 && r.tokens[end-1].kind == aWord && slices.Contains([]string{"they", "we", "to", "wtedy", "od", "razu", "сразу", "тогда", "то", "мы", "он", "она", "just", "simply", "automatically", "automatycznie"}, r.tokens[end-1].text) {
		end--
	}
	if end > 0 && end < m.at && r.tokens[end-1].kind == aComma {
		end--
	}
	from = end
	for from > 0 && r.tokens[from-1].kind == aWord && end-from < 8 {
		from--
	}
	if from > 0 && r.tokens[from-1].kind == aWord || from == end {
		return 0, mark{}, false
	}
	for i := from; i < end; i++ {
		if r.taken[i] || r.sends(i) || r.word(i, "not", "stop", "after") || r.word(i, "if") && !r.word(i, "who") || r.unitAt(i) != "" {
			return 0, mark{}, false
		}
		if _, channel := r.at(i, "channel"); channel {
			return 0, mark{}, false
		}
		if found, here := r.eventAt(i); here && !ok && found.end() <= end {
			e, ok = found, true
		}
	}
	return from, e, ok && (from > 0 || end < m.at || r.lang != "en")
}

// actsBehind tells whether the sentence goes on behind a place with something to do.
func (r *reading) actsBehind(i int) bool {
	_, to := r.sentence(i - 1)
	for j := i; j < to; j++ {
		if r.sends(j) || r.taken[j] && r.word(j, "notify", "add", "remove", "task", "enter", "set") {
			return true
		}
	}
	return false
}

// finishes tells whether "the end" is said of the funnel: a condition follows right behind it, or it is all that stands behind one.
func (r *reading) finishes(m mark) bool {
	next := m.end()
	if next < len(r.tokens) && r.tokens[next].kind == aComma {
		next++
	}
	if r.word(next, "if", "when") {
		return true
	}
	return m.at > 0 && (r.tokens[m.at-1].kind == aComma || slices.Contains([]string{"to", "то", "then", "is", "its"}, r.tokens[m.at-1].text)) && (m.end() >= len(r.tokens) || r.tokens[m.end()].kind == aBreak)
}

func (r *reading) stop(w *wish, from int, e mark) {
	r.take(from, e.end())
	goal := e.value
	if goal == "api_event" {
		goal = eventSlug(r.tokens[e.at].raw)
	}
	if goal == "react" || goal == "confirmed" {
		goal = "link_clicked"
	}
	if goal == "unsubscribed" || e.value != "api_event" && !slices.Contains(planEvents, goal) {
		return // who unsubscribes leaves anyway
	}
	if !slices.Contains(w.goals, goal) {
		w.goals = append(w.goals, goal)
	}
}

// eventOfGoal reads a goal of a wish: one of the plan's events, else the name of an event of the customer's own application.
func eventOfGoal(goal string) (event, ref string) {
	if slices.Contains(planEvents, goal) {
		return goal, ""
	}
	return "api_event", goal
}

// eventBeside finds one more event behind another of the same kind: "... or book a call".
func (r *reading) eventBeside(i int) (mark, bool) {
	for j := i; j < len(r.tokens) && j < i+3; j++ {
		if !r.conjunction(j) {
			continue
		}
		for k := j + 1; k < len(r.tokens) && k < j+4 && r.tokens[k].kind == aWord && !r.sends(k); k++ {
			if e, ok := r.eventAt(k); ok && !r.taken[k] {
				return e, true
			}
		}
	}
	return mark{}, false
}

// eventAhead finds the condition right before a word that ends: "when they buy, stop".
func (r *reading) eventAhead(i int) (from int, e mark, ok bool) {
	for j := i - 1; j >= 0 && j >= i-10; j-- {
		if r.tokens[j].kind == aBreak || r.sends(j) {
			break
		}
		if found, here := r.eventAt(j); here && !r.taken[j] {
			e, ok = found, true // the first one behind the condition counts
		}
		if ok && r.word(j, "if", "after", "not") {
			return j, e, !r.word(j, "not") && !r.negatedAt(e.at)
		}
	}
	return -1, mark{}, false
}

// asksLater tells whether a question stands in a sentence behind the one that says what starts the funnel, so that it asks on the way.
func (r *reading) asksLater(w *wish, i int, e mark) bool {
	if w.trigger.strength < 3 || w.trigger.to > i || e.value == w.trigger.Kind && e.value != "api_event" {
		return false
	}
	return slices.ContainsFunc(r.tokens[w.trigger.at:i], func(t token) bool { return t.kind == aBreak })
}

// namedInBrackets finds the event named in brackets behind a condition: "if the document is not signed (no event doc_signed)".
func (r *reading) namedInBrackets(i int) (mark, bool) {
	open := false
	for j := i + 1; j < len(r.tokens) && j < i+15 && r.tokens[j].kind != aBreak; j++ {
		if r.sends(j) && !open {
			return mark{}, false
		}
		switch {
		case r.tokens[j].text == "(":
			open = true
		case r.tokens[j].text == ")", r.tokens[j].kind == aComma && !open:
			return mark{}, false
		}
		if e, ok := r.eventAt(j); ok && open && e.value == "api_event" && !r.taken[j] {
			return e, true
		}
	}
	return mark{}, false
}

// deniedIn tells whether the words between a condition and the bracket with its event deny it: "if it was not paid (order_paid)".
func (r *reading) deniedIn(i int, e mark) bool {
	if e.value != "api_event" {
		return false
	}
	for j := i; j < e.at; j++ {
		if r.tokens[j].text == "(" {
			return slices.ContainsFunc(r.wordsBetween(i, j), func(k int) bool { return r.word(k, "not") })
		}
	}
	return false
}

func (r *reading) wordsBetween(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// askedAgain knows a question that only repeats the one before it: "если через сутки всё ещё нет", "if still nothing after two days".
func (r *reading) askedAgain(w *wish, i int) bool {
	_, to := r.clause(i)
	begins := (i == 0 || r.tokens[i-1].kind == aBreak) && slices.Contains([]string{"still", "nadal", "wciaz"}, r.tokens[i].text)
	if !r.word(i, "if") && !begins || r.word(i, "else") {
		return false
	}
	still, not := -1, -1
	for j := i; j < to; j++ {
		if slices.Contains([]string{"still", "nadal", "wciaz"}, r.tokens[j].text) || slices.Contains([]string{"еще", "равно"}, r.tokens[j].text) && slices.Contains([]string{"все", "всё"}, r.tokens[j-1].text) {
			still = j
		}
		if r.word(j, "not") {
			not = j
		}
		if e, ok := r.eventAt(j); ok && e.value != "react" && !begins || r.sends(j) {
			return false
		}
		if _, channel := r.at(j, "channel"); channel {
			return false
		}
	}
	last := -1
	for k, b := range w.script {
		if b.kind == condBeat && b.at < i && b.cond.not {
			last = k
		}
	}
	if still < 0 || not < 0 || last < 0 {
		return false
	}
	asked := w.script[last].cond
	asked.within = 0
	end := max(still, not) + 1
	for _, j := range r.wordsBetween(i, end) {
		if r.unitAt(j) == "" && !r.isNumber(j) {
			r.take(j, j+1)
		}
	}
	w.script = append(w.script, beat{kind: condBeat, at: i, time: timing{n: end - i}, cond: asked})
	return true
}

// wholeBracket widens an event named in brackets to the bracket: what else stands in it is about the same.
func (r *reading) wholeBracket(e mark) mark {
	for j := e.end(); j < len(r.tokens) && j < e.end()+5; j++ {
		if r.tokens[j].text == ")" {
			e.n = j + 1 - e.at
			break
		}
	}
	return e
}
