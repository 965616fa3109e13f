package ai

import "slices"

// settleTimes decides how times after one another are meant: from the start, where they grow, each message has one and nothing says that it comes
// behind the one before; else from the step before.
func (t *telling) settleTimes() {
	t.settleIn(t.root)
}

func (t *telling) settleIn(list []*twig) {
	var open []*twig
	growing, each, first, fixed := true, true, true, false
	last, counted, trail := 0.0, 0, true
	for _, tw := range list {
		t.settleIn(tw.then)
		t.settleIn(tw.other)
		send := tw
		if tw.kind == condBeat && tw.trail && len(tw.then) == 1 && tw.then[0].kind == sendBeat { // "after 3 days a reminder if they did not buy"
			send = tw.then[0]
		}
		switch {
		case send.kind == condBeat, send.kind == splitBeat:
			each = false
		case send.kind == timeBeat && send.beat.time.kind == afterTiming:
			open = append(open, send)
			growing = growing && send.beat.time.hours > last
			last = send.beat.time.hours
		case send.kind != sendBeat:
		case !send.timed:
			each = each && (first || send.joined)
			first = false
		default:
			first = false
			switch tm := send.beat.time; tm.kind {
			case afterTiming:
				open = append(open, send)
				trail = trail && send.trail
				growing = growing && tm.hours > last && !send.later
				last = tm.hours
			case offsetTiming:
				fixed = fixed || !tm.rel
				if tm.rel && tm.hours > 0 && send.trail {
					counted++
				}
				growing = growing && tm.hours >= last
				last = tm.hours
			case gapTiming:
				growing = false
			}
		}
	}
	offsets := growing && (fixed || each && len(open) > 1 || trail && counted > 0) && len(open) > 0
	for _, tw := range open {
		tw.beat.time.kind = gapTiming
		if offsets {
			tw.beat.time.kind = offsetTiming
		}
	}
}

// onlySays tells whether a message that only a verb means is none: the verb says what starts the funnel, or repeats that something goes out now.
func (t *telling) onlySays(c *told, it item) bool {
	b := it.beat
	if b.kind != sendBeat || b.noun || !b.offer.None() || b.quote != "" || slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime && o.time.hours > 0 }) {
		return false
	}
	if t.named && c.to <= t.w.trigger.at && t.w.trigger.strength >= 5 && t.acted == nil || c.to-c.from == 1 && c.before == "and" && t.acted == nil {
		return true
	}
	if t.started(c) && t.find(c.from, it.at, "upon", "when", "if") < 0 {
		return slices.Contains([]string{":", "-", "→", "?"}, c.after) || c.after == "," && slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aHappening && o.at < it.at })
	}
	return t.acted != nil && b.role == "" && !b.again && len(t.pending) == 0 && len(t.open) == 0 && c.to-c.from <= 3
}

// apposed tells whether an offer only says more of the message before it: "a letter with a present - 3% off".
func (t *telling) apposed(c *told, it item) bool {
	if !it.beat.names || it.beat.role != "offer" || c.first || t.acted == nil || t.acted.kind != sendBeat || len(t.pending) > 0 || slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aTime }) {
		return false
	}
	if t.acted.offer.None() {
		t.acted.offer = it.beat.offer
	}
	return true
}

// tells tells whether a clause with a time says something else: "the dog has to come in a year".
func (t *telling) tells(c *told, it item) bool {
	if c.after != "." && c.after != "" || len(c.items) != 1 {
		return false
	}
	n := 0
	for i := c.from; i < c.to; i++ {
		if (i < it.at || i >= it.to) && t.r.unknownNoun(i) && !t.is(i, "wait") {
			n++
		}
	}
	return n >= 2
}

// ofMessage tells whether a time is counted from the message before by a pronoun: "13 dni po nim".
func (t *telling) ofMessage(it item) bool {
	return slices.Contains([]string{"it", "that", "nim", "niej", "niego", "tym", "него", "нее", "этого", "того"}, t.r.tokens[it.to-1].text)
}
