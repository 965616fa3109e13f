package ai

import (
	"math"
	"slices"
)

// script is the script to draw, nested by its questions; nil where the playbook is drawn as it stands.
func (d *drawing) script() []node {
	w := d.w
	if w.told != nil {
		return w.told
	}
	d.placeSplit()
	d.beginWithBook()
	explicit := d.explicit()
	if d.book != nil {
		switch {
		case len(explicit) == 0 && len(w.script) == d.breaks() && w.every == 0 && w.span == 0 && w.cap == 0 && w.minGap == 0 && len(w.split) == 0:
			if !d.hasChannel() {
				return nil
			}
			w.script = d.fromBook(beat{kind: sendBeat}, len(d.book.Touches))
		case len(explicit) == 0:
			w.script = d.aroundBook()
		case len(explicit) == 1 && d.means(w.script[explicit[0]]) && (!d.asked || w.script[explicit[0]].count > 1) && !slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == condBeat && b.trail }):
			at := explicit[0]
			b := w.script[at]
			n := b.count
			if n == 0 {
				n = d.usualCount()
			}
			if b.timed && len(b.also) > 0 && b.count == 0 {
				n = 1 + len(b.also)
			}
			w.script = slices.Replace(w.script, at, at+1, d.fromBook(b, n)...)
		default:
			d.bookRoles()
		}
	}
	w.script = d.expandAll()
	d.settleGaps()
	return tree(w.script)
}

// beginWithBook puts the playbook's first message before a question that has nothing to ask about yet: "double opt-in, if they do not
// click within 2 days remind them".
func (d *drawing) beginWithBook() {
	at := slices.IndexFunc(d.w.script, func(b beat) bool { return b.kind == condBeat })
	if at >= 0 && d.book == nil && d.w.trigger.strength > 0 {
		d.beginAsked(at)
		return
	}
	if at < 0 || !slices.Contains([]string{"message_opened", "link_clicked", "confirmed", "message_replied", ""}, d.w.script[at].cond.event) {
		return
	}
	if slices.ContainsFunc(d.w.script[:at], func(b beat) bool { return b.kind == sendBeat && !b.weak() || b.kind == timeBeat }) || d.w.trigger.Kind == "message_opened" {
		return
	}
	if !slices.ContainsFunc(d.w.script[at:], func(b beat) bool { return b.kind == sendBeat && !b.weak() }) {
		return
	}
	first := []beat{{kind: sendBeat, at: d.w.script[at].at, channel: "email", noun: true, verb: true}}
	switch {
	case d.book != nil && len(d.book.Touches) > 0:
		first = d.fromBook(beat{kind: sendBeat, at: d.w.script[at].at}, 1)
	case d.book != nil || d.w.script[at].cond.event == "" || d.w.trigger.strength > 0:
		return
	}
	d.w.script = slices.Insert(d.w.script, at, first...)
}

// beginAsked puts a message before a question whether it was opened, where none was sent and none starts the funnel.
func (d *drawing) beginAsked(at int) {
	c := d.w.script[at].cond
	if !c.not || c.event != "message_opened" && c.event != "link_clicked" || slices.Contains([]string{"message_opened", "link_clicked"}, d.w.trigger.Kind) || d.w.trigger.strength < 3 && !d.sentAgain(at) {
		return
	}
	if slices.ContainsFunc(d.w.script[:at], func(b beat) bool { return b.kind == sendBeat || b.kind == condBeat || b.kind == splitBeat }) {
		return
	}
	d.w.script = slices.Insert(d.w.script, at, beat{kind: sendBeat, at: d.w.script[at].at, channel: "email", noun: true, verb: true})
}

// explicit are the places of the messages the prompt names.
func (d *drawing) explicit() []int {
	var out []int
	for k, b := range d.w.script {
		if b.kind == sendBeat && !b.weak() {
			out = append(out, k)
		}
	}
	return out
}

func (d *drawing) breaks() int {
	n := 0
	for _, b := range d.w.script {
		if b.kind == breakBeat {
			n++
		}
	}
	return n
}

func (d *drawing) hasChannel() bool {
	return d.channel() != "email" || slices.Contains(d.w.forbid, "email")
}

// means tells whether the only message a prompt names is the playbook's series: "4 emails", "emails", or its topic without a noun.
func (d *drawing) means(b beat) bool {
	switch {
	case b.count > 1 || b.plural && b.ordinal == 0:
		return true
	case b.noun || b.quote != "":
		return false
	}
	role := d.book.role(b.role)
	return d.book.Lead && (b.role == "" || slices.ContainsFunc(d.book.Touches, func(t touch) bool { return t.Role == role }))
}

// usualCount is how many messages the playbook's series has when only the times between or the most of them are named.
func (d *drawing) usualCount() int {
	n := len(d.book.Touches)
	if d.w.cap > 0 && (d.w.every > 0 || d.w.cap < n) {
		n = d.w.cap
	}
	if d.w.every > 0 && d.w.span >= d.w.every {
		n = int(math.Round(d.w.span/d.w.every)) + 1
	}
	return min(max(n, 1), 40)
}

// aroundBook puts the playbook's messages before what else the prompt asks for; times that stand alone are theirs.
func (d *drawing) aroundBook() []beat {
	var times []timing
	var rest []beat
	for _, b := range d.w.script {
		if b.kind == timeBeat && len(rest) == 0 && !b.time.wait {
			times = append(times, b.time)
			continue
		}
		rest = append(rest, b)
	}
	series := beat{kind: sendBeat}
	n := d.usualCount()
	if len(times) > 0 {
		series.timed, series.time, series.also = true, times[0], times[1:]
		if len(times) > 1 {
			n = len(times)
		}
	}
	front := 0
	for front < len(rest) && rest[front].kind == deedBeat && rest[front].step.Do != doNotify && rest[front].step.Do != doRemoveFromList {
		front++
	}
	if d.onlyDeeds(rest) {
		return rest
	}
	return slices.Concat(rest[:front], d.fromBook(series, n), rest[front:])
}

// onlyDeeds tells whether the prompt asks for deeds and no message, so that the playbook named is only where they happen.
func (d *drawing) onlyDeeds(rest []beat) bool {
	deeds := slices.ContainsFunc(rest, func(b beat) bool { return b.kind == deedBeat })
	return deeds && (d.w.trigger.strength >= 3 || len(d.w.forbid) > 0) && !d.r.namesSeries() && (len(d.w.forbid) == 0 || !d.hasChannel() || slices.Contains(d.w.forbid, "email"))
}

// namesSeries tells whether a series is spoken of, other than one that is ruled out.
func (r *reading) namesSeries() bool {
	named := false
	r.each("word", func(m mark) {
		channel, ok := r.at(m.at, "channel")
		named = named || m.value == "series" && !r.taken[m.at] && (!ok || !r.ruledOut(channel))
	})
	return named
}

// fromBook writes n of the playbook's messages out, with the times and the channel of the series the prompt names.
func (d *drawing) fromBook(series beat, n int) []beat {
	touches := d.fill(n)
	times := series.also
	if series.timed {
		times = append([]timing{series.time}, series.also...)
	}
	lead := 0
	if len(times) == n-1 && n > 1 && len(times) > 1 && times[0].kind != beforeTiming && times[0].hours > 0 {
		lead = 1
	}
	out := make([]beat, n)
	for k, t := range touches {
		b := beat{kind: sendBeat, at: series.at, role: t.Role, channel: series.channel, verb: true, noun: true, timed: true}
		if b.channel == "" && !d.hasChannel() {
			b.channel = t.Channel
		}
		switch i := k - lead; {
		case len(times) > 1 && i < 0:
			b.time = timing{kind: offsetTiming}
		case len(times) > 1 && i < len(times):
			b.time = times[i]
			if b.time.kind == afterTiming && ascending(times) {
				b.time.kind = offsetTiming
			}
		case d.w.every > 0 && k > 0:
			b.time = timing{hours: d.w.every, kind: gapTiming}
		case d.w.span > 0 && n > 1:
			b.time = timing{hours: overSpan(k, n, d.w.span), kind: offsetTiming}
		case t.before != nil && len(times) == 0:
			b.time = timing{hours: *t.before, kind: beforeTiming}
		default:
			b.time = timing{hours: t.Hours, kind: offsetTiming}
		}
		if len(times) == 1 && k == 0 {
			b.time = times[0]
			if b.time.kind == afterTiming || b.time.kind == gapTiming {
				b.time.kind = offsetTiming
			}
		} else if len(times) == 1 && b.time.kind == offsetTiming && d.w.every == 0 && d.w.span == 0 {
			b.time.hours = max(0, b.time.hours+times[0].hours-touches[0].Hours)
			if times[0].kind == beforeTiming {
				b.time = timing{hours: d.book.Gap, kind: gapTiming}
			}
		}
		out[k] = b
	}
	if series.role != "" && n == 1 {
		out[0].role = d.book.role(series.role)
	}
	if !series.offer.None() {
		out[n-1].offer = series.offer
	}
	if series.quote != "" {
		out[0].quote = series.quote
	}
	return out
}

// overSpan spreads messages evenly over a time, in whole days where it is long enough.
func overSpan(k, n int, span float64) float64 {
	steps := float64(n - 1)
	h := span / steps * float64(k)
	if span >= 24*steps {
		h = math.Round(h/24) * 24
	}
	return h
}

// fill takes n of the playbook's messages, in its order, and more when it has fewer.
func (d *drawing) fill(n int) []touch {
	out := slices.Clone(d.book.Touches)
	if n <= len(out) {
		return out[:n]
	}
	for i := 0; len(out) < n; i++ {
		role := "note"
		if i < len(d.book.More) {
			role = d.book.More[i]
		}
		last := 0.0
		if len(out) > 0 {
			last = out[len(out)-1].Hours
		}
		out = append(out, touch{Role: role, Hours: last + max(d.book.Gap, 24)})
	}
	return out
}

// bookRoles gives messages without a topic the playbook's own, in order.
func (d *drawing) bookRoles() {
	next := 0
	for k := range d.w.script {
		b := &d.w.script[k]
		if b.kind != sendBeat || b.count > 1 {
			continue
		}
		if b.role != "" {
			b.role = d.book.role(b.role)
			if at := slices.IndexFunc(d.book.Touches, func(t touch) bool { return t.Role == b.role }); at >= next {
				next = at + 1 // the next one without a topic says something else
			}
			continue
		}
		if next < len(d.book.Touches) {
			b.role = d.book.Touches[next].Role
		}
		next++
	}
}

// expandAll writes counted series and messages with several times out.
func (d *drawing) expandAll() []beat {
	var out []beat
	w := d.w
	for k, b := range w.script {
		if k > 0 && w.script[k-1].kind == splitBeat && b.kind == sendBeat && b.count == len(w.split) && !b.timed { // each arm gets one
			out = append(out, w.expand(b)...)
			continue
		}
		switch {
		case b.kind != sendBeat || b.weak():
			if b.kind != sendBeat {
				out = append(out, b)
			}
		case b.count > 1:
			out = append(out, d.series(b)...)
		case len(b.also) > 0:
			b.count = 1 + len(b.also)
			out = append(out, w.expand(b)...)
		case (b.plural || w.every > 0 && (w.cap > 1 || w.span >= w.every) && b.count <= 1) && b.ordinal == 0 && len(d.explicit()) == 1:
			b.count = d.openCount()
			if b.count == 1 {
				out = append(out, b)
				break
			}
			out = append(out, d.series(b)...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// openCount is how many messages "emails every 3 days" are.
func (d *drawing) openCount() int {
	w := d.w
	switch {
	case w.cap > 0:
		return w.cap
	case w.every > 0 && w.span >= w.every:
		return min(int(math.Round(w.span/w.every)), 40)
	case w.every > 0 && len(w.goals) > 0, w.trigger.Kind == "schedule", w.trigger.Kind == "manual":
		return 1
	default:
		return 3
	}
}

// series writes a counted series out with its times: those named, or the same between all, or the whole spread over the span.
func (d *drawing) series(b beat) []beat {
	all := d.w.expand(b)
	if b.timed && len(b.also) == 0 && b.time.kind == afterTiming && d.w.every == 0 && d.w.span == 0 && d.r.lang == "en" && d.r.ended(b.time.at+1, "in") {
		d.w.span = b.time.hours // "4 emails in 10 days"
		all[0].timed = false
	}
	for k := range all {
		if all[k].timed || k == 0 {
			continue
		}
		switch {
		case d.w.every > 0:
			all[k].timed, all[k].time = true, timing{hours: d.w.every, kind: gapTiming}
		case d.w.span > 0:
			all[k].timed, all[k].time = true, timing{hours: overSpan(k, len(all), d.w.span), kind: offsetTiming}
		default:
			all[k].timed, all[k].time = true, timing{hours: 48, kind: gapTiming}
		}
	}
	return all
}

// sentAgain tells whether the first message behind a question repeats one that the prompt does not name: "resend it to those who did not open".
func (d *drawing) sentAgain(at int) bool {
	next := d.w.near(at+1, 1)
	return next >= 0 && d.w.script[next].kind == sendBeat && d.w.script[next].again
}
