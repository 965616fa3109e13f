package engine

import "time"

// enterConfig says which funnel the person comes into too, what it is told, and whether this one waits for it.
type enterConfig struct {
	Funnel string      `json:"funnel"`
	Vars   []passedVar `json:"vars"`
	Wait   bool        `json:"wait"`
}

type passedVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KindEnterFunnel is the kind by which funnels call each other.
const KindEnterFunnel = "enter_funnel"

// The ports of a call of another funnel.
const (
	PortEntered = "entered"
	PortRefused = "refused"
)

// EnterFunnel is what an enter_funnel asks for, with its merge text filled in.
type EnterFunnel struct {
	Funnel string         `json:"funnel"` // slug
	Vars   map[string]any `json:"vars,omitempty"`
	Wait   bool           `json:"wait,omitempty"` // answer when the run that is started has ended
}

// enterPatience is how long a person waits to be let in when nobody answers.
const enterPatience = 24 * time.Hour

var _ = Define(Spec[enterConfig]{
	Kind: Kind{
		Kind: KindEnterFunnel, Family: FamilyAction, Order: 11,
		Title:   "Enter another funnel",
		Purpose: "Starts another funnel for the person, one that can be started by hand, in its newest version.",
		Synonyms: []string{"call", "sub-flow", "start a funnel", "go to", "uruchom lejek", "wejdź do lejka", "podlejek",
			"запустить воронку", "войти в воронку", "перейти"},
		Fields: []Field{
			{Key: "funnel", Type: TypeRef, Of: "funnel", Label: "Funnel", Required: true, Help: "One that starts by hand."},
			{Key: "vars", Type: TypePairs, Of: "value", Label: "Variables for it", Help: "Its messages and steps know them as vars.name."},
			{Key: "wait", Type: TypeBool, Label: "Wait until they are through it", Help: "Otherwise they go on here at once."},
		},
		Ports: []PortSpec{{ID: PortEntered, Label: "They are in"}, {ID: PortRefused, Label: "Not let in"}},
	},
	Check: func(c enterConfig, k *Checker) {
		for i, v := range c.Vars {
			if !variablePattern.MatchString(v.Name) {
				k.Invalid(joinPath(joinIndex("", "vars", i), "name"), quote(v.Name)+" is no name of a variable. Use small letters, digits and _, such as plan.").
					with("value", v.Name)
			}
		}
		k.checkCallable("funnel", slugOf(c.Funnel))
	},
	Run: func(c enterConfig, m *Moment) Outcome {
		vars := map[string]any{}
		var lacking []string
		for _, v := range c.Vars {
			value, err := m.Value(v.Value)
			if err != nil {
				lacking = append(lacking, v.Name)
				continue
			}
			vars[v.Name] = value
		}
		out := m.call(KindEnterFunnel, EnterFunnel{Funnel: slugOf(c.Funnel), Vars: vars, Wait: c.Wait}, m.At.Add(enterPatience), PortRefused)
		if out.Detail != nil && len(lacking) > 0 {
			out.Detail["lacking"] = lacking
		}
		return out
	},
})
