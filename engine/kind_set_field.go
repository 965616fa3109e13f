package engine

// setFieldConfig writes merge text into a field of the contact.
type setFieldConfig struct {
	Field string `json:"field"`
	Value string `json:"value"`
}

var _ = Define(Spec[setFieldConfig]{
	Kind: Kind{
		Kind: "set_field", Family: FamilyAction, Order: 3,
		Title:   "Set a field",
		Purpose: "Writes a value into a field of the person, fixed or taken from the event.",
		Synonyms: []string{"update contact", "field", "property", "attribute", "ustaw pole", "zmień dane", "pole",
			"изменить поле", "поле", "записать"},
		Fields: []Field{
			{Key: "field", Type: TypeRef, Of: "field", Label: "Field", Required: true},
			{Key: "value", Type: TypeMerge, Label: "Value", Required: true, Max: new(1000.0),
				Help: "Text with variables. A single variable keeps its type. An empty result clears the field."},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Run: func(c setFieldConfig, m *Moment) Outcome {
		field := slugOf(c.Field)
		value, err := m.Value(c.Value)
		if err != nil {
			return leave(portNext, map[string]any{"field": field, "skipped": err.Error()})
		}
		m.Change(ChangeSetField, field, value)
		return leave(portNext, map[string]any{"field": field, "value": value})
	},
})
