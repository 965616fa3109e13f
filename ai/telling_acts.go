package ai

import (
	"slices"
)

// idleTopics are those that rather name what happens than what is sent.
var idleTopics = []string{"ending", "payment", "booking", "survey"}

// asks reads a question: its condition, and what follows it in the clause; behind an action it is about that action.
func (t *telling) asks(k int) bool {
	c := t.clauses[k]
	cue := t.find(c.from, c.to, "if", "who", "unless")
	if cue < 0 && t.begun() {
		if w := t.find(c.from, c.to, "when"); w >= 0 && w <= c.from+1 {
			cue = w
		}
	}
	q, at, end, ok := t.condition(c, cue)
	if !ok {
		return false
	}
	for k := range c.items {
		if it := &c.items[k]; it.kind == anAction && it.beat.names && it.at >= end && !slices.Contains(idleTopics, it.beat.role) && (it.beat.role == "offer" && !it.beat.offer.None() || !slices.Contains(reading3, q.cond.event)) {
			it.beat.names = false // "if they do not buy within a week 5% off"
		}
	}
	for k := range c.items {
		if it := &c.items[k]; it.kind == anAction && it.beat.names && cue >= 0 && it.at < cue && t.begun() && !slices.Contains(idleTopics, it.beat.role) && slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime && o.at < cue }) {
			it.beat.names = false // "after 3 days a reminder if they did not buy"
		}
	}
	action, acts := c.action()
	trailing := acts && action.at < at
	if cue >= 0 && acts && action.at < cue {
		trailing = true
	}
	var times, rest []item
	for _, it := range c.items {
		switch {
		case it.kind == aHappening:
		case it.kind == aTime && !trailing && (!acts || it.at < action.at) && (q.cond.not || t.limits(it.time) || it.at < at || it.at <= end+1):
			times = append(times, it)
		case trailing && it.kind == aTime && it.at > max(cue, 0) && cue >= 0 && cue > action.at:
			times = append(times, it)
		default:
			rest = append(rest, it)
		}
	}
	if len(times) > 0 && times[0].time.kind != beforeTiming {
		q.cond.within = times[0].time.hours
		times = times[1:]
	}
	for _, it := range times {
		rest = append([]item{it}, rest...)
	}
	if !trailing && !acts && t.trails(k) {
		return t.about(q, c, nil)
	}
	if trailing {
		t.acts(c, rest)
		return t.about(q, c, nil)
	}
	t.openQuestion(q)
	t.acts(c, rest)
	return true
}

// limits tells whether a time is one within which something may happen.
func (t *telling) limits(tm timing) bool {
	return tm.kind == withinTiming || tm.kind == spanTiming || tm.kind == sinceTiming
}

// openQuestion puts a question and reads its first answer next.
func (t *telling) openQuestion(q *twig) {
	if n := len(t.open); n > 0 {
		above := t.open[n-1]
		if above.side == &above.question.then && len(*above.side) > 0 && !(above.question.cond.not && q.cond.not) || above.side == &above.question.other && len(*above.side) > 0 {
			t.open = t.open[:n-1] // stands beside the one before, not under it
		}
	}
	t.flush()
	t.put(q)
	t.last = q
	t.open = append(t.open, &frame{q, &q.then})
}

// trails tells whether a question without an action of its own is about what stands before it in the sentence.
func (t *telling) trails(k int) bool {
	c := t.clauses[k]
	if c.first || !t.begun() || c.before == ":" || c.before == "→" || c.before == "-" && c.after != "." && c.after != "" {
		return false
	}
	if c.after == ":" || c.after == "→" || c.after == "?" || c.after == "-" {
		return false
	}
	for _, next := range t.clauses[k+1:] {
		if next.first {
			break
		}
		if next.acts() && !next.content || t.find(next.from, next.to, "stop") >= 0 {
			return false
		}
	}
	for j := k - 1; j >= 0; j-- {
		if t.clauses[j].acts() {
			return true
		}
		if t.clauses[j].first {
			break
		}
	}
	return false
}

// about puts a question in front of the action it is about.
func (t *telling) about(q *twig, _ *told, _ []item) bool {
	s := t.seq()
	n := len(*s)
	if n == 0 {
		t.openQuestion(q)
		return true
	}
	last := (*s)[n-1]
	q.then = []*twig{last}
	q.trail = last.timed
	(*s)[n-1] = q
	t.last = q
	return true
}

// condition reads what a clause asks: something that happens, a tag, list or segment, a field.
func (t *telling) condition(c *told, cue int) (q *twig, at, end int, ok bool) {
	for _, b := range t.asked {
		if b.at >= c.from && b.at < c.to {
			return &twig{beat: b}, b.at, b.at + b.time.n, true
		}
	}
	it, happens := t.happening(c)
	if cue >= 0 {
		if m, found := t.memberIn(c, cue); found {
			return m, m.at, m.at + m.beat.time.n, true
		}
	}
	if !happens || !t.named && !t.begun() {
		return nil, 0, 0, false
	}
	a, acts := c.action()
	set := c.after == ":" || c.after == "-" || c.after == "→" || c.after == "?"
	switch {
	case cue >= 0 && cue <= it.at && (t.begun() || it.not || !t.started(c) && t.named):
	case it.not && (!acts || it.at < a.at || cue >= 0):
	case t.begun() && !acts && (set || c.after == "," && c.to-c.from <= 4) && it.at-c.from <= 7:
	case cue >= 0 && t.begun():
	default:
		return nil, 0, 0, false
	}
	q = t.question(it, it.not || t.is(cue, "unless"))
	if cue >= 0 {
		q.beat.at = min(q.beat.at, cue)
	}
	return q, it.at, it.to, true
}

// memberIn reads a question about a tag, a list, a segment or a field.
func (t *telling) memberIn(c *told, cue int) (*twig, bool) {
	if !t.begun() && !t.named {
		return nil, false
	}
	for j := cue; j < c.to; j++ {
		for _, of := range []string{"tag", "segment", "list"} {
			if !t.r.word(j, of) || t.deedIn(c, j) || t.started(c) && j <= t.w.trigger.to && j >= t.w.trigger.from {
				continue
			}
			name, to := t.nameAt(j)
			if name == "" {
				continue
			}
			q := &twig{beat: beat{kind: condBeat, at: cue, time: timing{n: to - cue}}}
			q.cond = condition{event: of, ref: name, op: "is", not: t.r.before(j, 5, "not", "without")}
			return q, true
		}
	}
	return t.fieldIn(c, cue)
}

// fieldIn reads a question about a field: "if field skin_type is dry", "if the income is above 5000", "jeśli w polu ocena ma mniej niż 6".
func (t *telling) fieldIn(c *told, cue int) (*twig, bool) {
	r := t.r
	name, end := "", 0
	for j := cue + 1; j < min(c.to, cue+6); j++ {
		if r.word(j, "field") && j+1 < c.to && r.tokens[j+1].kind == aWord {
			name, end = r.tokens[j+1].raw, j+2
			break
		}
		if r.word(j, "above", "below", "less", "over") && j > cue+1 && j+1 < c.to && r.tokens[j+1].kind == aNumber && r.unitAt(j+2) == "" && !r.isPercent(j+2) {
			for i := j - 1; i > cue && name == ""; i-- {
				if r.unknownNoun(i) && !t.is(i, "is") {
					name, end = r.tokens[i].raw, i+1
				}
			}
			break
		}
	}
	if name == "" {
		return nil, false
	}
	cond := condition{event: "field", ref: name, op: "is"}
	for j := end; j < min(c.to, end+6); j++ {
		switch {
		case r.word(j, "less", "below"):
			cond.op = "lt"
		case r.word(j, "above", "over", "more"):
			cond.op = "gt"
		case r.word(j, "not"):
			cond.not = true
		case r.tokens[j].kind == aNumber || r.tokens[j].kind == aQuote:
			cond.value, end = r.tokens[j].raw, j+1
		case r.tokens[j].kind == aWord && !t.is(j, "is") && !r.stops(r.tokens[j].text) && cond.op == "is":
			cond.value, end = r.tokens[j].raw, j+1
		}
		if cond.value != "" {
			break
		}
	}
	if cond.value == "" {
		return nil, false
	}
	return &twig{beat: beat{kind: condBeat, at: cue, time: timing{n: end - cue}, cond: cond}}, true
}

// acts takes the actions of a clause with their times.
func (t *telling) acts(c *told, items []item) {
	t.w.script = nil
	joined := c.before == "and" || c.before == "+" || c.before == "&"
	n := 0
	for _, it := range items {
		t.splitBefore(c, it)
		switch it.kind {
		case aHappening:
		case aTime:
			t.time(c, it, items)
		case anAction:
			if t.apposed(c, it) || it.beat.names && !t.counts(c, it) || t.onlySays(c, it) {
				continue
			}
			b := it.beat
			b.later = c.before == "then" && n == 0
			b.joined = joined && n == 0 && b.kind == sendBeat && len(t.pending) == 0 && t.acted != nil
			n++
			t.do(b, it)
		}
	}
}

// splitBefore puts the split of a clause before its first message.
func (t *telling) splitBefore(c *told, it item) {
	if it.kind != anAction || len(t.splits) == 0 || it.beat.kind != sendBeat {
		return
	}
	s := t.splits[0]
	if from, to := t.r.sentence(s.at); it.at < from && s.at >= c.to || it.at >= to && s.at > c.to {
		return
	}
	t.splits = t.splits[1:]
	t.put(&twig{beat: s})
}

// counts tells whether a topic alone is a message: it has a time, or stands in an answer, or behind what starts the funnel.
func (t *telling) counts(c *told, it item) bool {
	if slices.Contains([]string{"receipt", "payment"}, it.beat.role) && slices.ContainsFunc(t.deeds, func(b beat) bool { return b.step.Do == doPayment }) {
		return false
	}
	timed := slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime })
	if slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aHappening && (o.at <= it.at || o.not) }) || t.find(c.from, c.to, "wait", "start", "skip") >= 0 || !timed && (t.find(c.from, c.to, "stop") >= 0 || slices.Contains(idleTopics, it.beat.role)) {
		return false
	}
	if len(t.pending) > 0 || len(t.open) > 0 || slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime }) {
		return true
	}
	return t.named && !t.started(c) && c.before == ":" && c.to-c.from <= 3 && slices.Contains([]string{"confirm", "thanks", "hello", "apology", "receipt", "replay", "recap", "deliver"}, it.beat.role) || t.named && t.begun() && c.before != ":" && c.to-c.from <= 4
}

// time gives a time to the action it belongs to: the next one of its clause, or the one before it, or the next clause's.
func (t *telling) time(c *told, it item, items []item) {
	if t.limits(it.time) || t.started(c) && it.time.wait && t.find(c.from, c.to, "wait") < 0 {
		return
	}
	for _, o := range items {
		if o.kind == anAction && o.at >= it.to && !(o.beat.names && !t.named) {
			t.pending = append(t.pending, it.time)
			return
		}
	}
	behind := false
	for _, o := range items {
		behind = behind || o.kind == anAction && o.at < it.at
	}
	if behind && t.acted != nil && t.acted.kind == deedBeat && len(t.pending) == 0 {
		if it.time.hours > 0 || it.time.kind == beforeTiming {
			s := t.seq()
			if n := len(*s); n > 0 {
				*s = slices.Insert(*s, n-1, &twig{beat: beat{kind: timeBeat, at: it.time.at, timed: true, time: it.time, lead: true}})
			}
		}
		return
	}
	if !behind && len(items) == 1 && len(t.pending) == 0 && !c.first && (c.before == "," || c.before == "and") && t.acted != nil && t.acted.kind == sendBeat && t.acted.trail && t.acted.beat.time.kind == it.time.kind && it.time.kind != gapTiming && !t.leads(c) {
		t.giveBehind(it.time) // "remind on day 1, day 7 and day 14"
		return
	}
	if behind && t.acted != nil && t.acted.kind == sendBeat && len(t.pending) == 0 {
		t.giveBehind(it.time)
		return
	}
	if !behind && t.acted != nil && t.acted.kind == sendBeat && !t.acted.timed && !c.first && (c.before == "," || c.before == "-" || c.before == "and") && (it.time.kind == beforeTiming || it.time.rel) && len(t.pending) == 0 && c.after != ":" && c.after != "-" && (c.after == "." || c.after == "" || c.after == ";") {
		t.giveBehind(it.time)
		return
	}
	tm := it.time
	if !behind && t.tells(c, it) || t.limits(tm) || t.started(c) && tm.wait && !behind {
		return
	}
	if t.ofMessage(it) && t.acted != nil && t.w.trigger.Kind != "date_field" {
		tm.kind, tm.rel = gapTiming, false
	}
	if !behind && len(items) == 1 && (c.before == "→" && c.after == "→" || c.first && c.after == "." || t.bare(c, it)) { // "email → 2 days → sms"
		tm.kind = gapTiming
	}
	t.pending = append(t.pending, tm)
}

// bare tells whether a clause is nothing but a time, between two things that are done: "email, 3 days, email".
func (t *telling) bare(c *told, it item) bool {
	k := slices.Index(t.clauses, c)
	return it.at == c.from && it.to == c.to && t.r.isNumber(it.at) && it.time.kind == afterTiming && k > 0 && t.clauses[k-1].acts() && t.leads(c)
}

// leads tells whether the clause behind one begins with an action that has no time of its own.
func (t *telling) leads(c *told) bool {
	k := slices.Index(t.clauses, c) + 1
	if k == 0 || k >= len(t.clauses) || t.clauses[k].first {
		return false
	}
	n := t.clauses[k]
	return n.acts() && !slices.ContainsFunc(n.items, func(it item) bool { return it.kind == aTime })
}

// giveBehind gives a time to the message before it.
func (t *telling) giveBehind(tm timing) {
	if !t.acted.timed {
		t.acted.timed, t.acted.beat.time, t.acted.trail = true, tm, true
		return
	}
	t.acted.also = append(t.acted.also, tm)
}

// do puts an action at the times that wait for it.
func (t *telling) do(b beat, it item) {
	if b.kind == sendBeat && b.channel == "letter" && len(t.pending) == 0 && t.acted != nil && t.acted.channel == "letter" && !b.joined && b.ordinal == 0 && !b.again {
		return // "a letter ..., on paper"
	}
	times := t.pending
	t.pending = nil
	if len(times) > 1 && b.kind == sendBeat && times[0].kind == beforeTiming {
		t.doubt("times") // "14 days, 3 days and on the day itself, by email and sms"
	}
	tw := &twig{beat: b}
	if len(times) > 0 {
		if b.kind == sendBeat {
			tw.timed, tw.beat.time, tw.also = true, times[0], times[1:]
			tw.at = min(tw.at, times[0].at)
		} else {
			for _, tm := range times {
				t.put(&twig{beat: beat{kind: timeBeat, at: tm.at, timed: true, time: tm, lead: true}})
			}
		}
	}
	t.put(tw)
	if n := len(t.open); n > 0 && t.open[n-1].question.reach > 0 && len(*t.open[n-1].side) >= t.open[n-1].question.reach {
		t.open = t.open[:n-1]
	}
	t.acted = tw
	if b.kind == deedBeat && b.step.Do == doBook {
		t.booked = tw
	}
}
