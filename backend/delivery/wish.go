package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Wish is a transactional message that a customer's system asks for.
type Wish struct {
	Workspace, Contact uuid.UUID

	Funnel, Message string // a text of a live funnel, by slugs; or
	Artifact        []byte // a compiled creative
	Sender          string // slug; "" is the default one
	Vars            map[string]any
	At              time.Time // when it is due
	Expires         time.Time
}

// Wish writes a message and puts it into the outbox in the caller's transaction: what it says is settled now, also when it is due later. A
// variable without a value is a fault.Invalid that names it. Nudge the pump "deliver" after the commit.
func (d *Deliverer) Wish(ctx context.Context, tx store.Tx, w Wish) (uuid.UUID, error) {
	raw := w.Artifact
	if raw == nil {
		var err error
		if raw, err = published(ctx, tx, w); err != nil {
			return uuid.Nil, err
		}
	}
	template, err := d.Template(raw)
	if err != nil {
		return uuid.Nil, fmt.Errorf("read a creative: %w", err)
	}
	var kind struct{ Channel string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		return uuid.Nil, fmt.Errorf("read a creative: %w", err)
	}
	if kind.Channel == "" {
		kind.Channel = engine.ChannelEmail
	}
	key := facts.Key{Workspace: w.Workspace, Contact: w.Contact}
	persons, err := facts.Contacts(ctx, tx, []facts.Key{key}, facts.Block)
	if err != nil {
		return uuid.Nil, err
	}
	answers, err := d.People.Gate(ctx, tx, w.Workspace, []people.Ask{{Contact: w.Contact, Channel: kind.Channel, Class: engine.ClassTransactional}})
	if err != nil {
		return uuid.Nil, err
	}
	if reason := answers[0].Reason; reason != "" {
		return uuid.Nil, fault.New(fault.Conflict, "Nothing can be sent to this person by %s: %s.", kind.Channel, strings.ReplaceAll(reason, "_", " "))
	}
	l := &letter{
		workspace: w.Workspace, id: store.NewID(), contact: w.Contact, channel: kind.Channel, class: engine.ClassTransactional, provider: Sandbox, sender: w.Sender,
		creative: w.Message, due: w.At, person: persons[key], to: answers[0].Address, vars: w.Vars,
	}
	r := &round{houses: map[uuid.UUID]*house{}, errands: map[runKey]*errand{}}
	if err := r.loadHouses(ctx, tx, []*letter{l}); err != nil {
		return uuid.Nil, err
	}
	if _, known := r.houses[w.Workspace].senders[w.Sender]; w.Sender != "" && kind.Channel == engine.ChannelEmail && !known {
		return uuid.Nil, fault.InvalidField("sender", "There is no sender %q. Add one in Settings.", w.Sender)
	}
	d.compose(r, l, template)
	l.spliced = nil // kept whole: a creative of a request is kept nowhere else
	if variable, missing := strings.CutPrefix(l.reason, "variable: "); missing {
		return uuid.Nil, fault.InvalidField("variables", "The message needs %s, and it has no value. Send it in variables, or give it a fallback.", variable)
	}
	if l.state != leaves {
		return uuid.Nil, fault.New(fault.Invalid, "The message cannot be written: %s.", l.reason)
	}
	return l.id, keepWish(ctx, tx, w, l)
}

// published is the compiled text of a live funnel.
func published(ctx context.Context, tx store.Tx, w Wish) (raw []byte, err error) {
	err = tx.QueryRow(ctx, `SELECT a.artifact FROM funnels f JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
		JOIN creative_artifacts a ON a.workspace_id = f.workspace_id AND a.hash = v.artifacts ->> $3
		WHERE f.workspace_id = $1 AND f.slug = $2 AND f.state IN ('live', 'paused')`, w.Workspace, w.Funnel, w.Message).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.InvalidField("template", "No live funnel %q has a message %q. Publish it first, or send the message itself as creative.", w.Funnel, w.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("read a message of a funnel: %w", err)
	}
	return raw, nil
}

func keepWish(ctx context.Context, tx store.Tx, w Wish, l *letter) error {
	_, err := tx.Exec(ctx, `INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, sender, provider_id, lane, status,
			due_at, next_attempt_at, expires_at, created_at, origin)
		VALUES ($1, $2, 0, '', $3, $4, 'transactional', $5, $6, coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
			WHERE p.workspace_id = $1 AND p.channel = $4 AND p.active AND w.sending_mode = 'live'), $7), $8, 'queued', $9, $9, $10, $11, $12)`,
		l.workspace, l.id, l.contact, l.channel, l.creative, l.sender, Sandbox, laneTransactional, w.At, w.Expires, tx.Now, OriginAPI)
	if err != nil {
		return fmt.Errorf("keep a message: %w", err)
	}
	return writeBodies(ctx, tx, []*letter{l})
}
