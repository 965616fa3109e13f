package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// Pool begins transactions.
type Pool interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

const usualChunk = 500

// rehearsal is one on its way.
type rehearsal struct {
	options Options
	plan    *engine.Plan
	letters *engine.Letters
	house   engine.House
	names   []string // of events that matter
	result  *Result
}

// Run rehearses a draft. So far is where an earlier attempt got to, nil begins; after each portion of people report is told how far it is,
// and its error ends the attempt. A funnel that cannot run answers an *engine.UnsoundError in a fault.
func Run(ctx context.Context, pool Pool, options Options, soFar *Result, report func(*Result) error) (*Result, error) {
	if options.Chunk == 0 {
		options.Chunk = usualChunk
	}
	if options.To.Before(options.From) {
		return nil, fault.InvalidField("to", "The period ends before it begins. Choose a later end.")
	}
	plan, err := engine.Compile(options.Bundle)
	if unsound, ok := errors.AsType[*engine.UnsoundError](err); ok {
		return nil, fault.New(fault.Invalid, "This funnel cannot be rehearsed yet: %s", unsound.Problems[0].Message).WithErr(err)
	} else if err != nil {
		return nil, err
	}
	r := &rehearsal{options: options, plan: plan, letters: engine.NewLetters(options.Bundle), result: soFar}
	r.names = slices.Concat(plan.Starts(), plan.Mentions(), plan.EventNames(), stateEvents)
	slices.Sort(r.names)
	r.names = slices.Compact(r.names)
	if err := r.read(ctx, pool, r.open); err != nil {
		return nil, err
	}
	for !r.result.Done {
		var people []*past
		err := r.read(ctx, pool, func(ctx context.Context, tx pgx.Tx) (err error) {
			people, err = r.load(ctx, tx)
			return err
		})
		if err != nil {
			return r.result, err
		}
		for _, p := range people {
			if err := r.live(p); err != nil {
				return r.result, err
			}
			r.result.After = p.Key.Contact
		}
		r.result.LookedAt += int64(len(people))
		if len(people) < options.Chunk {
			r.result.finish()
		}
		if report != nil {
			if err := report(r.result); err != nil {
				return r.result, err
			}
		}
	}
	return r.result, nil
}

// read runs body where nothing can be written.
func (r *rehearsal) read(ctx context.Context, pool Pool, body func(context.Context, pgx.Tx) error) error {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin to read the past: %w", err)
	}
	err = body(ctx, tx)
	return errors.Join(err, tx.Rollback(context.WithoutCancel(ctx)))
}

// open reads the workspace and counts whom the period concerns.
func (r *rehearsal) open(ctx context.Context, tx pgx.Tx) error {
	house, err := House(ctx, tx, r.options.Workspace)
	if err != nil {
		return err
	}
	r.house = house
	if r.result != nil {
		return nil
	}
	var people int64
	err = tx.QueryRow(ctx, `SELECT count(DISTINCT contact_id) FROM events WHERE workspace_id = $1 AND name = ANY($2) AND at BETWEEN $3 AND $4`,
		r.options.Workspace, r.plan.Starts(), r.options.From, r.options.To).Scan(&people)
	if err != nil {
		return fmt.Errorf("count the people of the period: %w", err)
	}
	r.result = begin(r.options, r.house.Zone, people)
	return nil
}

// House reads what a workspace adds to its messages at the gate.
func House(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, workspace uuid.UUID,
) (house engine.House, err error) {
	var quiet, caps []byte
	err = db.QueryRow(ctx, `SELECT zone, allow_unknown_consent, quiet_hours, frequency_caps FROM workspaces WHERE id = $1`, workspace).
		Scan(&house.Zone, &house.AllowUnknown, &quiet, &caps)
	if err == nil {
		err = errors.Join(json.Unmarshal(quiet, &house.Quiet), json.Unmarshal(caps, &house.Caps))
	}
	if err != nil {
		return house, fmt.Errorf("read the workspace: %w", err)
	}
	return house, nil
}

// lateAfter is how late an event may be told of and still start something.
const lateAfter = 24 * time.Hour
