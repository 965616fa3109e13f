package engine

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Admission is a funnel's answer to an event: whether it starts a run for the person, and which runs stand against it.
// Whether the slot is free only the caller can know, under the lock of the contact.
type Admission struct {
	Trigger string         // kind of the trigger that fired; "" when none does
	Refused string         // why the person is not let in all the same; "" when they are
	Detail  map[string]any // what was decided on, for the event log
	Reentry Reentry
	Key     string // of a run with re-entry "each"
	Slot    string // two runs of a funnel and person never hold the same slot

	Occurrence string // names what happened, however often it is told: it makes one run at most. "" is the event itself
}

// Why a trigger that fired starts nothing.
const (
	RefusedFilter = "filter"       // the entry's filter is false
	RefusedGoal   = "goal_reached" // a goal is true already
	RefusedKey    = "no_key"       // the event lacks the property that tells runs apart
)

// Starts tells whether the person is let in.
func (a Admission) Starts() bool { return a.Trigger != "" && a.Refused == "" }

// Admit decides whether an event starts a run for the person of the input.
func (p *Plan) Admit(event Event, in Input) Admission {
	m := &Moment{
		Now: in.Now, At: in.Now, Node: p.entry.id, Contact: &in.Contact, Signal: &event,
		Zone: ZoneOf(in.Contact.Zone, in.Zone), Home: ZoneOf(in.Zone),
		Run: Run{Event: event.Props, StartedAt: in.Now},
	}
	for _, t := range p.triggers {
		if t.event.Name == event.Name && t.matches(m) {
			admission := Admission{Trigger: t.kind, Reentry: p.reentry}
			if t.date != nil {
				admission.Occurrence = t.date.occurrence(m)
			}
			p.judge(&admission, m)
			return admission
		}
	}
	return Admission{}
}

// judge asks filter, key and goals of an event that fired a trigger.
func (p *Plan) judge(a *Admission, m *Moment) {
	if p.filter != nil {
		if verdict := m.Ask(p.filter); !verdict.True {
			a.Refused, a.Detail = RefusedFilter, because(verdict)
			return
		}
	}
	if p.reentry.rule() == ReentryEach {
		a.Key = keyOf(m.Signal.Props, p.reentry.Key)
		if a.Key == "" {
			a.Refused, a.Detail = RefusedKey, map[string]any{"key": p.reentry.Key}
			return
		}
	}
	a.Slot = p.reentry.slot(a.Key)
	m.Signal = nil // the event that lets somebody in is no step towards a goal
	for _, goal := range p.goals {
		if arrival := goal.step.reached(m); arrival.Reached {
			a.Refused, a.Detail = RefusedGoal, map[string]any{"goal": goal.id}
			return
		}
	}
}

// Start makes the run of an admission: active, due at once, with the event as its "event". Nothing has been visited yet.
func Start(plan *Plan, id string, a Admission, event Event, now time.Time) Run {
	return Run{
		ID: id, Node: plan.entry.id, Status: Active,
		At: now, WakeAt: now, StartedAt: now,
		Key: a.Key, Event: event.Props,
	}
}

// Listens tells whether a run with that key, "" for none, hears the event: those of its key only, and Lejek's own.
func (p *Plan) Listens(key string, event Event) bool {
	return key == "" || IsInternalEvent(event.Name) || keyOf(event.Props, p.reentry.Key) == key
}

// maxKey bounds a key in bytes; a longer one is no key.
const maxKey = 200

// keyOf reads the property at a path such as cart.id as a key; "" when it is missing, empty or no text or number.
func keyOf(props map[string]any, path string) string {
	var value any = props
	for member := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[member]
	}
	key := ""
	switch v := value.(type) {
	case string:
		key = v
	case float64:
		key = strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		key = strconv.Itoa(v)
	case int64:
		key = strconv.FormatInt(v, 10)
	case json.Number:
		key = v.String()
	}
	if len(key) > maxKey {
		return ""
	}
	return key
}
