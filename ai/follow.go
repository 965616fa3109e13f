package ai

import (
	"cmp"
	"slices"
)

// follow draws the nested script.
func (d *drawing) follow(nodes []node) {
	nodes = d.orderAhead(nodes)
	for k := 0; k < len(nodes); k++ {
		n := nodes[k]
		switch n.kind {
		case sendBeat:
			d.place(n.beat, k > 0 && nodes[k-1].kind == sendBeat, k > 0 && nodes[k-1].kind == timeBeat)
			d.send(d.roleOf(n.beat), d.carrier(nodes, k), n.quote, n.offer)
		case deedBeat:
			if n.step.Do == doBook && len(n.then)+len(n.other) > 0 {
				d.branch(n.step, d.side(n.then), d.side(n.other))
				break
			}
			d.deed(n.step)
		case timeBeat:
			d.waitFor(n.time)
		case condBeat:
			d.question(n, k)
		case splitBeat:
			k += d.split(nodes[k+1:])
		case elseBeat, breakBeat:
		}
	}
}

// carrier is the channel of a message: its own, or e-mail where the next question is whether it was opened, or that of the message it repeats.
func (d *drawing) carrier(nodes []node, k int) string {
	n := nodes[k]
	if n.channel != "" {
		return n.channel
	}
	if k+1 < len(nodes) && nodes[k+1].kind == condBeat && slices.Contains([]string{"message_opened", "link_clicked"}, nodes[k+1].cond.event) && d.channel() != "push" {
		return "email"
	}
	if n.again && d.carried != "" {
		return d.carried
	}
	return ""
}

// orderAhead puts messages before a date into the order of their times: 7 days before comes ahead of 1 day before.
func (d *drawing) orderAhead(nodes []node) []node {
	out := slices.Clone(nodes)
	d.onTheDate(out)
	for from := 0; from < len(out); from++ {
		to := from
		for to < len(out) && out[to].kind == sendBeat && out[to].timed && out[to].time.kind == beforeTiming {
			to++
		}
		slices.SortStableFunc(out[from:to], func(a, b node) int { return cmp.Compare(b.time.hours, a.time.hours) })
		from = max(from, to)
	}
	return d.orderOffsets(out)
}

// orderOffsets puts messages with days counted from the start into the order of their days.
func (d *drawing) orderOffsets(nodes []node) []node {
	for from := 0; from < len(nodes); from++ {
		to := from
		for to < len(nodes) && nodes[to].kind == sendBeat && nodes[to].timed && nodes[to].time.kind == offsetTiming {
			to++
		}
		slices.SortStableFunc(nodes[from:to], func(a, b node) int { return cmp.Compare(a.time.hours, b.time.hours) })
		from = max(from, to)
	}
	return nodes
}

// place waits until a message is due.
func (d *drawing) place(b beat, afterSend, afterTime bool) {
	switch {
	case b.timed:
		d.waitFor(b.time)
	case afterTime || !d.first || !afterSend:
	case b.joined:
	case d.w.every > 0:
		d.wait(d.w.every)
	case d.now == d.sent && d.dated == "":
		gap := 48.0
		if d.book != nil && d.book.Gap > 0 {
			gap = d.book.Gap
		}
		d.wait(gap)
	}
	if d.first && (d.w.minGap >= 24 || !b.timed) && d.w.minGap > 0 && d.now-d.sent < d.w.minGap && d.dated == "" {
		d.wait(d.w.minGap - (d.now - d.sent))
	}
}

func (d *drawing) waitFor(t timing) {
	switch {
	case t.kind == beforeTiming:
		d.toDate(t.hours)
	case d.dated != "" || d.spec.Trigger.Kind == "date_field" && t.rel && t.hours > 0 && d.first:
		if d.dated == "" {
			d.dated = d.dateField()
		}
		if t.hours > 0 && d.dated != "-" && d.spec.Trigger.Kind == "date_field" {
			d.toDate(-t.hours)
			return
		}
		if t.hours > 0 {
			if d.dated != "-" {
				d.toDate(0)
			}
			d.dated = "-" // from here on times count from one another
			d.wait(t.hours)
		}
	case t.kind == weekdayTiming:
		d.add(Step{Do: doWaitUntil, Event: "weekday", Ref: t.until})
		d.now += t.hours
	case t.kind == offsetTiming:
		d.wait(t.hours - d.now)
	default:
		if d.first && t.hours > 0 {
			d.gaps = append(d.gaps, d.say.hours(t.hours))
		}
		d.wait(t.hours)
	}
}

// saying is a text as one channel carries it.
type saying struct {
	role, channel string
	offer         Offer
}

// unsaid is a text like the one asked for that the funnel does not say yet by the same channel; the same where there is no other.
func (d *drawing) unsaid(role, channel string, offer Offer) string {
	said := func(role string) bool { return slices.Contains(d.said, saying{role, channel, offer}) }
	if !said(role) {
		return role
	}
	others := []string{"remind", "last"}
	if d.book != nil {
		for _, t := range d.book.Touches {
			if slices.Contains(d.book.More, t.Role) || t.Role == "last" {
				others = append(others, t.Role)
			}
		}
		others = append(others, d.book.More...)
	}
	for _, other := range slices.Concat(others, spareTexts, []string{"tips", "faq", "case", "feature"}) {
		if !said(other) && hasText(other) && !slices.ContainsFunc(d.w.script, func(b beat) bool { return b.kind == sendBeat && b.role == other }) {
			return other
		}
	}
	return role
}

// spareTexts are those that fit anywhere.
var spareTexts = []string{"note", "checkin", "proof", "favourites", "news", "story"}

// roleOf chooses the text of a message.
func (d *drawing) roleOf(b beat) string {
	role := d.book.role(b.role)
	if role != "" && hasText(role) {
		d.used = append(d.used, role)
		return role
	}
	if b.again && len(d.used) > 0 {
		return "remind"
	}
	pool := spareTexts
	if d.book != nil {
		pool = append(slices.Clone(d.book.More), pool...)
	}
	for _, spare := range pool {
		if !slices.Contains(d.used, spare) && hasText(spare) {
			d.used = append(d.used, spare)
			return spare
		}
	}
	return "note"
}

func (d *drawing) deed(s Step) {
	if s.Do == doThrottle && s.Max == 0 {
		s.Max, s.Per = 500, "hour"
	}
	if s.Do == doExitFunnel && s.Name == "" {
		return // the way ends where it ends
	}
	if s.Do == doGenerate {
		s.Vars = nil
	}
	if s.Do == doNotify && s.Text == "" {
		s.Text = d.say.line("notice_text")
	}
	d.add(s)
	if s.Do == doWaitUntil {
		d.now += float64(s.TimeoutHours)
	}
}

// question waits for the answer where there must be time for one, asks, and draws what follows.
func (d *drawing) question(n node, _ int) {
	c := n.cond
	if c.event == "" {
		c.event, c.ref = d.reaction()
	}
	anchored := d.dated != ""
	if !acts(n.then) && !acts(n.other) {
		d.assume("question_idle")
		return
	}
	switch {
	case n.trail && len(n.then) > 0 && n.then[0].timed:
		d.waitFor(n.then[0].time)
		n.then[0].timed = false
	case c.event == "form_submit" && c.ref == "score":
		d.add(Step{Do: doWaitUntil, Event: "form_submit", TimeoutHours: 168})
		d.now += 168
	case c.until:
		d.add(Step{Do: doWaitUntil, Event: c.event, Ref: c.ref, TimeoutHours: c.hours()})
		d.now += c.within
	case c.within > 0:
		d.wait(c.within)
	case slices.Contains([]string{"tag", "segment", "list", "field"}, c.event):
		if c.event == "tag" && c.ref == "attended" {
			d.afterMeeting(n)
		}
	default:
		d.answerTime(n, anchored, c.event == "confirmed")
	}
	if c.event == "confirmed" {
		c.event = "link_clicked"
	}
	s := Step{Do: doIf, Event: c.event, Ref: c.ref, Op: cmp.Or(c.op, "is"), Value: c.value}
	then, other := d.side(n.then), d.side(n.other)
	if c.not {
		then, other = other, then
	}
	d.branch(s, then, other)
}

func (d *drawing) side(nodes []node) func() {
	if len(nodes) == 0 {
		return nil
	}
	return func() { d.run(nodes) }
}

// run draws a sequence of the script: once, or again and again where it has the message that goes on until something ends it.
func (d *drawing) run(nodes []node) {
	if d.loops() && slices.ContainsFunc(nodes, func(n node) bool { return n.kind == sendBeat }) {
		d.loop(nodes)
		return
	}
	d.follow(nodes)
}

// afterMeeting waits for the meeting itself: who was there is known afterwards.
func (d *drawing) afterMeeting(n node) {
	if d.dated != "" && d.dated != "-" {
		d.toDate(0)
		d.dated = "-"
	}
	if !slices.ContainsFunc(n.then, func(m node) bool { return m.timed }) && d.now == d.sent {
		d.wait(24)
	}
}

// answerTime waits for a reaction. "If they do not open, send it again after 2 days" says for how long.
func (d *drawing) answerTime(n node, anchored, confirms bool) {
	if inner := n.then; len(inner) > 0 && inner[0].kind == condBeat && inner[0].cond.not { // "if opened but not bought, send ... after a day"
		if first := inner[0].then; len(first) > 0 && first[0].timed && first[0].kind == sendBeat && first[0].time.kind != beforeTiming {
			d.waitFor(first[0].time)
			first[0].timed = false
			return
		}
	}
	for _, side := range [][]node{n.then, n.other} {
		if len(side) > 0 && side[0].timed && (side[0].kind == sendBeat || side[0].kind == timeBeat) && (side[0].time.kind == afterTiming || side[0].time.kind == gapTiming) && n.cond.not {
			d.waitFor(side[0].time)
			side[0].timed = false
			if side[0].kind == timeBeat {
				side[0].kind = breakBeat
			}
			return
		}
	}
	if d.now != d.sent || !d.first && !d.paid() {
		return
	}
	switch {
	case anchored:
		d.wait(1)
	case confirms:
		d.wait(24)
	default:
		d.wait(48)
	}
}

// paid tells whether a payment was asked for, which takes time like a message does.
func (d *drawing) paid() bool {
	return slices.ContainsFunc(d.spec.Blocks[d.block].Steps, func(s Step) bool { return s.Do == doPayment })
}

// acts tells whether an answer has anything to do.
func acts(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool {
		return n.kind == sendBeat || n.kind == deedBeat || n.kind == splitBeat || n.kind == condBeat && (acts(n.then) || acts(n.other))
	})
}

// reaction is what "nothing happens" is about: an event, and its name where it is the application's own.
func (d *drawing) reaction() (event, ref string) {
	switch {
	case len(d.w.goals) > 0:
		return eventOfGoal(d.w.goals[0])
	case d.book != nil && d.book.Goal != "":
		return d.book.Goal, ""
	case d.spec.Trigger.Kind == "segment_enter":
		return "payment_made", ""
	default:
		return "link_clicked", ""
	}
}

// loops tells whether the funnel goes on until something ends it: "every 3 days until they pay".
func (d *drawing) loops() bool {
	w := d.w
	if w.every == 0 || w.cap > 0 || w.span > 0 || len(w.goals) == 0 && !d.r.any("word", "repeat") {
		return false
	}
	sends := 0
	for _, b := range w.script {
		if b.kind == sendBeat {
			sends++
		}
	}
	return sends == 1
}

// loop draws a message that comes again and again.
func (d *drawing) loop(nodes []node) {
	d.follow(nodes)
	d.wait(d.w.every)
	from := d.block
	d.block = d.open()
	d.spec.Blocks[from].Next = d.spec.Blocks[d.block].ID
	for _, n := range nodes {
		if n.kind == sendBeat {
			d.send(d.roleOf(beat{again: true}), n.channel, "", Offer{})
		}
	}
	d.wait(d.w.every)
	d.spec.Blocks[d.block].Next = d.spec.Blocks[d.block].ID
}
