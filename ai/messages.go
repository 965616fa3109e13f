package ai

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

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
			if r.toldBefore(m) || m.value == "sms" && i > 0 && slices.Contains([]string{"same", "following", "body", "button"}, r.tokens[i-1].text) {
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
	case again && timed && !w.asksIn(stretch{c.from, againAt}, inTime) && !w.doesIn(c):
		return []beat{{kind: sendBeat, at: c.from, again: true, verb: true}}
	}
	return nil
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

// noun adds a message named by its channel. One channel named twice in a clause without a number or time between is one message.
func (r *reading) noun(nouns []beat, m mark, c stretch, inTime func(int) bool) []beat {
	b := beat{kind: sendBeat, at: m.at, word: m.end() - 1, noun: true, channel: m.value}
	switch {
	case m.value == "any":
		b.channel = ""
	case m.value == "email" && r.goodsBefore(m):
		b.channel = "letter"
	}
	if r.told(m) {
		b.frame, b.plural = true, true // "both emails on weekdays only"
		r.understand(m.at, m.n)
		return append(nouns, b)
	}
	if _, ok := r.at(m.at, "plural"); ok {
		b.plural = true
		b.frame = r.word(m.end(), "only") // "emails only between 9 and 20"
	}
	r.understand(m.at, m.n)
	counted := false
	for j := m.at - 1; j >= c.from && j >= m.at-3; j-- {
		if inTime(j) || r.taken[j] {
			break
		}
		if n := r.ordinalWord(j); n != 0 {
			b.ordinal, b.at = n, j
			break
		}
		if r.tokens[j].kind != aWord && r.tokens[j].kind != aNumber {
			break
		}
		if _, other := r.at(j, "channel"); other && j+1 != m.at {
			break
		}
		n, ok := r.number(j)
		if !ok {
			continue
		}
		if n >= 1 && n <= 60 && n == float64(int(n)) {
			counted = true
			if n > 1 || !slices.Contains([]string{"a", "an"}, r.tokens[j].text) {
				b.count = int(n)
			}
			b.at = j
			r.understand(j, 1)
		}
		break
	}
	// "email 2", "email x3"
	if b.count == 0 && b.ordinal == 0 && m.end() < c.to && r.ordinalAt(m.end()) {
		b.ordinal = int(r.tokens[m.end()].num)
		r.understand(m.end(), 1)
	}
	if n := len(nouns); n > 0 && b.channel == "" && nouns[n-1].noun && nouns[n-1].word == m.at-1 { // "a push message"
		nouns[n-1].plural = nouns[n-1].plural || b.plural
		return nouns
	}
	if n := len(nouns); n > 0 && r.beside(nouns[n-1], m) { // "a letter by post"
		nouns[n-1].plural = nouns[n-1].plural || b.plural
		return nouns
	}
	if n := len(nouns); n > 0 && !counted && b.ordinal == 0 && !b.plural {
		last := &nouns[n-1]
		if last.channel == b.channel || b.channel == "" || last.channel == "" || last.ordinal != 0 && !last.noun {
			between := slices.ContainsFunc(r.tokens[last.at:m.at], func(t token) bool { return t.kind == aComma })
			timeBetween := false
			for i := last.at; i < m.at; i++ {
				timeBetween = timeBetween || inTime(i)
			}
			if !between && !timeBetween {
				last.channel, last.noun = cmp.Or(last.channel, b.channel), true
				return nouns
			}
		}
	}
	return append(nouns, b)
}

// byMeans tells whether a clause is nothing but the channel something goes by: "by sms", "mailem", "по смс", "all of it by text".
func (r *reading) byMeans(c stretch, b beat) bool {
	at := b.word
	form := r.tokens[at].text
	by := r.lang == "pl" && (strings.HasSuffix(form, "em") || strings.HasSuffix(form, "ami") || begunWith(form, "poczt")) || r.lang == "ru" && (strings.HasSuffix(form, "ом") || strings.HasSuffix(form, "ами") || form == "смскои" || form == "почтои")
	for i := c.from; i < at; i++ {
		word := r.tokens[i].text
		by = by || slices.Contains([]string{"by", "via", "over", "through", "per", "przez", "по", "через", "на"}, word)
		if r.tokens[i].kind != aWord || r.taken[i] || !r.stops(word) && !r.word(i, "by", "allof", "only") && !slices.Contains([]string{"it", "as", "of", "goes", "everything", "wszystko", "calosc", "idzie", "всё", "все", "это"}, word) {
			return false
		}
	}
	return by && c.to <= at+2
}

// told tells whether a channel speaks of messages named elsewhere: "both emails", "wszystkie maile", "каждое письмо".
func (r *reading) told(m mark) bool {
	j := m.at - 1
	for j >= 0 && j >= m.at-3 && r.tokens[j].kind == aWord && (r.isNumber(j) || slices.Contains([]string{"the", "of", "these", "those", "nasze", "наши"}, r.tokens[j].text)) && !r.word(j, "allof") {
		j--
	}
	return j >= 0 && (r.word(j, "allof") || r.ended(j+1, "allof")) && r.tokens[j].text != "a"
}

// beside tells whether a channel names the message right before it once more.
func (r *reading) beside(last beat, m mark) bool {
	if last.channel == "letter" && m.value == "email" && begunWith(r.tokens[m.end()-1].text, "почт") && m.at-last.word <= 3 {
		return true // "открытку по почте"
	}
	if last.channel != m.value || m.at == 0 || r.tokens[m.at-1].kind != aWord {
		return false
	}
	for j := m.at - 1; j >= last.at && j >= m.at-3; j-- {
		if o, ok := r.at(j, "channel"); ok && o.value == m.value && o.end() == m.at {
			return true
		}
	}
	return false
}

// countedTopic reads "3 reminders": messages counted by what they do.
func (r *reading) countedTopic(m mark, c stretch, inTime func(int) bool) (beat, bool) {
	i := m.at - 1
	n, ok := r.number(i)
	if _, channel := r.at(m.at, "channel"); !ok || channel || m.value != "remind" || i < c.from || inTime(i) || r.taken[i] || n < 2 || n > 30 || n != math.Trunc(n) {
		return beat{}, false
	}
	for j := m.end(); j < c.to && j < m.end()+3; j++ {
		if _, channel := r.at(j, "channel"); channel {
			return beat{}, false
		}
	}
	r.understand(i, 1)
	return beat{kind: sendBeat, at: i, count: int(n), verb: true, plural: true}, true
}

// moreAt reads "2 more", "ещё 2": so many further messages, where no noun says it.
func (r *reading) moreAt(i int, inTime func(int) bool) (beat, bool) {
	n, ok := r.number(i)
	if !ok || n < 1 || n > 30 || n != float64(int(n)) || r.taken[i] || inTime(i) || r.tokens[i].kind != aNumber && n < 2 {
		return beat{}, false
	}
	end := i + 1
	if r.word(end, "further") {
		end++
	} else if !r.word(i-1, "further") {
		return beat{}, false
	}
	if r.countsMessages(i) || r.unitAt(end) != "" || !r.endsCount(end) {
		return beat{}, false
	}
	r.understand(i-1, end-i+1)
	return beat{kind: sendBeat, at: i, count: int(n), verb: true, plural: n > 1, further: true}, true
}

// ordinalWord reads "first", "second", "last" (-1); 0 is none.
func (r *reading) ordinalWord(i int) int {
	for k, word := range []string{"first", "second", "third", "fourth", "fifth", "sixth"} {
		if r.word(i, word) {
			return k + 1
		}
	}
	if r.word(i, "lastone") {
		return -1
	}
	return 0
}

func (r *reading) nounFollows(i, to int) bool {
	for j := i + 1; j < to && j < i+4; j++ {
		if _, ok := r.at(j, "channel"); ok {
			return true
		}
	}
	return false
}

// unitFollows tells whether an ordinal numbers something else: "the first week", "first order", "pierwszy zakup".
func (r *reading) unitFollows(i int) bool {
	if next := i + 1; r.lang == "en" && next < len(r.tokens) && r.tokens[next].kind == aWord && len(r.byAt[next]) == 0 && !r.stops(r.tokens[next].text) && r.tokens[i].kind == aWord && r.unitAt(next) == "" {
		return true // "the last agency"
	}
	for j := i + 1; j < i+3 && j < len(r.tokens); j++ {
		_, event := r.eventAt(j)
		_, role := r.at(j, "role")
		if r.unitAt(j) != "" || event && !role || r.word(j, "times") {
			return j == i+1 || event
		}
	}
	return false
}

// giveRoles gives the messages of a clause their topics: all to the only one, else each to the nearest.
func (r *reading) giveRoles(nouns []beat, roles []mark) {
	for _, m := range roles {
		near := 0
		for k := range nouns {
			if abs(nouns[k].at-m.at) < abs(nouns[near].at-m.at) {
				near = k
			}
		}
		nouns[near].roles = append(nouns[near].roles, m.value)
		if nouns[near].role == "" {
			nouns[near].role = m.value
		}
	}
}
