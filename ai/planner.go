package ai

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLetters is the longest request, in letters.
const maxLetters = 4000

// plan draws a Spec from a prompt without a model: it refuses, asks, fills a playbook, or builds what the prompt spells out.
func plan(r *reading, s Slots, set Setting) Spec {
	say := sayIn(set.Language)
	spec := Spec{Lang: set.Language, Reentry: "never"}
	if code := r.refusal(); code != "" {
		spec.Status, spec.Reason = StatusRefuse, code
		return spec
	}
	if r.lang == "other" {
		return ask(spec, Question{Text: say.line("language_other"), About: "content"})
	}
	near := r.nearest()
	if topic := contradiction(s); topic != "" {
		return ask(spec, contradictionQuestion(say, topic, s))
	}
	if slices.Contains(s.Channels, "letter") && len(s.Channels) == 1 && !set.Kinds.HasNode("send_letter") {
		return ask(spec, Question{Text: say.line("ask_channel", say.kind("send_letter")), Options: say.options("ask_channel_options"), About: "channel"})
	}
	if len(s.Before) > 0 && !set.Kinds.HasTrigger("date_field") {
		return ask(spec, Question{Text: say.line("ask_date"), Options: say.options("ask_date_options"), About: "timing"})
	}
	if slices.Contains(s.Missing, "remove_from_list") && len(s.Channels)+len(s.Sends)+len(s.Roles) == 0 {
		return ask(spec, Question{Text: say.line("ask_action", say.kind("remove_from_list")), Options: say.options("ask_action_options"), About: "content"})
	}
	if len(near) > 0 && near[0].ID == "post_purchase" && len(s.AddTags)+len(s.DropTags) > 0 {
		near = nil // "after the payment, add the tag ...": the prompt itself says what to do
	}
	if len(near) == 0 && !r.spellsOut(s) {
		return ask(spec, Question{say.line("ask_content"), say.options("ask_content_options"), "content"},
			Question{say.line("ask_trigger"), say.options("ask_trigger_options"), "trigger"},
			Question{say.line("ask_goal"), say.options("ask_goal_options"), "goal"})
	}
	var book *playbook
	if len(near) > 0 {
		book = near[0]
	}
	d := &drawing{r: r, s: s, set: set, say: say, book: book, spec: spec}
	return d.draw()
}

func ask(spec Spec, questions ...Question) Spec {
	spec.Status, spec.Questions = StatusClarify, questions
	return spec
}

func contradictionQuestion(say phrases, topic string, s Slots) Question {
	if topic == "count" {
		n, most := strconv.Itoa(s.sendsTotal()), strconv.Itoa(s.Cap)
		return Question{say.line("ask_count", n, most), []string{n, most}, "count"}
	}
	return Question{say.line("ask_timing"), say.options("ask_timing_options"), "timing"}
}

// spellsOut tells whether a prompt without a known playbook says enough to build: what starts it and what it does, or a
// series of messages.
func (r *reading) spellsOut(s Slots) bool {
	acts := len(s.AddTags)+len(s.DropTags) > 0 || s.sendsTotal() > 0 || len(s.Channels) > 0 || len(s.Roles) > 0
	return s.Trigger.Kind != "" && acts || len(s.Offsets) >= 3 && len(s.Channels) > 0 || s.sendsTotal() >= 2 && (len(s.Offsets) > 0 || s.Every > 0 || s.Span > 0)
}

// drawing is a Spec being drawn.
type drawing struct {
	r    *reading
	s    Slots
	set  Setting
	say  phrases
	book *playbook
	spec Spec
	main []Step
	n    int // steps so far, for ids
}

func (d *drawing) assume(key string, args ...string) {
	d.spec.Assumptions = append(d.spec.Assumptions, d.say.line(key, args...))
}

func (d *drawing) add(s Step) {
	d.n++
	s.ID = fmt.Sprintf("s%d", d.n)
	d.main = append(d.main, s)
}

func (d *drawing) draw() Spec {
	d.spec.Status = StatusGraph
	silent := d.start()
	goal := d.goal()
	touches := d.touches()
	d.offers(touches)
	if goal != "" {
		d.add(Step{Do: doGoal, Event: goal})
	}
	for _, t := range d.s.AddTags {
		d.add(Step{Do: doAddTag, Name: t})
	}
	for _, t := range d.s.DropTags {
		d.add(Step{Do: doRemoveTag, Name: t})
	}
	at := 0.0
	if silent > 0 {
		d.wait(silent)
	}
	d.body(touches, at)
	d.missing()
	d.leftOver()
	return d.spec
}

// start decides the trigger and re-entry, and returns how long to wait for nothing to happen.
func (d *drawing) start() (silent float64) {
	if d.book == nil {
		d.spec.Trigger = d.s.Trigger
		d.spec.Reentry = "never"
		switch d.spec.Trigger.Kind {
		case "":
			d.spec.Trigger = Trigger{Kind: "contact_created"}
			d.assume("trigger_assumed", d.say.kind("contact_created"))
		case "api_event", "payment_made", "booking_made", "tag_added":
			d.spec.Reentry = "always"
		}
		return 0
	}
	st := d.book.begin(d.s, d.set)
	d.spec.Plan = d.say.Playbooks[d.book.ID]
	d.assume("playbook", d.say.Playbooks[d.book.ID])
	d.spec.Trigger = Trigger{Kind: st.Kind, Ref: st.Ref}
	d.spec.Reentry = d.book.Reentry
	event := st.Kind == "api_event"
	if d.spec.Reentry == "restart" && !event {
		d.spec.Reentry = "always"
	}
	if st.Silent {
		silent = d.book.Silence
		if d.s.Since > 0 {
			silent = d.s.Since
		}
		d.assume("silence", d.say.hours(silent))
		return silent
	}
	if d.spec.Reentry == "restart" {
		d.assume("restart", st.Ref)
	}
	return 0
}

// goal is what ends the funnel early: what the prompt says, else what the playbook is for. "If they do not buy" says it too.
func (d *drawing) goal() string {
	goal := ""
	switch {
	case len(d.s.Goals) > 0:
		goal = d.s.Goals[0]
	case d.r.negated("payment_made") && !d.isSilent():
		goal = "payment_made"
	case d.r.negated("booking_made") && !d.firstBooking():
		goal = "booking_made"
	case d.book != nil:
		goal = d.book.Goal
	}
	if goal != "" && goal != d.startsOn() {
		d.assume("goal", d.say.kind(goal))
	}
	return goal
}

// firstBooking tells whether the booking the prompt speaks of is the one that starts the funnel.
func (d *drawing) firstBooking() bool {
	return d.spec.Trigger.Kind == "booking_made" && len(d.s.Offsets) == 0
}

func (d *drawing) isSilent() bool { return d.book != nil && d.book.Silence > 0 }

// startsOn is the event of the plan's vocabulary that starts the funnel again.
func (d *drawing) startsOn() string {
	if d.spec.Reentry == "restart" && d.spec.Trigger.Kind == "api_event" && d.spec.Trigger.Ref == d.set.eventName("payment_made", "") {
		return "payment_made"
	}
	return ""
}

// negated tells whether the prompt says "if they do not" and then the event.
func (r *reading) negated(event string) bool {
	found := false
	r.each("event", func(m mark) {
		if m.value == event && r.conditional(m.at) && (r.before(m.at, 3, "not") || r.before(m.at, 3, "unless")) {
			found = true
		}
	})
	return found
}

// wait adds a wait of hours in whole units.
func (d *drawing) wait(hours float64) {
	minutes := int(math.Round(hours * 60))
	switch {
	case minutes <= 0:
	case minutes%(24*60) == 0:
		d.add(Step{Do: doWait, Unit: "days", N: minutes / (24 * 60)})
	case minutes%60 == 0:
		d.add(Step{Do: doWait, Unit: "hours", N: minutes / 60})
	default:
		d.add(Step{Do: doWait, Unit: "minutes", N: minutes})
	}
}

// body adds the messages with their waits, a split of the first one, and a condition before the last one where the prompt asks for it.
func (d *drawing) body(touches []touch, at float64) {
	blocks := []Part{{ID: "main"}}
	condition := d.condition()
	flush := func() {
		blocks[len(blocks)-1].Steps = d.main
		d.main = nil
	}
	for i, t := range touches {
		if t.Hours > at {
			d.wait(t.Hours - at)
		}
		at = max(at, t.Hours)
		if condition != "" && i == len(touches)-1 && i > 0 {
			d.add(Step{Do: doIf, Event: condition, Op: "is", Yes: "end", No: "rest"})
			flush()
			blocks = append(blocks, Part{ID: "rest"})
		}
		if i == 0 && len(d.s.Split) >= 2 {
			d.splitFirst(t)
			flush()
			arms := d.armBlocks(t)
			blocks = append(append(blocks, arms...), Part{ID: "after"})
			continue
		}
		d.send(t)
	}
	flush()
	d.spec.Blocks = blocks
}

func (d *drawing) send(t touch) {
	id := t.Role
	if slices.ContainsFunc(d.spec.Messages, func(m Brief) bool { return m.ID == id }) {
		id = fmt.Sprintf("%s-%d", t.Role, len(d.spec.Messages)+1)
	}
	d.spec.Messages = append(d.spec.Messages, Brief{ID: id, Brief: textOf(d.set.Language, t.Role).Name, Role: t.Role, Offer: t.Offer})
	d.add(Step{Do: "send_" + t.Channel, Message: id})
}

func (d *drawing) splitFirst(touch) {
	arms := make([]Arm, 0, len(d.s.Split))
	for i, w := range d.s.Split {
		name := string(rune('A' + i))
		arms = append(arms, Arm{Label: name, Pct: w, To: "arm-" + strings.ToLower(name)})
	}
	d.add(Step{Do: doSplit, Arms: arms})
}

func (d *drawing) armBlocks(t touch) []Part {
	out := make([]Part, 0, len(d.s.Split))
	for i := range d.s.Split {
		v := t
		if i > 0 {
			v.Role = []string{"offer", "note", "news"}[(i-1)%3]
		}
		d.send(v)
		out = append(out, Part{ID: "arm-" + string(rune('a'+i)), Steps: d.main, Next: "after"})
		d.main = nil
	}
	return out
}

// condition is the event whose absence the last message depends on.
func (d *drawing) condition() string {
	var found []string
	for _, e := range []string{"message_opened", "link_clicked"} {
		if d.r.negated(e) {
			found = append(found, e)
		}
	}
	if len(found) > 1 {
		d.assume("long_cut")
	}
	if len(found) == 0 || d.book != nil && d.book.Goal == found[0] {
		return ""
	}
	return found[0]
}

// missing says what was asked for and is not in the drawing. Channels with a stand-in are said by the compiler.
func (d *drawing) missing() {
	for _, k := range d.s.Missing {
		if d.set.Kinds.HasTrigger(k) || d.sends(k) {
			continue
		}
		d.assume("kind_left_out", d.say.kind(k))
	}
}

func (d *drawing) sends(kind string) bool {
	for _, b := range d.spec.Blocks {
		if slices.ContainsFunc(b.Steps, func(s Step) bool { return s.Do == kind }) {
			return true
		}
	}
	return false
}

// leftOver lists what was not understood when it is much, so that nothing is dropped in silence.
func (d *drawing) leftOver() {
	var words []string
	for i, t := range d.r.tokens {
		if (t.kind == aWord || t.kind == aQuote) && !d.r.known[i] && !d.r.stops(t.text) {
			words = append(words, t.raw)
		}
	}
	if len(words) >= 3 && d.r.coverage() < 0.6 {
		list := strings.Join(words, ", ")
		if utf8.RuneCountInString(list) > 200 {
			list = short(list, 200)
		}
		d.assume("not_understood", list)
	}
}
