package engine

// manualConfig is empty: a person presses a button.
type manualConfig struct{}

// EventManualStart is the event of somebody pressing "Start for ...".
const EventManualStart = "manual_start"

var _ = DefineTrigger(TriggerSpec[manualConfig]{
	Kind: Kind{
		Kind: "manual", Family: FamilyTrigger, Order: 5,
		Title:    "Started by hand",
		Purpose:  "Somebody of your team presses \"Start for ...\" on a contact or a list.",
		Synonyms: []string{"manual", "button", "by hand", "ręcznie", "przycisk", "вручную", "кнопка"},
		Fields:   []Field{},
		Ports:    []PortSpec{},
	},
	Event: func(manualConfig) TriggerEvent { return TriggerEvent{Name: EventManualStart} },
})
