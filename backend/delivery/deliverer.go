package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/handover"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/engine"
)

// Sandbox is the provider of messages that do not leave.
var Sandbox = uuid.Nil

// Lanes of messages.
const (
	laneTransactional = 0
	laneCampaigns     = 2 // those of funnels have the one between
	lanes             = 3
)

// Content is a creative with its holes filled for one person. The channel decides which members are filled.
type Content struct {
	Subject string
	HTML    string
	Text    string
	ReplyTo string
	Links   []Link

	HTMLParts []splice.Part // of an e-mail, HTML and Text as parts of the sources in the artifact; nil keeps them whole
	TextParts []splice.Part

	Title    string // of a push notification
	URL      string // where a tap on it leads
	Icon     string
	Template string   // that WhatsApp approved
	Address  []string // of a letter, line by line
	PDF      []byte
	Pages    int
}

// Link is one link of a message.
type Link struct {
	URL   string `json:"url"`
	Label string `json:"label"`
}

// Template is a compiled creative. Render is called by many goroutines; an *engine.MergeError says which variable is missing.
// Track, which may be nil, gives the address that stands in the place of the i-th link.
type Template interface {
	Render(scope *engine.MergeScope, track func(i int, url string) string) (Content, error)
}

// Config is what a Deliverer needs; all members but Nudge and Dialer are required.
type Config struct {
	DB       store.DB
	Clock    clock.Source
	Machine  clock.Clock
	Plans    *plans.Cache
	People   *people.People
	Template func(artifact []byte) (Template, error) // reads a row of creative_artifacts
	Secret   []byte                                  // of links
	Keys     seal.Keys                               // of what is sealed; none is the secret
	BaseURL  string                                  // of links in messages, without a trailing slash
	Worker   string                                  // this process, in attempts
	Logger   *slog.Logger
	Dialer   Dialer
	Client   *outgoing.Client // to providers over HTTPS
	Resolver *net.Resolver    // of the domains of senders; nil is the system's
	Lists    string           // directory of the lists of hand-overs of this machine's processes; "" keeps none
	Nudge    func(kind string)

	// Lease is how long after the beginning of a hand-over its result may come; then the reaper decides. Zero is a minute, half of
	// which the hand-over itself may take.
	Lease time.Duration
}

// Deliverer lets messages leave. It is safe for use by many goroutines.
type Deliverer struct {
	Config
	tokens    Tokens
	links     *tracking.Links
	replies   Replies
	templates templates

	mu       sync.Mutex
	accounts map[uuid.UUID]*account

	heldWorkspace, heldAfter uuid.UUID // the last held message that was looked at
	heldAgain                time.Time // when to look at held ones again; machine

	stopping context.Context //nolint:containedctx // it is the end of the process, and ends what is in hand
	stop     context.CancelFunc
	inHand   sync.WaitGroup
	list     *handover.Log // of this process; nil remembers nothing
	listed   sync.RWMutex  // held for reading while anything of the list is not in the database yet
	keepList atomic.Bool   // a result is in it and nowhere else
}

// New makes a Deliverer.
func New(config Config) *Deliverer {
	if config.Lease == 0 {
		config.Lease = time.Minute
	}
	d := &Deliverer{Config: config, tokens: NewTokens(config.Secret), links: tracking.NewLinks(config.Secret, config.BaseURL), replies: NewReplies(config.Secret),
		templates: templates{read: config.Template}, accounts: map[uuid.UUID]*account{}}
	d.stopping, d.stop = context.WithCancel(context.Background())
	return d
}

// Start decides about what processes that died had in hand, and begins the list of this one. Call it before the first Drain.
func (d *Deliverer) Start(ctx context.Context) (err error) {
	if err := d.Inherit(ctx, d.Lists); err != nil {
		return err
	}
	if d.list, err = handover.Open(d.Lists, d.Worker); err != nil {
		d.Logger.WarnContext(ctx, "hand-overs cannot be listed on this machine; if this process dies, more messages will be `possibly sent`", "error", err)
		d.list = nil
	}
	return nil
}

// enter counts a batch in; not while the process ends.
func (d *Deliverer) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping.Err() != nil {
		return false
	}
	d.inHand.Add(1)
	return true
}

func (d *Deliverer) leave() { d.inHand.Done() }

// Stop begins nothing any more. What is being handed over is finished; see Close.
func (d *Deliverer) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stop()
}

// Jobs are the pump's jobs: sending, and clearing up after processes that died while sending.
func (d *Deliverer) Jobs() []pump.Job {
	return []pump.Job{
		{Kind: "deliver", Label: "Send messages", Slots: 3, Lanes: lanes, Drain: d.Drain, Peek: d.peek},
		{Kind: "reap", Label: "Clear up hand-overs that were cut off", Slots: 1, Lanes: 1, Poll: time.Second, Drain: d.Reap},
		{Kind: "reconcile", Label: "Ask providers about messages that were possibly sent", Slots: 1, Lanes: 1, Poll: 15 * time.Second, Drain: d.Reconcile},
	}
}

// peek says which lanes have a message that is due and may leave: an account at its limit counts when the limit lets the next ones go.
func (d *Deliverer) peek(ctx context.Context) ([]int, error) {
	now, err := d.Clock.NowIn(ctx, d.DB)
	if err != nil {
		return nil, err
	}
	rows, err := d.DB.Query(ctx, `SELECT l, $3::uuid FROM generate_series(0, $2::int - 1) AS l
		WHERE EXISTS (SELECT 1 FROM messages WHERE provider_id = $3 AND lane = l AND status = 'queued' AND next_attempt_at <= $1)
		UNION ALL SELECT l, p.id FROM providers p, generate_series(0, $2::int - 1) AS l
		WHERE EXISTS (SELECT 1 FROM messages m WHERE m.provider_id = p.id AND m.lane = l AND m.status = 'queued' AND m.next_attempt_at <= $1)`,
		now, lanes, Sandbox)
	if err != nil {
		return nil, fmt.Errorf("look for due messages: %w", err)
	}
	var due []int
	var lane int
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&lane, &id}, func() error {
		if !d.resting(id, lane) {
			due = append(due, lane)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for due messages: %w", err)
	}
	return due, nil
}

// Drain sends one batch: what waits for the sandbox, then one batch of each account with something due.
func (d *Deliverer) Drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !d.Clock.Settled() {
		return pump.Drained{}, nil
	}
	sum, err := d.drainSandbox(ctx, batch)
	if err != nil {
		return sum, err
	}
	due, err := d.dueAccounts(ctx, batch.Lane)
	if err != nil {
		return sum, err
	}
	drained, err := d.drainAccounts(ctx, due, batch)
	sum.Rows += drained.Rows
	sum.Busy += drained.Busy
	return sum, err
}

func (d *Deliverer) nudge() {
	if d.Nudge != nil {
		d.Nudge("inbox")
	}
}

// Close stops, waits for what is in hand, and ends open connections.
func (d *Deliverer) Close() {
	d.Stop()
	d.inHand.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, open := range d.accounts {
		if err := open.adapter.Close(); err != nil {
			d.Logger.Debug("a connection to a provider did not end cleanly", "provider", id, "error", err)
		}
		delete(d.accounts, id)
	}
	if err := d.list.Close(d.keepList.Load()); err != nil {
		d.Logger.Warn("the list of hand-overs did not end cleanly", "error", err)
	}
}
