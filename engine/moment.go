package engine

import (
	"maps"
	"slices"
	"time"
)

// Moment is what a node may look at when it decides: one run, one person, one instant, and perhaps one signal.
type Moment struct {
	Now     time.Time // when the decision is made: rules are asked of this instant
	At      time.Time // when the run was due at the node: durations count from it
	Node    string
	Seq     int // of the visit being made
	Run     Run
	Contact *Contact
	Zone    *time.Location // the person's
	Home    *time.Location // the workspace's, for days in rules
	Signal  *Event         // what has just happened; nil when the time has come or the run arrives

	effects []Effect
	wake    time.Time // when the run wanted to be woken
}

// Do asks for an effect.
func (m *Moment) Do(effect Effect) { m.effects = append(m.effects, effect) }

// The changes of a contact.
const (
	ChangeAddTag    = "add_tag"
	ChangeRemoveTag = "remove_tag"
	ChangeSetField  = "set_field"
)

// Change asks for a change of the contact. Later nodes of the same advance already see it.
func (m *Moment) Change(op, name string, value any) {
	m.Do(ChangeContact{Seq: m.Seq, Node: m.Node, Op: op, Name: name, Value: value})
	m.Contact = m.Contact.changed(op, name, value)
}

// changed is the contact after a change; the original keeps its own tags and fields.
func (c *Contact) changed(op, name string, value any) *Contact {
	after := *c
	switch op {
	case ChangeAddTag:
		if !c.hasTag(name) {
			after.Tags = append(slices.Clone(c.Tags), name)
		}
	case ChangeRemoveTag:
		after.Tags = slices.DeleteFunc(slices.Clone(c.Tags), func(tag string) bool { return tag == name })
	case ChangeSetField:
		after.Fields = maps.Clone(c.Fields)
		if after.Fields == nil {
			after.Fields = map[string]any{}
		}
		after.Fields[name] = value
	}
	return &after
}

func (c *Contact) hasTag(tag string) bool { return slices.Contains(c.Tags, tag) }

// leave goes on at once by a port.
func leave(port string, detail map[string]any) Outcome { return Outcome{Port: port, Detail: detail} }

// because tells the journal what a rule was decided on.
func because(verdict answer) map[string]any {
	return map[string]any{"true": verdict.True, "because": verdict.Explain}
}

// stayOrGo stays until an instant and then leaves by next, as of that instant however late it is now.
func (m *Moment) stayOrGo(until time.Time) Outcome {
	if m.Now.Before(until) {
		return Outcome{Until: until, Detail: map[string]any{"until": until}}
	}
	if until.Before(m.At) {
		return Outcome{Port: portNext, At: m.At, Detail: map[string]any{"until": until, "passed": true}}
	}
	return Outcome{Port: portNext, At: until, Detail: map[string]any{"until": until}}
}

// stayOrTimeout stays until an instant, looking again at look, and then leaves by timeout.
func (m *Moment) stayOrTimeout(until, look time.Time) Outcome {
	if m.Now.Before(until) {
		return Outcome{Until: until, Look: look, Detail: map[string]any{"until": until}}
	}
	return Outcome{Port: portTimeout, At: until, Detail: map[string]any{"until": until}}
}

// leaveOnSignal leaves because of the signal, as of the instant it happened, but not before the run was here.
func (m *Moment) leaveOnSignal(port string) Outcome {
	return Outcome{Port: port, At: within(m.Signal.At, m.At, m.Now), Detail: m.signalDetail()}
}

// leaveOnTruth leaves because a rule has become true: as of the instant the run wanted to look when time alone brought
// it here, else as of now.
func (m *Moment) leaveOnTruth(port string, verdict answer) Outcome {
	at := m.Now
	if m.Signal == nil && !m.wake.IsZero() {
		at = within(m.wake, m.At, m.Now)
	}
	return Outcome{Port: port, At: at, Detail: because(verdict)}
}

// signalDetail tells the journal what happened.
func (m *Moment) signalDetail() map[string]any {
	detail := map[string]any{"event": m.Signal.Name, "at": m.Signal.At}
	if m.Signal.ID != 0 {
		detail["event_id"] = m.Signal.ID
	}
	if len(m.Signal.Props) > 0 {
		detail["props"] = m.Signal.Props
	}
	return detail
}

// signalProp is a text property of the signal; "" when it is missing or no text.
func (m *Moment) signalProp(key string) string {
	if m.Signal == nil {
		return ""
	}
	text, _ := m.Signal.Props[key].(string)
	return text
}

// within moves at between two instants.
func within(at, earliest, latest time.Time) time.Time {
	switch {
	case at.Before(earliest):
		return earliest
	case at.After(latest):
		return latest
	default:
		return at
	}
}
