package engine

// exitConfig says which funnels the person leaves.
type exitConfig struct {
	Which  string `json:"which"`
	Funnel string `json:"funnel"`
}

// Which funnels a step takes a person out of.
const (
	exitThis  = "this"
	exitNamed = "named"
	exitAll   = "all"
)

var _ = Define(Spec[exitConfig]{
	Kind: Kind{
		Kind: "exit_funnel", Family: FamilyAction, Order: 12,
		Title:   "Leave a funnel",
		Purpose: "Takes the person out of this funnel, of another one, or of all. What the other funnels have not sent yet is cancelled.",
		Synonyms: []string{"exit", "leave", "stop", "end", "wyjdź", "zakończ", "opuść lejek", "выйти", "закончить",
			"остановить"},
		Fields: []Field{
			{Key: "which", Type: TypeSelect, Label: "Which", Required: true, Default: exitThis, Options: []Option{
				{Value: exitThis, Label: "this funnel"},
				{Value: exitNamed, Label: "another funnel"},
				{Value: exitAll, Label: "all funnels"},
			}},
			{Key: "funnel", Type: TypeRef, Of: "funnel", Label: "Funnel", Required: true,
				ShowIf: []ShowIf{{Key: "which", In: []string{exitNamed}}}},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Run: func(c exitConfig, m *Moment) Outcome {
		detail := map[string]any{"which": c.Which}
		switch c.Which {
		case exitNamed:
			detail["funnel"] = slugOf(c.Funnel)
			m.Do(ExitFunnels{Seq: m.Seq, Node: m.Node, Funnel: slugOf(c.Funnel)})
			return Outcome{Port: portNext, Exit: slugOf(c.Funnel) == m.Self, Detail: detail}
		case exitAll:
			m.Do(ExitFunnels{Seq: m.Seq, Node: m.Node})
		}
		return Outcome{Port: portNext, Exit: true, Detail: detail}
	},
	Ends: func(c exitConfig) bool { return c.Which != exitNamed },
})

// ExitFunnels asks to end the person's runs in one funnel, or in all, but not the run that asks.
type ExitFunnels struct {
	Seq    int
	Node   string
	Funnel string // slug; "" is all
}

func (ExitFunnels) effect() {}
