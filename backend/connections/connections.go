package connections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
)

// The kinds of connections.
const (
	HTTP     = "http"
	Slack    = "slack"
	Telegram = "telegram"
	Stripe   = "stripe"
)

// maxConnections bounds what one workspace may save.
const maxConnections = 100

// Connections keep and open connections. It is safe for use by many goroutines.
type Connections struct {
	DB     store.DB
	Clock  clock.Source
	Secret []byte    // of the installation
	Keys   seal.Keys // of what is sealed; none is the secret
	Client *outgoing.Client
}

// Header is a header that goes with every request of a connection. A nil Value keeps the one that is stored.
type Header struct {
	Name  string
	Value *string
}

// Input is a connection as people enter it. Nil members of a change keep what there is; an empty secret takes it away.
type Input struct {
	Kind    string // of a new one
	Slug    string // of a new one; "" is made of the name
	Name    *string
	BaseURL *string
	Chat    *string // of telegram: who gets the notices
	Headers []Header
	Token   *string // of stripe a key, of telegram the bot's token, of slack the webhook's address
	Signing *string // of stripe: what reports are signed with
}

// Shown is a connection as people see it: of secrets only that they are there.
type Shown struct {
	store.Connection
	Settings
}

// Settings are what a connection has besides its row.
type Settings struct {
	Chat    string   `json:"chat,omitempty"`
	Headers []string `json:"headers,omitempty"` // names
	Token   bool     `json:"token,omitempty"`
	Signing bool     `json:"signing,omitempty"`
}

// secrets are what is sealed.
type secrets struct {
	Token   string            `json:"token,omitempty"`
	Signing string            `json:"signing,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// List shows the connections of a workspace.
func (c *Connections) List(ctx context.Context, workspace uuid.UUID) ([]Shown, error) {
	rows, err := store.Q.Connections(ctx, c.DB, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "list connections")
	}
	list := make([]Shown, len(rows))
	for i, row := range rows {
		if list[i], err = show(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Create saves a new connection.
func (c *Connections) Create(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) (Shown, error) {
	others, err := store.Q.Connections(ctx, tx, workspace)
	if err != nil {
		return Shown{}, fault.Wrap(err, "list connections")
	}
	if len(others) >= maxConnections {
		return Shown{}, fault.New(fault.Conflict, "This workspace has %d connections, the most it can have. Remove one first.", maxConnections)
	}
	now := store.Connection{WorkspaceID: workspace, ID: store.NewID(), Kind: in.Kind, Slug: in.Slug}
	next, hidden, settings, err := apply(now, secrets{}, Settings{}, in)
	if err != nil {
		return Shown{}, err
	}
	if next.Slug == "" {
		next.Slug = free(slug.Of(next.Name, in.Kind), others)
	}
	sealed, raw, err := c.pack(next, hidden, settings)
	if err != nil {
		return Shown{}, err
	}
	row, err := store.Q.InsertConnection(ctx, tx, store.InsertConnectionParams{
		WorkspaceID: workspace, ID: next.ID, Slug: next.Slug, Kind: next.Kind, Name: next.Name, BaseURL: next.BaseURL, Settings: raw, Secret: sealed, Now: tx.Now,
	})
	if store.Violated(err) != "" {
		return Shown{}, fault.New(fault.Conflict, "There is a connection %q already. Choose another name.", next.Slug)
	}
	if err != nil {
		return Shown{}, fault.Wrap(err, "save a connection")
	}
	return Shown{row, settings}, nil
}

func free(base string, taken []store.Connection) string {
	name := base
	for n := 2; ; n++ {
		used := false
		for _, row := range taken {
			used = used || row.Slug == name
		}
		if !used {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// Update changes a connection. An address on another host needs the secrets anew: what was entered for one service is not told to
// another.
func (c *Connections) Update(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, in Input) (Shown, error) {
	row, err := store.Q.LockConnection(ctx, tx, store.LockConnectionParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return Shown{}, missing(err)
	}
	shown, err := show(row)
	if err != nil {
		return Shown{}, err
	}
	hidden, err := c.open(row)
	if errors.Is(err, seal.ErrSealed) {
		hidden, err = secrets{}, nil // it is entered again now, or stays unreadable
		if in.Token == nil && len(in.Headers) == 0 {
			return Shown{}, fault.InvalidField("token", "The stored key cannot be read any more. Enter it again.")
		}
	}
	if err != nil {
		return Shown{}, err
	}
	next, hidden, settings, err := apply(row, hidden, shown.Settings, in)
	if err != nil {
		return Shown{}, err
	}
	sealed, raw, err := c.pack(next, hidden, settings)
	if err != nil {
		return Shown{}, err
	}
	row, err = store.Q.UpdateConnection(ctx, tx, store.UpdateConnectionParams{
		WorkspaceID: workspace, ID: id, Name: next.Name, BaseURL: next.BaseURL, Settings: raw, Secret: sealed, Now: tx.Now,
	})
	return Shown{row, settings}, fault.Wrap(err, "save a connection")
}

// Delete takes a connection away, unless people walk over it.
func (c *Connections) Delete(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	row, err := store.Q.LockConnection(ctx, tx, store.LockConnectionParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return missing(err)
	}
	names, err := store.Q.FunnelsNaming(ctx, tx, store.FunnelsNamingParams{WorkspaceID: workspace, Reference: "connection:" + row.Slug})
	if err != nil {
		return fault.Wrap(err, "look for funnels with a connection")
	}
	if len(names) > 0 {
		return fault.New(fault.Conflict, "%q is used by %s. Take it out there and publish first.", row.Name, strings.Join(names, ", "))
	}
	_, err = store.Q.DeleteConnection(ctx, tx, store.DeleteConnectionParams{WorkspaceID: workspace, ID: id})
	return fault.Wrap(err, "remove a connection")
}

func missing(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no such connection.")
	}
	return fault.Wrap(err, "read a connection")
}

func show(row store.Connection) (Shown, error) {
	shown := Shown{Connection: row}
	if err := json.Unmarshal(row.Settings, &shown.Settings); err != nil {
		return shown, fmt.Errorf("the settings of connection %s: %w", row.ID, err)
	}
	return shown, nil
}

func (c *Connections) box() seal.Box { return seal.New(c.Keys.Or(c.Secret), purpose) }

const purpose = "lejek connections"

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{{Table: "connections", Column: "secret", Purpose: purpose, Owner: "uuid_send(workspace_id) || uuid_send(id)"}}

// owner binds what is sealed to its row.
func owner(row store.Connection) []byte { return append(row.WorkspaceID[:], row.ID[:]...) }

func (c *Connections) pack(row store.Connection, hidden secrets, settings Settings) (sealed, raw []byte, err error) {
	if raw, err = json.Marshal(settings); err != nil {
		return nil, nil, fmt.Errorf("save a connection: %w", err)
	}
	plain, err := json.Marshal(hidden)
	if err != nil {
		return nil, nil, fmt.Errorf("save a connection: %w", err)
	}
	sealed, err = c.box().Seal(owner(row), string(plain))
	return sealed, raw, err
}

func (c *Connections) open(row store.Connection) (hidden secrets, err error) {
	plain, err := c.box().Open(owner(row), row.Secret)
	if err != nil || plain == "" {
		return hidden, err
	}
	if json.Unmarshal([]byte(plain), &hidden) != nil {
		return hidden, errors.New("the secrets of a connection cannot be read") // the cause may hold them
	}
	return hidden, nil
}
