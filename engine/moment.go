package engine

import "time"

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
	Self    string         // slug of the funnel; "" is not known

	horizon time.Time // how far time has passed for this decision: a stay that ends later is not over
	due     time.Time // the deadline the run came with; zero when it has come to the node just now
	effects []Effect
}

// Do asks for an effect.
func (m *Moment) Do(effect Effect) { m.effects = append(m.effects, effect) }

// leave goes on at once by a port.
func leave(port string, detail map[string]any) Outcome { return Outcome{Port: port, Detail: detail} }

// because tells the journal what a rule was decided on.
func because(verdict Verdict) map[string]any {
	return map[string]any{"true": verdict.True, "because": verdict.Explain}
}

// stayOrGo stays until an instant and then leaves by next.
func (m *Moment) stayOrGo(until time.Time) Outcome {
	if m.over(until) {
		return m.leaveAt(until, portNext)
	}
	return Outcome{Until: until, Detail: map[string]any{"until": until}}
}

// stayOrTimeout stays until an instant, looking again at look, and then leaves by timeout.
func (m *Moment) stayOrTimeout(until, look time.Time) Outcome {
	if m.over(until) {
		return m.leaveAt(until, portTimeout)
	}
	return Outcome{Until: until, Look: look, Detail: map[string]any{"until": until}}
}

// over tells that a stay until an instant is over: it was before the run came, or time has passed that far.
func (m *Moment) over(until time.Time) bool { return !until.After(m.At) || !until.After(m.horizon) }

// leaveAt leaves because time has passed, as of the instant the stay was to end, however late it is now. A stay that a
// change of zone has ended before it began to be late ends now.
func (m *Moment) leaveAt(until time.Time, port string) Outcome {
	at, detail := until, map[string]any{"until": until}
	if until.Before(m.At) {
		at, detail["passed"] = m.At, true
	}
	if moved := !m.due.IsZero() && !m.due.Equal(until); moved {
		at = m.Now
	}
	return Outcome{Port: port, At: at, Detail: detail}
}

// leaveOnSignal leaves because of the signal, as of the instant it happened, but not before the run was here.
func (m *Moment) leaveOnSignal(port string) Outcome {
	return Outcome{Port: port, At: within(m.Signal.At, m.At, m.Now), Detail: m.signalDetail()}
}

// leaveOnTruth leaves because a rule is true.
func (m *Moment) leaveOnTruth(port string, verdict Verdict) Outcome {
	return Outcome{Port: port, At: m.truthAt(), Detail: because(verdict)}
}

// truthAt is since when a rule that is found true counts as true: since the run came, when it has just come; since the
// instant it wanted to look, when time alone has brought it here; else since now.
func (m *Moment) truthAt() time.Time {
	switch {
	case m.Run.Deadline.IsZero():
		return m.At
	case m.Signal == nil:
		return within(m.Run.WakeAt, m.At, m.Now)
	default:
		return m.Now
	}
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

// Value fills merge text in for storing: a text that is one single hole keeps the type of its value.
func (m *Moment) Value(text string) (any, error) {
	merge, err := ParseMerge(text)
	if err != nil {
		return nil, err
	}
	return merge.Value(m.mergeScope())
}

// mergeScope is what merge text of a step may use.
func (m *Moment) mergeScope() *MergeScope {
	return &MergeScope{Fields: m.Contact.Fields, Event: m.Run.Event, Vars: m.Run.Vars, Zone: m.Zone}
}
