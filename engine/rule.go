package engine

import (
	"encoding/json"
	"time"
)

// Rule is a condition on a person, decoded from JSON. Exactly one member (or Field with Op and Value) is set.
//
// Rules are two-valued: a comparison with a missing value is false, and a negative operator or Not is the exact complement
// of its positive, so "city is not Kraków" holds for those whose city is unknown. An empty text is a missing value. Texts
// are compared without regard to case (Unicode simple folding), numbers as float64, days in the workspace's zone.
type Rule struct { //nolint:recvcheck // JSON is written of values, all else reads through the pointer
	All []Rule // holds when every part does
	Any []Rule // holds when a part does
	Not *Rule

	Field string // a contact field, or event.*, vars.*; inside a where a property of that event
	Op    Op
	Value any // what Op compares with: string, float64, bool, []any or Duration

	Event   *EventRule
	Tag     string // slug without its prefix, as List and Segment
	List    string
	Segment string
	Consent *ConsentRule
	Message *MessageRule
}

// EventRule compares a figure over the events of one name. Of no events count and sum are 0; min, max, avg, first and
// last are missing. Without Op it holds when the event happened at all.
type EventRule struct {
	Name     string
	Agg      Agg
	Property string // of sum, min, max and avg; events where it is not a number are left out
	Op       Op
	Value    any
	Within   *Duration // the half-open (now - Within, now], a day being 24 hours; nil is ever
	Where    *Rule     // which events count; its bare fields are properties of the event
}

// Agg is the figure an EventRule takes of events.
type Agg string

// The figures over events. First and Last are instants, the others numbers.
const (
	Count Agg = "count"
	Sum   Agg = "sum"
	Min   Agg = "min"
	Max   Agg = "max"
	Avg   Agg = "avg"
	First Agg = "first"
	Last  Agg = "last"
)

// ConsentRule holds when the person's consent for the channel, or for one of its topics, is in State (granted, denied or
// unknown). A consent nobody gave or refused is unknown.
type ConsentRule struct {
	Channel string
	Topic   string // slug without its prefix; "" is the channel as a whole
	State   string
}

// MessageRule holds when the message of a step of this run was sent, delivered, opened, clicked, replied or bounced.
type MessageRule struct {
	Step string
	Did  string
}

// RuleInput is what a compiled rule looks at.
type RuleInput struct {
	Now     time.Time
	Contact *Contact       // nil: nobody, every field is missing
	Event   map[string]any // properties of the run's trigger event, as event.*
	Vars    map[string]any // variables of the run, as vars.*
	Props   map[string]any // of a rule compiled as a where: properties of the event it filters
	Zone    *time.Location // the workspace's, for days; nil is UTC
}

// Verdict is a rule's answer about one person at one instant.
type Verdict struct {
	True       bool
	NextChange time.Time // when the passing of time alone may change the answer: early at most, never late; zero is never
	Explain    []Fact    // one per comparison, in the order of the document
}

// Fact is one comparison of a rule with the value it met, ready to be said.
type Fact struct {
	Path    string `json:"path"`    // inside the rule, such as all.0
	Subject string `json:"subject"` // "city", "event.total", "purchase", "tag vip"
	Op      Op     `json:"op,omitempty"`
	Want    any    `json:"want,omitempty"`
	Got     any    `json:"got,omitempty"` // nil: missing
	True    bool   `json:"true"`
	Text    string `json:"text"` // in English: "city is Kraków: no, it is Łódź"
}

// RuleError is why a rule could not be read.
type RuleError struct{ Problems []Problem }

// Error says the first problem.
func (e *RuleError) Error() string { return e.Problems[0].Message }

// UnmarshalJSON reads a rule strictly. Its error is a *RuleError that names every mistake with its place.
func (r *Rule) UnmarshalJSON(raw []byte) error {
	rule, problems := DecodeRule(raw)
	if len(problems) > 0 {
		return &RuleError{problems}
	}
	*r = *rule
	return nil
}

// MarshalJSON writes the document DecodeRule reads.
func (r Rule) MarshalJSON() ([]byte, error) {
	wire := map[string]any{}
	switch {
	case r.All != nil:
		wire["all"] = r.All
	case r.Any != nil:
		wire["any"] = r.Any
	case r.Not != nil:
		wire["not"] = r.Not
	case r.Event != nil:
		wire["event"] = r.Event
	case r.Tag != "":
		wire["tag"] = "tag:" + r.Tag
	case r.List != "":
		wire["list"] = "list:" + r.List
	case r.Segment != "":
		wire["segment"] = "segment:" + r.Segment
	case r.Consent != nil:
		consent := map[string]any{"channel": r.Consent.Channel, "state": r.Consent.State}
		if r.Consent.Topic != "" {
			consent["topic"] = "topic:" + r.Consent.Topic
		}
		wire["consent"] = consent
	case r.Message != nil:
		wire["message"] = map[string]any{"step": r.Message.Step, "did": r.Message.Did}
	default:
		wire["field"], wire["op"] = r.Field, r.Op
		if r.Value != nil {
			wire["value"] = r.Value
		}
	}
	return json.Marshal(wire)
}

// MarshalJSON writes the member "event" of a rule.
func (e EventRule) MarshalJSON() ([]byte, error) {
	wire := map[string]any{"name": e.Name, "agg": e.Agg, "op": e.Op}
	if e.Value != nil {
		wire["value"] = e.Value
	}
	if e.Property != "" {
		wire["property"] = e.Property
	}
	if e.Within != nil {
		wire["within"] = e.Within
	}
	if e.Where != nil {
		wire["where"] = e.Where
	}
	return json.Marshal(wire)
}

// EventNames lists the names of the events the rule looks at, in the order of the document, each once.
func (r *Rule) EventNames() []string {
	var names []string
	seen := map[string]bool{}
	r.walk("", func(_ string, leaf *Rule) {
		if leaf.Event != nil && !seen[leaf.Event.Name] {
			seen[leaf.Event.Name] = true
			names = append(names, leaf.Event.Name)
		}
	})
	return names
}

// MessageSteps lists the steps whose messages the rule looks at.
func (r *Rule) MessageSteps() []string {
	var steps []string
	r.walk("", func(_ string, leaf *Rule) {
		if leaf.Message != nil {
			steps = append(steps, leaf.Message.Step)
		}
	})
	return steps
}

// walk visits every leaf with its path, in the order of the document.
func (r *Rule) walk(path string, visit func(path string, leaf *Rule)) {
	switch {
	case r == nil:
	case r.All != nil:
		for i := range r.All {
			r.All[i].walk(joinIndex(path, "all", i), visit)
		}
	case r.Any != nil:
		for i := range r.Any {
			r.Any[i].walk(joinIndex(path, "any", i), visit)
		}
	case r.Not != nil:
		r.Not.walk(joinPath(path, "not"), visit)
	default:
		visit(path, r)
	}
}
