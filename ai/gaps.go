package ai

import "slices"

// settleGaps decides how times after one another are meant: from the start, where they grow and the prompt says when the first message
// goes out, numbers them, gives each message one, or names them behind the messages; else from the message before.
func (d *drawing) settleGaps() {
	var places []int
	fixed, trail, each := false, true, true
	last, counted, branched := 0.0, 0, false
	growing, loose := true, false
	for k, b := range d.w.script {
		each = each && (b.kind != condBeat || b.reach > 0) && b.kind != splitBeat && (b.kind != sendBeat || b.timed && !b.later && !(loose && b.verb) || len(places) == 0 && !b.timed && b.verb)
		loose = loose || b.kind == sendBeat && !b.timed // "gets a code, after 3 days a reminder, after a week the last one"
		branched = branched || b.kind == elseBeat
		if b.kind != sendBeat || !b.timed {
			continue
		}
		switch b.time.kind {
		case afterTiming:
			places = append(places, k)
			fixed = fixed || b.ordinal > 0 && !branched
			trail = trail && b.trail
			growing = growing && b.time.hours > last
			last = b.time.hours
		case offsetTiming:
			fixed = fixed || !b.time.rel
			if b.time.rel && b.time.hours > 0 && b.trail {
				counted++ // "a push 15 minutes after the order, an email after 2 hours"
			}
			growing = growing && b.time.hours >= last
			last = b.time.hours
		case gapTiming:
			growing = false
		}
	}
	offsets := growing && (fixed || each && len(places) > 1 || trail && len(places) > 0 && len(places)+counted > 1)
	for _, k := range places {
		d.w.script[k].time.kind = gapTiming
		if offsets {
			d.w.script[k].time.kind = offsetTiming
		}
	}
}

// placeSplit moves a split that no message follows in front of the first one: "3 emails, A/B test the first subject".
func (d *drawing) placeSplit() {
	at := slices.IndexFunc(d.w.script, func(b beat) bool { return b.kind == splitBeat })
	if at < 0 {
		return
	}
	split := d.w.script[at]
	if before := at - 1; before >= 0 && d.w.script[before].kind == sendBeat && !d.w.script[before].timed && d.w.script[before].count == len(d.w.split) && len(d.w.script[before].also) == 0 {
		d.w.script[before], d.w.script[at] = split, d.w.script[before] // "test two emails 80/20"
		return
	}
	follows := false
	for j := at + 1; j < len(d.w.script) && d.w.script[j].kind != breakBeat; j++ {
		follows = follows || d.w.script[j].kind == sendBeat
	}
	if follows {
		return
	}
	rest := slices.Delete(slices.Clone(d.w.script), at, at+1)
	first := slices.IndexFunc(rest, func(b beat) bool { return b.kind == sendBeat && !b.weak() })
	if first < 0 {
		d.w.script = append([]beat{split}, rest...)
		return
	}
	d.w.script = slices.Insert(rest, first, split)
}
