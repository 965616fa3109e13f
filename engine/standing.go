package engine

import (
	"maps"
	"slices"
	"time"
)

// Standing is a trigger that somebody may fulfil already, before it ever fires: who is on the list, who has the tag, who
// is in the segment, whose date has come.
type Standing struct {
	List, Tag, Segment string // slug; one of them is set, or Date
	Date               *DateWatch

	Event Event // what would have fired it; without id and time
}

// Standing are the triggers of the funnel of that sort, in their order.
func (p *Plan) Standing() []Standing {
	var standing []Standing
	for _, t := range p.triggers {
		slug, _ := t.event.Usual[t.event.Stays].(string)
		if slug == "" && t.date == nil {
			continue
		}
		s := Standing{Event: Event{Name: t.event.Name, Props: t.event.Usual}, Date: t.date}
		switch t.event.Stays {
		case "list":
			s.List = slug
		case "segment":
			s.Segment = slug
		case "tag":
			s.Tag = slug
		}
		standing = append(standing, s)
	}
	return standing
}

// Holds tells whether the person fulfils the trigger at an instant; home is the workspace's zone. A date that comes once holds for good
// when it has come, one that comes every year for a day.
func (s Standing) Holds(c *Contact, home string, now time.Time) bool {
	return s.List != "" && slices.Contains(c.Lists, s.List) || s.Tag != "" && slices.Contains(c.Tags, s.Tag) ||
		s.Segment != "" && slices.Contains(c.Segments, s.Segment) || s.Date != nil && s.Date.came(c, home, now)
}

func (w *DateWatch) came(c *Contact, home string, now time.Time) bool {
	coming, ok := w.last(c, home, now)
	return ok && !coming.At.After(now)
}

// last is the coming that holds at an instant, if it is not to come yet.
func (w *DateWatch) last(c *Contact, home string, now time.Time) (Coming, bool) {
	before := time.Time{}
	if w.Yearly {
		before = now.Add(-24 * time.Hour)
	}
	return w.Next(c, home, before)
}

// EventOf is the event that would have fired it for the person.
func (s Standing) EventOf(c *Contact, home string, now time.Time) Event {
	event := s.Event
	if s.Date != nil {
		if coming, ok := s.Date.last(c, home, now); ok {
			event.Props = maps.Clone(event.Props)
			event.Props[propDay] = coming.Day
		}
	}
	return event
}

// Schedules are the recurring times the funnel starts on.
func (p *Plan) Schedules() []Schedule {
	var list []Schedule
	for _, t := range p.triggers {
		if t.schedule != nil {
			list = append(list, *t.schedule)
		}
	}
	return list
}

// Dates are the dates of people the funnel starts on.
func (p *Plan) Dates() []DateWatch {
	var list []DateWatch
	for _, t := range p.triggers {
		if t.date != nil {
			list = append(list, *t.date)
		}
	}
	return list
}
