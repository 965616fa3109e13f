package ai

import "slices"

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
	Deeds    []string       `json:"deeds,omitempty"`   // kinds of other steps asked for
	MinGap   float64        `json:"min_gap,omitempty"` // hours between messages at least: "at most one a day"

	clash string // topic of two wishes that cannot both be met
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
	near := r.nearestWithin()
	w := r.wish()
	clash, _ := w.contradiction(r, near)
	w.settle()
	if clash == "" {
		clash, _ = w.tooMany()
	}
	s := Slots{
		Language: r.lang, Sends: map[string]int{}, Cap: w.cap, Every: w.every, Span: w.span, Since: w.since, Goals: w.goals, Trigger: w.trigger.Trigger,
		Offers: w.offers, Split: w.split, MinGap: w.minGap, clash: clash,
	}
	if len(near) > 0 {
		s.Playbook = near[0].ID
	}
	for _, b := range w.script {
		switch b.kind {
		case sendBeat:
			s.message(b)
		case deedBeat:
			switch b.step.Do {
			case doAddTag:
				s.AddTags = append(s.AddTags, b.step.Name)
			case doRemoveTag:
				s.DropTags = append(s.DropTags, b.step.Name)
			default:
				s.Deeds = append(s.Deeds, b.step.Do)
			}
		case condBeat, elseBeat, timeBeat, splitBeat, breakBeat:
		}
	}
	if w.sends() == 1 && len(s.Sends) > 0 {
		s.Sends = map[string]int{} // "an email" names it, and does not count
	}
	clear(r.taken)
	return s
}

func (s *Slots) message(b beat) {
	channel := b.channel
	if channel == "" {
		channel = "any"
	} else if !slices.Contains(s.Channels, channel) {
		s.Channels = append(s.Channels, channel)
	}
	if b.count > 1 {
		s.Sends[channel] += b.count
	}
	times := b.also
	if b.timed {
		times = append([]timing{b.time}, b.also...)
	}
	for _, t := range times {
		switch t.kind {
		case beforeTiming:
			s.Before = append(s.Before, t.hours)
		case offsetTiming:
			s.Offsets = append(s.Offsets, t.hours)
		case afterTiming, gapTiming, everyTiming, spanTiming, withinTiming, sinceTiming, aboutTiming, weekdayTiming:
		}
	}
}

// contradiction returns the topic of two wishes that cannot both be met, "" when there is none.
func contradiction(s Slots) string { return s.clash }
