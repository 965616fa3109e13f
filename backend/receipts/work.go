package receipts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

const (
	batch     = 100
	firstWait = 5 * time.Second
	lastWait  = time.Hour
	patience  = 72 * time.Hour // with a report about a message nobody knows
	tries     = 8              // of a report that fails
)

// Job is the pump's job that works on reports.
func (s *Sources) Job() pump.Job {
	return pump.Job{Kind: "receipt", Label: "Take in what providers report about messages", Slots: 1, Lanes: 1, Poll: time.Second, Drain: s.Drain}
}

// row is a report on its way.
type row struct {
	workspace, source uuid.UUID
	key, kind         string
	body              []byte
	received          time.Time
	attempts          int16
}

// end is what became of it.
type end struct {
	status, reason string
	message        *uuid.UUID
	again          time.Time
}

// Drain works on a batch of reports, each in a savepoint of its own.
func (s *Sources) Drain(ctx context.Context, b pump.Batch) (drained pump.Drained, err error) {
	if !s.Clock.Settled() {
		return drained, nil
	}
	err = store.InTx(ctx, s.DB, s.Clock, func(tx store.Tx) error {
		rows, err := tx.Query(ctx, `SELECT workspace_id, source_id, key, kind, body, received_at, attempts FROM receipts
			WHERE status = 'queued' AND next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED`, tx.Now, min(b.Limit, batch))
		if err != nil {
			return fmt.Errorf("lease reports: %w", err)
		}
		due, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (row, error) {
			var x row
			err := r.Scan(&x.workspace, &x.source, &x.key, &x.kind, &x.body, &x.received, &x.attempts)
			return x, err
		})
		if err != nil {
			return fmt.Errorf("lease reports: %w", err)
		}
		drained.Rows = len(due)
		for _, r := range due {
			e, err := s.work(ctx, tx, r)
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `UPDATE receipts SET status = $4, reason = nullif($5, ''), message_id = $6, next_attempt_at = $7, attempts = attempts + 1
				WHERE workspace_id = $1 AND source_id = $2 AND key = $3`, r.workspace, r.source, r.key, e.status, e.reason, e.message, e.again)
			if err != nil {
				return fmt.Errorf("end a report: %w", err)
			}
		}
		return nil
	})
	if err == nil && drained.Rows > 0 {
		s.nudge("inbox")
	}
	return drained, err
}

// later says that a report has to wait, and why.
type later struct{ why string }

func (l later) Error() string { return l.why }

// ignored says that a report is about nothing any more.
type ignored struct{ why string }

func (i ignored) Error() string { return i.why }

// work does what a report asks and says what became of it. An error concerns the whole batch.
func (s *Sources) work(ctx context.Context, tx store.Tx, r row) (end, error) {
	e := end{status: "done", again: tx.Now}
	receipt := Receipt{Key: r.key, Kind: r.kind}
	err := json.Unmarshal(r.body, &receipt)
	if err == nil {
		err = store.InTx(ctx, tx, s.Clock, func(tx store.Tx) (err error) {
			e.message, err = s.apply(ctx, tx, r.workspace, receipt)
			return err
		})
	}
	wait, about := errors.AsType[later](err)
	gone, nothing := errors.AsType[ignored](err)
	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case err == nil:
	case nothing:
		e.status, e.reason = "ignored", gone.why
	case about && tx.Now.Sub(r.received) >= patience:
		e.status, e.reason = "ignored", wait.why
	case about:
		e.status, e.reason, e.again = "queued", wait.why, tx.Now.Add(min(firstWait<<min(r.attempts, 20), lastWait))
	case r.attempts+1 >= tries:
		e.status, e.reason = "failed", store.Text(err.Error(), maxShort)
	default:
		e.status, e.reason, e.again = "queued", store.Text(err.Error(), maxShort), tx.Now.Add(firstWait<<r.attempts)
	}
	return e, nil
}
