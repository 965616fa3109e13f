package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
)

// SMTPConfig is how to reach a mail server.
type SMTPConfig = providers.SMTPConfig

// SMTPSettings are a workspace's own mail server, as its people see and set it.
type SMTPSettings struct {
	SMTPConfig
	Password    *string // nil keeps the one there is
	HasPassword bool    // read only: one is stored
	PerSecond   int
	PerHour     *int // nil is no limit
	PerDay      *int
	Active      bool
}

func (s SMTPSettings) check() error {
	var wrong []fault.Field
	if s.Host == "" || len(s.Host) > 253 || strings.ContainsAny(s.Host, " /@:\r\n") {
		wrong = append(wrong, fault.Field{Path: "host", Message: "Enter the name of the mail server, such as smtp.example.com."})
	}
	if s.Port < 1 || s.Port > 65535 {
		wrong = append(wrong, fault.Field{Path: "port", Message: "Enter the port of the mail server: 587 with STARTTLS, 465 with TLS."})
	}
	if s.TLS != "starttls" && s.TLS != "implicit" && s.TLS != "none" {
		wrong = append(wrong, fault.Field{Path: "tls", Message: "Choose starttls, implicit or none."})
	}
	if s.PerSecond < 1 || s.PerSecond > 10000 {
		wrong = append(wrong, fault.Field{Path: "per_second", Message: "Enter how many messages a second the server takes: 1 to 10000."})
	}
	return fault.InvalidFields(wrong)
}

// SaveSMTP makes or changes the workspace's mail server. Queued messages of the workspace move to where new ones go now.
func (d *Deliverer) SaveSMTP(ctx context.Context, tx store.Tx, workspace uuid.UUID, s SMTPSettings) error {
	if err := s.check(); err != nil {
		return err
	}
	config, err := json.Marshal(s.SMTPConfig)
	if err != nil {
		return fmt.Errorf("store the mail server: %w", err)
	}
	id := store.NewID()
	var sealed []byte
	err = tx.QueryRow(ctx, "SELECT id, secret FROM providers WHERE workspace_id = $1 AND kind = 'smtp' FOR UPDATE", workspace).Scan(&id, &sealed)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the mail server: %w", err)
	}
	if s.Password != nil && *s.Password == "" {
		sealed = nil // it is taken away
	} else if s.Password != nil {
		if sealed, err = sealPassword(d.Secret, id, *s.Password); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `INSERT INTO providers (workspace_id, id, kind, channel, name, config, secret, active, per_second, created_at, updated_at, per_hour, per_day)
		VALUES ($1, $2, 'smtp', 'email', 'SMTP', $3, $4, $5, $6, $7, $7, $8, $9)
		ON CONFLICT (workspace_id, id) DO UPDATE SET config = excluded.config, secret = excluded.secret, active = excluded.active,
			per_second = excluded.per_second, per_hour = coalesce(excluded.per_hour, providers.per_hour), per_day = coalesce(excluded.per_day, providers.per_day), updated_at = excluded.updated_at, revision = providers.revision + 1`, workspace, id, config, sealed, s.Active, s.PerSecond, tx.Now, s.PerHour, s.PerDay)
	if err != nil {
		return fmt.Errorf("store the mail server: %w", err)
	}
	if err := reopen(ctx, tx, workspace, id); err != nil {
		return err
	}
	return Reroute(ctx, tx, workspace)
}

// Reroute moves the queued messages of a workspace to the provider new ones go to: call it when the workspace goes live or back to the
// sandbox. What was tried somewhere already stays there.
func Reroute(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE messages m SET provider_id = coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
			WHERE p.workspace_id = $1 AND p.active AND w.sending_mode = 'live' AND p.channel = m.channel), $2)
		WHERE m.workspace_id = $1 AND m.status IN ('queued', 'held') AND m.attempts = 0`, workspace, Sandbox)
	if err != nil {
		return fmt.Errorf("move queued messages: %w", err)
	}
	return nil
}

// Route is the provider that new messages of a channel go to: Sandbox unless the workspace is live and has one.
func Route(ctx context.Context, db store.DB, workspace uuid.UUID, channel string) (id uuid.UUID, err error) {
	err = db.QueryRow(ctx, `SELECT coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
		WHERE p.workspace_id = $1 AND p.channel = $2 AND p.active AND w.sending_mode = 'live'), $3)`, workspace, channel, Sandbox).Scan(&id)
	if err != nil {
		return Sandbox, fmt.Errorf("look up a provider: %w", err)
	}
	return id, nil
}

// SMTPOf returns the workspace's mail server, without its password; ok is false if there is none.
func SMTPOf(ctx context.Context, db store.DB, workspace uuid.UUID) (s SMTPSettings, ok bool, err error) {
	var raw []byte
	err = db.QueryRow(ctx, "SELECT config, per_second, active, secret IS NOT NULL FROM providers WHERE workspace_id = $1 AND kind = 'smtp'", workspace).Scan(&raw, &s.PerSecond, &s.Active, &s.HasPassword)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("read the mail server: %w", err)
	}
	return s, true, json.Unmarshal(raw, &s.SMTPConfig)
}
