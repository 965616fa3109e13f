package engine

// tagConfig names one tag.
type tagConfig struct {
	Tag string `json:"tag"`
}

var _ = Define(Spec[tagConfig]{
	Kind: Kind{
		Kind: "add_tag", Family: FamilyAction, Order: 1,
		Title:    "Add a tag",
		Purpose:  "Puts a tag on the person.",
		Synonyms: []string{"tag", "label", "mark", "dodaj tag", "etykieta", "oznacz", "добавить тег", "метка", "отметить"},
		Fields:   []Field{{Key: "tag", Type: TypeRef, Of: "tag", Label: "Tag", Required: true}},
		Ports:    []PortSpec{{ID: portNext}},
	},
	Run: func(c tagConfig, m *Moment) Outcome { return m.changeMembership(ChangeAddTag, c.Tag) },
})
