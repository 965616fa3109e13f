package engine

// entryConfig says who comes into the funnel: on what, filtered by what, and how often.
type entryConfig struct {
	Triggers []triggerConfig `json:"triggers"`
	Filter   *Question       `json:"filter"`
	Reentry  Reentry         `json:"reentry"`

	KeepOnUnsubscribe bool `json:"keep_on_unsubscribe"`
}

var _ = Define(Spec[entryConfig]{
	Kind: Kind{
		Kind: KindEntry, Family: FamilyTrigger, Order: 1,
		Title:    "Start",
		Purpose:  "Says what brings a person into the funnel, who is let in, and how often.",
		Synonyms: []string{"trigger", "entry", "begin", "start", "wejście", "wyzwalacz", "początek", "запуск", "вход", "триггер", "начало"},
		Fields: []Field{
			{Key: "triggers", Type: TypeTriggers, Label: "Starts when", Required: true},
			{Key: "filter", Type: TypeRule, Label: "Only people for whom",
				Help: "Looked at once, when the trigger fires. It sees the person and the event."},
			{Key: "reentry", Type: TypeReentry, Label: "How often one person may go through",
				Help:    "Once ever; again after they have left; start over on each trigger; or once per key, such as a cart.",
				Default: Reentry{Rule: ReentryOnce}},
			{Key: "keep_on_unsubscribe", Type: TypeBool, Label: "Keep people who unsubscribe",
				Help: "Their marketing messages stay unsent, but they go the rest of the way. Otherwise they leave once only marketing is ahead."},
		},
		Ports: []PortSpec{{ID: portNext}},
		NoIn:  true, Single: true,
	},
	Check: checkEntry,
	Run: func(_ entryConfig, m *Moment) Outcome {
		return leave(portNext, nil)
	},
	Reads: func(c entryConfig) []*Question { return questions(c.Filter) },
})

// KindEntry is the kind every funnel has exactly once.
const KindEntry = "entry"

// CodeReentryOnce warns that a funnel which starts again and again lets everybody through only once.
const CodeReentryOnce = "REENTRY_ONCE_RECURRING"

func checkEntry(c entryConfig, k *Checker) {
	if c.Reentry.Rule != ReentryOnce || !c.recurs() {
		return
	}
	k.inside("reentry").Warning(CodeReentryOnce, "rule",
		"This funnel starts again and again for the same people, but lets each of them through only once. Let them in again after they have left.").
		fix("Again after they have left", "rule", ReentryAfterExit)
}

// recurs tells whether one of the triggers fires for the same person again and again.
func (c entryConfig) recurs() bool {
	for _, config := range c.Triggers {
		if definition := triggerKinds[config.Kind]; definition != nil {
			if bound, err := definition.bind(config.Config); err == nil && bound.recurs {
				return true
			}
		}
	}
	return false
}

// reentryRule is the re-entry rule: the one that is set, else what suits the triggers.
func (c entryConfig) reentryRule() string {
	if c.Reentry.Rule == "" && c.recurs() {
		return ReentryAfterExit
	}
	return c.Reentry.rule()
}
