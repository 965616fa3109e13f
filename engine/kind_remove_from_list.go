package engine

var _ = Define(Spec[listConfig]{
	Kind: Kind{
		Kind: "remove_from_list", Family: FamilyAction, Order: 5,
		Title:   "Take off a list",
		Purpose: "Takes the person off a list.",
		Synonyms: []string{"list", "unsubscribe", "leave", "usuń z listy", "lista", "wypisz", "убрать из списка", "список",
			"отписать"},
		Fields: []Field{{Key: "list", Type: TypeRef, Of: "list", Label: "List", Required: true}},
		Ports:  []PortSpec{{ID: portNext}},
	},
	Run: func(c listConfig, m *Moment) Outcome { return m.changeMembership(ChangeRemoveList, c.List) },
})
