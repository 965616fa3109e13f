package engine

// listConfig names one list.
type listConfig struct {
	List string `json:"list"`
}

var _ = Define(Spec[listConfig]{
	Kind: Kind{
		Kind: "add_to_list", Family: FamilyAction, Order: 4,
		Title:   "Add to a list",
		Purpose: "Puts the person on a list.",
		Synonyms: []string{"list", "subscribe", "join", "dodaj do listy", "lista", "zapisz", "добавить в список", "список",
			"подписать"},
		Fields: []Field{{Key: "list", Type: TypeRef, Of: "list", Label: "List", Required: true}},
		Ports:  []PortSpec{{ID: portNext}},
	},
	Run: func(c listConfig, m *Moment) Outcome { return m.changeMembership(ChangeAddList, c.List) },
})
