package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
)

// names are what systems may hear of, by the event it comes from.
var names = map[string]string{
	"message_sent": "message.sent", "message_delivered": "message.delivered", "message_opened": "message.opened", "link_clicked": "message.clicked",
	"message_replied": "message.replied", "message_bounced": "message.bounced", "message_complained": "message.complained",
	"run_started": "run.started", "run_ended": "run.ended", "goal_reached": "goal.reached", "unsubscribed": "contact.unsubscribed",
}

// Names are all things systems may hear of, sorted.
func Names() []string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

const (
	maxEndpoints = 20
	secretBytes  = 32
	oldSecret    = 24 * time.Hour // how long the secret before signs too
	sealed       = "lejek webhook endpoints"
)

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{
	{Table: "webhook_endpoints", Column: "secret", Purpose: sealed, Owner: "uuid_send(id)"},
	{Table: "webhook_endpoints", Column: "old_secret", Purpose: sealed, Owner: "uuid_send(id)"},
}

// Webhooks keep endpoints and tell them. All members are required but Nudge and Jitter.
type Webhooks struct {
	DB      store.DB
	Clock   clock.Source
	Machine clock.Clock
	Secret  []byte
	Keys    seal.Keys // of what is sealed; none is the secret
	Client  *outgoing.Client
	Logger  *slog.Logger
	Nudge   func(kind string)
	Jitter  func(most time.Duration) time.Duration // nil is a random part
}

// Endpoint is an address of a customer's system.
type Endpoint struct {
	Workspace, ID uuid.UUID

	URL, Description string
	Events           []string // empty is everything
	Enabled          bool
	Reason           string // why we switched it off
	CreatedAt        time.Time
	Queued, Dead     int // deliveries
}

// Input is an endpoint as people enter it; nil members of a change keep what there is.
type Input struct {
	URL, Description *string
	Events           *[]string
	Enabled          *bool
}

func (w *Webhooks) apply(e *Endpoint, in Input) error {
	var wrong []fault.Field
	if in.URL != nil {
		e.URL = strings.TrimSpace(*in.URL)
		switch err := w.Client.Check(e.URL); {
		case errors.Is(err, outgoing.ErrPrivate):
			wrong = append(wrong, fault.Field{Path: "url", Message: "This address is inside your network and not on the public internet. Enter a public one, or let the operator allow it."})
		case err != nil || len(e.URL) > 2000:
			wrong = append(wrong, fault.Field{Path: "url", Message: "Enter the address of your system, such as https://example.com/hooks/lejek."})
		}
	}
	if in.Description != nil {
		if e.Description = strings.TrimSpace(*in.Description); len(e.Description) > 500 {
			wrong = append(wrong, fault.Field{Path: "description", Message: "The description is too long: at most 500 characters."})
		}
	}
	if in.Events != nil {
		e.Events = slices.Clone(*in.Events)
		slices.Sort(e.Events)
		e.Events = slices.Compact(e.Events)
		for i, name := range e.Events {
			if !slices.Contains(Names(), name) {
				wrong = append(wrong, fault.Field{Path: fmt.Sprintf("events.%d", i), Message: "There is no such event. Use " + strings.Join(Names(), ", ") + "."})
			}
		}
	}
	if in.Enabled != nil {
		if *in.Enabled {
			e.Reason = ""
		}
		e.Enabled = *in.Enabled
	}
	return fault.InvalidFields(wrong)
}

// Create saves an endpoint. The secret is told this once.
func (w *Webhooks) Create(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) (Endpoint, string, error) {
	e := Endpoint{Workspace: workspace, ID: store.NewID(), Enabled: true, Events: []string{}, CreatedAt: tx.Now}
	if in.URL == nil {
		in.URL = new(string)
	}
	if err := w.apply(&e, in); err != nil {
		return e, "", err
	}
	var count int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM webhook_endpoints WHERE workspace_id = $1", workspace).Scan(&count); err != nil {
		return e, "", fmt.Errorf("count endpoints: %w", err)
	}
	if count >= maxEndpoints {
		return e, "", fault.New(fault.Conflict, "This workspace has %d webhooks, the most it can have. Remove one first.", maxEndpoints)
	}
	secret, box, err := w.fresh(e.ID)
	if err != nil {
		return e, "", err
	}
	_, err = tx.Exec(ctx, `INSERT INTO webhook_endpoints (workspace_id, id, url, description, events, secret, enabled, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`, workspace, e.ID, e.URL, e.Description, e.Events, box, e.Enabled, tx.Now)
	if err != nil {
		return e, "", fmt.Errorf("save an endpoint: %w", err)
	}
	return e, secret, nil
}

func (w *Webhooks) fresh(id uuid.UUID) (secret string, box []byte, err error) {
	raw := make([]byte, secretBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", nil, fmt.Errorf("make a secret: %w", err)
	}
	secret = "whsec_" + base64.StdEncoding.EncodeToString(raw)
	box, err = seal.New(w.Keys.Or(w.Secret), sealed).Seal(id[:], secret)
	return secret, box, err
}

// Update changes an endpoint.
func (w *Webhooks) Update(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, in Input) (Endpoint, error) {
	e, err := get(ctx, tx, workspace, id)
	if err != nil {
		return e, err
	}
	if err := w.apply(&e, in); err != nil {
		return e, err
	}
	_, err = tx.Exec(ctx, `UPDATE webhook_endpoints SET url = $3, description = $4, events = $5, enabled = $6, reason = $7, updated_at = $8 WHERE workspace_id = $1 AND id = $2`,
		workspace, id, e.URL, e.Description, e.Events, e.Enabled, e.Reason, tx.Now)
	if err != nil {
		return e, fmt.Errorf("save an endpoint: %w", err)
	}
	return e, nil
}

// Rotate gives an endpoint another secret, which is told this once. The one before signs too for a day.
func (w *Webhooks) Rotate(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (string, error) {
	secret, box, err := w.fresh(id)
	if err != nil {
		return "", err
	}
	done, err := tx.Exec(ctx, `UPDATE webhook_endpoints SET old_secret = secret, old_until = $4, secret = $3, updated_at = $5 WHERE workspace_id = $1 AND id = $2`,
		workspace, id, box, w.Machine.Now().Add(oldSecret), tx.Now)
	if err != nil {
		return "", fmt.Errorf("change a secret: %w", err)
	}
	if done.RowsAffected() == 0 {
		return "", missing()
	}
	return secret, nil
}

// Delete takes an endpoint away, with its deliveries.
func (w *Webhooks) Delete(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	done, err := tx.Exec(ctx, "DELETE FROM webhook_endpoints WHERE workspace_id = $1 AND id = $2", workspace, id)
	if err != nil {
		return fmt.Errorf("remove an endpoint: %w", err)
	}
	if done.RowsAffected() == 0 {
		return missing()
	}
	return nil
}

func missing() error { return fault.New(fault.NotFound, "There is no such webhook.") }

const selectEndpoint = `SELECT e.workspace_id, e.id, e.url, e.description, e.events, e.enabled, e.reason, e.created_at,
		(SELECT count(*) FROM webhook_deliveries d WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status IN ('queued', 'sending')),
		(SELECT count(*) FROM webhook_deliveries d WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status = 'dead')
	FROM webhook_endpoints e WHERE e.workspace_id = $1`

func scan(row pgx.CollectableRow) (Endpoint, error) {
	var e Endpoint
	err := row.Scan(&e.Workspace, &e.ID, &e.URL, &e.Description, &e.Events, &e.Enabled, &e.Reason, &e.CreatedAt, &e.Queued, &e.Dead)
	return e, err
}

func get(ctx context.Context, db store.DB, workspace, id uuid.UUID) (Endpoint, error) {
	rows, err := db.Query(ctx, selectEndpoint+" AND e.id = $2", workspace, id)
	if err != nil {
		return Endpoint{}, fmt.Errorf("read an endpoint: %w", err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return e, missing()
	}
	return e, fault.Wrap(err, "read an endpoint")
}

// List shows the endpoints of a workspace.
func (w *Webhooks) List(ctx context.Context, workspace uuid.UUID) ([]Endpoint, error) {
	rows, err := w.DB.Query(ctx, selectEndpoint+" ORDER BY e.created_at, e.id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list endpoints: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	return list, fault.Wrap(err, "list endpoints")
}
