package engine

import (
	"maps"
	"slices"
	"time"
)

// The kinds of person a simulation may follow.
const (
	PersonReal   = "real"   // somebody of the workspace
	PersonSample = "sample" // every field has a value
	PersonNobody = "nobody" // addresses, and nothing else: finds the texts that lack a fallback
)

// Persons are the kinds of person, in the order to offer them.
func Persons() []string { return []string{PersonReal, PersonSample, PersonNobody} }

// channels are those somebody may agree to.
var channels = []string{ChannelEmail, "sms", "whatsapp", "push", "letter"}

// Sample is a person of whom everything is known that the workspace keeps about people, and who agreed to everything.
func Sample(workspace *Workspace) Contact {
	c := Nobody()
	c.ID = "sample"
	maps.Copy(c.Fields, map[string]any{
		"external_id": "1001", "first_name": "Anna", "last_name": "Kowalska", "language": "en", "source": "sample",
		"created_at": "2026-01-15T09:00:00Z", "updated_at": "2026-01-15T09:00:00Z", "city": "Kraków", "street": "Polna 1", "postal_code": "30-001", "country": "PL",
	})
	if workspace == nil {
		return c
	}
	for _, field := range workspace.Fields {
		if _, known := c.Fields[field.Key]; !known {
			c.Fields[field.Key] = sampleValue(field)
		}
	}
	return c
}

func sampleValue(field ContactField) any {
	switch field.Type {
	case "number":
		return 100.0
	case "boolean":
		return true
	case "date":
		return "2026-12-24"
	default:
		return sampleText(field.Key)
	}
}

// Nobody is a person of whom nothing is known but an e-mail address and a number, and who agreed to everything.
func Nobody() Contact {
	c := Contact{ID: "nobody", Fields: map[string]any{"email": "nobody@example.com", "phone": "+48500100200"}}
	for _, channel := range channels {
		c.Consents = append(c.Consents, Consent{Channel: channel, State: saidGranted})
	}
	return c
}

// UsualEvent is an event that fires the first trigger: with what its condition asks for, and, where full is set, a value
// for every other property the workspace has seen on such events. The error is an *UnsoundError.
func UsualEvent(bundle Bundle, full bool) (Event, error) {
	plan, err := Compile(bundle)
	if err != nil {
		return Event{}, err
	}
	event, first := plan.usualEvent(time.Time{}), plan.triggers[0]
	if full {
		names := slices.Clone(first.event.Props)
		if bundle.Workspace != nil {
			names = append(names, bundle.Workspace.Events[event.Name]...)
		}
		for _, name := range names {
			if _, there := event.Props[name]; !there {
				event.Props[name] = sampleText(name)
			}
		}
	}
	if narrowed, ok := first.config.(interface{ filter() *Where }); ok && narrowed.filter() != nil {
		narrowed.filter().satisfy(event.Props)
	}
	return event, nil
}
