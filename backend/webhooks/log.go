package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Delivery is a line of the log.
type Delivery struct {
	ID           uuid.UUID
	Name, Status string
	Body         string
	Attempts     int
	NextAt       *time.Time // of one that is tried again
	AnswerStatus *int
	Answer       string
	CreatedAt    time.Time
	EndedAt      *time.Time
}

// Deliveries are the deliveries of an endpoint, the newest first. A zero before begins at the newest; status "" is any.
func (w *Webhooks) Deliveries(ctx context.Context, workspace, endpoint uuid.UUID, status string, before uuid.UUID, limit int) ([]Delivery, error) {
	if _, err := get(ctx, w.DB, workspace, endpoint); err != nil {
		return nil, err
	}
	rows, err := w.DB.Query(ctx, `SELECT id, name, status, body, attempts, CASE WHEN status = 'queued' AND attempts > 0 THEN next_attempt_at END, answer_status, answer, created_at, ended_at
		FROM webhook_deliveries WHERE workspace_id = $1 AND endpoint_id = $2 AND ($3 = '' OR status = $3) AND ($4 = '00000000-0000-0000-0000-000000000000'::uuid OR id < $4)
		ORDER BY id DESC LIMIT $5`, workspace, endpoint, status, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (Delivery, error) {
		var d Delivery
		err := r.Scan(&d.ID, &d.Name, &d.Status, &d.Body, &d.Attempts, &d.NextAt, &d.AnswerStatus, &d.Answer, &d.CreatedAt, &d.EndedAt)
		return d, err
	})
	return list, fault.Wrap(err, "list deliveries")
}

// Replay queues a delivery of an endpoint again, or with uuid.Nil all dead ones. It answers how many. Nudge the pump "webhook" afterwards.
func (w *Webhooks) Replay(ctx context.Context, tx store.Tx, workspace, endpoint, one uuid.UUID) (int, error) {
	if _, err := get(ctx, tx, workspace, endpoint); err != nil {
		return 0, err
	}
	done, err := tx.Exec(ctx, `UPDATE webhook_deliveries SET status = 'queued', attempts = 0, next_attempt_at = $4, ended_at = NULL
		WHERE workspace_id = $1 AND endpoint_id = $2 AND (id = $3 AND status IN ('dead', 'delivered', 'queued')
			OR $3 = '00000000-0000-0000-0000-000000000000'::uuid AND status = 'dead')`, workspace, endpoint, one, w.Machine.Now())
	if err != nil {
		return 0, fmt.Errorf("queue deliveries again: %w", err)
	}
	if one != uuid.Nil && done.RowsAffected() == 0 {
		return 0, fault.New(fault.NotFound, "There is no such delivery, or it is being told right now.")
	}
	return int(done.RowsAffected()), nil
}

// Test tells an endpoint something made up, at once, whether it is on or not, and says what it answered.
func (w *Webhooks) Test(ctx context.Context, workspace, id uuid.UUID) (answer string, ok bool, err error) {
	now := w.Machine.Now()
	d := delivery{workspace: workspace, id: store.NewID(), endpoint: id, name: "webhook.test", attempts: 1}
	body, err := json.Marshal(payload{d.name, now.Truncate(time.Millisecond), map[string]any{"text": "This webhook works."}})
	if err != nil {
		return "", false, fmt.Errorf("describe a test: %w", err)
	}
	d.body = string(body)
	err = w.DB.QueryRow(ctx, "SELECT url, secret, old_secret, old_until FROM webhook_endpoints WHERE workspace_id = $1 AND id = $2", workspace, id).Scan(&d.url, &d.secret, &d.old, &d.oldUntil)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, missing()
	}
	if err != nil {
		return "", false, fmt.Errorf("read an endpoint: %w", err)
	}
	r := w.post(ctx, d)
	status := "delivered"
	if !r.ok() {
		status = "dead"
	}
	_, err = w.DB.Exec(ctx, `INSERT INTO webhook_deliveries (workspace_id, id, endpoint_id, name, body, status, attempts, next_attempt_at, answer_status, answer, created_at, ended_at)
		VALUES ($1, $2, $3, $4, $5, $6, 1, $7, nullif($8, 0), $9, $7, $7)`, workspace, d.id, id, d.name, d.body, status, now, r.status, r.answer)
	if err != nil {
		return "", false, fmt.Errorf("keep a test: %w", err)
	}
	if r.status == 0 {
		return r.answer, false, nil
	}
	return fmt.Sprintf("%d %s", r.status, r.answer), r.ok(), nil
}
