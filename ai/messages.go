package ai

import "slices"

// messagesIn reads the messages of a clause: nouns such as "2 emails", ordinals, or what a sending verb or a topic with a time means.
func (r *reading) messagesIn(w *wish, c stretch, inTime func(int) bool, timed bool) []beat {
	var nouns []beat
	var roles []mark
	verb, again, againAt, spoken := -1, false, c.from, 0
	for i := c.from; i < c.to; i++ {
		if r.taken[i] || r.aside[i] || inTime(i) && (!r.word(i, "another") || r.inSpan(i)) {
			continue
		}
		if m, ok := r.at(i, "role"); ok && !r.taken[m.end()-1] && (m.value != "replay" || !r.word(i, "again") || r.any("date", "meeting")) {
			roles = append(roles, m)
			if b, ok := r.countedTopic(m, c, inTime); ok {
				nouns = append(nouns, b)
			}
		}
		if r.word(i, "another", "again") {
			again, againAt = true, i
			r.understand(i, 1)
		}
		if r.sends(i) && !r.negatedAt(i) && verb < 0 {
			verb = i
		}
		if m, ok := r.at(i, "channel"); ok && !r.ruledOut(m) && i >= spoken {
			if r.toldBefore(m) && !inTime(m.at-1) || m.value == "sms" && i > 0 && slices.Contains([]string{"same", "following", "body", "button"}, r.tokens[i-1].text) {
				spoken = m.end()
				continue
			}
			nouns = r.noun(nouns, m, c, inTime)
			spoken = m.end()
			continue
		}
		if n, ok := r.number(i); ok && n >= 2 && n <= 30 && r.word(i+1, "times") && len(nouns) > 0 { // "one mail three times"
			nouns[len(nouns)-1].count = int(n) * max(1, nouns[len(nouns)-1].count)
			r.understand(i, 2)
			continue
		}
		if b, ok := r.moreAt(i, inTime); ok {
			nouns = append(nouns, b)
			continue
		}
		if b, ok := r.partsAt(i); ok {
			nouns = append(nouns, b)
			continue
		}
		if b, ok := r.unitsAt(w, i); ok {
			nouns = append(nouns, b)
			continue
		}
		if n := r.ordinalWord(i); n != 0 && !r.nounFollows(i, c.to) && !r.unitFollows(i) && (n > 0 || len(nouns) == 0) && (len(nouns) == 0 || nouns[len(nouns)-1].word != i-1) {
			nouns = append(nouns, beat{kind: sendBeat, at: i, ordinal: n})
			r.understand(i, 1)
		}
	}
	if len(nouns) == 0 && !timed && r.contentOf(c) {
		return nil
	}
	if verb < 0 && r.silent(c) { // "the invitation is not sent"
		if w.asksIn(stretch{max(0, c.from-12), c.to}, inTime) {
			return []beat{{kind: deedBeat, at: c.to - 1, step: Step{Do: doExitFunnel}}}
		}
		return nil
	}
	quote := r.messageQuote(c)
	framed := r.framed(c)
	switch {
	case len(nouns) > 0:
		r.giveRoles(nouns, roles)
		if framed && len(nouns) == 1 && nouns[0].count == 0 && nouns[0].ordinal == 0 {
			nouns[0].frame, nouns[0].plural = true, true
		}
		nouns[0].again, nouns[0].verb = again, verb >= 0
		nouns[len(nouns)-1].quote = quote
		if len(nouns) == 1 && verb < 0 && !timed && !again && len(roles) == 0 && nouns[0].count == 0 && nouns[0].ordinal == 0 {
			nouns[0].means = r.byMeans(c, nouns[0])
		}
		return nouns
	case verb >= 0 && !r.onlyFrames(c, verb) || quote != "" && len(roles) == 0 && timed:
		at := verb
		if at < 0 {
			at = c.from
		}
		b := beat{kind: sendBeat, at: at, verb: true, again: again, quote: quote, frame: !timed && quote == "" && c.to < len(r.tokens) && r.tokens[c.to].text == ":"}
		for _, m := range roles {
			b.roles = append(b.roles, m.value)
		}
		if len(b.roles) > 0 {
			b.role = b.roles[0]
		}
		return []beat{b}
	case timed && framed && r.heads(c), timed && quote == "" && c.to < len(r.tokens) && r.tokens[c.to].text == ":" && r.timeless(c.to+1, inTime):
		return nil // "an upsell flow two weeks after they pay: ..." says when the first one goes out
	case len(roles) > 0 && !timed && w.field != "" && r.sameSentence(c.from, w.fieldAt) && (w.fieldAt >= c.from && w.fieldAt < c.to || w.fieldAt >= c.to && w.fieldAt < c.to+6 && r.tokens[c.to].text == "("):
		return nil // "the policy expires in field x" says what the times are counted from
	case len(roles) > 0 && (timed || !framed):
		if !timed && roles[0].value == "offer" && c.from > 1 && r.word(c.from-1, "and") && r.nounBefore(c.from-1) {
			return nil // "a greeting and a discount" is one message
		}
		b := beat{kind: sendBeat, at: roles[0].at, role: roles[0].value, again: again, quote: quote, frame: !timed && r.heads(c), alone: r.alone(w, c, roles)}
		for _, m := range roles {
			b.roles = append(b.roles, m.value)
		}
		return []beat{b}
	case r.otherOne(w, c):
		return []beat{{kind: sendBeat, at: c.from, verb: true, again: true}}
	case again && r.timeAhead(c, inTime):
		return nil
	case again && timed && (r.waits(c) || slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == condBeat && b.at == againAt })):
		return nil
	case again && !timed && !w.doesIn(c) && r.barelyAgain(c) && w.asksIn(stretch{max(0, c.from-10), c.from}, inTime):
		return []beat{{kind: sendBeat, at: c.from, again: true, verb: true}} // "to those who did not open it, once more"
	case again && timed && !w.asksIn(stretch{c.from, againAt}, inTime) && !w.doesIn(c):
		return []beat{{kind: sendBeat, at: c.from, again: true, verb: true}}
	}
	return nil
}

// contentOf tells whether a clause only says what the one message named right before a colon is about: "email: thanks, and how to care for it".
func (r *reading) contentOf(c stretch) bool {
	from, to := r.sentence(c.from)
	colon := -1
	for i := from; i < c.from; i++ {
		if r.tokens[i].text == ":" {
			colon = i
		}
	}
	if colon <= from {
		return false
	}
	m := mark{}
	for j := max(from, colon-2); j < colon; j++ {
		if found, ok := r.at(j, "channel"); ok && found.end() == colon {
			m = found
		}
	}
	if _, plural := r.at(m.at, "plural"); m.n == 0 || plural || m.at > from && r.told(m) {
		return false
	}
	for i := colon + 1; i < to; i++ {
		_, channel := r.at(i, "channel")
		_, span := r.at(i, "span")
		if channel || span || r.unitAt(i) != "" && r.isNumber(i-1) || r.word(i, "if", "then", "day") || r.sends(i) && i > colon+1 || r.taken[i] && r.word(i, "add", "remove", "notify") {
			return false
		}
	}
	return true
}

// waits tells whether a clause is an order to wait: "wait another 30 days".
func (r *reading) waits(c stretch) bool {
	for i := c.from; i < c.to; i++ {
		if r.word(i, "wait") {
			return true
		}
	}
	return false
}

// silent tells whether a clause says that something is not sent: "приглашение не слать", "don't send the offer".
func (r *reading) silent(c stretch) bool {
	for i := c.from; i < c.to; i++ {
		if r.sends(i) && !r.taken[i] && i > 0 && (r.tokens[i-1].text == "nie" || r.tokens[i-1].text == "не") || r.sends(i) && !r.taken[i] && i > c.from && (r.tokens[i-1].text == "dont" || i > c.from+1 && r.tokens[i-2].text == "do" && r.tokens[i-1].text == "not") {
			return true
		}
	}
	return false
}

// toldBefore tells whether a channel only says after which message something comes: "after the text remove the tag", "po smsie".
func (r *reading) toldBefore(m mark) bool {
	for j := m.at - 1; j >= 0 && j >= m.at-3 && r.tokens[j].kind == aWord; j-- {
		switch r.tokens[j].text {
		case "after":
			if _, topic := r.at(m.end(), "role"); topic && r.tokens[m.at-1].text == "that" {
				return false
			}
			return j < m.at-1
		case "po", "после":
			return !r.isNumber(m.at - 1)
		}
		if r.ordinalWord(j) == 0 && !slices.Contains(toldWords, r.tokens[j].text) {
			return false
		}
	}
	return false
}

// inSpan tells whether a word is part of a fixed time such as "the next day", where it does not mean one more message.
func (r *reading) inSpan(i int) bool {
	for j := max(0, i-2); j <= i; j++ {
		if m, ok := r.at(j, "span"); ok && m.end() > i {
			return true
		}
	}
	return false
}

// timeAhead tells whether a clause is nothing but the time of the message that the next one names: "..., ten days later, an email".
func (r *reading) timeAhead(c stretch, inTime func(int) bool) bool {
	for i := c.from; i < c.to; i++ {
		if !inTime(i) {
			return false
		}
	}
	return c.to < len(r.tokens) && r.tokens[c.to].kind == aComma && r.timeless(c.to+1, inTime)
}

// timeless tells whether the clause that begins at a place names a message and no time.
func (r *reading) timeless(from int, inTime func(int) bool) bool {
	if from >= len(r.tokens) {
		return false
	}
	_, to := r.clause(from)
	for i := from; i < to; i++ {
		if inTime(i) {
			return false
		}
	}
	return r.messageBetween(from, to)
}

// otherOne tells whether a clause names a second message by "another one" for those who gave the other answer.
func (r *reading) otherOne(w *wish, c stretch) bool {
	for i := c.from; i < c.to && i < c.from+3; i++ {
		if !r.word(i, "otherone") {
			continue
		}
		for _, b := range w.script {
			if b.kind == elseBeat && b.at >= c.from && b.at < c.to+6 && !slices.ContainsFunc(r.tokens[c.from:b.at], func(t token) bool { return t.kind == aBreak }) {
				return true
			}
		}
	}
	return false
}

// asksIn tells whether a question stands in a clause, with no time right behind it.
func (w *wish) asksIn(c stretch, inTime func(int) bool) bool {
	for _, b := range w.script {
		if b.kind != condBeat || b.at < c.from || b.at >= c.to {
			continue
		}
		if end := b.at + b.time.n; end >= c.to || !inTime(end) {
			return true // "to those who did not open, after two days again" goes on behind the question
		}
	}
	return false
}

// doesIn tells whether a clause has something else to do than to send.
func (w *wish) doesIn(c stretch) bool {
	return slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == deedBeat && b.at >= c.from && b.at < c.to })
}

// framed tells whether a clause speaks of the whole: "a welcome series", "an apology flow".
func (r *reading) framed(c stretch) bool {
	for i := c.from; i < c.to; i++ {
		if r.word(i, "series") {
			if _, noun := r.at(i, "channel"); !noun {
				return true
			}
		}
	}
	return false
}

// nounBefore tells whether a message is named right before a place, in the same clause.
func (r *reading) nounBefore(i int) bool {
	for j := i - 1; j >= 0 && r.tokens[j].kind == aWord && !r.conjunction(j); j-- {
		if _, ok := r.at(j, "channel"); ok {
			return true
		}
	}
	return false
}

// alone tells whether a clause behind what starts the funnel is nothing but a topic that is a message by itself: "form sent: confirmation".
func (r *reading) alone(w *wish, c stretch, roles []mark) bool {
	if w.trigger.strength < 3 || w.trigger.at >= c.from || len(roles) != 1 || !slices.Contains([]string{"confirm", "thanks", "hello", "apology", "receipt", "replay", "survey", "recap", "deliver"}, roles[0].value) {
		return false
	}
	for i := c.from; i < c.to; i++ {
		if (i < roles[0].at || i >= roles[0].end()) && !r.stops(r.tokens[i].text) {
			return false
		}
	}
	return true
}

// heads tells whether a clause is the heading of what follows: "invoice: 3 days before ...".
func (r *reading) heads(c stretch) bool {
	return (c.from == 0 || r.tokens[c.from-1].kind == aBreak) && c.to < len(r.tokens) && r.tokens[c.to].text == ":"
}

// onlyFrames tells whether the verb of a clause only introduces the prompt: "send a series", "make", with the series named elsewhere.
func (r *reading) onlyFrames(c stretch, verb int) bool {
	_, book := r.find(verb, c.to, "playbook")
	_, role := r.find(verb, c.to, "role")
	framed := false
	for i := verb; i < c.to; i++ {
		framed = framed || r.word(i, "series")
	}
	return (book || framed) && !role
}

func (r *reading) sameSentence(a, b int) bool {
	from, to := r.sentence(a)
	return b >= from && b < to
}

// barelyAgain tells whether a clause says nothing but "once more".
func (r *reading) barelyAgain(c stretch) bool {
	for i := c.from; i < c.to; i++ {
		if r.tokens[i].kind != aWord || !r.word(i, "again", "times") && !r.stops(r.tokens[i].text) && !r.word(i, "another", "further") {
			return false
		}
	}
	return true
}
