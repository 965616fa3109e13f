package engine

// EventMatch picks events: those of one name, narrowed by a rule on their properties or to the message of one step of the
// same run.
type EventMatch struct {
	Name  string `json:"name"`
	Where *Where `json:"where,omitempty"`
	Step  string `json:"step,omitempty"` // events about messages: the step that sent it
}

// matches tells whether the signal of the moment is such an event.
func (e *EventMatch) matches(m *Moment) bool {
	if e == nil || m.Signal == nil || m.Signal.Name != e.Name {
		return false
	}
	if e.Step != "" && (m.signalProp(PropStep) != e.Step || m.signalProp(PropRun) != m.Run.ID) {
		return false
	}
	return m.picks(e.Where)
}

// eventsOf is the name of a match that may be absent, as a list.
func eventsOf(e *EventMatch) []string {
	if e == nil {
		return nil
	}
	return []string{e.Name}
}
