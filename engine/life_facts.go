package engine

import (
	"maps"
	"slices"
	"time"
)

// usualEvent makes an event that fires the first trigger, as far as its config says what that is.
func (p *Plan) usualEvent(at time.Time) Event {
	first := p.triggers[0]
	props := map[string]any{}
	maps.Copy(props, first.event.Usual)
	if p.reentry.rule() == ReentryEach {
		props[p.reentry.Key] = "simulated"
	}
	return Event{Name: first.event.Name, At: at, Props: props}
}

// earlierLike makes the events that have to come before one for it to fire the first trigger, a second apart.
func (p *Plan) earlierLike(event Event) []Event {
	var earlier []Event
	first := p.triggers[0].event
	if event.Name != first.Name {
		return nil
	}
	for n := range first.Again {
		before := event
		before.At = event.At.Add(-time.Duration(n+1) * time.Second)
		earlier = append(earlier, before)
	}
	slices.Reverse(earlier)
	return earlier
}

// ownContact is a copy whose facts a simulation may add to.
func ownContact(c Contact) Contact {
	c.Events = slices.Clone(c.Events)
	c.Rollups = maps.Clone(c.Rollups)
	if c.Rollups == nil {
		c.Rollups = map[string]Rollup{}
	}
	messages := map[string][]Event{}
	for step, events := range c.Messages {
		messages[step] = slices.Clone(events)
	}
	c.Messages = messages
	return c
}

// learn lets an event change what is known of the person. Only events that a rule asks for are kept one by one.
func (l *Life) learn(event Event) {
	c := &l.contact
	rollup := c.Rollups[event.Name]
	if rollup.Count == 0 {
		rollup.First = event.At
	}
	rollup.Count, rollup.Last = rollup.Count+1, event.At
	c.Rollups[event.Name] = rollup
	if slices.Contains(l.Plan.eventNames, event.Name) {
		c.Events = append(c.Events, event)
	}

	text := func(key string) string { value, _ := event.Props[key].(string); return slugOf(value) }
	if op, member := membershipOf(event.Name); member {
		*c = *c.Changed(op, text(memberships[op].prop), nil)
	}
	switch event.Name {
	case "contact_updated":
		l.update(event.Props)
	case "unsubscribed":
		channel := text("channel")
		if channel == "" {
			channel = ChannelEmail
		}
		l.consent(Consent{Channel: channel, Topic: text("topic"), State: saidDenied})
	case "consent_changed":
		l.consent(Consent{Channel: text("channel"), Topic: text("topic"), State: text("state")})
	}
	if step := text(PropStep); slices.Contains(l.Plan.steps, step) && aboutMessages(event.Name) {
		for _, run := range l.runs {
			if event.Props[PropRun] == run.ID {
				run.messages[step] = append(run.messages[step], event)
			}
		}
	}
}

// consent puts what the person has decided now before what they decided earlier.
func (l *Life) consent(c Consent) {
	l.contact.Consents = append([]Consent{c}, l.contact.Consents...)
}

// update sets fields of the person: every property but "fields", which only lists what has changed.
func (l *Life) update(props map[string]any) {
	for key, value := range props {
		if key == "fields" {
			continue
		}
		l.contact = *l.contact.Changed(ChangeSetField, key, value)
		if zone, ok := value.(string); ok && key == "zone" {
			l.contact.Zone = zone
		}
	}
}
