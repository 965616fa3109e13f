package ai

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// drawing is a Spec being drawn.
type drawing struct {
	r    *reading
	w    *wish
	set  Setting
	say  phrases
	book *playbook
	spec Spec

	block   int     // the one steps go into
	now     float64 // hours from the start, along the way drawn last
	first   bool    // a message was drawn
	asked   bool    // a question of the prompt became a goal
	n       int     // steps so far, for ids
	blocks  int     // blocks so far
	dated   string  // the field of the date, once the way has come to one
	used    []string
	said    []saying
	sent    float64 // when the last message went out
	carried string  // and by which channel
	gaps    []string
}

func (d *drawing) assume(key string, args ...string) {
	line := d.say.line(key, args...)
	if !slices.Contains(d.spec.Assumptions, line) {
		d.spec.Assumptions = append(d.spec.Assumptions, line)
	}
}

func (d *drawing) add(s Step) {
	d.n++
	s.ID = fmt.Sprintf("s%d", d.n)
	b := &d.spec.Blocks[d.block]
	b.Steps = append(b.Steps, s)
}

// open begins a new block and returns its place.
func (d *drawing) open() int {
	d.blocks++
	id := "main"
	if d.blocks > 1 {
		id = "part-" + strconv.Itoa(d.blocks)
	}
	d.spec.Blocks = append(d.spec.Blocks, Part{ID: id})
	return len(d.spec.Blocks) - 1
}

// draw makes the Spec.
func (d *drawing) draw() Spec {
	d.spec.Status = StatusGraph
	d.block = d.open()
	d.start()
	d.goalInstead()
	for _, g := range d.goals() {
		event, ref := eventOfGoal(g)
		d.add(Step{Do: doGoal, Event: event, Ref: ref})
	}
	for _, l := range d.w.limits {
		d.add(l)
	}
	d.holdOut()
	if nodes := d.script(); nodes != nil {
		d.run(nodes)
	} else {
		d.playAll()
	}
	d.giveLoose()
	d.closeDeeds()
	if d.w.oneOff {
		d.assume("campaign_instead")
	}
	return d.spec
}

// start decides the trigger and re-entry.
func (d *drawing) start() {
	t := d.w.trigger
	if d.book != nil {
		d.spec.Plan = d.say.Playbooks[d.book.ID]
		d.assume("playbook", cmp.Or(d.say.Playbooks[d.book.ID], d.book.ID))
		d.spec.Trigger = d.book.begin(t, d.set)
		d.spec.Reentry, d.spec.ReentryDays = d.book.Reentry, d.book.Pause
		if d.spec.Reentry == "restart" && d.spec.Trigger.Kind != "api_event" {
			d.spec.Reentry = "always"
		}
	} else {
		d.spec.Trigger = t.Trigger
	}
	if d.spec.Trigger.Kind == "" {
		d.spec.Trigger = Trigger{Kind: "contact_created"}
		d.assume("trigger_assumed", d.say.kind("contact_created"))
	}
	if d.spec.Reentry == "" {
		d.spec.Reentry = "never"
		if slices.Contains([]string{"api_event", "payment_made", "booking_made", "tag_added", "schedule", "segment_enter", "page_visit", "link_clicked", "date_field"}, d.spec.Trigger.Kind) {
			d.spec.Reentry = "always"
		}
	}
	if d.w.reentry > 0 {
		d.spec.Reentry, d.spec.ReentryDays = "after_days", d.w.reentry
	}
	if d.w.since > 0 && d.spec.Trigger.Kind == "segment_enter" {
		if strings.HasPrefix(d.spec.Trigger.Ref, "inactive") {
			d.spec.Trigger.Ref = "inactive-" + trimNumber(math.Round(d.w.since/24))
		}
		d.assume("silence", d.say.hours(d.w.since))
	}
	if d.spec.Trigger.Kind == "date_field" && d.w.at != "" {
		d.spec.Trigger.When = strings.TrimSpace(d.spec.Trigger.When + " " + d.w.at)
		d.w.at = ""
	}
	if d.spec.Reentry == "restart" {
		d.assume("restart", d.spec.Trigger.Ref)
	}
}

// goals are what ends the funnel early: what the prompt says, else what the playbook is for.
func (d *drawing) goals() []string {
	goals := d.w.goals
	if len(goals) == 0 && d.book != nil && d.book.Goal != "" && !d.asksFor(d.book.Goal) && d.hasSends() {
		goals = []string{d.book.Goal}
	}
	var out []string
	for _, g := range goals {
		if g == d.spec.Trigger.Kind && len(d.w.goals) == 0 {
			continue
		}
		out = append(out, g)
		d.assume("goal", d.say.kind(g))
	}
	return out
}

// asksFor tells whether the script itself asks whether the event happened.
func (d *drawing) asksFor(event string) bool {
	return slices.ContainsFunc(d.w.script, func(b beat) bool { return b.kind == condBeat && b.cond.event == event })
}

func (d *drawing) hasSends() bool {
	return d.w.sends() > 0 || !slices.ContainsFunc(d.w.script, func(b beat) bool { return b.kind == deedBeat })
}

// wait adds a wait of hours in whole units.
func (d *drawing) wait(hours float64) {
	minutes := int(math.Round(hours * 60))
	at := ""
	if d.w.at != "" && minutes >= 24*60 {
		at = d.w.at
	}
	if steps := d.spec.Blocks[d.block].Steps; minutes > 0 && len(steps) > 0 {
		if last := steps[len(steps)-1]; last.Do == doWait && last.At == at { // two waits in a row are one
			d.spec.Blocks[d.block].Steps = steps[:len(steps)-1]
			before := int(math.Round(float64(last.N) * hoursPer[last.Unit] * 60))
			d.now -= float64(before) / 60
			minutes += before
		}
	}
	switch {
	case minutes <= 0:
		return
	case minutes%(24*60) == 0:
		d.add(Step{Do: doWait, Unit: "days", N: minutes / (24 * 60), At: at})
	case minutes%60 == 0:
		d.add(Step{Do: doWait, Unit: "hours", N: minutes / 60})
	default:
		d.add(Step{Do: doWait, Unit: "minutes", N: minutes})
	}
	d.now += float64(minutes) / 60
}

// send adds a message.
func (d *drawing) send(role, channel, quote string, offer Offer) {
	if channel == "" {
		channel = d.channel()
	}
	if !d.first && d.w.at != "" && !d.w.atLater(d.r) && d.spec.Trigger.Kind != "schedule" && d.now == 0 {
		d.add(Step{Do: doWaitUntil, Event: "time", Ref: d.w.at})
	}
	if quote == "" {
		role = d.unsaid(role, channel, offer)
		d.said = append(d.said, saying{role, channel, offer})
	}
	id := role
	if slices.ContainsFunc(d.spec.Messages, func(m Brief) bool { return m.ID == id }) {
		id = fmt.Sprintf("%s-%d", role, len(d.spec.Messages)+1)
	}
	d.spec.Messages = append(d.spec.Messages, Brief{ID: id, Brief: cmp.Or(quote, textOf(d.set.Language, role).Name), Role: role, Offer: offer, Quote: quote})
	d.add(Step{Do: "send_" + channel, Message: id})
	d.first, d.sent, d.carried = true, d.now, channel
}

// channel is the one the prompt names most clearly, e-mail where it names none.
func (d *drawing) channel() string {
	for _, b := range d.w.script {
		if b.kind == sendBeat && b.channel != "" && b.channel != "any" && !slices.Contains(d.w.forbid, b.channel) && (b.channel != "letter" || d.w.sends() == 1 || b.plural) {
			return b.channel
		}
	}
	named := ""
	d.r.each("channel", func(m mark) {
		if named == "" && m.value != "any" && (m.value != "letter" || d.w.sends() <= 1) && !d.r.ruledOut(m) && !d.r.taken[m.at] {
			named = m.value
		}
	})
	if named != "" {
		return named
	}
	if slices.Contains(d.w.forbid, "email") {
		return "sms"
	}
	return "email"
}

// toDate waits until hours before the date the funnel is about (negative: after it).
func (d *drawing) toDate(hours float64) {
	if d.dated == "" {
		d.dated = d.dateField()
		if d.spec.Trigger.Kind == "date_field" && !d.first && hours >= 0 && math.Mod(hours, 24) == 0 {
			d.spec.Trigger.OffsetDays = -int(hours / 24)
			return
		}
	}
	s := Step{Do: doWaitUntil, Event: "date_field", Ref: d.dated, BeforeHours: int(math.Round(hours)), At: d.w.at}
	if hours > 0 && hours != math.Trunc(hours) {
		s.BeforeHours, s.BeforeMins = 0, int(math.Round(hours*60))
	}
	d.add(s)
}

// dateField is the date of a person that messages are counted from. Of a booking it is noted when the booking is made.
func (d *drawing) dateField() string {
	switch {
	case d.w.field != "":
		return d.w.field
	case d.spec.Trigger.Kind == "date_field":
		return cmp.Or(d.spec.Trigger.Ref, "date")
	case d.spec.Trigger.Kind == "booking_made":
		d.add(Step{Do: doSetField, Field: "visit_at", Value: "{{ event.from }}"})
		return "visit_at"
	case d.book != nil && d.book.Field != "":
		d.assume("date_needed", d.book.Field)
		return d.book.Field
	default:
		d.assume("date_needed", "event_at")
		return "event_at"
	}
}

// closeDeeds says what the drawing assumed about counts and times.
func (d *drawing) closeDeeds() {
	if len(d.gaps) > 1 {
		d.assume("gaps", strings.Join(d.gaps, ", "))
	}
	n := 0
	for _, b := range d.spec.Blocks {
		for _, s := range b.Steps {
			if strings.HasPrefix(s.Do, "send_") {
				n++
			}
		}
	}
	if d.book != nil && d.w.sends() == 0 && n > 0 {
		d.assume("count_default", strconv.Itoa(n))
	}
	if len(d.w.offers) == 1 && n > 1 {
		d.assume("offer_once")
	}
}

// branch asks a question and draws both answers; the ways meet again behind it.
func (d *drawing) branch(s Step, yes, no func()) {
	b := &d.spec.Blocks[d.block]
	at := len(b.Steps)
	d.add(s)
	from := d.block
	begin, dated, sent := d.now, d.dated, d.sent
	latest, latestSent := begin, sent
	var ends []int
	side := func(draw func()) string {
		if draw == nil {
			return ""
		}
		d.now, d.dated, d.sent = begin, dated, sent
		d.block = d.open()
		id := d.spec.Blocks[d.block].ID
		draw()
		ends = append(ends, d.block)
		latest, latestSent = max(latest, d.now), max(latestSent, d.sent)
		return id
	}
	y, n := side(yes), side(no)
	after := d.open()
	next := d.spec.Blocks[after].ID
	for _, e := range ends {
		d.spec.Blocks[e].Next = cmp.Or(d.spec.Blocks[e].Next, next) // a loop stays one
	}
	step := &d.spec.Blocks[from].Steps[at]
	step.Yes, step.No = cmp.Or(y, next), cmp.Or(n, next)
	d.block, d.now, d.sent = after, latest, latestSent
}
