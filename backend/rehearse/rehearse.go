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
	self    string   // slug of the funnel
	names   []string // of events that matter
	lines   *lines   // nil when nothing holds people back
	result  *Result
}

// Report is told after each portion of people how much of how much is done; its error ends the attempt.
type Report func(r *Result, done, of int64) error

// Run rehearses a draft. So far is where an earlier attempt got to, nil begins. With throttles everybody is looked at several times, and an
// attempt begins anew. A funnel that cannot run answers an *engine.UnsoundError in a fault.
func Run(ctx context.Context, pool Pool, options Options, soFar *Result, report Report) (*Result, error) {
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
		if err := r.look(ctx, pool, report); err != nil {
			return r.result, err
		}
		if r.lines == nil || r.lines.settle() {
			r.result.finish()
		} else {
			r.result = begin(options, r.house.Zone, r.result.People)
		}
	}
	if report != nil {
		return r.result, report(r.result, r.result.LookedAt, r.result.LookedAt)
	}
	return r.result, nil
}

// look takes everybody who is left through the period.
func (r *rehearsal) look(ctx context.Context, pool Pool, report Report) error {
	for {
		var people []*past
		err := r.read(ctx, pool, func(ctx context.Context, tx pgx.Tx) (err error) {
			people, err = r.load(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range people {
			if err := r.live(p); err != nil {
				return err
			}
			r.result.After = p.Key.Contact
		}
		r.result.LookedAt += int64(len(people))
		if len(people) < r.options.Chunk {
			return nil
		}
		if report != nil {
			done, looks := r.result.LookedAt, r.lines.enough()
			if r.lines != nil {
				done += int64(r.lines.looks) * r.result.People
			}
			if err := report(r.result, done, max(done, looks*r.result.People)); err != nil {
				return err
			}
		}
	}
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
	r.house, r.lines = house, linesOf(r.options.Bundle.Graph, house.Zone)
	err = tx.QueryRow(ctx, "SELECT slug FROM funnels WHERE workspace_id = $1 AND id = $2", r.options.Workspace, r.options.Funnel).Scan(&r.self)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the funnel: %w", err)
	}
	if r.result != nil && (r.lines == nil || r.result.Done) {
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
