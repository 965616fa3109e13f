package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/engine"
)

// Limits of one event and one batch.
const (
	MaxBatch    = 1000
	maxProps    = 32 << 10 // bytes of JSON
	maxDepth    = 8        // of properties
	maxID       = 200      // characters of the sender's id
	maxAhead    = 5 * time.Minute
	lateAfter   = 24 * time.Hour
	maxChain    = 10 // runs that may stand between an event and the outside world
	earliestDay = 1970
)

// Sources.
const (
	SourceAPI      = "api"
	SourceImport   = "import"
	SourceInternal = "lejek"
)

// Incoming is one event as somebody hands it in.
type Incoming struct {
	Who    people.Input // whose it is, by any of its identities, and what it tells about them; a new person is created
	Name   string
	At     time.Time // zero is now
	ID     string    // the sender's; the same ID of the same source twice is a duplicate. May be empty.
	Source string    // empty is SourceAPI
	Props  map[string]any

	// Own events carry a name Lejek gives itself, such as page_visited. Only our own packages say so.
	Own bool

	// Imported events count in roll-ups and rules but start and wake nothing, whatever their age. Live ones do, however old.
	Imported bool
	Live     bool
}

// Status of an Outcome.
type Status string

// The answers per event.
const (
	Accepted  Status = "accepted"
	Duplicate Status = "duplicate" // it was here before; ID is the first one's
	Rejected  Status = "rejected"  // it cannot be taken; Reason says why
)

// Outcome is the answer to one event.
type Outcome struct {
	Status  Status
	ID      int64     // zero if rejected
	Contact uuid.UUID // zero if rejected or duplicate
	Reaction
	Code   string // of the Reason, for translation
	Reason string // rejected: what to do; accepted: why it did nothing, if it did nothing
}

// Reaction is what an event did.
type Reaction struct {
	Started []RunRef  `json:"started,omitempty"`
	Woke    []RunRef  `json:"woke,omitempty"`
	Ended   []RunRef  `json:"ended,omitempty"`
	Refused []Refusal `json:"refused,omitempty"` // funnels whose trigger fired in vain
	Quiet   string    `json:"quiet,omitempty"`   // imported or late: it only counts
}

// RunRef names a run and its funnel.
type RunRef struct {
	Run    uuid.UUID `json:"run"`
	Funnel uuid.UUID `json:"funnel"`
}

// Refusal says why a funnel whose trigger fired did not start.
type Refusal struct {
	Funnel uuid.UUID `json:"funnel"`
	Why    string    `json:"why"` // filter, goal_reached, no_key, once, active, pause, older, paused, chain_limit, gone
}

// Why a trigger that fired starts nothing, besides the engine's own reasons.
const (
	RefusedOnce   = engine.RefusedOnce
	RefusedActive = engine.RefusedActive
	RefusedPause  = engine.RefusedPause
	RefusedPaused = "paused"      // the funnel is
	RefusedChain  = "chain_limit" // funnels start each other in a circle
	RefusedGone   = "gone"        // the person was erased or merged
	RefusedBroken = "broken"      // this program is too old for the version
)

func (r Reaction) empty() bool {
	return len(r.Started)+len(r.Woke)+len(r.Ended)+len(r.Refused) == 0 && r.Quiet == ""
}

// happening is an event on its way through React.
type happening struct {
	id      int64
	who     facts.Key
	name    string
	at      time.Time // when it happened
	arrived time.Time // when we learnt of it: what waits and new runs count from
	source  string
	key     *string // the sender's id
	props   map[string]any
	raw     []byte // props as JSON; nil when there are none
	chain   int
	only    uuid.UUID // the one funnel a manual start or a call is for
	stands  string    // the occurrence, when nothing happened and the person only fulfils a trigger; wakes nothing and is not kept
	quiet   string    // imported, late
	done    Reaction
}

// fires is the name of the event as triggers know it: being called is being started by hand.
func (h *happening) fires() string {
	if h.name == eventCalled {
		return engine.EventManualStart
	}
	return h.name
}

func (h *happening) event() engine.Event {
	return engine.Event{ID: h.id, Name: h.fires(), At: h.arrived, Happened: h.at, Props: h.props}
}

// lane is the lane of the runs it starts.
func (h *happening) lane() int16 {
	if h.stands != "" {
		return laneBulk
	}
	return laneNow
}

// admit checks an incoming event and makes it a happening without a person yet.
func admit(in Incoming, now time.Time) (h *happening, code, reason string) {
	h = &happening{name: in.Name, at: in.At.UTC().Truncate(time.Microsecond), arrived: now, source: in.Source, props: in.Props}
	if in.At.IsZero() {
		h.at = now
	}
	if h.source == "" {
		h.source = SourceAPI
	}
	switch {
	case engine.IsInternalEvent(in.Name) && !in.Own:
		return nil, "name_reserved", fmt.Sprintf("The name %q is Lejek's own. Choose another one for your event.", in.Name)
	case !engine.IsEventName(in.Name):
		return nil, "name_invalid", fmt.Sprintf("%q cannot be the name of an event. Use small letters, digits, dots and underscores, at most 64, a letter first.", shorten(in.Name))
	case h.at.After(now.Add(maxAhead)):
		return nil, "in_future", fmt.Sprintf("%s is in the future. Send an event when it has happened, at most 5 minutes ahead of our clock (%s).",
			h.at.Format(time.RFC3339), now.Format(time.RFC3339))
	case h.at.Year() < earliestDay:
		return nil, "too_old", fmt.Sprintf("%s is too long ago. Give a time after %d.", h.at.Format(time.RFC3339), earliestDay)
	case len(in.ID) > maxID:
		return nil, "id_too_long", fmt.Sprintf("The id of the event has %d characters; at most %d are kept.", len(in.ID), maxID)
	}
	if in.ID != "" {
		h.key = &in.ID
	}
	if code, reason := h.encode(); code != "" {
		return nil, code, reason
	}
	switch {
	case in.Live:
	case in.Imported:
		h.quiet = "imported"
	case now.Sub(h.at) > lateAfter:
		h.quiet = "late"
	}
	return h, "", ""
}

func (h *happening) encode() (code, reason string) {
	if len(h.props) == 0 {
		return "", ""
	}
	if deeper(h.props, maxDepth) {
		return "too_deep", fmt.Sprintf("The properties are nested more than %d deep. Flatten them.", maxDepth)
	}
	raw, err := json.Marshal(h.props)
	switch {
	case err != nil:
		return "props_invalid", "The properties are not JSON."
	case len(raw) > maxProps:
		return "too_large", fmt.Sprintf("The properties take %d bytes; at most %d are kept.", len(raw), maxProps)
	case bytes.Contains(raw, []byte(`\u0000`)):
		return "props_invalid", "The properties contain a NUL character. Take it out."
	}
	h.raw = raw
	return "", ""
}

func deeper(v any, depth int) bool {
	switch v := v.(type) {
	case map[string]any:
		if depth == 0 {
			return true
		}
		for _, member := range v {
			if deeper(member, depth-1) {
				return true
			}
		}
	case []any:
		if depth == 0 {
			return true
		}
		for _, member := range v {
			if deeper(member, depth-1) {
				return true
			}
		}
	}
	return false
}

func shorten(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
