package engine

import (
	"fmt"
	"time"
)

// bookSlotConfig says what is booked, and which of its times.
type bookSlotConfig struct {
	Resource string   `json:"resource"`
	Rule     string   `json:"rule"`
	Within   Duration `json:"within"`
	Property string   `json:"property"`
}

// The rules of a book_slot.
const (
	BookFirst     = "first"
	BookFromEvent = "from_event"
)

// BookSlotRequest is what a book_slot asks for.
type BookSlotRequest struct {
	Resource string    `json:"resource"` // slug
	Rule     string    `json:"rule"`
	Until    time.Time `json:"until"`          // first: the slot begins before it
	From     string    `json:"from,omitempty"` // from_event: what the event says, see ParseMoment
}

// The variables of a booking.
const (
	varBookingAt  = "booking_at"
	varBookingURL = "booking_url"
)

const (
	portBooked      = "booked"
	portFull        = "full"
	bookingPatience = time.Hour
	eventTime       = "from" // the property of a time where none is named
)

var _ = Define(Spec[bookSlotConfig]{
	Kind: Kind{
		Kind: "book_slot", Family: FamilyAction, Order: 12,
		Title:   "Book a time",
		Purpose: "Books a free time for the person. Later messages can say when it is and link to where it can be moved or cancelled.",
		Synonyms: []string{"booking", "appointment", "calendar", "meeting", "zarezerwuj", "rezerwacja", "termin", "spotkanie",
			"забронировать", "запись", "встреча", "календарь"},
		Fields: []Field{
			{Key: "resource", Type: TypeRef, Of: "resource", Label: "What to book", Required: true},
			{Key: "rule", Type: TypeSelect, Label: "Which time", Required: true, Default: BookFirst, Options: []Option{
				{Value: BookFirst, Label: "the first free one"},
				{Value: BookFromEvent, Label: "the one the event names"},
			}},
			{Key: "within", Type: TypeDuration, Label: "Within", Required: true, Min: new(1.0), Default: Duration{Amount: 14, Unit: Days},
				ShowIf: []ShowIf{{Key: "rule", In: []string{BookFirst}}}},
			{Key: "property", Type: TypeText, Label: "Property with the time", Max: new(100.0),
				Help:   "Of the event that started the funnel. Empty: from.",
				ShowIf: []ShowIf{{Key: "rule", In: []string{BookFromEvent}}}},
		},
		Ports: []PortSpec{{ID: portBooked, Label: "Booked"}, {ID: portFull, Label: "Nothing free"}},
		Vars:  []VarSpec{{Name: varBookingAt}, {Name: varBookingURL}},
	},
	Check: func(c bookSlotConfig, k *Checker) {
		if c.Property != "" && !keyPattern.MatchString(c.Property) {
			k.Invalid("property", fmt.Sprintf("%s is no property of an event. Write a name such as from or visit.at.", quote(c.Property))).with("value", c.Property)
		}
	},
	Run: func(c bookSlotConfig, m *Moment) Outcome {
		request := BookSlotRequest{Resource: slugOf(c.Resource), Rule: c.Rule}
		switch c.Rule {
		case BookFromEvent:
			property := c.Property
			if property == "" {
				property = eventTime
			}
			request.From = keyOf(m.Run.Event, property)
		default:
			request.Until = AddDuration(m.At, c.Within, nil, m.Zone)
		}
		return m.call("book_slot", request, m.Now.Add(bookingPatience), portFull)
	},
})

// ParseMoment reads an instant (RFC 3339), or a local date and time such as 2026-12-24T09:00 as the clocks of a zone show it.
func ParseMoment(text string, zone *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	return ParseLocal(text, zone)
}
