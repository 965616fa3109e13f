package tasks

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Settle does the tasks that are queued, without River, and tells how many. It is for tools that find no worker running; a worker that
// comes later finds the tasks done.
func (t *Tasks) Settle(ctx context.Context) (int, error) {
	rows, err := t.db.Query(ctx, "SELECT workspace_id, id FROM tasks WHERE state = 'queued' ORDER BY created_at, id")
	if err != nil {
		return 0, fmt.Errorf("look for tasks: %w", err)
	}
	queued, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (args jobArgs, err error) {
		return args, row.Scan(&args.Workspace, &args.Task)
	})
	if err != nil {
		return 0, fmt.Errorf("look for tasks: %w", err)
	}
	w := worker{tasks: t}
	for _, args := range queued {
		for {
			err := w.Work(ctx, &river.Job[jobArgs]{JobRow: &rivertype.JobRow{Attempt: 1, MaxAttempts: 1}, Args: args})
			if _, more := errors.AsType[*river.JobSnoozeError](err); more {
				continue
			}
			if err != nil {
				return 0, err
			}
			break
		}
	}
	return len(queued), nil
}
