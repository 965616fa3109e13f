package runner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// Lanes of runs: what somebody waits for, what a timer ended, what came in bulk.
const (
	laneNow    int16 = 0
	laneNormal int16 = 1
	lanes            = 3
)

// Runner wakes due runs. All members but Nudge are required. It is safe for use by many goroutines.
type Runner struct {
	DB      store.DB
	Clock   clock.Source
	Machine clock.Clock
	Plans   *plans.Cache
	People  *people.People
	Logger  *slog.Logger

	// Nudge is told after a commit which pumps have something to do: inbox, deliver.
	Nudge func(kind string)

	floors [lanes]floor
}

// Job is the pump's job that wakes runs.
func (r *Runner) Job() pump.Job {
	return pump.Job{Kind: "wake", Label: "Advance runs that are due", Slots: 2, Lanes: lanes, Drain: r.Drain, Peek: r.peek}
}

// peek says which lanes have a run that is due.
func (r *Runner) peek(ctx context.Context) ([]int, error) {
	due, err := r.Clock.Due(ctx, r.DB)
	if err != nil {
		return nil, err
	}
	froms, machine := make([]time.Time, lanes), r.Machine.Now()
	_, flows := r.Clock.(*clock.Business)
	for lane := range froms {
		if flows {
			froms[lane] = r.floors[lane].start(machine)
		}
	}
	// One look into the index a lane, whatever the statistics say of the rest.
	rows, err := r.DB.Query(ctx, `SELECT l.n - 1 FROM unnest($2::timestamptz[]) WITH ORDINALITY AS l (from_, n)
		CROSS JOIN LATERAL (SELECT 1 FROM runs WHERE lane = l.n - 1 AND wake_at <= $1 AND wake_at >= l.from_ ORDER BY wake_at LIMIT 1) AS due`, due, froms)
	if err != nil {
		return nil, fmt.Errorf("look for due runs: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("look for due runs: %w", err)
	}
	for lane, from := range froms {
		switch {
		case !flows || slices.Contains(found, lane):
		case from.IsZero():
			r.floors[lane].found(due, machine)
		default:
			r.floors[lane].rise(due)
		}
	}
	return found, nil
}

// Drain advances one batch of due runs.
func (r *Runner) Drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !r.Clock.Settled() {
		return pump.Drained{}, nil
	}
	w, err := r.wake(ctx, batch.Lane, batch.Limit)
	if err == nil {
		r.tell(w)
		return w.drained, nil
	}
	if batch.Limit == 1 || ctx.Err() != nil || !store.IsData(err) {
		return pump.Drained{}, err
	}
	// The database refused something in the batch: find the run it was by taking them one by one.
	var sum pump.Drained
	for range batch.Limit {
		w, err := r.wake(ctx, batch.Lane, 1)
		switch {
		case err == nil:
			r.tell(w)
		case store.IsData(err) && len(w.rows) == 1:
			if err := r.blame(ctx, w.rows[0], err); err != nil {
				return sum, err
			}
			w.drained.Rows = 1
		default:
			return sum, err
		}
		if w.drained.Rows == 0 {
			break
		}
		sum.Rows += w.drained.Rows
	}
	return sum, nil
}

func (r *Runner) wake(ctx context.Context, lane, limit int) (*wake, error) {
	var w *wake
	err := store.InTx(ctx, r.DB, r.Clock, func(tx store.Tx) error {
		w = &wake{runner: r, tx: tx, lane: int16(lane)}
		if err := w.run(ctx, limit); err != nil {
			return err
		}
		if w.drained.Rows > 0 {
			failpoint.Hit("runner.before_commit")
		}
		return nil
	})
	if err == nil && w.drained.Rows > 0 {
		failpoint.Hit("runner.after_commit")
	}
	return w, err
}

func (r *Runner) tell(w *wake) {
	if r.Nudge == nil {
		return
	}
	if w.posted {
		r.Nudge("inbox")
	}
	if len(w.messages.ids) > 0 {
		r.Nudge("deliver")
	}
	if len(w.calls.runs) > 0 {
		r.Nudge("effect")
		r.Nudge("effect_inside")
	}
}

const (
	maxAttempts = 8
	firstRetry  = 5 * time.Second
	longText    = 1000 // bytes of an error that are kept
)

// retryAfter is how long a run that failed rests: 5 s, 10 s, ... about ten minutes over all attempts.
func retryAfter(attempts int) time.Duration { return firstRetry << min(attempts, 7) }

// blame counts an attempt of a run that failed alone, and parks it after the last one.
func (r *Runner) blame(ctx context.Context, culprit *row, cause error) error {
	culprit.fate, culprit.err = fails, cause
	return store.InTx(ctx, r.DB, r.Clock, func(tx store.Tx) error {
		w := &wake{runner: r, tx: tx, rows: []*row{culprit}}
		return w.writeFailures(ctx)
	})
}

// floor keeps the due query from walking over the dead versions of rows that fired long ago: it starts a minute before the oldest row
// of the last full look, or before the instant up to which a later look found nothing, and looks at everything again every few seconds.
type floor struct {
	mu     sync.Mutex
	from   time.Time
	looked time.Time // machine
}

const (
	floorEvery  = 5 * time.Second
	floorMargin = time.Minute
)

// start is where a look begins. The zero time is a full look.
func (f *floor) start(now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looked.IsZero() || now.Sub(f.looked) >= floorEvery {
		return time.Time{}
	}
	return f.from
}

// rise tells that a look from the floor found nothing up to an instant: the next one need not walk there again. The full looks come as ever.
func (f *floor) rise(empty time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if from := empty.Add(-floorMargin); from.After(f.from) {
		f.from = from
	}
}

// found tells a full look's oldest row; a look that found nothing tells its end.
func (f *floor) found(oldest, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from, f.looked = oldest.Add(-floorMargin), now
}
