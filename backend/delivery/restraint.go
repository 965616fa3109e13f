package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// restraint is what a workspace holds marketing back by.
type restraint struct {
	quiet []engine.QuietHours
	caps  map[string]engine.Cap // by channel
}

func (r *restraint) read(quiet, caps []byte) error {
	*r = restraint{}
	if err := json.Unmarshal(quiet, &r.quiet); err != nil {
		return fmt.Errorf("read the quiet hours of a workspace: %w", err)
	}
	if err := json.Unmarshal(caps, &r.caps); err != nil {
		return fmt.Errorf("read the frequency caps of a workspace: %w", err)
	}
	return nil
}

// reader is a person by a channel: whose messages a cap counts.
type reader struct {
	workspace, contact uuid.UUID
	channel            string
}

func (l *letter) reader() reader { return reader{l.workspace, l.contact, l.channel} }

// loadSent reads when the persons of capped letters got marketing lately. The persons are locked, so nobody else lets them have any
// meanwhile. What may have left counts.
func (r *round) loadSent(ctx context.Context, tx store.Tx, letters []*letter) error {
	var workspaces, contacts [][16]byte
	var channels []string
	var since []time.Time
	for _, l := range letters {
		limit, capped := r.houses[l.workspace].caps[l.channel]
		if _, seen := r.sent[l.reader()]; !capped || seen || !l.marketing() {
			continue
		}
		r.sent[l.reader()] = []time.Time{}
		workspaces, contacts, channels = append(workspaces, l.workspace), append(contacts, l.contact), append(channels, l.channel)
		since = append(since, tx.Now.Add(-time.Duration(limit.Per)*time.Hour))
	}
	if len(contacts) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT m.workspace_id, m.contact_id, m.channel, coalesce(m.sent_at, $1)
		FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) AS x (w, contact, channel, since)
		JOIN messages m ON m.workspace_id = x.w AND m.contact_id = x.contact AND m.channel = x.channel AND m.class = 'marketing'
			AND m.status IN ('sending', 'sent', 'unknown') AND coalesce(m.sent_at, $1) > x.since`, tx.Now, workspaces, contacts, channels, since)
	if err != nil {
		return fmt.Errorf("read what people got lately: %w", err)
	}
	var workspace, contact [16]byte
	var channel string
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&workspace, &contact, &channel, &at}, func() error {
		key := reader{workspace, contact, channel}
		r.sent[key] = append(r.sent[key], at)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what people got lately: %w", err)
	}
	return nil
}

// restrain tells the gate what holds the letter back, besides pauses.
func (r *round) restrain(gate *engine.Gate, l *letter) error {
	if !l.marketing() {
		return nil
	}
	h := r.houses[l.workspace]
	gate.Quiet, gate.Zone, gate.Sent = h.quiet, engine.ZoneOf(l.person.Zone, h.zone), r.sent[l.reader()]
	if len(l.quiet) > 0 {
		var own engine.QuietHours
		if err := json.Unmarshal(l.quiet, &own); err != nil {
			return fmt.Errorf("read the quiet hours of message %s: %w", l.id, err)
		}
		gate.Quiet = append(slices.Clip(gate.Quiet), own)
	}
	if limit, capped := h.caps[l.channel]; capped {
		gate.Cap = &limit
	}
	return nil
}

// Reconsider asks the gate again about the messages that quiet hours or a cap hold back, for the workspace has changed them.
func Reconsider(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE messages SET next_attempt_at = due_at WHERE workspace_id = $1 AND status = 'queued' AND reason = ANY($2)`,
		workspace, []string{engine.GateQuiet, engine.GateCap})
	if err != nil {
		return fmt.Errorf("reconsider what is held back: %w", err)
	}
	return nil
}
