package ai

import "slices"

// memberAsked knows "if they have the tag vip", "if in segment X", "if the city is Kraków".
func (r *reading) memberAsked(i int) (beat, bool) {
	_, to := r.sentence(i)
	for j := i + 1; j < to && j < i+7; j++ {
		for _, of := range []string{"tag", "segment", "list"} {
			if !r.word(j, of) || r.taken[j] || r.before(j, 4, "add", "remove") {
				continue
			}
			name, end := r.nameNear(j)
			if name == "" || r.taken[end-1] {
				continue
			}
			r.take(i, end)
			op := "is"
			not := r.before(j, 5, "not", "without")
			return beat{kind: condBeat, at: i, time: timing{n: end - i}, cond: condition{event: of, ref: name, op: op, not: not}}, true
		}
	}
	return beat{}, false
}

// membership tells whether "who" goes on to what somebody has or is in: "whoever has the tag vip", "tych z tagiem vip".
func (r *reading) membership(i int) bool {
	for j := i + 1; j < len(r.tokens) && j < i+5 && r.tokens[j].kind == aWord; j++ {
		if r.word(j, "tag", "segment", "list") {
			return true
		}
		if _, event := r.eventAt(j); event || r.sends(j) {
			return false
		}
	}
	return false
}

// scoreAt knows "score below 7", "ocena poniżej 7", "оценка 9-10", "detractors".
func (r *reading) scoreAt(w *wish, i int) bool {
	m, ok := r.at(i, "score")
	if !ok && r.bareScore(i) {
		m, ok = mark{"score", "score", i, 0}, true
	}
	if !ok || r.taken[i] {
		return false
	}
	c := condition{event: "form_submit", ref: "score", op: "lt", value: "7"}
	end := m.end()
	switch m.value {
	case "promoter":
		c.op, c.value = "gt", "8"
	case "score":
		found, compared := false, r.word(i, "above", "less")
		for j := m.end(); j < len(r.tokens) && j < m.end()+6 && r.tokens[j].kind != aBreak; j++ {
			if r.word(j, "above", "over") {
				c.op, compared = "gt", true
			}
			compared = compared || r.word(j, "less", "below")
			if n, ok := r.number(j); ok {
				c.value, end = trimNumber(n), j+1
				second := j + 1
				if r.conjunction(second) && r.isNumber(second+1) {
					second++
				}
				if next, ok := r.number(second); ok && r.tokens[second].kind == aNumber {
					end, compared = second+1, true
					if n > 5 {
						c.op, c.value = "gt", trimNumber(n-1) // "9-10"
					} else {
						c.value = trimNumber(next + 1)
					}
				}
				if r.following(end, 3, "more") && !r.commaBetween(end, end+2) {
					c.op, c.value, compared = "gt", trimNumber(n-1), true
				}
				if r.following(end, 3, "less") && !compared {
					c.value, compared = trimNumber(n+1), true
				}
				found = compared
				break
			}
		}
		if !found {
			return false
		}
	}
	from := i
	for from > 0 && from > i-4 && (r.word(from-1, "if", "who") || r.tokens[from-1].kind == aWord && r.stops(r.tokens[from-1].text)) {
		from--
	}
	r.take(from, end)
	w.script = append(w.script, beat{kind: condBeat, at: from, time: timing{n: end - from}, cond: c})
	return true
}

// bareScore tells whether an answer of a survey begins a sentence: "9-10 -> ask for a review", "6 or less: alert support".
func (r *reading) bareScore(i int) bool {
	if r.tokens[i].kind != aNumber || r.tokens[i].num > 10 || i > 0 && r.tokens[i-1].kind != aBreak && r.tokens[i-1].kind != aComma || !r.any("playbook", "nps") && !r.any("role", "survey") {
		return false
	}
	if next := i + 1; next < len(r.tokens) && r.tokens[next].kind == aNumber && r.tokens[next].num <= 10 && r.tokens[next].num > r.tokens[i].num && r.unitAt(next+1) == "" {
		return true // "9-10 ask for a review"
	}
	for j := i + 1; j < len(r.tokens) && j < i+6; j++ {
		switch {
		case r.tokens[j].text == "-" || r.tokens[j].text == "=" || r.tokens[j].text == "→" || r.tokens[j].text == ":" || r.tokens[j].text == "—" || r.tokens[j].text == "–":
			return true
		case r.tokens[j].kind != aNumber && !r.conjunction(j) && !r.word(j, "less", "more", "above", "below", "over"):
			return false
		}
	}
	return false
}

// attendance knows "attendees ... no-shows ...": one question with two answers.
func (r *reading) attendance(w *wish, i int) bool {
	e, ok := r.eventAt(i)
	if !ok || r.taken[i] || e.value != "attended" && e.value != "no_show" {
		return false
	}
	asked := slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == condBeat && b.cond.ref == "attended" })
	absent := e.value == "no_show" || r.negatedAt(i)
	if !asked && absent && !r.any("event", "attended") && !(r.any("date", "meeting") && r.word(i-1, "who")) {
		return false
	}
	if next := e.end(); next < len(r.tokens) && e.n == 1 && (r.formWord(next) || begunWith(r.tokens[next].text, "заявк") || begunWith(r.tokens[next].text, "оплат")) {
		return false // "пришла заявка"
	}
	from := i
	for from > 0 && from > i-4 && r.word(from-1, "not", "who", "if") {
		from--
	}
	r.take(from, e.end())
	if asked {
		w.script = append(w.script, beat{kind: elseBeat, at: from})
		return true
	}
	w.script = append(w.script, beat{kind: condBeat, at: from, time: timing{n: e.end() - from}, cond: condition{event: "tag", ref: "attended", op: "is", not: absent}})
	return true
}

// amountAsked knows a question about the sum of what starts the funnel: "over 500 zł a letter too", "if the total is above $100", "koszyk powyżej
// 300 zł ..., pozostali ...".
func (r *reading) amountAsked(w *wish, i int) bool {
	if !r.word(i, "above", "over") || r.unitAt(i+2) != "" {
		return false
	}
	n, ok := r.number(i + 1)
	if !ok || r.tokens[i+1].kind != aNumber || r.taken[i+1] || r.currencyAt(i+1) == "" {
		return false
	}
	from, _ := r.clause(i)
	_, sentence := r.sentence(i)
	others := false
	for j := i; j < sentence; j++ {
		others = others || r.word(j, "else")
	}
	begins := i-from <= 1
	for j := from; j < i; j++ {
		begins = begins || r.word(j, "if") && !r.word(j, "who")
	}
	if w.trigger.strength == 0 || !others && (!begins || i < w.trigger.at) {
		return false
	}
	end := i + 2
	if r.word(end, "money") {
		end++
	}
	at := i
	for at > from && (r.word(at-1, "if", "who", "more") || r.tokens[at-1].kind == aWord && r.stops(r.tokens[at-1].text) || slices.Contains([]string{"sum", "total", "amount", "order", "orders", "suma", "kwota", "wartosc", "сумма", "заказ", "чек", "больше"}, r.tokens[at-1].text)) && !r.taken[at-1] {
		at--
	}
	r.take(at, end)
	b := beat{kind: condBeat, at: at, time: timing{n: end - at}, cond: condition{event: "field", ref: "event.amount", op: "gt", value: trimNumber(n)}}
	if !others {
		b.reach = 1
	}
	w.script = append(w.script, b)
	return true
}
