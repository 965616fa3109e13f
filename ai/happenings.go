package ai

import (
	"slices"
)

// eventBehind finds an event within n tokens, in the same sentence and before any message.
func (r *reading) eventBehind(i, n int) (mark, bool) {
	for j := i; j < len(r.tokens) && j < i+n; j++ {
		if r.tokens[j].kind == aBreak {
			break
		}
		if r.sends(j) && j > i {
			break
		}
		if e, ok := r.eventAt(j); ok && !r.taken[j] {
			return e, true
		}
	}
	return mark{}, false
}

// readConditions finds the questions of the script: "if they do not open", "nie kliknął?", "score below 7", "otherwise". It returns the
// times that are not part of one.
func (r *reading) readConditions(w *wish, times []timing) []timing {
	begun := r.begins(times)
	for i := range r.tokens {
		if end := r.onlyName(i); end > 0 && r.word(i+1, "tag") {
			r.take(i+1, end)
		}
	}
	for i := 0; i < len(r.tokens); i++ {
		if r.taken[i] || r.aside[i] {
			continue
		}
		switch {
		case r.answersAwaited(w, i):
		case r.amountAsked(w, i):
		case r.askedAgain(w, i):
		case r.word(i, "else") && !r.asksNext(i) || r.word(i, "if") && r.elseShort(i):
			end := i + 1
			for end < len(r.tokens) && r.word(end, "not", "if", "else") {
				end++
			}
			r.take(i, end)
			w.script = append(w.script, beat{kind: elseBeat, at: i})
		case r.word(i, "who") && r.word(i+1, "not") && (i+2 >= len(r.tokens) || r.tokens[i+2].kind == aBreak || r.tokens[i+2].kind == aComma) && slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == condBeat }):
			r.take(i, i+2) // "and those who did not"
			w.script = append(w.script, beat{kind: elseBeat, at: i})
		case r.scoreAt(w, i):
		case r.attendance(w, i):
		case r.word(i, "who") && begun < i && r.membership(i):
			if m, ok := r.memberAsked(i); ok {
				m.who = true
				w.script = append(w.script, m)
			}
		case r.word(i, "if", "unless"):
			e, ok := r.eventBehind(i+1, 9)
			if named, found := r.namedInBrackets(i); found {
				e, ok = r.wholeBracket(named), true
			}
			if ok && (begun < i || r.negatedAt(e.at) || w.trigger.strength >= 5 && w.trigger.at > i && e.value != w.trigger.Kind && r.commaBetween(i, w.trigger.at) || r.asksLater(w, i, e)) && !r.spokenBetween(i, e.at) {
				r.ask(w, i, e, r.negatedAt(e.at) || r.word(i, "unless") || r.deniedIn(i, e))
			} else if m, ok := r.memberAsked(i); ok {
				w.script = append(w.script, m)
			} else if m, ok := r.unknownAsked(i, times); ok && (begun < i || w.trigger.strength >= 4 && w.trigger.at > i) {
				w.script = append(w.script, m)
			}
		default:
			if e, ok := r.eventAt(i); ok && !r.taken[i] && (begun < i && r.asks(i) || r.deniedBeside(w, e)) {
				not := r.negatedAt(i)
				from := i
				for from > 0 && from > i-4 && r.word(from-1, "not", "who", "without", "if") {
					from--
				}
				n := len(w.script)
				r.ask(w, from, e, not)
				if len(w.script) > n {
					w.script[n].who = r.word(from, "who") || r.before(i, 2, "who")
				}
			}
		}
	}
	r.glue(w, times)
	var rest []timing
	for _, t := range times {
		owner := r.owner(w, t)
		if owner == nil {
			rest = append(rest, t)
			continue
		}
		owner.cond.within = t.hours
		r.take(t.at, t.end())
	}
	return rest
}

// owner is the condition a time limits: "if they do not pay within 24 hours".
func (r *reading) owner(w *wish, t timing) *beat {
	counted := t.sent || t.kind == offsetTiming && t.rel && t.hours > 0 // "if they do not order 4 days after the visit"
	if t.kind != withinTiming && t.kind != afterTiming && t.kind != spanTiming && t.kind != gapTiming && !counted {
		return nil
	}
	for k := range w.script {
		b := &w.script[k]
		if b.kind != condBeat || b.cond.within > 0 {
			continue
		}
		if t.kind == gapTiming && !counted {
			if t.at >= b.at && t.at < b.at+b.time.n { // "if they have not answered after another 2 days"
				return b
			}
			continue
		}
		if counted {
			if b.cond.not && t.at == b.at+b.time.n {
				return b
			}
			continue
		}
		if t.kind != afterTiming && t.end() <= b.at && b.at-t.end() <= 3 && b.cond.not && !r.commaBetween(t.at, b.at) { // "w ciągu 48 godzin się nie umówi"
			return b
		}
		inside := t.at >= b.at && t.at < b.at+b.time.n || t.kind != afterTiming && r.sameClause(b.at+b.time.n, t.at)
		behind := t.at == b.at+b.time.n && (t.kind != afterTiming || r.tokens[t.at].text == "w" || r.tokens[t.at].text == "za" || r.tokens[t.at].text == "in" || r.tokens[t.at].text == "after") && !r.sentTo(t.end())
		if inside || behind {
			return b
		}
	}
	return nil
}

// sameClause tells whether nothing but words that name no message stands between two places.
func (r *reading) sameClause(from, to int) bool {
	return from <= to && to-from < 6 && !r.commaBetween(from, to) && !r.messageBetween(from, to) && !r.spokenBetween(from-1, to)
}

// sentTo tells whether a message follows right behind a place, without a comma: "if not opened after 2 days sms".
func (r *reading) sentTo(i int) bool {
	for j := i; j < i+3 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if _, ok := r.at(j, "channel"); ok {
			return false
		}
	}
	return false
}

// ask adds a condition to the script.
func (r *reading) ask(w *wish, from int, e mark, not bool) {
	_, to := r.clause(e.at)
	end := e.end()
	// what limits it may stand behind it in the clause: "nie kliknie w ciągu 2 dni"
	for end < to && (r.word(end, "within", "over") || r.word(end, "link", "message") || r.unitAt(end) != "" || r.isNumber(end) && r.unitAt(end+1) != "") {
		end++
	}
	if m, ok := r.at(end, "channel"); ok && (e.value == "message_opened" || e.value == "link_clicked" || e.value == "message_replied") && !r.countsMessages(end-1) {
		if _, verb := r.find(end, min(end+4, to), "word", "send"); !verb && m.end() >= to {
			end = m.end() // "if they do not open the email": which message, not a new one
		}
	}
	r.take(from, min(e.end(), end))
	r.takeWords(e.end(), end)
	for j := e.at; (e.value == "react" || e.n == 1) && j < e.end(); j++ {
		not = not || r.word(j, "not")
	}
	c := condition{event: e.value, op: "is", not: not}
	if e.value == "list_join" && (w.trigger.Kind == "booking_made" || r.any("date", "visit")) && r.lang != "en" {
		c.event = "booking_made" // "nie zapisze się" after a visit is about the next one
	}
	switch e.value {
	case "confirmed", "react":
		c.event = ""
	case "unsubscribed":
		return
	case "api_event":
		c.ref = eventSlug(r.tokens[e.at].raw)
	}
	if e.value == "confirmed" {
		c.event = "confirmed"
	}
	w.script = append(w.script, beat{kind: condBeat, at: from, time: timing{n: end - from}, cond: c})
}

func (r *reading) takeWords(from, to int) {
	for i := from; i < to; i++ {
		if _, ok := r.at(i, "channel"); ok || r.word(i, "link", "message") {
			r.take(i, i+1)
		}
	}
}

// sends tells whether a word of sending stands at a place, not one of an event that comes: "когда приходит order_placed".
func (r *reading) sends(i int) bool {
	if !r.word(i, "send") || r.sending(i) {
		return false
	}
	if word := r.tokens[i].text; begunWith(word, "wysz") && i > 0 && r.conjunction(i-1) {
		from, _ := r.clause(i)
		if _, happened := r.find(from, i, "event"); happened {
			return false // "oglądał stronę i wyszedł"
		}
	}
	if next := i + 1; next < len(r.tokens) && slices.Contains([]string{"data", "dane", "данные", "details"}, r.tokens[next].text) {
		return false // "send the data to our system"
	}
	if next := i + 1; next < len(r.tokens) && callsEvent(r.tokens[next].text) || next+1 < len(r.tokens) && r.namesEvent(next) {
		return false // "our app sends the event x"
	}
	for j := max(0, i-1); j < len(r.tokens) && j < i+3; j++ {
		if e, ok := r.eventAt(j); ok && e.value == "api_event" && r.before(i, 3, "if", "when", "stop", "after") {
			return false
		}
	}
	return true
}

// sending tells whether a word of sending is said of what comes from people, as what starts something: "при отправке формы", "po wysłaniu
// formularza".
func (r *reading) sending(i int) bool {
	if !r.ended(i, "when", "after") {
		return false
	}
	for j := i + 1; j < len(r.tokens) && j < i+3 && r.tokens[j].kind == aWord; j++ {
		if e, ok := r.eventAt(j); ok && e.value == "form_submit" {
			return true
		}
	}
	return false
}

// begins is the place of the first message, deed or time of one: what is asked before it is what starts the funnel.
func (r *reading) begins(times []timing) int {
	first := len(r.tokens)
	for i := range r.tokens {
		if r.taken[i] {
			if r.word(i, "add", "remove", "notify", "collect", "reserve") {
				first = min(first, i)
				break
			}
			continue
		}
		if m, ok := r.at(i, "channel"); ok && !r.ruledOut(m) {
			first = i
			break
		}
		if r.sends(i) {
			first = i
			break
		}
	}
	for _, t := range times {
		if (t.kind == afterTiming || t.kind == gapTiming) && !r.taken[t.at] {
			first = min(first, t.at)
		}
	}
	return first
}

// elseShort knows "if not, ..." and "jak nie, to ...".
func (r *reading) elseShort(i int) bool {
	if !r.word(i+1, "not") || i+2 > len(r.tokens) {
		return false
	}
	if _, happens := r.eventAt(i + 1); happens {
		return false // "if unused"
	}
	for j := i + 2; j < len(r.tokens) && j < i+5; j++ {
		if r.tokens[j].kind == aComma || r.tokens[j].kind == aBreak {
			return true
		}
		if _, ok := r.at(j, "channel"); ok || r.word(j, "send", "then", "add", "notify") {
			return true
		}
		if _, ok := r.eventAt(j); ok || !r.stops(r.tokens[j].text) {
			return false
		}
	}
	return true
}

// deniedBeside tells whether an event did not happen though the one that starts the funnel did: "opened but did not click".
func (r *reading) deniedBeside(w *wish, e mark) bool {
	from, to := r.sentence(e.at)
	return w.trigger.strength >= 3 && w.trigger.from >= from && w.trigger.to <= e.at && e.at < to && e.at-w.trigger.to < 16 && e.value != w.trigger.Kind && slices.Contains(planEvents, e.value) && r.negatedAt(e.at) && !r.messageBetween(w.trigger.to, e.at)
}

// asks tells whether an event behind the first message is a question without an "if": "no click → sms", "who clicked get ...".
func (r *reading) asks(i int) bool {
	if r.before(i, 2, "after", "since", "add") {
		return false
	}
	if r.negatedAt(i) {
		return true
	}
	if e, ok := r.eventAt(i); ok && e.value == "react" && r.word(i, "not") {
		return true // "still nothing"
	}
	return r.before(i, 2, "who")
}

func (r *reading) spokenBetween(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if r.word(i, "send", "notify") {
			return true
		}
	}
	return false
}
