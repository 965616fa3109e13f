package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
)

// Request is one call as its caller sees it.
type Request struct {
	Workspace, Run, Contact, Funnel uuid.UUID

	Seq      int // of the visit that made the call
	Node     string
	Kind     string
	Payload  json.RawMessage // what the step asked, as it said it
	Key      string          // the same for every attempt of this call and for no other call
	Chain    int16           // how many runs stand between the run and the outside world
	Due      time.Time
	Deadline time.Time
	Attempt  int // from 1
}

// Read decodes the payload. An error is final.
func (r Request) Read(into any) error {
	if err := json.Unmarshal(r.Payload, into); err != nil {
		return Final(fmt.Errorf("read what the step %s asks: %w", r.Node, err))
	}
	return nil
}

// Answer is what a call came to.
type Answer struct {
	Port  string         // by which the run leaves
	Vars  map[string]any // variables of the run from now on, as vars.*
	Until time.Time      // the run stays until then and leaves by its step's failing port, without Vars; zero lets it go on at once
	Why   map[string]any // for the journal
}

// Outside asks the network. No transaction is open meanwhile; ctx ends in time.
type Outside func(ctx context.Context, call Request) (Answer, error)

// Inside works in the transaction that also answers. The person and the run are locked. An error undoes what it did, and nothing else.
type Inside func(ctx context.Context, tx store.Tx, call Request) (Answer, error)

// Config is what Calls need; Nudge may be nil.
type Config struct {
	DB      store.DB
	Clock   clock.Source
	Machine clock.Clock
	Logger  *slog.Logger
	Nudge   func(kind string) // told after a commit which pump has something to do

	// Lease is how long after it began an outside call counts as being made; zero is a minute. Timeout ends one attempt; zero is
	// fifteen seconds.
	Lease, Timeout time.Duration

	// Jitter draws a pause out of zero to most; nil draws evenly.
	Jitter func(most time.Duration) time.Duration
}

// Calls makes calls. Register every caller before the first job runs; after that it is safe for use by many goroutines.
type Calls struct {
	config  Config
	outside map[string]Outside
	inside  map[string]Inside
}

// New makes Calls that know no caller yet.
func New(config Config) *Calls {
	if config.Lease == 0 {
		config.Lease = time.Minute
	}
	if config.Timeout == 0 {
		config.Timeout = 15 * time.Second
	}
	if config.Jitter == nil {
		config.Jitter = evenly
	}
	return &Calls{config: config, outside: map[string]Outside{}, inside: map[string]Inside{}}
}

// Outside registers who answers the calls of a node kind over the network. A second caller of a kind is a mistake in the program and
// panics.
func (c *Calls) Outside(kind string, caller Outside) {
	c.mustBeNew(kind)
	c.outside[kind] = caller
}

// Inside registers who answers the calls of a node kind in the database; see Outside.
func (c *Calls) Inside(kind string, caller Inside) {
	c.mustBeNew(kind)
	c.inside[kind] = caller
}

func (c *Calls) mustBeNew(kind string) {
	if c.outside[kind] != nil || c.inside[kind] != nil {
		panic("calls: two callers for the kind " + kind)
	}
}

// Kinds are the node kinds with a caller, sorted.
func (c *Calls) Kinds() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, kinds := range [][]string{slices.Collect(maps.Keys(c.outside)), slices.Collect(maps.Keys(c.inside))} {
			for _, kind := range kinds {
				if !yield(kind) {
					return
				}
			}
		}
	})
}

func (c *Calls) nudge(kind string) {
	if c.config.Nudge != nil {
		c.config.Nudge(kind)
	}
}
