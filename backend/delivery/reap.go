package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// closedOf are the letters whose attempt was closed by the given rows.
func closedOf(rows pgx.Rows, letters []*letter) ([]*letter, error) {
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("close attempts: %w", err)
	}
	closed := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		closed[id] = true
	}
	var some []*letter
	for _, l := range letters {
		if closed[l.id] {
			some = append(some, l)
		}
	}
	return some, nil
}

const leaseLost = `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.node, m.channel, m.class, m.attempts, m.due_at, coalesce(m.to_address, ''), ` + campaignSlug + `,
		coalesce((SELECT p.kind FROM providers p WHERE p.workspace_id = m.workspace_id AND p.id = m.provider_id), ''),
		coalesce((SELECT min(a.started_at) FROM delivery_attempts a WHERE a.workspace_id = m.workspace_id AND a.message_id = m.id), $1)
	FROM messages m WHERE m.status = 'sending' AND m.lease_until <= $1 ORDER BY m.lease_until LIMIT $2 FOR UPDATE SKIP LOCKED`

// Reap decides about messages whose hand-over began and whose result never came, because the process died or lost the database.
// Nobody knows whether they left, so the class decides.
func (d *Deliverer) Reap(ctx context.Context, batch pump.Batch) (drained pump.Drained, err error) {
	if err := d.reconsiderHeld(ctx, batch); err != nil {
		return drained, err
	}
	now := d.Machine.Now()
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		rows, err := tx.Query(ctx, leaseLost, now, batch.Limit)
		if err != nil {
			return fmt.Errorf("look for cut-off hand-overs: %w", err)
		}
		letters, err := pgx.CollectRows(rows, scanLost)
		if err != nil {
			return fmt.Errorf("look for cut-off hand-overs: %w", err)
		}
		drained.Rows = len(letters)
		if len(letters) == 0 {
			return nil
		}
		workspaces, ids := make([][16]byte, len(letters)), make([][16]byte, len(letters))
		for i, l := range letters {
			workspaces[i], ids[i] = l.workspace, l.id
		}
		_, err = tx.Exec(ctx, `UPDATE delivery_attempts a SET state = 'unknown', finished_at = $1, code = 'no_result'
			FROM unnest($2::uuid[], $3::uuid[]) AS x (w, id) WHERE a.workspace_id = x.w AND a.message_id = x.id AND a.state = 'open'`, now, workspaces, ids)
		if err != nil {
			return fmt.Errorf("close cut-off attempts: %w", err)
		}
		d.judgeKeys(letters)
		return writeResults(ctx, tx, letters)
	})
	return drained, err
}
