package engine

// listJoinConfig names the list somebody joins.
type listJoinConfig struct {
	List string `json:"list"`
}

var _ = DefineTrigger(TriggerSpec[listJoinConfig]{
	Kind: Kind{
		Kind: "list_join", Family: FamilyTrigger, Order: 3,
		Title:    "Somebody joins a list",
		Purpose:  "A contact is put on a list, for instance the newsletter.",
		Synonyms: []string{"list", "subscribe", "newsletter", "lista", "zapis na listę", "subskrypcja", "список", "подписка"},
		Fields:   []Field{{Key: "list", Type: TypeRef, Of: "list", Label: "List", Required: true}},
		Ports:    []PortSpec{},
	},
	Event: func(c listJoinConfig) TriggerEvent {
		usual := map[string]any{"list": slugOf(c.List)}
		return TriggerEvent{Name: "list_joined", Props: []string{"list"}, Usual: usual, Stays: "list"}
	},
	Matches: func(c listJoinConfig, m *Moment) bool { return slugOf(m.signalProp("list")) == slugOf(c.List) },
})
