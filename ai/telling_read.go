package ai

import (
	"slices"
)

// read takes one clause into the story.
func (t *telling) read(k int) {
	c := t.clauses[k]
	if c.content {
		return
	}
	if c.first && k > 0 {
		t.endSentence(k)
	}
	if t.cities(k) || t.frames(c) {
		return
	}
	if t.find(c.from, min(c.to, c.from+2), "every_one") >= 0 && t.find(c.from, c.to, "who", "if") < 0 && t.begun() {
		t.flush()
		t.open = nil
	}
	t.shares(c)
	switch {
	case t.bookedOrFull(c):
	case t.skips(c):
	case t.ends(k):
	case t.awaits(k):
	case t.answers(k):
	case t.asks(k):
	default:
		t.acts(c, c.items)
	}
}

// frames tells whether a clause only introduces what follows.
func (t *telling) frames(c *told) bool {
	return len(c.items) == 0 && !t.speaks(c) && !(len(t.arms) > 0 && t.w.arms[0].from >= c.from && t.w.arms[0].from < c.to) && !slices.ContainsFunc(t.asked, func(b beat) bool { return b.at >= c.from && b.at < c.to })
}

// speaks tells whether a clause has a word that answers or ends.
func (t *telling) speaks(c *told) bool {
	return t.find(c.from, c.to, "else", "stop", "free", "full", "yes", "no", "if", "who", "skip") >= 0
}

// started tells whether what starts the funnel stands in a clause.
func (t *telling) started(c *told) bool {
	return t.named && t.w.trigger.at >= c.from && t.w.trigger.at < c.to
}

// begun tells whether something has been done already.
func (t *telling) begun() bool { return t.acted != nil }

// happening is the first thing of a clause that happens and does not start the funnel.
func (t *telling) happening(c *told) (item, bool) {
	for _, it := range c.items {
		if it.kind != aHappening || it.event.value == "unsubscribed" {
			continue
		}
		if t.started(c) && it.at <= t.w.trigger.to && it.to > t.w.trigger.from {
			continue
		}
		if it.event.value == "react" && (!t.begun() || slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aHappening && o.at > it.at })) {
			continue
		}
		return it, true
	}
	return item{}, false
}

// byName is a happening of a clause named in the alphabet of the API, which says more than the words around it.
func (t *telling) byName(c *told, it item) item {
	for _, o := range c.items {
		if o.kind == aHappening && o.event.value == "api_event" && !t.started(c) {
			o.not = o.not || it.not
			return o
		}
	}
	return it
}

// action is the first action of a clause.
func (c *told) action() (item, bool) {
	for _, it := range c.items {
		if it.kind == anAction && !it.beat.names {
			return it, true
		}
	}
	return item{}, false
}

func (c *told) acts() bool { _, ok := c.action(); return ok }

// ends reads what ends the funnel: "until they pay", "stop if they reply", "who books leaves", "купил — стоп".
func (t *telling) ends(k int) bool {
	c := t.clauses[k]
	if until := t.find(c.from, c.to, "until"); until >= 0 && !t.r.word(c.from, "wait") && t.find(c.from, until, "wait") < 0 {
		for _, it := range c.items {
			if it.kind == aHappening && it.at >= until {
				t.goal(it.event)
				before := slices.DeleteFunc(slices.Clone(c.items), func(o item) bool { return o.at >= until })
				t.acts(c, before)
				return true
			}
		}
	}
	stop := t.find(c.from, c.to, "stop", "goal")
	if stop < 0 {
		return false
	}
	it, happens := t.happening(c)
	if happens {
		it = t.byName(c, it)
	}
	if happens && it.event.value == "react" {
		happens = false
	}
	if next := k + 1; happens && !it.not && next < len(t.clauses) && !t.clauses[next].acts() && t.clauses[next].to-t.clauses[next].from <= 3 && t.find(t.clauses[next].from, t.clauses[next].to, "no", "else") >= 0 {
		return false // "if they open it leave them, if not tell the team"
	}
	if happens && it.at > t.w.trigger.to || happens && !t.started(c) {
		if it.not {
			return false
		}
		if a, ok := c.action(); ok && a.at < min(stop, it.at) { // "email them, stop if they pay" cut badly
			t.acts(c, slices.DeleteFunc(slices.Clone(c.items), func(o item) bool { return o.at >= min(stop, it.at) }))
		} else if ok && a.beat.kind == sendBeat && !a.beat.names && t.find(c.from, c.to, "skip") < 0 {
			return false
		}
		t.goal(it.event)
		return true
	}
	if next := k + 1; !happens && !c.acts() && next < len(t.clauses) && !t.clauses[next].first && t.find(t.clauses[next].from, t.clauses[next].from+2, "if", "when", "who") >= 0 { // "stop, when they pay"
		if it, ok := t.happening(t.clauses[next]); ok && !it.not && !t.clauses[next].acts() {
			t.goal(it.event)
			t.clauses[next].items, t.clauses[next].content = nil, true
			return true
		}
	}
	if !c.acts() && t.last != nil && len(t.open) > 0 && t.open[len(t.open)-1].question == t.last && len(*t.open[len(t.open)-1].side) == 0 { // "if they pay, stop"
		t.endAt(t.last)
		return true
	}
	return !c.acts() && t.begun() && !slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime })
}

// endAt makes a goal of a question whose answer is only that the funnel ends; a denied one keeps its answer.
func (t *telling) endAt(q *twig) {
	if q.cond.not || q.cond.event == "tag" || q.cond.event == "field" || q.cond.event == "list" || q.cond.event == "segment" {
		return
	}
	t.addGoal(q.cond.event, q.cond.ref)
}

func (t *telling) goal(e mark) {
	ref := ""
	event := e.value
	switch event {
	case "api_event":
		ref = eventSlug(t.r.tokens[e.at].raw)
	case "confirmed":
		event = "link_clicked"
	case "react":
		event = "message_replied"
	}
	t.addGoal(event, ref)
}

func (t *telling) addGoal(event, ref string) {
	name := event
	if event == "api_event" {
		name = ref
	} else if !slices.Contains(planEvents, event) {
		return
	}
	if name != "" && !slices.Contains(t.w.goals, name) {
		t.w.goals = append(t.w.goals, name)
	}
}

// awaits reads what is waited for: "wait till they open it, 4 days at most".
func (t *telling) awaits(k int) bool {
	c := t.clauses[k]
	wait := t.find(c.from, c.to, "wait")
	if wait < 0 {
		return false
	}
	it, ok := t.happening(c)
	if !ok || it.at < wait || it.not {
		return false
	}
	q := t.question(it, false)
	q.cond.until = true
	q.cond.within = 168
	found := false
	for _, o := range c.items {
		if o.kind == aTime {
			q.cond.within, found = o.time.hours, true
		}
	}
	if next := k + 1; !found && next < len(t.clauses) && !t.clauses[next].first && len(t.clauses[next].items) == 1 && t.clauses[next].items[0].kind == aTime && (t.r.word(t.clauses[next].from, "most") || t.clauses[next].items[0].at > t.clauses[next].from || t.clauses[next].to-t.clauses[next].items[0].to > 0) {
		q.cond.within = t.clauses[next].items[0].time.hours
		t.clauses[next].items = nil
	}
	t.put(q)
	t.last = q
	t.open = append(t.open, &frame{q, &q.then})
	t.acts(c, slices.DeleteFunc(slices.Clone(c.items), func(o item) bool { return o.at <= it.at || o.kind == aTime }))
	return true
}

// question makes a question of something that happens.
func (t *telling) question(it item, not bool) *twig {
	q := &twig{beat: beat{kind: condBeat, at: it.at}}
	q.cond = condition{event: it.event.value, op: "is", not: not}
	switch it.event.value {
	case "api_event":
		q.cond.ref = eventSlug(t.r.tokens[it.event.at].raw)
	case "react":
		q.cond.event = ""
	case "attended", "no_show":
		q.cond.event, q.cond.ref = "tag", "attended"
		q.cond.not = (it.event.value == "no_show") != not
	}
	return q
}

// answers reads the other answer of a question: "otherwise", "no: ...", "not opened: ...".
func (t *telling) answers(k int) bool {
	c := t.clauses[k]
	if t.last == nil {
		return false
	}
	if at := t.find(c.from, min(c.to, c.from+3), "else"); at >= 0 {
		t.otherSide(t.last)
		t.acts(c, c.items)
		return true
	}
	it, happens := t.happening(c)
	if happens && it.event.value == t.last.cond.event && it.at-c.from <= 5 && (it.event.value != "api_event" || eventSlug(t.r.tokens[it.event.at].raw) == t.last.cond.ref) {
		a, acts := c.action()
		leads := !acts && c.after != "" && c.after != "." && c.after != ";" && c.after != "\n" || acts && a.at > it.at
		timed := slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime && o.at < it.to+3 })
		if leads && it.not != t.last.cond.not && !timed {
			t.otherSide(t.last)
			t.acts(c, slices.DeleteFunc(slices.Clone(c.items), func(o item) bool { return o.kind == aHappening }))
			return true
		}
		if leads && t.last.cond.until && it.not == t.last.cond.not && len(t.last.then) == 0 {
			t.thisSide(t.last)
			t.acts(c, slices.DeleteFunc(slices.Clone(c.items), func(o item) bool { return o.kind == aHappening }))
			return true
		}
	}
	if !happens && !c.acts() && c.to-c.from <= 4 && (c.after == ":" || c.after == "-" || c.after == "→" || c.after == ",") || !happens && t.find(c.from, c.from+1, "no", "yes") == c.from && t.last.cond.until {
		no, yes := t.find(c.from, min(c.to, c.from+3), "no"), t.find(c.from, min(c.to, c.from+3), "yes")
		switch {
		case no >= 0:
			if t.last.cond.not {
				t.thisSide(t.last)
			} else {
				t.otherSide(t.last)
			}
		case yes >= 0:
			if t.last.cond.not {
				t.otherSide(t.last)
			} else {
				t.thisSide(t.last)
			}
		default:
			return false
		}
		t.acts(c, c.items)
		return true
	}
	return false
}

// otherSide goes on with the other answer of a question.
func (t *telling) otherSide(q *twig) { t.side(q, &q.other) }

func (t *telling) thisSide(q *twig) { t.side(q, &q.then) }

func (t *telling) side(q *twig, to *[]*twig) {
	t.flush()
	for n := len(t.open) - 1; n >= 0; n-- {
		if t.open[n].question == q {
			t.open = t.open[:n+1]
			t.open[n].side = to
			return
		}
	}
	t.open = append(t.open, &frame{q, to})
}

// seq is where the next thing goes.
func (t *telling) seq() *[]*twig {
	if n := len(t.open); n > 0 {
		return t.open[n-1].side
	}
	return &t.root
}

func (t *telling) put(b *twig) {
	s := t.seq()
	*s = append(*s, b)
}

// flush makes waits of times no action has come for.
func (t *telling) flush() {
	for _, tm := range t.pending {
		t.put(&twig{beat: beat{kind: timeBeat, at: tm.at, timed: true, time: tm, lead: true}})
	}
	t.pending = nil
}

// endSentence closes the answers that end with a sentence.
func (t *telling) endSentence(k int) {
	c := t.clauses[k]
	for len(t.open) > 0 {
		q := t.open[len(t.open)-1]
		if len(*q.side) == 0 && len(t.pending) == 0 || q.question.cond.until && len(q.question.then) == 0 || t.goesOn(q, c) {
			return
		}
		t.open = t.open[:len(t.open)-1]
	}
}

// goesOn tells whether a sentence goes on with the answer before it: those who did not do it get one more.
func (t *telling) goesOn(q *frame, c *told) bool {
	if !q.question.cond.not || q.side != &q.question.then {
		return false
	}
	if t.find(c.from, c.to, "every_one", "else") >= 0 {
		return false
	}
	for _, it := range c.items {
		if it.kind == aTime {
			return it.time.kind == gapTiming && !it.time.sent
		}
		if it.kind == anAction {
			return it.beat.again
		}
	}
	return false
}
