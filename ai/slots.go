package ai

import (
	"math"
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
	AsGaps   bool           `json:"as_gaps,omitempty"` // times were read as counted from the message before
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
		if m.value != "team" && !slices.Contains(s.Channels, m.value) && !r.before(m.at, 2, "not") {
			s.Channels = append(s.Channels, m.value)
		}
	})
}

// readCounts finds "4 emails", "series of 5" and "max 3 messages". Ordinals ("email 2") are not counts.
func (r *reading) readCounts(s *Slots, times []timing) {
	ordinal := 0
	for i := range r.tokens {
		n, ok := r.number(i)
		if !ok || n < 1 || n > 60 || math.Trunc(n) != n || r.covered(times, i) {
			if o := r.ordinal(i); o > 0 {
				ordinal = max(ordinal, o)
			}
			continue
		}
		if i+1 < len(r.tokens) && r.tokens[i+1].kind == aPercent {
			continue
		}
		channel := r.countedChannel(i)
		if channel == "" {
			continue
		}
		if r.tokens[i].kind == aWord && (r.tokens[i].text == "a" || r.tokens[i].text == "an") {
			continue // "an email" names the thing, it does not count it
		}
		r.understand(i, 1)
		if r.before(i, 3, "most") {
			s.Cap = int(n)
			continue
		}
		s.Sends[channel] += int(n)
	}
	if ordinal > 1 && len(s.Sends) == 0 {
		s.Sends["any"] = ordinal
	}
	for j, o := range []string{"first", "second", "third", "fourth", "fifth"} {
		if j > 0 && len(s.Sends) == 0 && r.any("word", "first") && r.any("word", o) {
			ordinal = max(ordinal, j+1)
		}
	}
	if ordinal > 1 && len(s.Sends) == 0 {
		s.Sends["any"] = ordinal
	}
}

// countedChannel gives the channel of the messages a number counts: the noun within two words.
func (r *reading) countedChannel(i int) string {
	for j := i + 1; j <= i+3 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if r.unitAt(j) != "" {
			return ""
		}
		for _, m := range r.marks {
			if m.at == j && m.class == "channel" && m.value != "team" {
				return m.value
			}
		}
	}
	return ""
}

// ordinal reads "email 2".
func (r *reading) ordinal(i int) int {
	if r.tokens[i].kind != aNumber || i == 0 {
		return 0
	}
	for _, m := range r.marks {
		if m.class == "channel" && m.end() == i && r.unitAt(i+1) == "" {
			return int(min(r.tokens[i].num, 60))
		}
	}
	return 0
}

// readTimes sorts the times out by kind and turns those of messages into offsets from the start.
func (r *reading) readTimes(s *Slots, times []timing) {
	var seq []timing
	for _, t := range times {
		switch t.kind {
		case everyTiming:
			s.Every = t.hours
		case spanTiming:
			s.Span = t.hours
		case sinceTiming:
			s.Since = t.hours
		case beforeTiming:
			s.Before = append(s.Before, t.hours)
		case gapTiming, offsetTiming, afterTiming:
			seq = append(seq, t)
		}
	}
	if s.Every == 0 && s.Span == 0 && len(seq) == 1 && s.sendsTotal() > 1 && r.before(seq[0].at, 1, "after") && r.lang == "en" && r.tokens[seq[0].at-1].text == "in" {
		s.Span = seq[0].hours // "4 emails in 10 days"
		return
	}
	s.Offsets, s.AsGaps = r.offsets(seq)
	if s.Every > 0 && len(s.Offsets) > 0 && s.Offsets[0] == 0 && len(s.Offsets) == 1 {
		s.Offsets = nil
	}
}

// offsets counts the times of messages from the start. "After" times are counted from the start when they grow, and stand as
// one list or with numbered messages; when messages and times take turns, each counts from the message before.
func (r *reading) offsets(seq []timing) ([]float64, bool) {
	if len(seq) == 0 {
		return nil, false
	}
	growing, explicitGap := true, false
	for i, t := range seq {
		explicitGap = explicitGap || t.kind == gapTiming
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
	for i := 1; i < len(seq); i++ {
		if seq[i].kind != afterTiming || !r.messageBetween(seq[i-1].at, seq[i].at) {
			return false
		}
	}
	return true
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
		if m.value != "tag" {
			return
		}
		name := r.nameAfter(m.end())
		if name == "" {
			return
		}
		switch {
		case r.before(m.at, 3, "remove"):
			s.DropTags = append(s.DropTags, name)
		case r.before(m.at, 3, "add") || r.gets(m.at):
			s.AddTags = append(s.AddTags, name)
		case s.Trigger.Kind == "":
			s.Trigger = Trigger{Kind: "tag_added", Ref: name}
		}
	})
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
		case aComma:
			continue
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
	if r.any("word", "rate") && r.any("word", "most") {
		s.Missing = append(s.Missing, "throttle")
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
