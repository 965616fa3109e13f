package rehearse

import (
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/engine"
)

// Options say what is rehearsed.
type Options struct {
	Workspace uuid.UUID
	Funnel    uuid.UUID // whose own past is left out; zero when the draft is of none
	Bundle    engine.Bundle
	From, To  time.Time // the period; both ends belong to it
	Chunk     int       // people at a time; 0 is 500
}

// Result is what would have happened. It is complete when Done, and until then good to go on from.
type Result struct {
	From     time.Time      `json:"from"`
	To       time.Time      `json:"to"`
	Zone     string         `json:"zone"`      // of the days
	People   int64          `json:"people"`    // with an event in the period that might have started it
	Entries  int            `json:"entries"`   // runs that started
	Entered  int            `json:"entered"`   // people who came in, once or more often
	Refused  map[string]int `json:"refused"`   // triggers that let nobody in, by reason
	Sent     int            `json:"sent"`      // messages
	Days     []Day          `json:"days"`      // those on which something happened, in order
	Peak     *Hour          `json:"peak"`      // in which most was sent; the first of several
	OverCap  int            `json:"over_cap"`  // people the cap held a message back from
	Held     map[string]int `json:"held"`      // messages that waited, by reason
	Skipped  map[string]int `json:"skipped"`   // messages that stayed, by reason
	Steps    []Step         `json:"steps"`     // of the graph, in its order
	Assumed  []string       `json:"assumed"`   // steps whose outcome nobody can know and that went their first way
	Done     bool           `json:"done"`      // everybody was looked at
	LookedAt int64          `json:"looked_at"` // people so far

	// How to go on; nothing once it is done.
	After uuid.UUID     `json:"after,omitzero"`  // the last of them
	Hours map[int64]int `json:"hours,omitempty"` // messages by hour, in Unix hours
}

// Day is one day of the workspace.
type Day struct {
	Date    string         `json:"date"`
	Entries int            `json:"entries"`
	Sent    map[string]int `json:"sent"` // by channel
}

// Hour is one hour and what was sent in it.
type Hour struct {
	At   time.Time `json:"at"`
	Sent int       `json:"sent"`
}

// Step is the traffic of a step.
type Step struct {
	Node  string         `json:"node"`
	Ports map[string]int `json:"ports"` // times it was left, by port
	Here  int            `json:"here"`  // people in it at the end
}

func begin(options Options, zone string, people int64) *Result {
	r := &Result{
		From: options.From, To: options.To, Zone: zone, People: people, Refused: map[string]int{}, Days: []Day{}, Held: map[string]int{},
		Skipped: map[string]int{}, Hours: map[int64]int{}, Assumed: []string{},
	}
	for _, node := range options.Bundle.Graph.Nodes {
		r.Steps = append(r.Steps, Step{Node: node.ID, Ports: map[string]int{}})
	}
	return r
}

// day finds or makes a day, keeping the order.
func (r *Result) day(at time.Time, zone *time.Location) *Day {
	date := engine.DateOf(at, zone).String()
	i := len(r.Days)
	for i > 0 && r.Days[i-1].Date > date {
		i--
	}
	if i > 0 && r.Days[i-1].Date == date {
		return &r.Days[i-1]
	}
	r.Days = append(r.Days, Day{})
	copy(r.Days[i+1:], r.Days[i:])
	r.Days[i] = Day{Date: date, Sent: map[string]int{}}
	return &r.Days[i]
}

func (r *Result) step(node string) *Step {
	for i := range r.Steps {
		if r.Steps[i].Node == node {
			return &r.Steps[i]
		}
	}
	return &Step{Ports: map[string]int{}} // of no step: nothing counts it
}

// finish works out what needs all the hours.
func (r *Result) finish() {
	r.Done = true
	for hour, sent := range r.Hours {
		at := time.Unix(hour*3600, 0).UTC()
		if r.Peak == nil || sent > r.Peak.Sent || sent == r.Peak.Sent && at.Before(r.Peak.At) {
			r.Peak = &Hour{At: at, Sent: sent}
		}
	}
	r.After, r.Hours = uuid.Nil, nil
}
