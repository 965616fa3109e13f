package engine

import "time"

// throttleConfig lets so many people through in a period.
type throttleConfig struct {
	Count int      `json:"count"`
	Per   Duration `json:"per"`
}

var _ = Define(Spec[throttleConfig]{
	Kind: Kind{
		Kind: "throttle", Family: FamilyWait, Order: 2,
		Title:   "Let through a few at a time",
		Purpose: "Lets at most so many people through in a period, in order of arrival. The others wait for their turn.",
		Synonyms: []string{"throttle", "limit", "rate", "drip", "queue", "ogranicz", "limit", "przepustowość", "kolejka",
			"ограничить", "лимит", "очередь", "порциями"},
		Fields: []Field{
			{Key: "count", Type: TypeNumber, Label: "How many people", Required: true, Min: new(1.0), Max: new(1_000_000.0), Default: 100},
			{Key: "per", Type: TypeDuration, Label: "In how long", Required: true, Min: new(1.0), Default: Duration{Amount: 1, Unit: Hours},
				Help: "At no time do more people go through within such a period. Days are calendar days of your workspace."},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Check: func(c throttleConfig, k *Checker) {
		if c.Count < 1 {
			k.Invalid("count", "A part of a person cannot go through. Enter a whole number.").fix("One", "count", 1)
		}
	},
	Run: func(c throttleConfig, m *Moment) Outcome {
		if m.Run.Deadline.IsZero() {
			m.Do(TakeTicket{Seq: m.Seq, Node: m.Node, Count: c.Count, Per: c.Per, At: m.At})
			return Outcome{Until: m.At.AddDate(ticketPatience, 0, 0), Detail: map[string]any{"count": c.Count, "per": c.Per.String()}}
		}
		if m.over(m.Run.Deadline) {
			return m.leaveAt(m.Run.Deadline, portNext)
		}
		return Outcome{Until: m.Run.Deadline}
	},
})

// KindThrottle is the kind whose stays end by a ticket.
const KindThrottle = "throttle"

// ticketPatience is how many years a run stays for a ticket nobody gives out.
const ticketPatience = 5

// TakeTicket asks for the instant at which the run may go on. The caller gives it in the same transaction by
// Transition.Stay.
type TakeTicket struct {
	Seq   int
	Node  string
	Count int
	Per   Duration
	At    time.Time // of the arrival: the slot is not earlier
}

func (TakeTicket) effect() {}

// Slot is the instant the next ticket of a throttle is for. Last is that of the ticket before it, back that of the ticket
// Count places before; both are zero where there is none. Tickets never overtake each other, and at no time do more than
// Count people go through within one period.
func (t TakeTicket) Slot(last, back time.Time, home *time.Location) time.Time {
	slot := t.At
	if last.After(slot) {
		slot = last
	}
	if back.IsZero() {
		return slot
	}
	if earliest := AddDuration(back, t.Per, nil, home); earliest.After(slot) {
		return earliest
	}
	return slot
}

// Stay ends the stay of a run, which nobody but the caller could tell the end of.
func (t *Transition) Stay(until time.Time) {
	t.Run.Deadline = until
	if t.Run.WakeAt.IsZero() || until.Before(t.Run.WakeAt) {
		t.Run.WakeAt = until
	}
}
