package tasks

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// Takeover is the queue that gives the tasks of dead processes to living ones. River would do so too, once the longest stretch of any kind
// is over; that is minutes, in which a person looks at a bar that stands still.
func (t *Tasks) Takeover(machine clock.Clock) pump.Job {
	return pump.Job{
		Kind: "takeover", Label: "Take over long work of processes that died", Slots: 1, Lanes: 1, Poll: 2 * time.Second,
		Drain: func(ctx context.Context, batch pump.Batch) (drained pump.Drained, err error) {
			err = store.InTx(ctx, t.db, t.clock, func(tx store.Tx) error {
				drained.Rows, err = t.takeOver(ctx, tx, machine.Now().Add(-pump.DeadAfter), batch.Limit)
				return err
			})
			return drained, err
		},
	}
}

// takeOver queues the tasks anew whose process was last heard of before alive. One that took its process with it time and again without
// getting on fails: it would go on for ever.
func (t *Tasks) takeOver(ctx context.Context, tx store.Tx, alive time.Time, limit int) (int, error) {
	dead, err := store.Q.TasksOfTheDead(ctx, tx, store.TasksOfTheDeadParams{AliveSince: alive, Lim: int32(limit)})
	if err != nil {
		return 0, fmt.Errorf("look for tasks of dead processes: %w", err)
	}
	for _, task := range dead {
		kind := t.kinds[task.Kind]
		if int(task.TakenOver) >= kind.Attempts {
			t.log.ErrorContext(ctx, "a task failed for good", "workspace", task.WorkspaceID, "task", task.ID, "kind", task.Kind, "error", "every process that did it died")
			message := fmt.Sprintf("It was begun %d times, and each time the server stopped before it got on. Tell whoever runs the server; what was done stays.", task.TakenOver+1)
			if err := t.finishIn(ctx, tx, task, Failed, nil, message); err != nil {
				return 0, err
			}
			continue
		}
		if err := store.Q.TakeTaskOver(ctx, tx, store.TakeTaskOverParams{WorkspaceID: task.WorkspaceID, ID: task.ID, Now: tx.Now}); err != nil {
			return 0, fmt.Errorf("take over task %s: %w", task.ID, err)
		}
		if err := t.queue(ctx, tx, task, kind); err != nil {
			return 0, err
		}
	}
	return len(dead), nil
}
