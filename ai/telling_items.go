package ai

import (
	"cmp"
	"slices"
	"strings"
)

// itemsOf finds what stands in a clause, in order.
func (t *telling) itemsOf(c *told) {
	r := t.r
	var topics []mark
	verb := -1
	for i := c.from; i < c.to; i++ {
		if k := slices.IndexFunc(t.deeds, func(b beat) bool { return b.at == i }); k >= 0 {
			to := i + 1
			for to < c.to && r.taken[to] {
				to++
			}
			c.items = append(c.items, item{kind: anAction, at: i, to: to, beat: t.deeds[k]})
			continue
		}
		if _, ok := t.timeAt(i); ok {
			for _, tm := range t.times {
				if i == tm.at && tm.n > 0 || i == c.from && tm.at < i && tm.end() > i {
					c.items = append(c.items, item{kind: aTime, at: i, to: max(tm.end(), i+1), time: tm})
				}
			}
			continue
		}
		if r.aside[i] || r.taken[i] {
			continue
		}
		_, channel := r.at(i, "channel")
		if e, ok := t.happensAt(i); ok && !t.within(c, i, aHappening) && !channel {
			c.items = append(c.items, item{kind: aHappening, at: i, to: e.end(), event: e, not: t.denied(e)})
		}
		if m, ok := r.at(i, "role"); ok {
			topics = append(topics, m)
		}
		if (r.sends(i) || t.is(i, "gets") && t.promises(i+1, c.to)) && verb < 0 && !r.negatedAt(i) {
			verb = i
		}
		if m, ok := r.at(i, "channel"); ok && !t.within(c, i, anAction) {
			t.message(c, m)
		}
	}
	t.giveTopics(c, topics, verb)
	t.giveOffers(c)
	slices.SortStableFunc(c.items, func(a, b item) int { return cmp.Compare(a.at, b.at) })
}

// within tells whether a place lies in an item of a kind that the clause has already.
func (t *telling) within(c *told, i int, kind itemKind) bool {
	return slices.ContainsFunc(c.items, func(it item) bool { return it.kind == kind && i >= it.at && i < it.to })
}

// denied tells whether what may have happened did not.
func (t *telling) denied(e mark) bool {
	if e.value == "no_show" {
		return false
	}
	if t.r.negatedAt(e.at) {
		return true
	}
	if _, plain := t.r.eventAt(e.at); !plain {
		return true
	}
	for i := e.at; i < e.end(); i++ {
		if e.value == "react" || t.r.word(i, "not", "without") {
			return true
		}
	}
	return false
}

// message adds the message that a channel names.
func (t *telling) message(c *told, m mark) {
	r := t.r
	if r.ruledOut(m) || t.spokenOf(c, m) {
		return
	}
	b := beat{kind: sendBeat, at: m.at, word: m.end() - 1, noun: true, verb: true, channel: m.value}
	switch {
	case m.value == "any":
		b.channel = ""
	case m.value == "email" && r.goodsBefore(m):
		b.channel = "letter"
	}
	_, b.plural = r.at(m.at, "plural")
	from := m.at
	for j := m.at - 1; j >= c.from && j >= m.at-3 && (r.tokens[j].kind == aWord || r.tokens[j].kind == aNumber); j-- {
		if _, ok := t.timeAt(j); ok || r.taken[j] || t.within(c, j, anAction) {
			break
		}
		if n := r.ordinalWord(j); n != 0 {
			b.ordinal = n
			break
		}
		if _, other := r.at(j, "channel"); other {
			break
		}
		if n, ok := r.number(j); ok && n == float64(int(n)) && n >= 1 && n <= 60 {
			if n > 1 {
				b.count, from = int(n), j
			}
			break
		}
	}
	if b.ordinal == 0 && b.count == 0 && m.end() < c.to && r.ordinalAt(m.end()) {
		b.ordinal = int(r.tokens[m.end()].num)
	}
	b.at = from
	k := len(c.items) - 1
	for k >= 0 && c.items[k].kind != anAction {
		k--
	}
	if k >= 0 && c.items[k].beat.kind == sendBeat && t.sameMessage(c.items[k], m) {
		last := &c.items[k]
		last.beat.channel = cmp.Or(last.beat.channel, b.channel)
		if m.value == "letter" || last.beat.channel == "email" && m.value != "any" && m.value != "email" {
			last.beat.channel = b.channel
		}
		last.to = m.end()
		return
	}
	c.items = append(c.items, item{kind: anAction, at: from, to: m.end(), beat: b})
}

// sameMessage tells whether a channel only says more of the message before it in the clause: "wyślij link mailem", "a push message", "письмо на
// почту".
func (t *telling) sameMessage(last item, m mark) bool {
	for i := last.to; i < m.at; i++ {
		if t.r.tokens[i].kind == aComma || t.r.conjunction(i) || t.r.tokens[i].kind == aBreak {
			return false
		}
		if _, ok := t.timeAt(i); ok {
			return false
		}
	}
	return last.beat.channel == m.value || m.value == "any" || last.beat.channel == "" || m.at == last.to || m.at-last.to <= 2 && t.r.word(m.at-1, "by") && m.value == "letter"
}

var (
	references = []string{"in", "of", "from", "after", "po", "w", "z", "ze", "od", "после", "из", "от", "on", "to", "на", "do"}
	reading3   = []string{"message_opened", "link_clicked", "message_replied"}
)

// spokenOf tells whether a channel speaks of a message there is, and is none to send: "in the email", "po smsie", "otworzy maila".
func (t *telling) spokenOf(c *told, m mark) bool {
	r := t.r
	if next, pair := r.at(m.end()+1, "channel"); r.told(m) && !(pair && r.conjunction(m.end()) && next.n > 0) {
		return true
	}
	if m.value == "sms" && m.at > c.from && slices.Contains([]string{"same", "following", "body", "button"}, r.tokens[m.at-1].text) {
		return true
	}
	if m.at > c.from && t.onlyChannel(c, m) || t.notSent(m) {
		return true
	}
	if r.toldBefore(m) {
		if tm, ok := t.timeAt(m.at - 1); !ok || tm.end() > m.at {
			return true
		}
	}
	for _, it := range c.items { // what was opened, clicked or answered
		if it.kind == aHappening && slices.Contains(reading3, it.event.value) && m.at >= it.to && m.at-it.to <= 4 && !t.sendsBetween(it.to, m.at) && (m.at-it.to <= 1 || !r.isNumber(m.at-1)) {
			return !t.givenBehind(c, it, m)
		}
	}
	for j := m.end(); j < c.to && j < m.end()+4; j++ {
		if t.is(j, "if", "who", "unless") || r.tokens[j].kind != aWord {
			break
		}
		if e, ok := r.eventAt(j); ok {
			if slices.Contains(reading3, e.value) && !r.sends(m.at-1) && !t.sendsBetween(c.from, m.at) && (j == m.end() || r.negatedAt(j) || t.find(c.from, m.at, "if", "when", "who") >= 0) {
				return true
			}
			break
		}
	}
	if m.at > c.from && slices.Contains([]string{"in", "of", "from", "w", "z", "ze", "из", "в", "on"}, r.tokens[m.at-1].text) || m.at > c.from+1 && slices.Contains([]string{"in", "of", "from"}, r.tokens[m.at-2].text) && slices.Contains([]string{"the", "our", "that", "an", "a", "any"}, r.tokens[m.at-1].text) {
		return slices.ContainsFunc(c.items, func(it item) bool {
			return it.kind == aHappening && it.event.value == "link_clicked" || it.kind == anAction && it.beat.kind == sendBeat
		})
	}
	return false
}

// sendsBetween tells whether a verb of sending stands in a range.
func (t *telling) sendsBetween(from, to int) bool {
	for i := from; i < to; i++ {
		if t.r.sends(i) || t.is(i, "if") {
			return true
		}
		if _, ok := t.timeAt(i); ok {
			return true
		}
	}
	return false
}

// givenBehind tells whether a channel right behind a happening is what those get, not what they opened: "no click sms", "who did not open an sms".
func (t *telling) givenBehind(c *told, it item, m mark) bool {
	if m.value != "email" && m.value != "any" {
		return true
	}
	return false
}

// giveTopics gives the messages of a clause what they are about; a clause that names none has the one its verb or its topic means.
func (t *telling) giveTopics(c *told, topics []mark, verb int) {
	var sends []*item
	for k := range c.items {
		if it := &c.items[k]; it.kind == anAction && it.beat.kind == sendBeat {
			sends = append(sends, it)
		}
	}
	again := t.find(c.from, c.to, "again")
	if slices.ContainsFunc(c.items, func(it item) bool {
		return it.kind == aHappening && again >= it.to && again-it.to <= 1 && !slices.Contains(reading3, it.event.value)
	}) {
		again = -1 // "if they have not bought again"
	}
	if len(sends) == 0 {
		at := verb
		if at >= 0 && t.comes(c, at) || t.deedIn(c, -1) {
			return
		}
		if at < 0 && again >= 0 {
			at = again
		}
		ordinal := 0
		if at < 0 && slices.ContainsFunc(c.items, func(it item) bool { return it.kind == aTime }) {
			for i := c.from; i < c.to; i++ {
				if _, ok := t.timeAt(i); !ok && t.r.ordinalWord(i) != 0 && !t.r.unitFollows(i) {
					at, ordinal, again = i, t.r.ordinalWord(i), i // "the second after 3 days"
					break
				}
			}
		}
		if at < 0 && len(topics) > 0 {
			at = topics[0].at
		}
		if at < 0 || t.r.silent(c.stretch) {
			return
		}
		b := beat{kind: sendBeat, at: at, verb: verb >= 0 || again >= 0, again: again >= 0, ordinal: ordinal}
		if slices.ContainsFunc(c.items, func(it item) bool {
			return it.kind == aHappening && slices.Contains(reading3, it.event.value) && it.to <= at && at-it.to <= 4 && !t.sendsBetween(it.to, at) && verb < 0 && again < 0
		}) {
			return // "did not click the link with the confirmation"
		}
		b.names = verb < 0 && (again < 0 || t.find(c.from, c.to, "stop", "until") >= 0) // only a topic
		c.items = append(c.items, item{kind: anAction, at: at, to: at + 1, beat: b})
		sends = append(sends, &c.items[len(c.items)-1])
	}
	for _, m := range topics {
		near := sends[0]
		for _, s := range sends {
			if abs(s.at-m.at) < abs(near.at-m.at) {
				near = s
			}
		}
		if near.beat.role == "" {
			near.beat.role = m.value
		}
		near.beat.roles = append(near.beat.roles, m.value)
	}
	for _, s := range sends {
		s.beat.again = s.beat.again || again >= 0
	}
	if q := t.r.messageQuote(c.stretch); q != "" {
		sends[len(sends)-1].beat.quote = q
	}
}

// giveOffers puts the offers of a clause into its message.
func (t *telling) giveOffers(c *told) {
	for k := len(c.items) - 1; k >= 0; k-- {
		if it := &c.items[k]; it.kind == anAction && it.beat.kind == sendBeat {
			t.offer(c, it)
		}
	}
}

// offer gives an offer of a clause to a message.
func (t *telling) offer(c *told, it *item) {
	if it.kind != anAction || it.beat.kind != sendBeat {
		return
	}
	for k, o := range t.offers {
		if o.at >= c.from && o.at < c.to && it.beat.offer.None() && o.count == -1 {
			it.beat.offer = o.offer
			it.beat.role = cmp.Or(it.beat.role, "offer")
			t.offers[k].count = -2
		}
	}
}

// contents marks the clauses that only say what the message named right before a colon is about: "sms: the lift is out of order tomorrow".
func (t *telling) contents() {
	for k := 1; k < len(t.clauses); k++ {
		c, p := t.clauses[k], t.clauses[k-1]
		if slices.Contains([]string{"that", "ze", "что"}, t.r.tokens[c.from].text) && p.acts() && t.find(c.from, c.to, "if", "stop") < 0 {
			c.content, c.items = true, nil
			continue
		}
		if c.before != ":" && !(p.content && (c.before == "," || c.before == "and" || c.before == "-")) || c.first {
			continue
		}
		if !p.content {
			n := len(p.items)
			if n == 0 || p.items[n-1].kind != anAction || p.items[n-1].beat.kind != sendBeat || p.items[n-1].beat.plural || !p.items[n-1].beat.noun || p.items[n-1].to < p.to-1 {
				continue
			}
		}
		c.content = !slices.ContainsFunc(c.items, func(it item) bool {
			return it.kind == anAction && (it.beat.kind != sendBeat || it.beat.noun || it.beat.verb)
		}) && t.find(c.from, c.to, "if", "stop", "until", "who", "else") < 0 && !slices.ContainsFunc(c.items, func(it item) bool { return it.kind == aTime && it.at == c.from && it.to-it.at > 1 })
		if c.content {
			c.items = nil
			for j := k - 1; j >= 0; j-- {
				if n := len(t.clauses[j].items); n > 0 && !t.clauses[j].content {
					t.offer(c, &t.clauses[j].items[n-1])
					break
				}
			}
		}
	}
}

// comes tells whether a verb of sending is said of what comes from people or applications, as what starts something: "our system sends
// quote_accepted", "форма отправлена".
func (t *telling) comes(c *told, verb int) bool {
	for i := max(c.from, verb-4); i < min(c.to, verb+4); i++ {
		if t.r.namesEvent(i) {
			return true
		}
	}
	for _, it := range c.items {
		if it.kind == aHappening && it.event.value == "form_submit" && t.is(verb, "comes") {
			return true
		}
	}
	return t.r.formWord(verb+1) || t.r.formWord(verb-1)
}

// promises tells whether a topic or an offer stands in a range: what somebody gets.
func (t *telling) promises(from, to int) bool {
	if _, ok := t.r.find(from, to, "role"); ok {
		return true
	}
	return slices.ContainsFunc(t.offers, func(o beat) bool { return o.at >= from && o.at < to })
}

// happensAt is what happens by the word at a place. A word with its denial written together is one too: "unpaid", "niezapłacone", "неоплаченный".
func (t *telling) happensAt(i int) (mark, bool) {
	if e, ok := t.r.eventAt(i); ok {
		return e, true
	}
	word := t.r.tokens[i]
	rest, denied := strings.CutPrefix(word.text, map[string]string{"en": "un", "pl": "nie", "ru": "не"}[t.r.lang])
	if !denied || word.kind != aWord || len([]rune(rest)) < 4 {
		return mark{}, false
	}
	if value := t.r.lex[0].eventOf(rest); value != "" {
		return mark{class: "event", value: value, at: i, n: 1}, true
	}
	return mark{}, false
}

// onlyChannel tells whether a clause says nothing but that only one channel is used: "just email", "tylko sms".
func (t *telling) onlyChannel(c *told, m mark) bool {
	return t.r.word(m.at-1, "only") && m.at-c.from <= 1 && m.end() >= c.to-1 && t.clauses[0] != c && slices.ContainsFunc(t.clauses, func(o *told) bool { return o.from < c.from && o.acts() })
}

// notSent tells whether the words behind a channel say that it is not sent: "smsa już nie wysyłaj".
func (t *telling) notSent(m mark) bool {
	for j := m.end(); j < len(t.r.tokens) && j < m.end()+4 && t.r.tokens[j].kind == aWord; j++ {
		if t.is(j, "skip") {
			return true
		}
		if _, ok := t.r.eventAt(j); ok {
			return false
		}
	}
	return false
}
