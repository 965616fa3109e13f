package engine

// EventBookingMade is the event of somebody who has booked.
const EventBookingMade = "booking_made"

const propResource = "resource"

// bookingMadeConfig names what was booked.
type bookingMadeConfig struct {
	Resource string `json:"resource"`
}

var _ = DefineTrigger(TriggerSpec[bookingMadeConfig]{
	Kind: Kind{
		Kind: "booking_made", Family: FamilyTrigger, Order: 8,
		Title:   "A booking is made",
		Purpose: "Somebody books a time: on the booking page, over the API or by a step of a funnel.",
		Synonyms: []string{"booking", "appointment", "reservation", "calendar", "rezerwacja", "wizyta", "termin", "kalendarz",
			"бронирование", "запись", "встреча", "календарь"},
		Fields: []Field{{Key: "resource", Type: TypeRef, Of: "resource", Label: "What was booked", Help: "Empty: anything."}},
		Ports:  []PortSpec{},
	},
	Event: func(c bookingMadeConfig) TriggerEvent {
		usual := map[string]any{}
		if c.Resource != "" {
			usual[propResource] = slugOf(c.Resource)
		}
		return TriggerEvent{Name: EventBookingMade, Props: internalEvents[EventBookingMade], Usual: usual}
	},
	Matches: func(c bookingMadeConfig, m *Moment) bool {
		return c.Resource == "" || m.signalProp(propResource) == slugOf(c.Resource)
	},
})
