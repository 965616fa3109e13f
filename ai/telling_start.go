package ai

import (
	"slices"
)

// findStart finds what lets people in: what is said outright to start the funnel, else what is told before the first action, else what the first
// action says of whom it is for.
func (t *telling) findStart() {
	var found []opening
	first := len(t.clauses)
	for k, c := range t.clauses {
		if slices.ContainsFunc(c.items, func(it item) bool { return it.kind == anAction && !it.beat.names }) {
			first = k
			break
		}
	}
	add := func(o opening) { found = append(found, o) }
	if o := t.w.trigger; o.strength > 0 {
		o.strength = 9
		add(o)
	}
	for k, c := range t.clauses {
		bonus := 0
		at := t.find(c.from, c.to, "start")
		switch {
		case at >= 0 && (at <= c.from+2 || c.to-at <= 3):
			bonus = 10
			if c.to-at <= 2 && len(t.clauses) > k+1 && (c.after == ":" || c.after == "-" || c.after == "→") { // "trigger: tag x"
				t.startIn(t.clauses[k+1], t.clauses[k+1].to, 10, add)
			}
		case k > first:
			continue
		}
		end := c.to
		if k == first {
			end = t.firstAction(c)
		}
		t.startIn(c, end, bonus, add)
	}
	if best := strongest(found); best < 0 || found[best].strength < 7 {
		t.startElsewhere(t.firstPlace(first), add)
	}
	if best := strongest(found); best < 0 || found[best].strength < 5 {
		t.startBehind(first, add)
	}
	best := strongest(found)
	if best < 0 {
		return
	}
	t.w.trigger = found[best]
	for _, c := range t.clauses { // "segment Expired 60d"
		c.items = slices.DeleteFunc(c.items, func(it item) bool {
			return it.at >= t.w.trigger.from && it.at <= t.w.trigger.to && it.kind == aTime && slices.Contains([]string{"segment_enter", "list_join", "tag_added"}, t.w.trigger.Kind) && it.to == c.to
		})
	}
	if t.w.trigger.Kind == "contact_created" && t.r.any("date", "meeting") && t.w.trigger.strength < 10 {
		t.w.trigger.Trigger = Trigger{Kind: "form_submit"} // people sign up for a webinar by a form
	}
	t.w.oneOff = t.w.trigger.Kind == "manual"
	t.named = true
}

func strongest(found []opening) int {
	best := -1
	for i, o := range found {
		if best < 0 || o.strength > found[best].strength {
			best = i
		}
	}
	return best
}

// firstAction is where the first action of a clause begins.
func (t *telling) firstAction(c *told) int {
	for _, it := range c.items {
		if it.kind == anAction && !it.beat.names {
			return it.at
		}
	}
	return c.to
}

// startIn finds what starts the funnel in a clause up to a place.
func (t *telling) startIn(c *told, end, bonus int, add func(opening)) {
	r := t.r
	put := func(tr Trigger, strength, at, to int) {
		add(opening{Trigger: tr, strength: strength + bonus, at: at, from: at, to: to})
	}
	for i := c.from; i < end; i++ {
		if r.aside[i] {
			continue
		}
		switch {
		case t.is(i, "manual"):
			put(Trigger{Kind: "manual"}, 9, i, i+t.said[i]["manual"])
		case r.namesEvent(i) && t.isField(i):
			if t.w.field == r.tokens[i].raw {
				put(Trigger{Kind: "date_field", Ref: t.w.field}, 7, i, i+1)
			}
		case r.namesEvent(i) && !r.before(i, 2, "tag", "field", "list") && !r.formWord(i-1) && !r.negatedAt(i):
			put(Trigger{Kind: "api_event", Ref: eventSlug(r.tokens[i].raw)}, 9, i, i+1)
		case r.word(i, "tag") && !r.before(i, 3, "without") && (!t.deedIn(c, i) || slices.Contains([]string{"tagged", "otagowany", "otagowanych", "oznaczonych"}, r.tokens[i].text)):
			if name, to := t.nameAt(i); name != "" {
				put(Trigger{Kind: "tag_added", Ref: name}, 8, i, to)
			}
		case r.word(i, "segment"):
			if name, to := t.nameAt(i); name != "" {
				put(Trigger{Kind: "segment_enter", Ref: name}, 8, i, to)
			}
		case r.word(i, "list") && !t.deedIn(c, i) && !r.taken[i]:
			if name, to := t.nameAt(i); name != "" {
				put(Trigger{Kind: "list_join", Ref: name}, 7, i, to)
			}
		}
	}
	for k, b := range t.asked {
		if b.at >= c.from && b.at < end && t.find(c.from, min(c.to, c.from+2), "when", "if", "who") >= 0 && !t.begunBefore(c) && !t.named && c == t.clauses[0] {
			put(Trigger{Kind: "segment_enter", Ref: short(r.prompt[r.tokens[b.at].at:r.tokens[c.to-1].end], 40)}, 4, b.at, c.to)
			t.asked = slices.Delete(t.asked, k, k+1)
			break
		}
	}
	if form, at, to := r.formNamed(c.from, min(end, c.to)); form != "" {
		put(Trigger{Kind: "form_submit", Ref: form}, 8, at, to)
	}
	for _, it := range c.items {
		if it.kind == aTime && it.time.rel && it.at < end {
			for j := it.at; j < it.to; j++ {
				if m, ok := r.at(j, "date"); ok && m.value == "visit" {
					put(Trigger{Kind: "booking_made"}, 5, j, j+1)
				}
				if e, ok := r.eventAt(j); ok && !slices.Contains(noStarts, e.value) && !t.ofDate(e) {
					t.startOn(e, 5+bonus, add)
				}
			}
		}
		if wait := t.find(c.from, c.to, "wait"); wait >= 0 && it.at > wait && it.kind == aHappening {
			continue
		}
		if it.kind != aHappening || it.at >= end || it.not || t.ofDate(it.event) || it.event.value == "api_event" {
			continue
		}
		strength := 6
		if !r.tokens[it.at].sure {
			strength = 4
		}
		if it.event.value == "form_submit" && r.fromWord(it.at) {
			strength = 7 // "a new lead from the contact form"
		}
		t.startOn(it.event, strength+bonus, add)
	}
}

// startOn makes a start of something that happens.
func (t *telling) startOn(e mark, strength int, add func(opening)) {
	if slices.Contains(noStarts, e.value) {
		return
	}
	o := opening{Trigger: triggerOf(e.value), strength: strength, at: e.at, from: e.at, to: e.end()}
	t.r.describeTrigger(&o, e)
	add(o)
}

// deedIn tells whether a place lies in a deed of the clause, or for -1 whether it has any.
func (t *telling) deedIn(c *told, i int) bool {
	return slices.ContainsFunc(c.items, func(it item) bool {
		return it.kind == anAction && it.beat.kind == deedBeat && (i < 0 || i >= it.at && i < it.to)
	})
}

// nameAt is the name at a noun such as "tag" and where it ends.
func (t *telling) nameAt(i int) (string, int) {
	for i+1 < len(t.r.tokens) && t.r.word(i+1, "added") && !t.r.word(i+1, "gets") {
		i++
	}
	if name, to := t.r.headName(i + 1); name != "" {
		return name, to
	}
	return t.r.nameBefore(i), i + 1
}

// startBehind finds what starts the funnel where it stands with the first action or behind it: "post a card to every donor who gives", "... to
// the segment x".
func (t *telling) startBehind(first int, add func(opening)) {
	for k := first; k < len(t.clauses) && k < first+3; k++ {
		c := t.clauses[k]
		if k > first && c.first {
			break
		}
		if t.find(c.from, c.to, "stop", "until") >= 0 {
			continue
		}
		t.startIn(c, c.to, -3, func(o opening) {
			if t.find(c.from, o.at, "if") >= 0 && t.begunBefore(c) || o.Kind == "tag_added" && t.find(o.at, len(t.said), "else") >= 0 {
				return
			}
			cue := t.find(c.from, o.at, "who", "when", "if", "upon") >= 0 || slices.Contains([]string{"tag_added", "segment_enter", "list_join", "manual"}, o.Kind)
			if cue || o.at-c.from <= 2 || o.Kind == "contact_created" {
				add(o)
			}
		})
	}
}

// startElsewhere adds what the prompt as a whole speaks of: dates of a person, groups of people, pages, recurring times.
func (t *telling) startElsewhere(first int, add func(opening)) {
	w := &wish{trigger: t.w.trigger}
	taken := slices.Clone(t.r.taken)
	t.r.readTrigger(w, t.times)
	t.w.field, t.w.fieldAt, t.w.since = w.field, w.fieldAt, w.since
	copy(t.r.taken, taken)
	ahead := slices.ContainsFunc(t.times, func(tm timing) bool { return tm.kind == beforeTiming })
	for _, c := range t.clauses {
		if o := w.trigger; o.at >= c.from && o.at < c.to && c.from >= first && t.find(c.from, c.to, "stop", "until") >= 0 {
			w.trigger = opening{}
		}
	}
	if o := w.trigger; o.strength > 0 && (o.Kind != "date_field" || ahead || w.field != "" || o.at < first) {
		add(o)
	}
	if name, at, to := t.r.dateFieldNamed(); name != "" && !t.asksField(at) && len(t.times) > 0 {
		strength := 8
		for _, c := range t.clauses {
			if c.from < first && slices.ContainsFunc(c.items, func(it item) bool {
				return it.kind == aHappening && !it.not && it.event.value != "api_event" && !t.ofDate(it.event) && it.at < first
			}) {
				strength = 5 // something happens: the field only says of which date
			}
		}
		t.w.field, t.w.fieldAt = name, at
		add(opening{Trigger: Trigger{Kind: "date_field", Ref: name}, strength: strength, at: at, from: at, to: to})
	}
}

// asksField tells whether a field is asked about or written, and holds no date.
func (t *telling) asksField(at int) bool {
	from, to := t.r.clause(at)
	return t.find(from, at, "if", "who") >= 0 || slices.ContainsFunc(t.r.wordsBetween(from, to), func(i int) bool { return t.r.word(i, "set", "less", "below", "above") })
}

// isField tells whether a name is that of the field with the date.
func (t *telling) isField(i int) bool {
	name, _, _ := t.r.dateFieldNamed()
	if name != "" && name == t.r.tokens[i].raw {
		return true
	}
	if from, to := t.r.clause(i); slices.ContainsFunc(t.r.wordsBetween(from, to), func(j int) bool { return t.r.dateWord(j) || t.is(j, "date") }) && !callsEvent(t.r.tokens[max(0, i-1)].text) {
		t.w.field, t.w.fieldAt = t.r.tokens[i].raw, i // "the date is in vaccine_due"
		return true
	}
	for _, tm := range t.times {
		if tm.kind == beforeTiming && i >= tm.end() && i-tm.end() <= 2 { // "a week ahead of the arrival_date"
			t.w.field, t.w.fieldAt = t.r.tokens[i].raw, i
			return true
		}
	}
	return false
}

// ofDate tells whether a word for a happening only says of which date is spoken: "the end of the subscription".
func (t *telling) ofDate(e mark) bool {
	if begunWith(t.r.tokens[e.at].text, "przegl") && e.n == 1 {
		return true
	}
	if e.value == "page_visit" && e.n == 1 && slices.ContainsFunc(t.times, func(tm timing) bool { return tm.kind == beforeTiming }) && !begunWith(t.r.tokens[e.at].text, "/") {
		return true // "przegląd auta" is an inspection
	}
	for j := max(0, e.at-3); j < e.end()+2; j++ {
		if m, ok := t.r.at(j, "date"); ok && m.value != "visit" && m.value != "meeting" && m.value != "date" && (m.at <= e.at && m.end() >= e.end() || m.end() == e.at || m.at == e.end() && t.r.lang != "en") {
			return true
		}
	}
	return false
}

// begunBefore tells whether something is done before a clause.
func (t *telling) begunBefore(c *told) bool {
	return slices.ContainsFunc(t.clauses, func(o *told) bool { return o.from < c.from && o.acts() })
}

// firstPlace is where the first clause with an action begins.
func (t *telling) firstPlace(first int) int {
	if first >= len(t.clauses) {
		return len(t.r.tokens)
	}
	return t.firstAction(t.clauses[first])
}
