package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// resultPatience bounds how long a result is offered to a database that does not answer. After it the list of hand-overs keeps it.
const resultPatience = 20 * time.Second

// attemptStates are what a verdict makes of an attempt.
var attemptStates = map[mailwire.Verdict]string{
	mailwire.Accepted: "accepted", mailwire.Refused: "rejected", mailwire.Postponed: "rejected", mailwire.Unbegun: "rejected", mailwire.Uncertain: "unknown",
}

// begin is T1: lease, gate, bodies and open attempts. Nothing is said to the provider before it has committed.
func (d *Deliverer) begin(ctx context.Context, p provider, lane, limit int) (going []*letter, drained pump.Drained, err error) {
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		going = nil
		letters, busy, err := lease(ctx, tx, p, lane, limit)
		drained = pump.Drained{Rows: len(letters), Busy: busy}
		if err != nil || len(letters) == 0 {
			return err
		}
		if going, err = d.prepare(ctx, tx, letters); err != nil {
			return err
		}
		if err := writeBodies(ctx, tx, going); err != nil {
			return err
		}
		if err := d.firstAttempts(ctx, tx, going); err != nil {
			return err
		}
		return d.writeOpen(ctx, tx, p, going)
	})
	return going, drained, err
}

func (d *Deliverer) writeOpen(ctx context.Context, tx store.Tx, p provider, letters []*letter) error {
	if len(letters) == 0 {
		return nil
	}
	workspaces, ids, attempts, addressees := make([][16]byte, len(letters)), make([][16]byte, len(letters)), make([]int16, len(letters)), make([]string, len(letters))
	for i, l := range letters {
		l.attempts++
		workspaces[i], ids[i], attempts[i], addressees[i] = l.workspace, l.id, l.attempts, l.to
	}
	now := d.Machine.Now()
	_, err := tx.Exec(ctx, `INSERT INTO delivery_attempts (workspace_id, message_id, attempt, provider_id, worker, state, started_at)
		SELECT w, id, (SELECT coalesce(max(a.attempt), 0) + 1 FROM delivery_attempts a WHERE a.workspace_id = w AND a.message_id = id), $1, $2, 'open', $3
		FROM unnest($4::uuid[], $5::uuid[]) AS x (w, id)`, p.id, d.Worker, now, workspaces, ids)
	if err != nil {
		return fmt.Errorf("open attempts: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE messages m SET status = 'sending', attempts = x.attempt, to_address = x.addressee, lease_until = $1, reason = NULL
		FROM unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::text[]) AS x (w, id, attempt, addressee) WHERE m.workspace_id = x.w AND m.id = x.id`,
		now.Add(d.Lease), workspaces, ids, attempts, addressees)
	if err != nil {
		return fmt.Errorf("mark messages as being sent: %w", err)
	}
	return nil
}

// firstAttempts reads since when the provider knows the keys of letters that were tried before.
func (d *Deliverer) firstAttempts(ctx context.Context, tx store.Tx, letters []*letter) error {
	now := d.Machine.Now()
	byID := map[uuid.UUID]*letter{}
	var workspaces, ids [][16]byte
	for _, l := range letters {
		l.firstAt = now
		if l.keyed > 0 && l.attempts > 0 {
			byID[l.id] = l
			workspaces, ids = append(workspaces, l.workspace), append(ids, l.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT a.message_id, min(a.started_at) FROM unnest($1::uuid[], $2::uuid[]) AS k (w, id)
		JOIN delivery_attempts a ON a.workspace_id = k.w AND a.message_id = k.id GROUP BY 1`, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read earlier attempts: %w", err)
	}
	var id uuid.UUID
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error {
		byID[id].firstAt = at
		return nil
	})
	if err != nil {
		return fmt.Errorf("read earlier attempts: %w", err)
	}
	return nil
}

// judgeKeys says of each letter whether its provider still knows its key.
func (d *Deliverer) judgeKeys(letters []*letter) {
	now := d.Machine.Now()
	for _, l := range letters {
		l.keyKnown = l.keyed > 0 && now.Before(l.firstAt.Add(l.keyed-keyMargin))
	}
}

// finish is T2. A result is worth more than a quick end: it is offered again until the lease is nearly over, also while the process stops.
func (d *Deliverer) finish(ctx context.Context, letters []*letter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultPatience)
	defer cancel()
	d.judgeKeys(letters)
	for {
		err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
			closed, err := d.writeClosed(ctx, tx, d.Worker, letters)
			if err != nil {
				return err
			}
			if err := d.leaveAlone(ctx, tx, closed); err != nil {
				return err
			}
			return writeResults(ctx, tx, closed)
		})
		if err == nil {
			failpoint.Hit("delivery.after_results")
			d.nudge()
			return nil
		}
		d.Logger.ErrorContext(ctx, "results of a hand-over are not stored yet", "messages", len(letters), "error", err)
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("store results: %w", err)
		case <-timer.C:
		}
	}
}

// writeClosed closes the open attempts and returns the letters whose attempt was still open: for the others the reaper has decided.
func (d *Deliverer) writeClosed(ctx context.Context, tx store.Tx, worker string, letters []*letter) ([]*letter, error) {
	n := len(letters)
	workspaces, ids := make([][16]byte, n), make([][16]byte, n)
	state, codes, details, names := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, l := range letters {
		r := l.result
		workspaces[i], ids[i], state[i] = l.workspace, l.id, attemptStates[r.Verdict]
		codes[i], details[i], names[i] = clip(r.Code), clip(r.Detail), clip(r.ID)
	}
	rows, err := tx.Query(ctx, `UPDATE delivery_attempts a SET state = x.state, finished_at = $1, code = nullif(x.code, ''), detail = nullif(x.detail, ''),
			provider_msg_id = nullif(x.name, '')
		FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) AS x (w, id, state, code, detail, name)
		WHERE a.workspace_id = x.w AND a.message_id = x.id AND a.state = 'open' AND a.worker = $8 RETURNING a.message_id`,
		d.Machine.Now(), workspaces, ids, state, codes, details, names, worker)
	if err != nil {
		return nil, fmt.Errorf("close attempts: %w", err)
	}
	return closedOf(rows, letters)
}
