package ai

import (
	"slices"
	"strings"
)

// Slots are what a prompt says in numbers and names: binding, whoever draws the funnel. The model gets them as hints and its
// graph is checked against them.
type Slots struct {
	Language string         `json:"language"`
	Playbook string         `json:"playbook,omitempty"` // the nearest one, "" when none is near
	Sends    map[string]int `json:"sends,omitempty"`    // exact count by channel; "any" when the channel is open
	Cap      int            `json:"cap,omitempty"`      // at most so many messages
	Offsets  []float64      `json:"offsets,omitempty"`  // hours from the start, of messages
	Every    float64        `json:"every,omitempty"`    // hours between messages
	Span     float64        `json:"span,omitempty"`     // hours from first to last
	Since    float64        `json:"since,omitempty"`    // hours of silence before the funnel starts
	Before   []float64      `json:"before,omitempty"`   // hours before a date
	Channels []string       `json:"channels,omitempty"` // named, in order
	Goals    []string       `json:"goals,omitempty"`    // events that end the funnel
	Trigger  Trigger        `json:"trigger"`
	Offers   []Offer        `json:"offers,omitempty"`
	AddTags  []string       `json:"add_tags,omitempty"`
	DropTags []string       `json:"drop_tags,omitempty"`
	Split    []int          `json:"split,omitempty"`
	Roles    []string       `json:"roles,omitempty"`   // what single messages are about, in order
	Missing  []string       `json:"missing,omitempty"` // asked for, cannot be drawn yet: kinds
	MinGap   float64        `json:"min_gap,omitempty"` // hours between messages at least: "at most one a day"
	Within   float64        `json:"within,omitempty"`  // hours given to react
	AsGaps   bool           `json:"as_gaps,omitempty"` // times were read as counted from the message before

	leads bool // a message stands before the first time, and one after each
}

// sendsTotal is the exact number of messages asked for, 0 when open.
func (s Slots) sendsTotal() int {
	n := 0
	for _, c := range s.Sends {
		n += c
	}
	return n
}

// slots reads what the prompt says in numbers and names.
func (r *reading) slots() Slots {
	s := Slots{Language: r.lang, Sends: map[string]int{}}
	times := r.timings()
	r.readChannels(&s)
	r.readCounts(&s, times)
	r.readTimes(&s, times)
	r.readGoals(&s)
	r.readTags(&s)
	r.readOffers(&s, times)
	r.readSplit(&s)
	r.readRoles(&s)
	r.readTrigger(&s)
	r.readMissing(&s)
	return s
}

// readChannels finds the channels named; an e-mail is the channel when nothing else is.
func (r *reading) readChannels(s *Slots) {
	r.each("channel", func(m mark) {
		if m.value != "team" && m.value != "any" && !slices.Contains(s.Channels, m.value) && !r.before(m.at, 2, "not") {
			s.Channels = append(s.Channels, m.value)
		}
	})
}

// readTimes sorts the times out by kind and turns those of messages into offsets from the start.
func (r *reading) readTimes(s *Slots, times []timing) {
	var seq []timing
	for _, t := range times {
		if r.ofMessage(s, t) {
			seq = append(seq, t)
		}
	}
	if r.isSpan(s, seq) {
		s.Span = seq[0].hours
		return
	}
	s.leads = len(s.Sends) == 0 && r.alternates(seq)
	s.Offsets, s.AsGaps = r.offsets(seq)
	if s.Every > 0 && len(s.Offsets) == 1 && s.Offsets[0] == 0 {
		s.Offsets = nil
	}
}

// ofMessage keeps what a time says of the whole, and tells whether it is the time of one message.
func (r *reading) ofMessage(s *Slots, t timing) bool {
	switch t.kind {
	case gapTiming, offsetTiming, afterTiming:
		return true
	case everyTiming:
		s.Every = t.hours
	case spanTiming:
		s.Span = t.hours
	case sinceTiming:
		s.Since = t.hours
	case withinTiming:
		s.Within = t.hours
		// "If they do not buy within a week": the next message waits a week.
		return r.negated("payment_made") || r.negated("booking_made")
	case beforeTiming:
		s.Before = append(s.Before, t.hours)
	case aboutTiming:
	}
	return false
}

// isSpan tells whether the only time is that of the whole series: "4 emails in 10 days".
func (r *reading) isSpan(s *Slots, seq []timing) bool {
	return s.Every == 0 && s.Span == 0 && len(seq) == 1 && s.sendsTotal() > 1 &&
		r.lang == "en" && r.before(seq[0].at, 1, "after") && r.tokens[seq[0].at-1].text == "in"
}

// offsets counts the times of messages from the start. "After" times are counted from the start when they grow, and stand as
// one list or with numbered messages; when messages and times take turns, each counts from the message before.
func (r *reading) offsets(seq []timing) ([]float64, bool) {
	if len(seq) == 0 {
		return nil, false
	}
	growing, explicitGap := true, false
	for i, t := range seq {
		explicitGap = explicitGap || t.kind == gapTiming || t.kind == withinTiming
		if i > 0 && t.hours <= seq[i-1].hours {
			growing = false
		}
	}
	asGaps := false
	if !growing || explicitGap || r.takeTurns(seq) {
		for _, t := range seq {
			asGaps = asGaps || t.kind != offsetTiming
		}
	}
	var out []float64
	at := 0.0
	for _, t := range seq {
		if t.kind == offsetTiming || !asGaps {
			at = t.hours
		} else {
			at += t.hours
		}
		out = append(out, at)
	}
	if !slices.IsSorted(out) {
		slices.Sort(out)
	}
	return out, asGaps && len(seq) > 1
}

// takeTurns tells whether an unnumbered message stands before each time but the first: "an email, after a week an sms".
func (r *reading) takeTurns(seq []timing) bool {
	if len(seq) < 2 {
		return false
	}
	if r.alternates(seq) {
		return true
	}
	for i := 1; i < len(seq); i++ {
		if seq[i].kind != afterTiming || !r.messageBetween(seq[i-1].at, seq[i].at) {
			return false
		}
	}
	return true
}

// alternates tells whether messages and times take turns, a message first: "welcome them, after 2 days tell them about it". A
// message is a noun or a sending verb; each time begins its clause, since a time that ends one belongs to the message before it.
func (r *reading) alternates(seq []timing) bool {
	from := 0
	for _, t := range seq {
		if t.hours <= 0 || !r.beginsClause(t) || !r.sendsBetween(from, t.at) {
			return false
		}
		from = t.at + t.n
	}
	return len(seq) > 0 && r.sendsBetween(from, len(r.tokens))
}

// sendsBetween tells whether a message is asked for between two places.
func (r *reading) sendsBetween(from, to int) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool {
		sends := m.class == "channel" && m.value != "team" || m.class == "word" && m.value == "send"
		return sends && m.at >= from && m.at < to && !r.before(m.at, 1, "not")
	})
}

// beginsClause tells whether a time stands first in its clause, but for its preposition: ", and after 2 days".
func (r *reading) beginsClause(t timing) bool {
	i := t.at
	for i > 0 && r.tokens[i-1].kind == aWord && (r.word(i-1, "after") || r.word(i-1, "another")) {
		i--
	}
	if i == 0 {
		return true
	}
	before := r.tokens[i-1]
	return before.kind == aComma || before.kind == aBreak || r.word(i-1, "then") || slices.Contains(andWords, before.text) || before.text == "a" || before.text == "а"
}

func (r *reading) messageBetween(from, to int) bool {
	for _, m := range r.marks {
		if m.class == "channel" && m.value != "team" && m.at >= from && m.at < to {
			_, numbered := r.number(m.end())
			return !numbered
		}
	}
	return false
}

// readGoals finds what ends the funnel: "stop when they buy", "until they book". A reply ends it too once replies are read.
func (r *reading) readGoals(s *Slots) {
	r.each("word", func(m mark) {
		if m.value != "stop" {
			return
		}
		for j := m.end(); j < len(r.tokens) && j < m.end()+7 && r.tokens[j].kind != aBreak; j++ {
			for _, e := range r.marks {
				if e.at == j && e.class == "event" && e.value != "unsubscribed" {
					if !slices.Contains(s.Goals, e.value) {
						s.Goals = append(s.Goals, e.value)
					}
					return
				}
			}
		}
	})
}

// readTags finds the tags to put on and to take off: a verb, then "tag", then its name.
func (r *reading) readTags(s *Slots) {
	r.each("word", func(m mark) {
		if m.value != "tag" && m.value != "add" && m.value != "remove" {
			return
		}
		name := r.nameAfter(m.end())
		switch {
		case m.value != "tag":
			// "remove the tag 'trial' and add 'customer'": a verb with a quotation, where tags are spoken of.
			if m.end() < len(r.tokens) && r.tokens[m.end()].kind == aQuote && r.any("word", "tag") {
				r.tagged(s, m.value, name)
			}
			return
		case name == "":
			name = r.nameBefore(m.at)
		}
		switch {
		case name == "":
		case r.before(m.at, 3, "remove"):
			r.tagged(s, "remove", name)
		case r.before(m.at, 3, "add") || r.gets(m.at) && s.Trigger.Kind != "":
			r.tagged(s, "add", name)
		case s.Trigger.Kind == "":
			s.Trigger = Trigger{Kind: "tag_added", Ref: name}
		}
	})
	if s.Trigger.Kind == "tag_added" && r.any("trigger", "form_submit", "payment_made") && r.getsTag() {
		s.AddTags, s.Trigger = append(s.AddTags, s.Trigger.Ref), Trigger{}
	}
}

func (r *reading) tagged(s *Slots, verb, name string) {
	names := &s.AddTags
	if verb == "remove" {
		names = &s.DropTags
	}
	if !slices.Contains(*names, name) {
		*names = append(*names, name)
	}
}

// getsTag tells whether somebody "gets tag x" in the prompt.
func (r *reading) getsTag() bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.class == "word" && m.value == "tag" && r.gets(m.at) })
}

// nameBefore reads the name in "the complaint tag".
func (r *reading) nameBefore(i int) string {
	if i == 0 || r.lang != "en" || r.tokens[i-1].kind != aWord && r.tokens[i-1].kind != aQuote {
		return ""
	}
	t := r.tokens[i-1]
	if r.stops(t.text) || slices.Contains([]string{"this", "that", "gets", "get"}, t.text) {
		return ""
	}
	r.understand(i-1, 1)
	return short(t.raw, 40)
}

func (r *reading) gets(i int) bool {
	return i > 0 && slices.Contains([]string{"gets", "get", "dostaje", "otrzymuje", "получает"}, r.tokens[i-1].text)
}

// nameAfter reads a name: a quotation, or the next word that is no cue.
func (r *reading) nameAfter(i int) string {
	for j := i; j < len(r.tokens) && j < i+2; j++ {
		switch t := r.tokens[j]; t.kind {
		case aQuote:
			r.understand(j, 1)
			return short(t.raw, 40)
		case aWord:
			if r.word(j, "named") || t.text == "is" || t.text == "=" {
				continue
			}
			if slices.Contains(andWords, t.text) || r.word(j, "remove") || r.word(j, "add") {
				return ""
			}
			r.understand(j, 1)
			return short(t.raw, 40)
		default:
			return ""
		}
	}
	return ""
}

// readRoles finds what single messages are to be about, in order of mention.
func (r *reading) readRoles(s *Slots) {
	r.each("role", func(m mark) {
		if !slices.Contains(s.Roles, m.value) {
			s.Roles = append(s.Roles, m.value)
		}
	})
}

// readMissing finds what the prompt asks for that is a channel or a service of its own.
func (r *reading) readMissing(s *Slots) {
	kinds := map[string]string{"sms": "send_sms", "push": "send_push", "letter": "send_letter", "whatsapp": "whatsapp"}
	for _, c := range s.Channels {
		if k, ok := kinds[c]; ok {
			s.Missing = append(s.Missing, k)
		}
	}
	if r.any("channel", "team") {
		s.Missing = append(s.Missing, "notify_team")
	}
	if r.any("word", "night") {
		s.Missing = append(s.Missing, "quiet_hours")
	}
	if r.any("word", "rate") && r.any("word", "most") && s.MinGap == 0 {
		s.Missing = append(s.Missing, "throttle")
	}
	r.each("word", func(m mark) {
		if m.value == "list" && r.before(m.at, 8, "remove") {
			s.Missing = append(s.Missing, "remove_from_list")
		} else if m.value == "list" && r.before(m.at, 3, "add") {
			s.Missing = append(s.Missing, "add_to_list")
		}
	})
	if r.any("trigger", "schedule") && s.Trigger.Kind != "schedule" {
		s.Missing = append(s.Missing, "schedule")
	}
}

// named returns an event name written in the alphabet of the API, such as order_shipped.
func (r *reading) named() string {
	for i, t := range r.tokens {
		if t.kind == aWord && strings.Contains(strings.Trim(t.raw, "_"), "_") && t.raw == eventSlug(t.raw) {
			r.understand(i, 1)
			return t.raw
		}
		if t.kind == aQuote && strings.Contains(t.raw, "_") && t.raw == eventSlug(t.raw) {
			return t.raw
		}
	}
	return ""
}
