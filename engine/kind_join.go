package engine

// joinConfig is empty: a join only merges.
type joinConfig struct{}

var _ = Define(Spec[joinConfig]{
	Kind: Kind{
		Kind: "join", Family: FamilyLogic, Order: 3,
		Title:    "Bring together",
		Purpose:  "Merges branches into one way; whoever comes goes straight on.",
		Synonyms: []string{"merge", "join", "połącz", "scal", "объединить", "слияние"},
		Fields:   []Field{},
		Ports:    []PortSpec{{ID: portNext}},
	},
	Run: func(joinConfig, *Moment) Outcome { return leave(portNext, nil) },
})
