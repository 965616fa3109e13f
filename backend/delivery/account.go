package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
)

// provider is one account of a workspace.
type provider struct {
	workspace, id uuid.UUID
	kind          providers.Kind
	channel       string
	config        json.RawMessage
	sealed        []byte
	rate          rate
	warming       *time.Time // business
	revision      int64      // of its settings, counted up with each change
	outage        *outage    // nil is in order
}

func (p provider) bucket() string { return "provider:" + p.id.String() }

// account is a provider that is open in this process, as of one state of its settings.
type account struct {
	adapter  providers.Adapter
	revision int64
	turns    chan struct{} // of batches in hand, at most
	window   window
	rests    [lanes]atomic.Int64 // until when a lane has nothing to expect of its limits; microseconds of machine time
}

// longestRest bounds how long a process takes what it saw of a limit for granted: settings change, and others give back.
const longestRest = 2 * time.Second

func (a *account) rest(lane int, now, until time.Time) {
	if limit := now.Add(longestRest); until.After(limit) {
		until = limit
	}
	a.rests[lane].Store(until.UnixMicro())
}

func (a *account) resting(lane int, now time.Time) bool {
	return now.UnixMicro() < a.rests[lane].Load()
}

// resting tells whether this process knows that an account may send nothing in a lane yet.
func (d *Deliverer) resting(provider uuid.UUID, lane int) bool {
	d.mu.Lock()
	known := d.accounts[provider]
	d.mu.Unlock()
	return known != nil && known.resting(lane, d.Machine.Now())
}

// turnsAtOnce is how many batches of an account one process has in hand: while one is handed over, another is prepared or noted.
const turnsAtOnce = 3

const selectProviders = `SELECT p.workspace_id, p.id, p.kind, p.channel, p.config, p.secret, p.per_second, p.per_hour, p.per_day, p.warming_at, p.revision,
		o.since, o.until, o.settings, o.reason
	FROM providers p LEFT JOIN provider_outages o ON o.workspace_id = p.workspace_id AND o.provider_id = p.id WHERE `

// dueAccounts are the accounts with something to send in a lane.
func (d *Deliverer) dueAccounts(ctx context.Context, lane int) ([]provider, error) {
	rows, err := d.DB.Query(ctx, selectProviders+`EXISTS (SELECT 1 FROM messages m
		WHERE m.provider_id = p.id AND m.lane = $1 AND m.status = 'queued' AND m.next_attempt_at <= $2)`, lane, d.Clock.Now())
	if err != nil {
		return nil, fmt.Errorf("look for due messages: %w", err)
	}
	due, err := pgx.CollectRows(rows, scanProvider)
	if err != nil {
		return nil, fmt.Errorf("look for due messages: %w", err)
	}
	return due, nil
}

// find reads one account by a condition; pgx.ErrNoRows if there is none.
func (d *Deliverer) find(ctx context.Context, condition string, args ...any) (provider, error) {
	rows, err := d.DB.Query(ctx, selectProviders+condition, args...)
	if err != nil {
		return provider{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanProvider)
}

func scanProvider(row pgx.CollectableRow) (provider, error) {
	var p provider
	var kind string
	var since, until *time.Time
	var settings *bool
	var reason *string
	err := row.Scan(&p.workspace, &p.id, &kind, &p.channel, &p.config, &p.sealed, &p.rate.perSecond, &p.rate.perHour, &p.rate.perDay, &p.warming, &p.revision,
		&since, &until, &settings, &reason)
	if err != nil {
		return p, err
	}
	if since != nil {
		p.outage = &outage{since: *since, until: *until, settings: *settings, reason: *reason}
	}
	var known bool
	if p.kind, known = providers.KindOf(kind); !known {
		return p, fmt.Errorf("the provider %s is of a kind %q that this version does not know", p.id, kind)
	}
	p.rate.burst = max(p.rate.perSecond, 1)
	return p, nil
}

// open returns the account's connections, new ones if its settings changed.
func (d *Deliverer) open(ctx context.Context, p provider) (*account, error) {
	d.mu.Lock()
	known := d.accounts[p.id]
	d.mu.Unlock()
	if known != nil && known.revision == p.revision {
		return known, nil
	}
	adapter, err := d.adapter(ctx, p)
	if err != nil {
		return nil, err
	}
	fresh := &account{adapter: adapter, revision: p.revision, turns: make(chan struct{}, turnsAtOnce)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if other := d.accounts[p.id]; other != nil && other.revision == p.revision {
		d.retire(p.id, fresh) // somebody was quicker
		return other, nil
	}
	d.accounts[p.id] = fresh
	if known != nil {
		d.retire(p.id, known)
	}
	return fresh, nil
}

// retire ends connections once nobody uses them any more.
func (d *Deliverer) retire(id uuid.UUID, old *account) {
	go func() {
		if err := old.adapter.Close(); err != nil {
			d.Logger.Debug("a connection to a provider did not end cleanly", "provider", id, "error", err)
		}
	}()
}

// adapter makes what speaks to the provider.
func (d *Deliverer) adapter(ctx context.Context, p provider) (providers.Adapter, error) {
	secret, err := d.openSecrets(p)
	if err != nil {
		return nil, err
	}
	settings := providers.Settings{
		Config: p.config, Secret: secret, Client: d.Client, Dial: d.Dialer.DialContext, Now: d.Machine.Now, Name: hostOf(d.BaseURL),
	}
	if p.kind.Mailer {
		if settings.Signers, err = d.signers(ctx, p.workspace); err != nil {
			return nil, err
		}
	}
	return p.kind.Open(settings)
}

// signers are the keys of the workspace's domains that were seen in DNS, by domain.
func (d *Deliverer) signers(ctx context.Context, workspace uuid.UUID) (map[string]*mailwire.Signer, error) {
	rows, err := d.DB.Query(ctx, "SELECT name, selector, private_key FROM domains WHERE workspace_id = $1 AND signing", workspace)
	if err != nil {
		return nil, fmt.Errorf("read the domains that sign: %w", err)
	}
	signers := map[string]*mailwire.Signer{}
	var name, selector string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&name, &selector, &sealed}, func() error {
		der, err := d.domainKeys().Open(domainOwner(workspace, name), sealed)
		if err != nil {
			return err
		}
		signers[name], err = mailwire.NewSigner(name, selector, []byte(der))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the domains that sign: %w", err)
	}
	return signers, nil
}

// openSecrets are what is sealed of an account.
func (d *Deliverer) openSecrets(p provider) (providers.Secrets, error) {
	text, err := d.passwords().Open(p.id[:], p.sealed)
	if err != nil {
		return nil, err
	}
	if p.kind.Name == providers.SMTP {
		return providers.Secrets{"password": text}, nil
	}
	secret := providers.Secrets{}
	if text != "" && json.Unmarshal([]byte(text), &secret) != nil {
		return nil, errors.New("the stored keys cannot be read. Enter them again") // the cause may hold them
	}
	return secret, nil
}
