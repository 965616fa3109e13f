package engine

// tagAddedConfig names the tag somebody gets.
type tagAddedConfig struct {
	Tag string `json:"tag"`
}

var _ = DefineTrigger(TriggerSpec[tagAddedConfig]{
	Kind: Kind{
		Kind: "tag_added", Family: FamilyTrigger, Order: 4,
		Title:    "A tag is added",
		Purpose:  "A contact gets a tag they did not have.",
		Synonyms: []string{"tag", "label", "tagged", "tag dodany", "etykieta", "тег", "метка"},
		Fields:   []Field{{Key: "tag", Type: TypeRef, Of: "tag", Label: "Tag", Required: true}},
		Ports:    []PortSpec{},
	},
	Event: func(c tagAddedConfig) TriggerEvent {
		usual := map[string]any{"tag": slugOf(c.Tag)}
		return TriggerEvent{Name: "tag_added", Props: []string{"tag"}, Usual: usual, Stays: "tag"}
	},
	Matches: func(c tagAddedConfig, m *Moment) bool { return slugOf(m.signalProp("tag")) == slugOf(c.Tag) },
})
