package engine

// conditionConfig is a question asked once, on arrival.
type conditionConfig struct {
	Rule *Question `json:"rule"`
}

var _ = Define(Spec[conditionConfig]{
	Kind: Kind{
		Kind: "condition", Family: FamilyLogic, Order: 1,
		Title:   "Check a condition",
		Purpose: "Sends people for whom a rule is true one way and all others the other way.",
		Synonyms: []string{"if", "branch", "yes no", "filter", "decision", "jeśli", "warunek", "czy", "decyzja",
			"если", "условие", "ветка", "проверка"},
		Fields: []Field{{Key: "rule", Type: TypeRule, Label: "Is this true?", Required: true,
			Help: "Looked at once, when the person gets here. A missing value makes a comparison false."}},
		Ports: []PortSpec{{ID: portYes, Label: "Yes"}, {ID: portNo, Label: "No"}},
	},
	Run: func(c conditionConfig, m *Moment) Outcome {
		verdict := m.Ask(c.Rule)
		port := portNo
		if verdict.True {
			port = portYes
		}
		return leave(port, because(verdict))
	},
	Reads: func(c conditionConfig) []*Question { return questions(c.Rule) },
})
