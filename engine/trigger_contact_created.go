package engine

// contactCreatedConfig is a person who is new to the workspace.
type contactCreatedConfig struct {
	Source string `json:"source"`
}

var _ = DefineTrigger(TriggerSpec[contactCreatedConfig]{
	Kind: Kind{
		Kind: "contact_created", Family: FamilyTrigger, Order: 2,
		Title:   "A contact appears",
		Purpose: "Somebody becomes a contact for the first time: by the API, by hand or by an event.",
		Synonyms: []string{"new contact", "sign up", "signup", "lead", "nowy kontakt", "rejestracja", "zapis",
			"новый контакт", "регистрация", "лид"},
		Fields: []Field{{Key: "source", Type: TypeText, Label: "From", Max: new(100.0),
			Help: "Only contacts from this source, such as api or manual. Empty: from anywhere."}},
		Ports: []PortSpec{},
	},
	Event: func(c contactCreatedConfig) TriggerEvent {
		usual := map[string]any{"source": c.Source}
		return TriggerEvent{Name: "contact_created", Props: []string{"source"}, Usual: usual}
	},
	Matches: func(c contactCreatedConfig, m *Moment) bool {
		return c.Source == "" || m.signalProp("source") == c.Source
	},
})
