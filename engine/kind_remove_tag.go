package engine

var _ = Define(Spec[tagConfig]{
	Kind: Kind{
		Kind: "remove_tag", Family: FamilyAction, Order: 2,
		Title:    "Remove a tag",
		Purpose:  "Takes a tag off the person.",
		Synonyms: []string{"untag", "remove tag", "usuń tag", "zdejmij etykietę", "удалить тег", "снять метку", "убрать тег"},
		Fields:   []Field{{Key: "tag", Type: TypeRef, Of: "tag", Label: "Tag", Required: true}},
		Ports:    []PortSpec{{ID: portNext}},
	},
	Run: func(c tagConfig, m *Moment) Outcome { return m.changeMembership(ChangeRemoveTag, c.Tag) },
})
