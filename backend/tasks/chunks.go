package tasks

import (
	"context"
	"errors"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/store"
)

// Chunks works a task off in portions. Each is one transaction together with its checkpoint, a Report, so that a task that is killed
// goes on after the last portion that was committed.
type Chunks[Report any] struct {
	// Next does the portion that comes after done; end says that there is no other. It is asked again from the same done when its
	// transaction is undone.
	Next func(ctx context.Context, tx store.Tx, done Report) (after Report, end bool, err error)

	// Progress is how much a report has done, in the task's own unit.
	Progress func(Report) int64

	// Total is how much there is, 0 while that is unknown; it may be nil.
	Total func(Report) int64

	// Committed is called after each portion; it may be nil.
	Committed func()
}

// Work does all portions there are and answers the last report, also when the task yields or is cancelled.
func (c Chunks[Report]) Work(ctx context.Context, task *Run) (any, error) {
	var done Report
	if _, err := task.Checkpoint(&done); err != nil {
		return nil, err
	}
	for {
		after, end := done, false
		err := task.Step(ctx, func(tx store.Tx) (int64, int64, any, error) {
			var err error
			after, end, err = c.Next(ctx, tx, done)
			failpoint.Hit("tasks.before_commit")
			var total int64
			if c.Total != nil {
				total = c.Total(after)
			}
			return c.Progress(after), total, after, err
		})
		if err == nil || errors.Is(err, ErrYield) || errors.Is(err, ErrCancelled) {
			done = after
			if c.Committed != nil {
				c.Committed()
			}
		}
		if err != nil || end {
			return done, err
		}
	}
}
