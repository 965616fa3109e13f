package calls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// resultPatience bounds how long a result is offered to a database that does not answer. After that the lease decides.
const resultPatience = 10 * time.Second

// Jobs are the pump's jobs: asking the outside, and answering from the database.
func (c *Calls) Jobs() []pump.Job {
	return []pump.Job{
		{Kind: JobOutside, Label: "Make the calls of steps to the outside", Slots: 4, Lanes: 1, Drain: c.DrainOutside, Peek: c.peekOutside},
		{Kind: JobInside, Label: "Answer the calls of steps in the database", Slots: 2, Lanes: 1, Drain: c.DrainInside, Peek: c.peekInside},
	}
}

// The kinds of the pump's jobs.
const (
	JobOutside = "effect"
	JobInside  = "effect_inside"
)

func (c *Calls) peekOutside(ctx context.Context) ([]int, error) {
	return c.anyQueued(ctx, slices.Collect(maps.Keys(c.outside)), "OR EXISTS (SELECT 1 FROM calls WHERE status = 'working' AND lease_until < $3)", c.config.Machine.Now())
}

// anyQueued tells whether there is something to do for calls of these kinds, or for another reason, in one look.
func (c *Calls) anyQueued(ctx context.Context, kinds []string, or string, args ...any) ([]int, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	now, err := c.config.Clock.NowIn(ctx, c.config.DB)
	if err != nil {
		return nil, err
	}
	var due bool
	err = c.config.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM unnest($1::text[]) AS k (kind)
		WHERE EXISTS (SELECT 1 FROM calls WHERE status = 'queued' AND calls.kind = k.kind AND next_attempt_at <= $2)) `+or, append([]any{kinds, now}, args...)...).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("look for due calls: %w", err)
	}
	if due {
		return []int{0}, nil
	}
	return nil, nil
}

// DrainOutside makes a batch of calls at once and stores what each came to.
func (c *Calls) DrainOutside(ctx context.Context, _ pump.Batch) (pump.Drained, error) {
	if !c.config.Clock.Settled() || len(c.outside) == 0 {
		return pump.Drained{}, nil
	}
	if err := c.reclaim(ctx); err != nil {
		return pump.Drained{}, err
	}
	lines, rows, err := c.lease(ctx, slices.Collect(maps.Keys(c.outside)))
	if err != nil || rows == 0 {
		return pump.Drained{}, err
	}
	failpoint.Hit("calls.before_call")
	errs := make([]error, len(lines))
	var making sync.WaitGroup
	for i, l := range lines {
		making.Go(func() {
			c.make(ctx, l)
			failpoint.Hit("calls.after_call")
			errs[i] = c.store(ctx, l)
		})
	}
	making.Wait()
	c.nudge("wake")
	return pump.Drained{Rows: rows}, errors.Join(errs...)
}

// make makes one call, unless it has failed already. A batch that is called off takes the call with it; the batch's own time limit does
// not, because the call has a shorter one.
func (c *Calls) make(ctx context.Context, l *line) {
	if l.err != nil {
		return
	}
	calling, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.config.Timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel()
		}
	})
	defer stop()
	defer contain(&l.err)
	l.answer, l.err = c.outside[l.Kind](calling, l.Request)
}

// store is T2: a result is offered again until the lease is nearly over, also while the process stops.
func (c *Calls) store(ctx context.Context, l *line) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultPatience)
	defer cancel()
	for {
		err := store.InTx(ctx, c.config.DB, c.config.Clock, func(tx store.Tx) error { return c.finish(ctx, tx, l) })
		if err == nil {
			return nil
		}
		c.config.Logger.ErrorContext(ctx, "the result of a call is not stored yet", "workspace", l.Workspace, "run", l.Run, "step", l.Node, "error", err)
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("store the result of a call: %w", err)
		case <-timer.C:
		}
	}
}

// finish stores the result under the locks of the person, the run and the call, provided the call is still this attempt's.
func (c *Calls) finish(ctx context.Context, tx store.Tx, l *line) error {
	now, ours, err := c.relock(ctx, tx, l)
	if err != nil || !ours {
		return err
	}
	if !now.wanted() {
		var k keys
		k.add(l)
		return c.setVoid(ctx, tx, k)
	}
	var w results
	w.add(c, tx.Now, l)
	if err := w.write(ctx, tx); err != nil {
		return err
	}
	failpoint.Hit("calls.before_result")
	return nil
}
