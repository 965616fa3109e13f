package engine

import (
	"maps"
	"time"
)

// EventCallAnswered is the signal by which a Call answers. Only the run that made the call hears it.
const EventCallAnswered = "call_answered"

// The properties of an answer.
const (
	propCall = "call"  // the seq of the visit that made the call
	propPort = "port"  // by which the run leaves
	propVars = "vars"  // variables of the run from now on
	propAt   = "until" // RFC 3339: stay until then and leave by the port; missing is at once
	propWhy  = "why"   // for the journal
)

// CallAnswer is the answer to the call of a visit, as a signal. A zero until lets the run go on at once.
func CallAnswer(seq int, port string, vars map[string]any, until, at time.Time, why map[string]any) Event {
	props := map[string]any{propCall: float64(seq), propPort: port}
	if len(vars) > 0 {
		props[propVars] = vars
	}
	if !until.IsZero() {
		props[propAt] = until.UTC().Format(time.RFC3339Nano)
	}
	if len(why) > 0 {
		props[propWhy] = why
	}
	return Event{Name: EventCallAnswered, At: at, Props: props}
}

// call makes a call when the run arrives, then waits for its answer: it leaves by the port the answer names, or by lost
// when nobody has answered by the deadline. An answer that sets an instant moves the deadline there; whoever hands such
// answers out passes as lost the port that the run is to take then.
func (m *Moment) call(kind string, request any, deadline time.Time, lost string) Outcome {
	arriving := m.Run.Deadline.IsZero()
	if arriving {
		m.Do(Call{Seq: m.Seq, Node: m.Node, Kind: kind, Request: request, Due: m.At, Deadline: deadline, Lost: lost})
		return Outcome{Until: deadline, Detail: map[string]any{"call": kind, "until": deadline}}
	}
	if answer := m.answer(); answer != nil {
		return m.leaveOnAnswer(answer)
	}
	if m.over(m.Run.Deadline) {
		out := m.leaveAt(m.Run.Deadline, lost)
		out.Detail["lost"] = true
		return out
	}
	return Outcome{Until: m.Run.Deadline}
}

// tell makes a detached call: the run goes on at once by next, whatever comes of it.
func (m *Moment) tell(kind string, request any, deadline time.Time) Outcome {
	m.Do(Call{Seq: m.Seq, Node: m.Node, Kind: kind, Request: request, Due: m.At, Deadline: deadline, Detached: true})
	return leave(portNext, map[string]any{"call": kind})
}

// answer is the signal of the moment when it answers the call this stay began with.
func (m *Moment) answer() map[string]any {
	if m.Signal == nil || m.Signal.Name != EventCallAnswered {
		return nil
	}
	seq, _ := m.Signal.Props[propCall].(float64)
	if int(seq) != m.Seq-1 {
		return nil
	}
	return m.Signal.Props
}

func (m *Moment) leaveOnAnswer(props map[string]any) Outcome {
	port, _ := props[propPort].(string)
	out := Outcome{Port: port, At: within(m.Signal.At, m.At, m.Now), Detail: map[string]any{}}
	if text, ok := props[propAt].(string); ok {
		if until, err := time.Parse(time.RFC3339Nano, text); err == nil && until.After(m.Now) {
			return Outcome{Until: until}
		} else if err == nil {
			out.At = within(until, m.At, m.Now)
		}
	}
	out.Vars, _ = props[propVars].(map[string]any)
	if why, ok := props[propWhy].(map[string]any); ok {
		maps.Copy(out.Detail, why)
	}
	return out
}
