package ai

import (
	"slices"
)

// parts reads what each share of the people gets where the prompt says it share by share: "40% get the short mail, 40% the long one, 20% nothing".
func (t *telling) parts() {
	w, r := t.w, t.r
	channel := ""
	for k, arm := range w.arms {
		to := arm.to
		if _, end := r.clause(arm.from); k == len(w.arms)-1 {
			to = min(to, end)
		}
		b := beat{kind: sendBeat, at: arm.from, verb: true, noun: true}
		if m, ok := r.find(arm.from, to, "channel"); ok && m.value != "any" {
			channel = m.value
		}
		if k+1 == w.idle {
			b.kind = breakBeat
		}
		b.channel = channel
		for i, o := range t.offers {
			if o.at >= arm.from && o.at < to && b.offer.None() {
				b.offer, b.role, t.offers[i].count = o.offer, "offer", -2
			}
		}
		r.take(arm.from, to)
		t.arms = append(t.arms, b)
	}
	for k := range t.arms { // a channel said behind is the one of those before it, too
		if t.arms[k].channel == "" {
			t.arms[k].channel = channel
		}
	}
}

// shares puts the split and what each share gets where the prompt says it.
func (t *telling) shares(c *told) {
	if len(t.arms) == 0 || t.w.arms[0].from < c.from || t.w.arms[0].from >= c.to {
		return
	}
	t.flush()
	t.put(&twig{beat: beat{kind: splitBeat, at: c.from}})
	for _, b := range t.arms {
		if b.kind == sendBeat {
			tw := &twig{beat: b}
			t.put(tw)
			t.acted = tw
		}
	}
	t.arms, t.splits = nil, nil
}

// bookedOrFull reads what follows where a slot was free, and where none was: "got one: text the date, nothing free: an apology".
func (t *telling) bookedOrFull(c *told) bool {
	if t.booked == nil {
		return false
	}
	for _, it := range c.items {
		if it.kind == aHappening && it.event.value != "booking_made" {
			return false
		}
	}
	near := min(c.to, c.from+5)
	full, free := t.find(c.from, near, "full"), t.find(c.from, near, "free")
	side := &t.booked.then
	switch {
	case full >= 0 && (free < 0 || t.said[full]["full"] >= t.said[free]["free"]):
		side = &t.booked.other
	case free >= 0:
	case len(t.booked.then)+len(t.booked.other) > 0 && t.find(c.from, near, "else") >= 0:
		side = &t.booked.other
		if len(t.booked.other) > 0 {
			side = &t.booked.then
		}
	default:
		return false
	}
	if a, ok := c.action(); ok && a.at < max(full, free) {
		return false
	}
	t.flush()
	t.open = []*frame{{t.booked, side}}
	t.acts(c, slices.DeleteFunc(slices.Clone(c.items), func(it item) bool { return it.kind == aHappening }))
	return true
}

// skips reads what is left out where something happened: "skip the pitch if they have paid again", "jak zapłaci, to smsa już nie wysyłaj".
func (t *telling) skips(c *told) bool {
	it, ok := t.happening(c)
	if !ok || it.not || t.find(c.from, c.to, "skip") < 0 || c.acts() || t.find(c.from, c.to, "if", "when", "who") < 0 || !t.begun() || t.acted.kind != sendBeat {
		return false
	}
	q := t.question(it, true)
	if s := t.seq(); len(*s) == 0 {
		t.open = nil
	}
	return t.about(q, c, nil)
}

// bareDeeds finds deeds that no verb says: a tag or a list named where something is done: "открыл — тег «тёплый»", "→ onto list Informed".
func (t *telling) bareDeeds() {
	r := t.r
	for k, c := range t.clauses {
		if c.content || t.started(c) && !slices.ContainsFunc(c.items, func(it item) bool { return it.kind == aHappening }) || k == 0 && !t.named {
			continue
		}
		for i := c.from; i < c.to; i++ {
			if r.taken[i] || r.aside[i] || t.deedIn(c, i) || t.named && i >= t.w.trigger.from && i < t.w.trigger.to || r.before(i, 3, "without", "not") {
				continue
			}
			var step Step
			switch {
			case r.word(i, "tag") && i-c.from <= 2 && !t.is(c.from, "if", "who", "upon", "when"):
				step = Step{Do: doAddTag}
			case r.word(i, "list") && i > 0 && slices.Contains([]string{"onto", "into", "on", "to", "do", "na", "в"}, r.tokens[i-1].text) && i-c.from <= 3 && t.find(c.from, i, "if", "who") < 0:
				step = Step{Do: doAddToList}
			case r.word(i, "list") && i > 0 && slices.Contains([]string{"off", "from", "z", "ze", "из"}, r.tokens[i-1].text) && i-c.from <= 3 && t.find(c.from, i, "if", "who") < 0:
				step = Step{Do: doRemoveFromList}
			default:
				continue
			}
			name, to := t.nameAt(i)
			if to == i+1 && step.Do == doAddTag {
				continue // "the no-show tag is handled elsewhere"
			}
			if name == "" || k < t.startClause() {
				continue
			}
			step.Name = name
			c.items = slices.DeleteFunc(c.items, func(it item) bool { return it.at >= i-1 && it.at < to || it.kind == anAction && it.beat.names })
			c.items = append(c.items, item{kind: anAction, at: i, to: to, beat: beat{kind: deedBeat, at: i, step: step}})
			i = to
		}
	}
}

// startClause is the place of the clause that says what starts the funnel.
func (t *telling) startClause() int {
	return max(0, slices.IndexFunc(t.clauses, t.started))
}

// cities reads who is where, set off from what they get: "Z Torunia: sms. Spoza Torunia: mail", "кто из Самары - тем письмо".
func (t *telling) cities(k int) bool {
	c := t.clauses[k]
	if len(c.items) > 0 && c.acts() || c.to-c.from > 4 || c.after != ":" && c.after != "-" && c.after != "→" || !t.named {
		return false
	}
	from := c.from
	for from < c.to && t.is(from, "who", "if") {
		from += max(1, t.said[from]["who"])
	}
	if from >= c.to || !slices.Contains([]string{"from", "in", "z", "ze", "w", "spoza", "outside", "из"}, t.r.tokens[from].text) {
		return false
	}
	if t.last != nil && t.last.cond.event == "field" && t.last.cond.ref == "city" && len(t.last.other) == 0 && len(t.last.then) > 0 {
		t.otherSide(t.last)
		return true
	}
	if from+1 >= c.to || !isCapital(t.r.tokens[c.to-1].raw) {
		return false
	}
	q := &twig{beat: beat{kind: condBeat, at: c.from, cond: condition{event: "field", ref: "city", op: "is", value: t.r.tokens[c.to-1].raw}}}
	t.openQuestion(q)
	return true
}
