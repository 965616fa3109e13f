package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// When a provider is asked what became of a hand-over: not before it must have it in its list, and before a transactional message is tried again.
const (
	askAfter  = time.Minute
	askWithin = 24 * time.Hour
	askBatch  = 20
)

// perhapsSent is a hand-over whose answer never came.
type perhapsSent struct {
	workspace, message, provider uuid.UUID
	attempt                      int16
	to, channel                  string
	at                           time.Time // it began
}

// Reconcile asks providers that can tell what became of messages that were possibly sent: each hand-over once. What they have is sent, and is not
// tried again.
func (d *Deliverer) Reconcile(ctx context.Context, _ pump.Batch) (drained pump.Drained, err error) {
	kinds := providers.Finders()
	now := d.Machine.Now()
	rows, err := d.DB.Query(ctx, `UPDATE delivery_attempts a SET asked_at = $1 FROM (SELECT u.workspace_id, u.message_id, u.attempt, m.to_address, m.channel
			FROM providers p JOIN delivery_attempts u ON u.provider_id = p.id AND u.workspace_id = p.workspace_id
			JOIN messages m ON m.workspace_id = u.workspace_id AND m.id = u.message_id
			WHERE p.kind = ANY($2) AND u.state = 'unknown' AND u.asked_at IS NULL AND u.finished_at <= $3 AND u.finished_at > $4
				AND (m.status = 'unknown' OR m.status = 'queued' AND m.reason = $5) ORDER BY u.finished_at LIMIT $6 FOR UPDATE OF u SKIP LOCKED) AS x
		WHERE a.workspace_id = x.workspace_id AND a.message_id = x.message_id AND a.attempt = x.attempt
		RETURNING a.workspace_id, a.message_id, a.provider_id, a.attempt, coalesce(x.to_address, ''), x.channel, a.started_at`,
		now, kinds, now.Add(-askAfter), now.Add(-askWithin), possiblySent, askBatch)
	if err != nil {
		return drained, fmt.Errorf("look for what was possibly sent: %w", err)
	}
	asked, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h perhapsSent, err error) {
		return h, row.Scan(&h.workspace, &h.message, &h.provider, &h.attempt, &h.to, &h.channel, &h.at)
	})
	if err != nil {
		return drained, fmt.Errorf("look for what was possibly sent: %w", err)
	}
	for _, h := range asked {
		if err := d.reconcile(ctx, h); err != nil {
			d.Logger.WarnContext(ctx, "a provider could not be asked about a message that was possibly sent", "provider", h.provider, "message", h.message, "error", err)
		}
	}
	drained.Rows = len(asked)
	return drained, nil
}

func (d *Deliverer) reconcile(ctx context.Context, h perhapsSent) error {
	p, err := d.find(ctx, "p.workspace_id = $1 AND p.id = $2", h.workspace, h.provider)
	if err != nil {
		return err
	}
	open, err := d.open(ctx, p)
	if err != nil {
		return err
	}
	finder, can := open.adapter.(providers.Finder)
	if !can {
		return nil
	}
	body, err := ReadBody(ctx, d.DB, h.workspace, h.message)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // the person was erased
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	id, err := finder.Find(ctx, providers.Parcel{Workspace: h.workspace, Message: h.message, Channel: h.channel, To: h.to, Text: body.Text}, h.at)
	if err != nil || id == "" {
		return err
	}
	return d.found(ctx, h, id)
}

const leasePerhaps = `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.node, m.channel, m.class, m.attempts, m.due_at, coalesce(m.to_address, ''), ` + campaignSlug + `, '', a.started_at
	FROM delivery_attempts a JOIN messages m ON m.workspace_id = a.workspace_id AND m.id = a.message_id
	WHERE a.workspace_id = $1 AND a.message_id = $2 AND a.attempt = $3 AND a.state = 'unknown' AND (m.status = 'unknown' OR m.status = 'queued' AND m.reason = $4) FOR UPDATE OF m`

// found notes that the provider has a message under a name.
func (d *Deliverer) found(ctx context.Context, h perhapsSent, id string) error {
	err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		rows, err := tx.Query(ctx, leasePerhaps, h.workspace, h.message, h.attempt, possiblySent)
		if err != nil {
			return err
		}
		letters, err := pgx.CollectRows(rows, scanLost)
		if err != nil || len(letters) == 0 {
			return err // it is being tried again already
		}
		letters[0].result = result{providers.Outcome{Answer: mailwire.Answer{Verdict: mailwire.Accepted, Code: "found", ID: id}}}
		_, err = tx.Exec(ctx, `UPDATE delivery_attempts SET state = 'accepted', code = 'found', provider_msg_id = $4 WHERE workspace_id = $1 AND message_id = $2 AND attempt = $3`,
			h.workspace, h.message, h.attempt, clip(id))
		if err != nil {
			return err
		}
		return writeResults(ctx, tx, letters)
	})
	if err != nil {
		return fmt.Errorf("note that a message was found: %w", err)
	}
	d.nudge()
	return nil
}
