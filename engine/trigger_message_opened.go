package engine

// messageOpenedConfig names the messages whose opening counts.
type messageOpenedConfig struct {
	Message messageRef `json:"message"`
}

var _ = DefineTrigger(TriggerSpec[messageOpenedConfig]{
	Kind: Kind{
		Kind: "message_opened", Family: FamilyTrigger, Order: 7,
		Title:    "Somebody opens a message",
		Purpose:  "A person opens a message for the first time. Programs that only fetch pictures do not count.",
		Synonyms: []string{"open", "read", "otwarcie", "otwiera", "przeczytał", "открытие", "открыл", "прочитал"},
		Fields:   []Field{messageField()},
		Ports:    []PortSpec{},
	},
	Event: func(c messageOpenedConfig) TriggerEvent {
		return TriggerEvent{Name: "message_opened", Props: internalEvents["message_opened"], Usual: c.Message.usual()}
	},
	Matches: func(c messageOpenedConfig, m *Moment) bool { return c.Message.picks(m) },
})
