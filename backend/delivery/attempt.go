package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

const (
	// accountPause is how long all workers leave an account alone that cannot be reached.
	accountPause = 30 * time.Second
	// resultPatience bounds how long a result is offered to a database that does not answer.
	resultPatience = 20 * time.Second
	maxBatch       = 200
)

// drainAccount sends one batch of an account: at most one second of what it may send.
func (d *Deliverer) drainAccount(ctx context.Context, p provider, batch pump.Batch) (pump.Drained, error) {
	want, err := d.queued(ctx, p, batch.Lane, min(batch.Limit, p.rate.perSecond, maxBatch))
	if err != nil || want == 0 {
		return pump.Drained{}, err
	}
	reserve := 0
	if batch.Lane != laneTransactional {
		reserve = p.rate.burst / 5
	}
	granted, _, err := claim(ctx, d.DB, p.bucket(), d.Machine.Now(), p.rate, want, reserve)
	if err != nil || granted == 0 {
		return pump.Drained{}, err
	}
	account, err := d.open(p)
	if err != nil {
		d.Logger.ErrorContext(ctx, "an account cannot be opened", "provider", p.id, "error", err)
		return pump.Drained{}, pauseAccount(ctx, d.DB, p.bucket(), d.Machine.Now().Add(accountPause), clip(err.Error()))
	}
	letters, drained, err := d.begin(ctx, p, batch.Lane, granted)
	if err != nil || len(letters) == 0 {
		return drained, err
	}
	failpoint.Hit("delivery.before_send")
	mails := make([]Mail, len(letters))
	for i, l := range letters {
		mails[i] = l.mail
	}
	down := false
	for i, r := range account.send(ctx, mails) {
		letters[i].result = r
		down = down || r.account
	}
	failpoint.Hit("delivery.after_send")
	if err := d.finish(ctx, letters); err != nil {
		return drained, err
	}
	if down {
		return drained, pauseAccount(context.WithoutCancel(ctx), d.DB, p.bucket(), d.Machine.Now().Add(accountPause), "not reachable")
	}
	return drained, nil
}

// queued counts what is visibly due, up to a limit, so that no tokens are claimed in vain.
func (d *Deliverer) queued(ctx context.Context, p provider, lane, limit int) (n int, err error) {
	err = d.DB.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM messages WHERE provider_id = $1 AND lane = $2 AND status = 'queued'
		AND next_attempt_at <= $3 LIMIT $4) AS due`, p.id, lane, d.Clock.Now(), limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count due messages: %w", err)
	}
	return n, nil
}

// begin is T1: lease, gate, bodies and open attempts. Nothing is said to the provider before it has committed.
func (d *Deliverer) begin(ctx context.Context, p provider, lane, limit int) (going []*letter, drained pump.Drained, err error) {
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		going = nil
		letters, busy, err := lease(ctx, tx, p.id, lane, limit)
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

// finish is T2. A result is worth more than a quick end: it is offered again until the lease is nearly over, also while the process stops.
func (d *Deliverer) finish(ctx context.Context, letters []*letter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultPatience)
	defer cancel()
	for {
		err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
			closed, err := d.writeClosed(ctx, tx, letters)
			if err != nil {
				return err
			}
			return writeResults(ctx, tx, closed)
		})
		if err == nil {
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
func (d *Deliverer) writeClosed(ctx context.Context, tx store.Tx, letters []*letter) ([]*letter, error) {
	states := map[verdict]string{accepted: "accepted", rejected: "rejected", postponed: "rejected", ambiguous: "unknown"}
	n := len(letters)
	workspaces, ids := make([][16]byte, n), make([][16]byte, n)
	state, codes, details, names := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, l := range letters {
		r := l.result
		workspaces[i], ids[i], state[i] = l.workspace, l.id, states[r.verdict]
		codes[i], details[i], names[i] = clip(r.code), clip(r.detail), clip(r.provider)
	}
	rows, err := tx.Query(ctx, `UPDATE delivery_attempts a SET state = x.state, finished_at = $1, code = nullif(x.code, ''), detail = nullif(x.detail, ''),
			provider_msg_id = nullif(x.name, '')
		FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) AS x (w, id, state, code, detail, name)
		WHERE a.workspace_id = x.w AND a.message_id = x.id AND a.state = 'open' AND a.worker = $8 RETURNING a.message_id`,
		d.Machine.Now(), workspaces, ids, state, codes, details, names, d.Worker)
	if err != nil {
		return nil, fmt.Errorf("close attempts: %w", err)
	}
	return closedOf(rows, letters)
}
