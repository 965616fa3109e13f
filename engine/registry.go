package engine

import (
	"encoding/json"
	"fmt"
	"time"
)

// Spec defines a node kind whose config is a C: what it is called, what can be set, where it leads, what it does. One Go
// file per kind holds one Spec; the embedded Kind is its entry of the catalogue.
//
// Everything but Kind and Run may be nil.
type Spec[C any] struct {
	Kind

	// Check finds what the fields alone cannot say. It is asked only about a config whose fields are sound.
	Check func(C, *Checker)

	// Run is asked when a run arrives at the node and, while it stays there, on every signal and every wake. It answers
	// whether the run leaves, and by which port, or stays, and until when.
	Run func(C, *Moment) Outcome

	// Reached tells whether a goal is reached, by the signal of the moment or by what is true now.
	Reached func(C, *Moment) Arrival

	// Wakes lists the names of events that may move a run staying here.
	Wakes func(C) []string

	// Reads lists the rules asked here, once on arrival; Watches those asked again whenever their answer may change.
	Reads   func(C) []*Question
	Watches func(C) []*Question

	// Gives lists the variables a visit may set, as vars.*; nil takes those of Kind.Vars. With Surely set, one that leaves by the
	// first port has set them all.
	Gives  func(C) []string
	Surely bool

	// Local tells that a stay ends at a time of the person's zone, Slow that a visit always takes a minute or longer.
	Local func(C) bool
	Slow  func(C) bool

	// Ends tells that the run always ends here, whatever its port leads to.
	Ends func(C) bool
}

// TriggerSpec defines a trigger kind: which event starts a run.
type TriggerSpec[C any] struct {
	Kind

	// Event names the event that fires the trigger and the properties it is known to carry; with open set it may carry
	// any other too.
	Event func(C) TriggerEvent

	// Matches narrows the events of that name; nil takes all.
	Matches func(C, *Moment) bool

	// Check finds what the fields alone cannot say. It is asked only about a config whose fields are sound.
	Check func(C, *Checker)

	// Counts lists the names of events Matches looks back at; nil is none.
	Counts func(C) []string

	// Recurs tells that it fires for the same person again and again, so that one run ever is hardly meant.
	Recurs func(C) bool

	// Schedule and Date are the times that have to be kept for it, for everybody of an audience or for each person.
	Schedule func(C) *Schedule
	Date     func(C) *DateWatch
}

// TriggerEvent is the event a trigger waits for.
type TriggerEvent struct {
	Name  string
	Props []string       // properties every such event carries
	Open  bool           // the sender decides what else it carries
	Usual map[string]any // what it carries when it fires the trigger, as far as the config says
	Again int            // how many such events have to come before it; a simulation makes them
	Stays string         // "list", "tag" or "segment": the person is in it from then on, the one Usual names; "" when it passes
}

// definition is a node kind with its config type erased.
type definition struct {
	Kind

	newConfig func() any
	bind      func(raw json.RawMessage) (step, error)
}

// step is one node ready to run: a kind bound to one config.
type step struct {
	check   func(*Checker)
	run     func(*Moment) Outcome
	reached func(*Moment) Arrival
	wakes   []string
	reads   []*Question
	watches []*Question
	gives   []string
	surely  bool
	local   bool
	slow    bool
	ends    bool
	config  any
}

// triggerDefinition is a trigger kind with its config type erased.
type triggerDefinition struct {
	Kind

	newConfig func() any
	bind      func(raw json.RawMessage) (trigger, error)
}

// trigger is one way into a funnel: a trigger kind bound to one config.
type trigger struct {
	kind    string
	event   TriggerEvent
	matches func(*Moment) bool
	check   func(*Checker)
	counts  []string
	config  any

	recurs   bool
	schedule *Schedule
	date     *DateWatch
}

// registry is filled while the package initialises and only read afterwards.
var (
	nodeKinds    = map[string]*definition{}
	triggerKinds = map[string]*triggerDefinition{}
)

// Define registers a node kind. A second kind of the same name is a mistake in the program and panics.
func Define[C any](spec Spec[C]) Kind {
	mustBeNew(spec.Kind, nodeKinds)
	nodeKinds[spec.Kind.Kind] = &definition{
		Kind:      spec.Kind,
		newConfig: func() any { return new(C) },
		bind: func(raw json.RawMessage) (step, error) {
			var config C
			if err := decodeConfig(raw, &config); err != nil {
				return step{}, err
			}
			bound := spec.step(config)
			if spec.Gives == nil {
				bound.gives = spec.varsOf(raw)
			}
			return bound, nil
		},
	}
	return spec.Kind
}

// DefineTrigger registers a trigger kind; see Define.
func DefineTrigger[C any](spec TriggerSpec[C]) Kind {
	mustBeNew(spec.Kind, triggerKinds)
	triggerKinds[spec.Kind.Kind] = &triggerDefinition{
		Kind:      spec.Kind,
		newConfig: func() any { return new(C) },
		bind: func(raw json.RawMessage) (trigger, error) {
			var config C
			if err := decodeConfig(raw, &config); err != nil {
				return trigger{}, err
			}
			bound := trigger{kind: spec.Kind.Kind, event: spec.Event(config), config: config}
			bound.matches = func(m *Moment) bool { return spec.Matches == nil || spec.Matches(config, m) }
			if spec.Check != nil {
				bound.check = func(k *Checker) { spec.Check(config, k) }
			}
			if spec.Counts != nil {
				bound.counts = spec.Counts(config)
			}
			bound.recurs = spec.Recurs != nil && spec.Recurs(config)
			if spec.Schedule != nil {
				bound.schedule = spec.Schedule(config)
			}
			if spec.Date != nil {
				bound.date = spec.Date(config)
			}
			return bound, nil
		},
	}
	return spec.Kind
}

// step binds the closures of the kind to one config.
func (s Spec[C]) step(config C) step {
	bound := step{config: config, run: func(m *Moment) Outcome { return s.Run(config, m) }}
	if s.Check != nil {
		bound.check = func(c *Checker) { s.Check(config, c) }
	}
	if s.Reached != nil {
		bound.reached = func(m *Moment) Arrival { return s.Reached(config, m) }
	}
	if s.Wakes != nil {
		bound.wakes = s.Wakes(config)
	}
	if s.Reads != nil {
		bound.reads = s.Reads(config)
	}
	if s.Watches != nil {
		bound.watches = s.Watches(config)
	}
	if s.Gives != nil {
		bound.gives = s.Gives(config)
	}
	bound.surely = s.Surely
	bound.local = s.Local != nil && s.Local(config)
	bound.slow = s.Slow != nil && s.Slow(config)
	bound.ends = s.Ends != nil && s.Ends(config)
	return bound
}

func mustBeNew[D any](kind Kind, known map[string]D) {
	if _, taken := known[kind.Kind]; taken || kind.Kind == "" {
		panic(fmt.Sprintf("engine: the kind %q is defined twice", kind.Kind))
	}
}

func decodeConfig(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// Outcome is a node's answer to a Moment.
type Outcome struct {
	Port   string         // leave by this port; "" stays
	Exit   bool           // leaving ends the run; its messages leave all the same, as after any end it came to by itself
	Quiet  *QuietHours    // the hours in which the run's later messages do not leave; nil leaves them as they are
	Vars   map[string]any // variables of the run from here on, as vars.*
	At     time.Time      // when it left, by due instants; zero is the moment's own
	Until  time.Time      // staying: when the stay ends whatever happens
	Look   time.Time      // staying: when to look again before Until; zero never
	Detail map[string]any // what the decision was made on, for the journal
}

// Arrival is a goal's answer to a Moment.
type Arrival struct {
	Reached bool
	Look    time.Time // when to look again; zero never
	Detail  map[string]any
}
