package ai

import (
	"slices"
	"strconv"
)

// maxLetters is the longest request, in letters.
const maxLetters = 4000

// plan draws a Spec from a prompt without a model: it refuses, asks, fills a playbook, or builds what the prompt spells out.
func plan(r *reading, set Setting) Spec {
	say := sayIn(set.Language)
	spec := Spec{Lang: set.Language}
	if code := r.refusal(); code != "" {
		spec.Status, spec.Reason = StatusRefuse, code
		return spec
	}
	if r.lang == "other" {
		return ask(spec, Question{Text: say.line("language_other"), About: "content"})
	}
	near := r.nearestWithin()
	told, doubts := r.tell()
	clear(r.taken)
	w := r.wish()
	if topic, args := w.contradiction(r, near); topic != "" && !(topic == "date" && len(doubts) == 0 && told.dated()) {
		return ask(spec, contradictionQuestions(say, topic, args)...)
	}
	w.settle()
	if topic, args := w.tooMany(); topic != "" {
		return ask(spec, contradictionQuestions(say, topic, args)...)
	}
	var book *playbook
	if len(near) > 0 {
		book = near[0]
	}
	if len(doubts) == 0 && (book == nil || told.spelled()) || book != nil && slices.Equal(doubts, []string{"start"}) && told.sendsMany() {
		w = told // the prompt spells it out: the playbook only lends its words
	} else if book == nil && !w.spellsOut(r) {
		if r.orders {
			spec.Status, spec.Reason = StatusRefuse, "out_of_scope"
			return spec
		}
		return ask(spec, Question{say.line("ask_content"), say.options("ask_content_options"), "content"},
			Question{say.line("ask_trigger"), say.options("ask_trigger_options"), "trigger"},
			Question{say.line("ask_goal"), say.options("ask_goal_options"), "goal"})
	}
	d := &drawing{r: r, w: w, set: set, say: say, book: book, spec: spec}
	return d.draw()
}

// spelled tells whether a story is more than the one message of a playbook.
func (w *wish) spelled() bool {
	sends, more := 0, 0
	for _, b := range w.script {
		switch b.kind {
		case sendBeat:
			sends++
		case deedBeat, condBeat, splitBeat:
			more++
		case elseBeat, timeBeat, breakBeat:
		}
	}
	return sends > 1 || more > 0
}

// sendsMany tells whether a story names several messages, each by its channel and behind the first one with its time: what starts it may be the
// playbook's.
func (w *wish) sendsMany() bool {
	n := 0
	for _, b := range w.script {
		if b.kind == deedBeat {
			continue
		}
		if b.kind != sendBeat || !b.noun || n > 0 && !b.timed {
			return false
		}
		n++
	}
	return n > 1
}

// dated tells whether what starts the funnel has a date to count from.
func (w *wish) dated() bool {
	return w.field != "" || w.trigger.Kind == "booking_made" || w.trigger.Kind == "date_field"
}

func ask(spec Spec, questions ...Question) Spec {
	spec.Status, spec.Questions = StatusClarify, questions
	return spec
}

// nearestWithin is nearest without what stands in the names of lists and tags.
func (r *reading) nearestWithin() []*playbook {
	r.readDeeds(&wish{})
	near := r.nearest()
	clear(r.taken)
	return near
}

// spellsOut tells whether a prompt without a known playbook says enough to build: what starts it and what it does, or a
// series of messages.
func (w *wish) spellsOut(*reading) bool {
	sends, deeds, timed := 0, 0, 0
	asks := len(w.split) > 0
	for _, b := range w.script {
		asks = asks || b.kind == elseBeat || b.kind == condBeat && slices.Contains([]string{"message_opened", "link_clicked", "message_replied"}, b.cond.event)
		switch {
		case b.kind == sendBeat && !b.weak():
			sends += max(1, b.count)
			if b.timed {
				timed++
			}
		case b.kind == deedBeat:
			deeds++
		}
	}
	acts := sends+deeds > 0
	return w.trigger.strength > 0 && acts || asks && sends > 0 || sends >= 2 && (timed > 0 || w.every > 0 || w.span > 0) || w.every > 0 && sends > 0 && (w.cap > 0 || w.span >= w.every || len(w.goals) > 0)
}

// refusal returns the code of a request that must not be drawn, "" for all others. It looks for the wish, not for the topic: a
// funnel about unsubscribing is fine, mail to the unsubscribed is not. Words in quotation are somebody else's.
func (r *reading) refusal() string {
	if r.boughtData() {
		return "consent"
	}
	if r.falsePromise() {
		return "deception"
	}
	for _, code := range []string{"consent", "deception", "harm", "out_of_scope"} {
		if r.any("refuse", code) && !r.forbids(code) && (code != "out_of_scope" || !r.tellsFunnel() && !r.any("recur") && !r.any("word", "list", "segment") && !r.any("weekday")) {
			return code
		}
	}
	if r.orders && !slices.Contains(r.wanted(), true) {
		return "out_of_scope"
	}
	return ""
}

// tellsFunnel tells whether a prompt names something that happens and a channel: what is sent then may be anything, homework too.
func (r *reading) tellsFunnel() bool {
	return !r.orders && r.any("event") && r.any("channel", "email", "sms", "push", "letter", "whatsapp")
}

// wanted tells for each token that is left beside the asides whether it means anything.
func (r *reading) wanted() []bool {
	out := make([]bool, len(r.tokens))
	for _, m := range r.marks {
		if !r.aside[m.at] && slices.Contains([]string{"playbook", "channel", "event", "role"}, m.class) {
			out[m.at] = true
		}
	}
	return out
}

// forbids tells whether the prompt itself excludes what the cue names: "never mail people who unsubscribed".
func (r *reading) forbids(code string) bool {
	if code != "consent" {
		return false
	}
	all := true
	r.each("refuse", func(m mark) {
		if m.value != code {
			return
		}
		excluded := false
		from, _ := r.sentence(m.at)
		for j := from; j < m.at; j++ {
			excluded = excluded || r.word(j, "exclude")
		}
		all = all && excluded
	})
	return all
}

// contradiction returns the topic of two wishes that cannot both be met, "" when there is none, and what the question names.
func (w *wish) contradiction(r *reading, near []*playbook) (topic string, args []string) {
	n := 0
	for _, c := range w.counted() {
		n += c
	}
	for _, b := range w.script {
		if b.kind == sendBeat && b.count > 1 && b.timed && len(b.also) == 0 && b.time.kind == afterTiming && w.minGap*float64(b.count-1) > b.time.hours*1.05 && r.lang == "en" && r.ended(b.time.at+1, "in") {
			return "timing", nil // "3 emails in one day, at most one a day"
		}
	}
	switch {
	case w.other != "":
		return "channel", []string{w.other}
	case w.forbidden(r):
		return "channel_both", nil
	case w.splits:
		return "weights", nil
	case w.cap > 0 && n > w.cap:
		return "count", []string{strconv.Itoa(n), strconv.Itoa(w.cap)}
	case w.span > 0 && w.every > 0 && n > 1 && w.every*float64(n-1) > w.span*1.05,
		w.span > 0 && w.minGap > 0 && n > 1 && w.minGap*float64(n-1) > w.span*1.05,
		w.every > 0 && w.minGap > w.every*1.01,
		w.tooEarly(), w.whileQuiet(), w.atOnceAndLater(r):
		return "timing", nil
	case w.untimed(r, near):
		return "date", nil
	}
	return "", nil
}

// forbidden tells whether a channel is both asked for and ruled out.
func (w *wish) forbidden(r *reading) bool {
	only := ""
	r.each("channel", func(m mark) {
		if from, _ := r.sentence(m.at); m.value != "any" && !r.following(from, m.at-from, "else") && (r.before(m.at, 1, "only") || r.word(m.end(), "only")) && only == "" {
			only = m.value
		}
	})
	for _, b := range w.script {
		if b.kind != sendBeat || b.channel == "" {
			continue
		}
		if slices.Contains(w.forbid, b.channel) || only != "" && b.channel != only && b.noun {
			return true
		}
	}
	return false
}

// tooEarly tells whether messages at closer times than the least gap are asked for one by one.
func (w *wish) tooEarly() bool {
	if w.span == 0 {
		return false
	}
	for _, b := range w.script {
		if b.timed && b.time.kind == offsetTiming && b.time.hours > w.span*1.05 {
			return true
		}
	}
	return false
}

// whileQuiet tells whether the time of day lies in the quiet hours.
func (w *wish) whileQuiet() bool {
	if w.at == "" {
		return false
	}
	for _, l := range w.limits {
		if l.Do != doQuietHours || len(l.Days) > 0 {
			continue
		}
		if l.From <= l.Until && w.at >= l.From && w.at < l.Until || l.From > l.Until && (w.at >= l.From || w.at < l.Until) {
			return true
		}
	}
	return false
}

// atOnceAndLater knows "immediately, but not before a week has passed" in its plainest form: two times for one and the same message.
func (w *wish) atOnceAndLater(r *reading) bool {
	sends := 0
	clash := false
	if r.any("word", "notearlier") && len(w.script) > 0 && w.script[0].kind == sendBeat && w.script[0].timed && w.script[0].time.hours == 0 && w.script[0].time.kind == offsetTiming {
		for k, b := range w.script[1:] {
			sends = max(sends, 1)
			if b.kind == sendBeat && !b.weak() && w.script[k+1].noun {
				sends++
			}
		}
		if sends == 1 {
			return true
		}
		sends = 0
	}
	for _, b := range w.script {
		if b.kind != sendBeat || b.weak() {
			continue
		}
		sends++
		clash = clash || b.count == 1 && b.timed && len(b.also) > 0 && b.time.hours == 0 && !b.time.day && b.also[0].kind != beforeTiming
	}
	return clash && sends == 1
}

// untimed tells whether a time stands before something that has no date.
func (w *wish) untimed(r *reading, near []*playbook) bool {
	ahead := slices.ContainsFunc(w.script, func(b beat) bool { return b.timed && b.time.kind == beforeTiming })
	if !ahead {
		return false
	}
	if r.any("date") || w.field != "" || w.trigger.Kind == "booking_made" || w.trigger.Kind == "date_field" {
		return false
	}
	return len(near) == 0 || near[0].Field == "" && near[0].Starts[0].Kind != "date_field" && near[0].Starts[0].Kind != "booking_made"
}

// tooMany tells whether more times are named than messages.
func (w *wish) tooMany() (topic string, args []string) {
	for _, b := range w.script {
		if b.kind != sendBeat || b.count < 2 || !b.timed {
			continue
		}
		if times := 1 + len(b.also); times > b.count+1 || times > b.count && b.time.hours > 0 {
			return "count", []string{strconv.Itoa(b.count), strconv.Itoa(times)}
		}
	}
	return "", nil
}

func contradictionQuestions(say phrases, topic string, args []string) []Question {
	switch topic {
	case "count":
		return []Question{{say.line("ask_count", args...), args, "count"}}
	case "weights":
		return []Question{{say.line("ask_weights"), say.options("ask_weights_options"), "count"}}
	case "channel":
		return []Question{{say.line("ask_channel", args...), say.options("ask_channel_options"), "channel"}}
	case "channel_both":
		return []Question{{say.line("ask_channel_both"), say.options("ask_channel_options"), "channel"}}
	case "date":
		return []Question{{say.line("ask_date"), say.options("ask_date_options"), "timing"}}
	default:
		return []Question{{say.line("ask_timing"), say.options("ask_timing_options"), "timing"}}
	}
}
