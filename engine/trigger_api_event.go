package engine

// apiEventConfig is an event the customer's own application sends.
type apiEventConfig struct {
	Name  string `json:"name"`
	Where *Where `json:"where"`
}

var _ = DefineTrigger(TriggerSpec[apiEventConfig]{
	Kind: Kind{
		Kind: "api_event", Family: FamilyTrigger, Order: 1,
		Title:   "An event arrives",
		Purpose: "Your application sends an event over the API, such as a purchase or a sign-up.",
		Synonyms: []string{"api", "event", "purchase", "webhook", "custom event", "zdarzenie", "zakup", "zamówienie",
			"событие", "покупка", "заказ"},
		Fields: []Field{
			{Key: "name", Type: TypeEventName, Label: "Event", Required: true},
			{Key: "where", Type: TypeRule, Of: "event", Label: "Only when",
				Help: "A rule on the event's own properties, such as total above 100."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c apiEventConfig) TriggerEvent { return TriggerEvent{Name: c.Name, Open: true} },
	Matches: func(c apiEventConfig, m *Moment) bool {
		return m.picks(c.Where)
	},
})

// filter is what the event has to be like.
func (c apiEventConfig) filter() *Where { return c.Where }
