package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Retry lets a parked run try its step again, now.
func (r *Runner) Retry(ctx context.Context, workspace, id uuid.UUID) error {
	return r.operate(ctx, workspace, id, func(w *wake, parked *row) (engine.Transition, error) {
		return engine.Retry(parked.run, w.tx.Now)
	})
}

// Skip lets a parked run go on by the first port of its step.
func (r *Runner) Skip(ctx context.Context, workspace, id uuid.UUID) error {
	return r.operate(ctx, workspace, id, func(w *wake, parked *row) (engine.Transition, error) {
		key := plans.Key{Workspace: workspace, Version: parked.version}
		versions, err := r.Plans.Get(ctx, w.tx, []plans.Key{key})
		if err != nil {
			return engine.Transition{}, err
		}
		version := versions[key]
		if version == nil || version.Plan == nil {
			return engine.Transition{}, fault.New(fault.Conflict, "This version of the funnel cannot be run by this program, so its steps cannot be skipped. End the run instead.")
		}
		return engine.Skip(version.Plan, parked.run, w.tx.Now)
	})
}

// End ends a run and voids its unsent messages. One that has ended already and has none stays as it is.
func (r *Runner) End(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, r.DB, r.Clock, func(tx store.Tx) error {
		if _, err := lockRun(ctx, tx, workspace, id); err != nil {
			return err
		}
		_, err := runs.End(ctx, tx, workspace, tx.Now, []uuid.UUID{id}, runs.ReasonOperator)
		return err
	})
}

// operate changes one parked run under the lock of its person, with the same writes an advance makes.
func (r *Runner) operate(ctx context.Context, workspace, id uuid.UUID, decide func(*wake, *row) (engine.Transition, error)) error {
	return store.InTx(ctx, r.DB, r.Clock, func(tx store.Tx) error {
		parked, err := lockRun(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if parked.run.Status != engine.Parked {
			return fault.New(fault.Conflict, "This run is not parked: it is %s. Only a run that failed can be retried or skipped.", string(parked.run.Status))
		}
		w := &wake{runner: r, tx: tx, due: tx.Now, rows: []*row{parked}}
		if parked.out, err = decide(w, parked); err != nil {
			return fault.Wrap(err, "change a parked run")
		}
		return w.write(ctx)
	})
}

const readRuns = `SELECT workspace_id, id, funnel_id, version_id, contact_id, node, seq, at, coalesce(wake_at, resume_at, at), deadline, started_at, chain, slot,
		coalesce(key, ''), event, vars, goal, quiet, caller_run, coalesce(caller_seq, 0), attempts, status, coalesce(end_reason, '')
	FROM runs WHERE workspace_id = $1`

// lockRun locks the run's person, then the run.
func lockRun(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (*row, error) {
	var contact uuid.UUID
	err := tx.QueryRow(ctx, "SELECT contact_id FROM runs WHERE workspace_id = $1 AND id = $2", workspace, id).Scan(&contact)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "There is no such run.")
	}
	if err != nil {
		return nil, fmt.Errorf("read a run: %w", err)
	}
	if _, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{contact}}); err != nil {
		return nil, fmt.Errorf("lock a run's person: %w", err)
	}
	rows, err := tx.Query(ctx, readRuns+` AND id = $2 FOR UPDATE`, workspace, id)
	if err != nil {
		return nil, fmt.Errorf("lock a run: %w", err)
	}
	locked, err := pgx.CollectExactlyOneRow(rows, scanRow)
	if err != nil {
		return nil, fmt.Errorf("lock a run: %w", err)
	}
	return locked, locked.err
}
