package engine

import (
	"math"
	"time"
)

// didNames are the names under which a contact's messages list what happened to them.
var didNames = map[string][2]string{
	"sent":      {"message_sent", "sent"},
	"delivered": {"message_delivered", "delivered"},
	"opened":    {"message_opened", "opened"},
	"clicked":   {"link_clicked", "clicked"},
	"replied":   {"message_replied", "replied"},
	"bounced":   {"message_bounced", "bounced"},
}

// message tells whether something happened to the message of a step of this run.
func (c *Contact) message(step, did string) bool {
	names := didNames[did]
	for _, event := range c.Messages[step] {
		if event.Name == names[0] || event.Name == names[1] {
			return true
		}
	}
	return false
}

// consent is the state for a channel, or for a topic of it; one nobody gave or refused is unknown.
func (c *Contact) consent(channel, topic string) string {
	for _, consent := range c.Consents {
		if consent.Channel == channel && consent.Topic == topic {
			return consent.State
		}
	}
	return "unknown"
}

// figure takes the leaf's figure over the person's events, and tells when it changes because an event leaves or enters
// the window.
func (l *compiledLeaf) figure(in *RuleInput) (value any, next time.Time) {
	rule := l.rule.Event
	if in.Contact == nil {
		return noEvents(rule.Agg), next
	}
	if rollup, ok := in.Contact.Rollups[rule.Name]; ok && rule.Within == nil && l.where == nil && rule.Property == "" {
		switch rule.Agg {
		case First:
			return rollup.First, next
		case Last:
			return rollup.Last, next
		default:
			return float64(rollup.Count), next
		}
	}
	var window time.Duration
	var opens time.Time
	if rule.Within != nil {
		window = rule.Within.Window()
		opens = in.Now.Add(-window)
	}
	var total tally
	for i := range in.Contact.Events {
		event := &in.Contact.Events[i]
		if event.Name != rule.Name || rule.Within != nil && !event.At.After(opens) {
			continue
		}
		if l.where != nil {
			truths, _, change := l.where.run(&RuleInput{Now: in.Now, Props: event.Props, Zone: in.Zone})
			next = sooner(next, change)
			if truths[0] != true {
				continue
			}
		}
		if rule.Within != nil {
			if event.At.After(in.Now) {
				next = sooner(next, event.At)
				continue
			}
			next = sooner(next, event.At.Add(window))
		}
		total.add(event, rule.Property)
	}
	return total.figure(rule.Agg), next
}

// tally gathers every figure over events at once.
type tally struct {
	events, numbers     int
	sum, least, most    float64
	firstSeen, lastSeen time.Time
}

func (t *tally) add(event *Event, property string) {
	if t.events == 0 || event.At.Before(t.firstSeen) {
		t.firstSeen = event.At
	}
	if t.events == 0 || event.At.After(t.lastSeen) {
		t.lastSeen = event.At
	}
	t.events++
	if property == "" {
		return
	}
	number, ok := numberOf(lookup(event.Props, property))
	if !ok {
		return
	}
	if t.numbers == 0 {
		t.least, t.most = number, number
	}
	t.numbers++
	t.sum += number
	t.least, t.most = math.Min(t.least, number), math.Max(t.most, number)
}

func (t *tally) figure(agg Agg) any {
	switch {
	case agg == Count:
		return float64(t.events)
	case agg == Sum:
		return t.sum
	case t.events == 0:
		return nil
	case agg == First:
		return t.firstSeen
	case agg == Last:
		return t.lastSeen
	case t.numbers == 0:
		return nil
	case agg == Min:
		return t.least
	case agg == Max:
		return t.most
	default:
		return t.sum / float64(t.numbers)
	}
}

func noEvents(agg Agg) any { return new(tally).figure(agg) }
