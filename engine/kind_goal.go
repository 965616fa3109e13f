package engine

// goalConfig says what the funnel is for. It is watched from the start of a run, wherever the person is.
type goalConfig struct {
	Mode  string      `json:"mode"`
	Event *EventMatch `json:"event"`
	Rule  *Question   `json:"rule"`
}

// The modes of a goal.
const (
	goalEvent = "event"
	goalRule  = "rule"
)

// KindGoal is the kind of a second root: what the person should do.
const KindGoal = "goal"

var _ = Define(Spec[goalConfig]{
	Kind: Kind{
		Kind: KindGoal, Family: FamilyGoal, Order: 1,
		Title:   "Goal",
		Purpose: "Whoever does this, wherever they are in the funnel, is done: the rest is cancelled, unsent messages too.",
		Synonyms: []string{"goal", "conversion", "target", "success", "stop", "end", "finish", "cel", "konwersja", "sukces", "koniec", "zakończ",
			"цель", "конверсия", "успех", "конец", "стоп", "закончить"},
		Fields: []Field{
			{Key: "mode", Type: TypeSelect, Label: "Reached when", Required: true, Default: goalEvent, Options: []Option{
				{Value: goalEvent, Label: "something happens"},
				{Value: goalRule, Label: "a rule is true"},
			}},
			{Key: "event", Type: TypeEvent, Label: "This happens", Required: true,
				ShowIf: []ShowIf{{Key: "mode", In: []string{goalEvent}}}},
			{Key: "rule", Type: TypeRule, Label: "This is true", Required: true,
				ShowIf: []ShowIf{{Key: "mode", In: []string{goalRule}}}},
		},
		Ports: []PortSpec{{ID: portReached, Label: "Reached"}},
		NoIn:  true,
	},
	Run: func(_ goalConfig, m *Moment) Outcome { return leave(portReached, nil) },
	Reached: func(c goalConfig, m *Moment) Arrival {
		if c.Mode == goalRule {
			if m.Signal != nil {
				return Arrival{} // asked once an advance, before any signal
			}
			verdict := m.Ask(c.Rule)
			return Arrival{Reached: verdict.True, Look: verdict.NextChange, Detail: because(verdict)}
		}
		if !c.Event.matches(m) {
			return Arrival{}
		}
		return Arrival{Reached: true, Detail: m.signalDetail()}
	},
	Wakes: func(c goalConfig) []string {
		if c.Mode == goalEvent {
			return eventsOf(c.Event)
		}
		return nil
	},
	Watches: func(c goalConfig) []*Question {
		if c.Mode == goalRule {
			return questions(c.Rule)
		}
		return nil
	},
})
