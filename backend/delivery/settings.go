package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// What a provider is for its channel.
const (
	RoleOff     = "off"
	RoleActive  = "active"  // new messages go here
	RoleReserve = "reserve" // takes over while the active one is out of order
)

// Preset is what a well-known service lets one account send.
type Preset struct {
	Name      string
	PerSecond int
	PerHour   *int
	PerDay    *int
}

func number(n int) *int { return &n }

// Presets are the limits of accounts many people have.
var Presets = []Preset{
	{"gmail", 1, nil, number(500)},
	{"google_workspace", 1, nil, number(2000)},
	{"microsoft365", 1, number(1800), number(10_000)},
	{"ses_sandbox", 1, nil, number(200)},
}

// ProviderInput is a provider as people enter it.
type ProviderInput struct {
	ID        uuid.UUID // of one to change; zero makes one
	Kind      string    // of a new one
	Channel   string    // of a new one
	Name      string
	Config    map[string]string
	Secrets   map[string]string // those not named stay as they are
	Role      string
	Preset    string
	PerSecond int
	PerHour   *int
	PerDay    *int
	WarmUp    bool
}

// Provider is a provider as people see it.
type Provider struct {
	ID        uuid.UUID
	Kind      string
	Channel   string
	Name      string
	Config    map[string]string
	Secrets   []string // names of those that are stored
	Role      string
	Preset    string
	PerSecond int
	PerHour   *int
	PerDay    *int
	WarmingAt *time.Time
	CheckedAt *time.Time
	CheckSaid string
	UsedToday int
	Outage    string   // why it is out of order, "" if it is not
	ClosedTo  []string // of a reserve: domains of senders whose mails do not take it, for nothing speaks for it there
	PausedTo  *time.Time
}

// maxProviders bounds what a workspace may have.
const maxProviders = 50

// SaveProvider makes or changes a provider. Queued messages move to where new ones go now. Its secrets are sealed in the row.
func (d *Deliverer) SaveProvider(ctx context.Context, tx store.Tx, workspace uuid.UUID, in ProviderInput) (uuid.UUID, error) {
	id, old := in.ID, map[string]string{}
	var sealed, before []byte
	var warming *time.Time
	if id == uuid.Nil {
		id = store.NewID()
		var count int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM providers WHERE workspace_id = $1", workspace).Scan(&count); err != nil || count >= maxProviders {
			return id, joined(err, fault.New(fault.Conflict, "This workspace has %d providers, the most it can have. Remove one first.", maxProviders))
		}
	} else {
		err := tx.QueryRow(ctx, "SELECT kind, channel, secret, config, warming_at FROM providers WHERE workspace_id = $1 AND id = $2 FOR UPDATE", workspace, id).
			Scan(&in.Kind, &in.Channel, &sealed, &before, &warming)
		if errors.Is(err, pgx.ErrNoRows) {
			return id, fault.New(fault.NotFound, "There is no such provider.")
		}
		if err != nil {
			return id, fmt.Errorf("read a provider: %w", err)
		}
	}
	kind, known := providers.KindOf(in.Kind)
	if !known || !kind.Carries(in.Channel) {
		return id, fault.InvalidField("kind", "There is no provider %q for this channel.", in.Kind)
	}
	if opened, err := d.openSecrets(provider{workspace: workspace, id: id, kind: kind, sealed: sealed}); err == nil {
		old = opened
	}
	if err := keptElsewhere(before, in, old); err != nil {
		return id, err
	}
	secrets := maps.Clone(old)
	maps.Copy(secrets, in.Secrets)
	maps.DeleteFunc(secrets, func(_, v string) bool { return v == "" })
	config, err := d.checkProvider(kind, &in, secrets)
	if err != nil {
		return id, err
	}
	if sealed, err = d.sealSecrets(kind, id, secrets); err != nil {
		return id, err
	}
	switch {
	case !in.WarmUp:
		warming = nil
	case warming == nil:
		warming = &tx.Now
	}
	return id, d.storeProvider(ctx, tx, workspace, id, in, config, sealed, warming)
}

// keptElsewhere refuses to take keys along to another address: whoever may change an account could read them there.
func keptElsewhere(before []byte, in ProviderInput, kept map[string]string) error {
	if before == nil || len(kept) == 0 {
		return nil
	}
	config, err := texts(before)
	if err != nil {
		return fmt.Errorf("read a provider: %w", err)
	}
	var wrong []fault.Field
	for _, field := range []string{"host", "url", "base_url"} {
		if config[field] == in.Config[field] {
			continue
		}
		for name := range kept {
			if in.Secrets[name] == "" {
				wrong = append(wrong, fault.Field{Path: name, Message: "Enter this again: it was saved for another address."})
			}
		}
	}
	return fault.InvalidFields(wrong)
}

func (d *Deliverer) storeProvider(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, in ProviderInput, config, sealed []byte, warming *time.Time) error {
	for role, column := range map[string]string{RoleActive: "active", RoleReserve: "reserve"} { // one of each for a channel
		if in.Role == role {
			_, err := tx.Exec(ctx, "UPDATE providers SET "+column+" = false WHERE workspace_id = $1 AND channel = $2 AND id <> $3", workspace, in.Channel, id)
			if err != nil {
				return fmt.Errorf("store a provider: %w", err)
			}
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO providers (workspace_id, id, kind, channel, name, config, secret, active, reserve, preset, per_second, per_hour, per_day,
			warming_at, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
		ON CONFLICT (workspace_id, id) DO UPDATE SET name = excluded.name, config = excluded.config, secret = excluded.secret, active = excluded.active,
			reserve = excluded.reserve, preset = excluded.preset, per_second = excluded.per_second, per_hour = excluded.per_hour, per_day = excluded.per_day,
			warming_at = excluded.warming_at, updated_at = excluded.updated_at, revision = providers.revision + 1`,
		workspace, id, in.Kind, in.Channel, in.Name, config, sealed, in.Role == RoleActive, in.Role == RoleReserve, in.Preset, in.PerSecond, in.PerHour, in.PerDay,
		warming, tx.Now)
	if err != nil {
		return fmt.Errorf("store a provider: %w", err)
	}
	if err := reopen(ctx, tx, workspace, id); err != nil {
		return err
	}
	return Reroute(ctx, tx, workspace)
}

// checkProvider says what is wrong with an entry, and answers its settings as they are stored.
func (d *Deliverer) checkProvider(kind providers.Kind, in *ProviderInput, secrets map[string]string) ([]byte, error) {
	var wrong []fault.Field
	if in.Name == "" {
		in.Name = kind.Name
	}
	if len(in.Name) > 200 {
		wrong = append(wrong, fault.Field{Path: "name", Message: "Choose a shorter name."})
	}
	if !slices.Contains([]string{RoleOff, RoleActive, RoleReserve}, in.Role) {
		wrong = append(wrong, fault.Field{Path: "role", Message: "Choose off, active or reserve."})
	}
	if i := slices.IndexFunc(Presets, func(p Preset) bool { return p.Name == in.Preset }); i >= 0 {
		in.PerSecond, in.PerHour, in.PerDay = Presets[i].PerSecond, Presets[i].PerHour, Presets[i].PerDay
	} else {
		in.Preset = ""
	}
	if in.PerSecond < 1 || in.PerSecond > 10000 {
		wrong = append(wrong, fault.Field{Path: "per_second", Message: "Enter how many messages a second it takes: 1 to 10000."})
	}
	for path, limit := range map[string]*int{"per_hour": in.PerHour, "per_day": in.PerDay} {
		if limit != nil && (*limit < 1 || *limit > 1_000_000_000) {
			wrong = append(wrong, fault.Field{Path: path, Message: "Enter a number from 1, or nothing for no limit."})
		}
	}
	config := map[string]any{}
	for _, field := range kind.Fields {
		value := in.Config[field.Name]
		if field.Secret {
			value = secrets[field.Name]
		} else if value != "" {
			config[field.Name] = value
		}
		if field.Required && value == "" && !(kind.Name == providers.WebPush && field.Secret) {
			wrong = append(wrong, fault.Field{Path: field.Name, Message: "This is needed."})
		}
	}
	if err := fault.InvalidFields(wrong); err != nil {
		return nil, err
	}
	if kind.Name == providers.WebPush {
		if err := pushKeys(config, secrets); err != nil {
			return nil, fault.InvalidField("private_key", "%s", err.Error())
		}
	}
	if kind.Name == providers.SMTP {
		port, err := strconv.Atoi(in.Config["port"])
		if err != nil || port < 1 || port > 65535 {
			return nil, fault.InvalidField("port", "Enter the port of the mail server: 587 with STARTTLS, 465 with TLS.")
		}
		config["port"] = port
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("store a provider: %w", err)
	}
	adapter, err := kind.Open(providers.Settings{Config: raw, Secret: secrets, Client: d.Client, Dial: d.Dialer.DialContext, Now: d.Machine.Now})
	if err != nil {
		return nil, fault.InvalidField("config", "%s.", err.Error())
	}
	return raw, adapter.Close()
}

// pushKeys makes the key of a new account for push, and shows its public part, which browsers need.
func pushKeys(config map[string]any, secrets map[string]string) (err error) {
	public := ""
	if secrets["private_key"] == "" {
		secrets["private_key"], public, err = providers.NewPushKey()
	} else {
		public, err = providers.PushPublicKey(secrets["private_key"])
	}
	config["public_key"] = public
	return err
}

func (d *Deliverer) sealSecrets(kind providers.Kind, id uuid.UUID, secrets map[string]string) ([]byte, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	text := secrets["password"]
	if kind.Name != providers.SMTP {
		raw, err := json.Marshal(secrets)
		if err != nil {
			return nil, errors.New("the keys cannot be stored") // the cause may hold them
		}
		text = string(raw)
	}
	return d.passwords().Seal(id[:], text)
}

// Providers lists the providers of a workspace.
func (d *Deliverer) Providers(ctx context.Context, workspace uuid.UUID) ([]Provider, error) {
	rows, err := d.DB.Query(ctx, `SELECT p.id, p.kind, p.channel, p.name, p.config, p.secret, p.active, p.reserve, p.preset, p.per_second, p.per_hour, p.per_day, p.warming_at,
			p.checked_at, p.check_said, coalesce(o.reason, ''), b.paused_until
		FROM providers p LEFT JOIN provider_outages o ON o.workspace_id = p.workspace_id AND o.provider_id = p.id
			LEFT JOIN rate_buckets b ON b.key = 'provider:' || p.id
		WHERE p.workspace_id = $1 ORDER BY p.channel, p.created_at, p.id`, workspace)
	if err != nil {
		return nil, fmt.Errorf("list providers: %w", err)
	}
	now := d.Machine.Now()
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Provider, error) {
		var p Provider
		var raw, sealed []byte
		var active, reserve bool
		err := row.Scan(&p.ID, &p.Kind, &p.Channel, &p.Name, &raw, &sealed, &active, &reserve, &p.Preset, &p.PerSecond, &p.PerHour, &p.PerDay, &p.WarmingAt,
			&p.CheckedAt, &p.CheckSaid, &p.Outage, &p.PausedTo)
		if err != nil {
			return p, err
		}
		switch p.Role = RoleOff; {
		case active:
			p.Role = RoleActive
		case reserve:
			p.Role = RoleReserve
		}
		if p.PausedTo != nil && !p.PausedTo.After(now) {
			p.PausedTo = nil
		}
		kind, _ := providers.KindOf(p.Kind)
		if secrets, err := d.openSecrets(provider{workspace: workspace, id: p.ID, kind: kind, sealed: sealed}); err == nil {
			p.Secrets = slices.Sorted(maps.Keys(secrets))
			p.Secrets = slices.DeleteFunc(p.Secrets, func(name string) bool { return secrets[name] == "" })
		}
		p.Config, err = texts(raw)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("list providers: %w", err)
	}
	for i := range list {
		if list[i].UsedToday, err = usedToday(ctx, d.DB, provider{id: list[i].ID}.bucket(), now); err != nil {
			return nil, err
		}
		if list[i].Role == RoleReserve && list[i].Channel == engine.ChannelEmail {
			if list[i].ClosedTo, err = d.closedTo(ctx, workspace, list[i].ID); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// texts are settings as people enter them.
func texts(raw []byte) (map[string]string, error) {
	var config map[string]any
	if err := json.Unmarshal(raw, &config); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, value := range config {
		out[name] = fmt.Sprint(value)
	}
	return out, nil
}

// DeleteProvider removes a provider. Its queued messages move to where new ones go; what may have left through it keeps its attempts.
func (d *Deliverer) DeleteProvider(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	tag, err := tx.Exec(ctx, "DELETE FROM providers WHERE workspace_id = $1 AND id = $2", workspace, id)
	if err != nil {
		return fmt.Errorf("remove a provider: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fault.New(fault.NotFound, "There is no such provider.")
	}
	return Reroute(ctx, tx, workspace)
}

// CheckProvider signs in at a provider, sends nothing, and keeps what it said.
func (d *Deliverer) CheckProvider(ctx context.Context, workspace, id uuid.UUID) (said string, err error) {
	p, err := d.find(ctx, "p.workspace_id = $1 AND p.id = $2", workspace, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "There is no such provider.")
	}
	if err != nil {
		return "", fmt.Errorf("read a provider: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	open, err := d.open(ctx, p)
	if err == nil {
		err = open.adapter.Check(ctx)
	}
	if err != nil {
		said = clip(err.Error())
	}
	_, err = d.DB.Exec(ctx, "UPDATE providers SET checked_at = $3, check_said = $4 WHERE workspace_id = $1 AND id = $2", workspace, id, d.Clock.Now(), said)
	if err != nil {
		return said, fmt.Errorf("keep what a provider said: %w", err)
	}
	return said, nil
}

// SenderDomain is the domain of a sender's address.
func SenderDomain(address string) string {
	if parsed, err := mail.ParseAddress(address); err == nil {
		return domain(parsed.Address)
	}
	return ""
}
