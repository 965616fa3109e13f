package delivery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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

// theSMTP is the mail server these settings are about, where a workspace has several: the active one, else the oldest.
const theSMTP = " FROM providers WHERE workspace_id = $1 AND kind = 'smtp' ORDER BY active DESC, created_at, id LIMIT 1"

// SaveSMTP makes or changes the workspace's mail server: the provider of that kind, by its own rules. Limits that are not given stay.
func (d *Deliverer) SaveSMTP(ctx context.Context, tx store.Tx, workspace uuid.UUID, s SMTPSettings) error {
	if err := s.check(); err != nil {
		return err
	}
	in := ProviderInput{
		Kind: providers.SMTP, Channel: "email", Name: "SMTP", Role: RoleOff, PerSecond: s.PerSecond,
		Config: map[string]string{"host": s.Host, "port": strconv.Itoa(s.Port), "user": s.User, "tls": s.TLS},
	}
	err := tx.QueryRow(ctx, "SELECT id, name, per_hour, per_day, warming_at IS NOT NULL"+theSMTP, workspace).
		Scan(&in.ID, &in.Name, &in.PerHour, &in.PerDay, &in.WarmUp)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the mail server: %w", err)
	}
	in.PerHour, in.PerDay = cmp.Or(s.PerHour, in.PerHour), cmp.Or(s.PerDay, in.PerDay)
	if s.Active {
		in.Role = RoleActive
	}
	if s.Password != nil {
		in.Secrets = map[string]string{"password": *s.Password}
	}
	_, err = d.SaveProvider(ctx, tx, workspace, in)
	return err
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
	err = db.QueryRow(ctx, "SELECT config, per_second, active, secret IS NOT NULL"+theSMTP, workspace).Scan(&raw, &s.PerSecond, &s.Active, &s.HasPassword)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("read the mail server: %w", err)
	}
	return s, true, json.Unmarshal(raw, &s.SMTPConfig)
}
