// Package app is the composition root: it alone knows how all parts of Lejek are put together. main, the tools and the end-to-end tests share it.
//
//	database (given, or embedded) ─▶ migrations ─▶ clock ─▶ spine (package worker) ─▶ tasks, auth ─▶ api
//
// One process serves, works, or does both. Stopping goes backwards: no new requests, what is in hand is finished, connections end.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/embedpg"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/inbound"
	"github.com/lejek/lejek/backend/outbox"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/preferences"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/backend/web"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/backend/worker"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/migrations"
)

// Version of the program.
const Version = "0.1.0"

const (
	connections = 20
	stopLimit   = 25 * time.Second
)

// Config says how one process runs.
type Config struct {
	config.Config

	Serve bool // answer HTTP
	Work  bool // wake runs, deliver messages, do tasks
}

// Deps are what tests and tools put in place of the real thing. All may be zero.
type Deps struct {
	Logger   *slog.Logger
	Progress io.Writer        // one line per slow step of starting; nil is silence
	Pool     *pgxpool.Pool    // a migrated database; Close leaves it open
	Clock    clock.Source     // business time; nil is what the configuration says
	Machine  clock.Clock      // real time
	Dialer   *delivery.Dialer // to mail servers; nil refuses private addresses unless the operator named one
	Mail     auth.Mailer      // mails of the installation; nil is the operator's mail server, if any
	Listener net.Listener     // nil listens on Config.Addr
}

// App is one process of Lejek.
type App struct {
	Config Config
	Pool   *pgxpool.Pool
	Clock  clock.Source
	Auth   *auth.Auth
	Worker *worker.Worker
	Tasks  *tasks.Tasks
	API    *api.Server

	Funnels   *funnels.Funnels
	Segments  *segments.Segments
	Campaigns *campaigns.Campaigns
	Drafts    *drafts.Drafts
	Texts     *wording.Desk
	Inbound   *inbound.Inbound

	logger   *slog.Logger
	metrics  *prometheus.Registry
	business *clock.Business // nil under the manual clock
	listener net.Listener
	closing  []func(context.Context) error // in the order of starting
}

// New puts everything together, up to an open port. Nothing runs before Run. On an error nothing stays open.
func New(ctx context.Context, cfg Config, deps Deps) (*App, error) {
	a := &App{Config: cfg, logger: deps.Logger, listener: deps.Listener, metrics: prometheus.NewRegistry()}
	if a.logger == nil {
		a.logger = slog.Default()
	}
	if deps.Machine == nil {
		deps.Machine = clock.Machine{}
	}
	if deps.Progress == nil {
		deps.Progress = io.Discard
	}
	for _, step := range []func(context.Context, *Deps) error{
		a.listen, a.secret, a.database, a.time, a.spine, a.face,
	} {
		if err := step(ctx, &deps); err != nil {
			return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
		}
	}
	return a, nil
}

// listen takes the port first: a busy one is the mistake people make most, and costs nothing to find.
func (a *App) listen(ctx context.Context, _ *Deps) error {
	if !a.Config.Serve || a.listener != nil {
		return nil
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", a.Config.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w. Is another Lejek running? Stop it, or set LEJEK_ADDR to another port", a.Config.Addr, err)
	}
	a.listener = listener
	return nil
}

func (a *App) secret(context.Context, *Deps) error {
	if err := os.MkdirAll(a.Config.DataDir, 0o755); err != nil && a.Config.Secret == nil { //nolint:gosec // the database runs as another user and has to pass through
		return fmt.Errorf("make the data directory: %w", err)
	}
	return a.Config.EnsureSecret()
}

func (a *App) database(ctx context.Context, deps *Deps) error {
	if deps.Pool != nil {
		a.Pool = deps.Pool
		return nil
	}
	url := a.Config.DatabaseURL
	if url == "" {
		server, err := embedpg.Start(ctx, embedpg.Options{Dir: filepath.Join(a.Config.DataDir, "postgres"), Progress: deps.Progress})
		if err != nil {
			return fmt.Errorf("start the embedded database: %w", err)
		}
		a.closing = append(a.closing, server.Stop)
		url = server.URL("postgres")
	}
	pool, err := store.Open(ctx, url, connections)
	if err != nil {
		return err
	}
	a.Pool = pool
	a.closing = append(a.closing, func(context.Context) error {
		pool.Close()
		return nil
	})
	fmt.Fprintln(deps.Progress, "Preparing the database ...")
	return migrations.Up(ctx, pool)
}

// Migrate brings the configured database up to date and closes it.
func Migrate(ctx context.Context, cfg config.Config, progress io.Writer) error {
	a := &App{Config: Config{Config: cfg}}
	err := a.database(ctx, &Deps{Progress: progress})
	return errors.Join(err, a.Close(context.WithoutCancel(ctx)))
}

func (a *App) time(ctx context.Context, deps *Deps) error {
	var err error
	switch {
	case deps.Clock != nil:
		a.Clock = deps.Clock
	case a.Config.ManualClock:
		a.Clock, err = clock.NewManual(ctx, a.Pool, deps.Machine.Now())
	default:
		a.business, err = clock.NewBusiness(ctx, a.Pool, clock.Options{
			Logger: a.logger, MachineShift: failpoint.Shift("clock.machine"), DatabaseShift: failpoint.Shift("clock.database"),
		})
		a.Clock = a.business
	}
	return err
}

func (a *App) spine(ctx context.Context, deps *Deps) error {
	dialer := delivery.Dialer{Private: a.Config.SMTPURL != ""}
	if deps.Dialer != nil {
		dialer = *deps.Dialer
	}
	var err error
	if a.Tasks, err = tasks.New(a.Pool, a.Clock, a.logger); err != nil {
		return err
	}
	role := "worker"
	if a.Config.Serve {
		role = "serve"
	}
	machine := deps.Machine
	if a.business != nil {
		machine = a.business.Machine()
	}
	a.Segments = segments.New(segments.Options{
		DB: a.Pool, Clock: a.Clock, Hash: people.NewSuppressionKey(a.Config.Secret).Hash, References: funnels.References,
	})
	a.Campaigns = campaigns.New(campaigns.Options{
		DB: a.Pool, Clock: a.Clock, Segments: a.Segments, Compile: compiler(ctx), Tasks: a.Tasks, Nudge: func(kind string) { a.Worker.Nudge(kind) },
		Foresee: func(ctx context.Context, tx store.Tx, s delivery.Sketch, contacts []uuid.UUID, artifacts [][]byte) ([]delivery.Foreseen, error) {
			return a.Worker.Deliverer.Foresee(ctx, tx, s, contacts, artifacts)
		},
	})
	a.Worker, err = worker.New(worker.Config{
		Pool: a.Pool, Clock: a.Clock, Machine: machine, Secret: a.Config.Secret, Keys: a.Config.Keys, BaseURL: a.Config.BaseURL, Dialer: dialer, Allow: a.Config.AllowNetworks, Lists: a.lists(), Resolver: resolver(a.Config.DNS), Logger: a.logger, Role: role, Version: Version,
		Writer: drafts.NewWriter(a.Config.AI), Daily: a.Config.AI.Daily, More: []pump.Job{a.Campaigns.Job(), a.Tasks.Takeover(machineOr(machine))},
		Extend: func(workers *river.Workers, queues map[string]river.QueueConfig) {
			a.Tasks.AddTo(workers)
			queues[tasks.Queue] = river.QueueConfig{MaxWorkers: 2}
		},
	})
	if err != nil {
		return err
	}
	a.Funnels = funnels.New(a.Pool, a.Clock, compiler(ctx))
	a.Inbound = inbound.New(inbound.Options{
		DB: a.Pool, Clock: a.Clock, Machine: deps.Machine, People: a.Worker.People, Reactor: a.Worker.Reactor, Secret: a.Config.Secret, BaseURL: a.Config.BaseURL,
	})
	a.Worker.Calls.Inside("book_slot", a.Inbound.Bookings.BookSlot)
	a.Tasks.Register(a.Worker.People.ImportTask())
	a.Tasks.Register(a.Campaigns.FreezeTask())
	a.Tasks.Register(a.Worker.People.RefusalsTask())
	a.Tasks.Register(rehearse.Task(a.Pool))
	a.Tasks.Register(a.Worker.Reactor.MatchingTask(a.Worker.Nudge))
	a.Tasks.Register(a.Worker.Runner.MoveTask(a.Worker.Nudge))
	a.Drafts = drafts.New(drafts.Options{
		Tasks: a.Tasks, DB: a.Pool, Clock: a.Clock, Machine: machineOr(machine), Drafter: drafts.NewDrafter(a.Config.AI), Secret: a.Config.Secret, Keys: a.Config.Keys, Allow: a.Config.AllowNetworks, Logger: a.logger,
		Names: func(ctx context.Context, workspace uuid.UUID) (*engine.Workspace, error) {
			return funnels.References(ctx, a.Pool, workspace)
		},
		Base:   a.baseOf,
		Prices: wording.Price{In: a.Config.AI.PriceIn, Out: a.Config.AI.PriceOut, Known: a.Config.AI.Priced},
	})
	a.Drafts.Metrics = drafts.NewMetrics(a.metrics, a.Drafts.Drafter)
	a.Worker.Wording.Own, a.Worker.Wording.Watch = a.Drafts.Writer, a.Drafts.WatchTexts
	a.Texts = &wording.Desk{Wording: a.Worker.Wording, Tasks: a.Tasks, Price: a.Drafts.Price, Draft: a.graphOf}
	a.Tasks.Register(a.Texts.Task())
	return nil
}

// resolver asks one name server, or the system's for "".
func resolver(server string) *net.Resolver {
	if server == "" {
		return nil
	}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, server)
	}}
}

// lists is where this machine's workers keep their lists of hand-overs.
func (a *App) lists() string {
	if !a.Config.Work {
		return ""
	}
	return filepath.Join(a.Config.DataDir, "handover")
}

func (a *App) face(_ context.Context, deps *Deps) error {
	mail := deps.Mail
	if mail == nil && a.Config.SMTPURL != "" {
		plain, err := delivery.NewPlain(a.Config.SMTPURL, a.Config.BaseURL)
		if err != nil {
			return fmt.Errorf("LEJEK_SMTP_URL: %w", err)
		}
		mail = plain
	}
	a.Auth = auth.New(auth.Options{DB: a.Pool, Machine: deps.Machine, BaseURL: a.Config.BaseURL, Mail: mail, Logger: a.logger})
	if !a.Config.Serve {
		return nil
	}
	a.registerMetrics(a.metrics)
	var err error
	a.API, err = api.New(api.Deps{
		DB: a.Pool, Clock: a.Clock, Machine: deps.Machine, Auth: a.Auth, People: a.Worker.People, Funnels: a.Funnels, Inbound: a.Inbound, Segments: a.Segments, Campaigns: a.Campaigns, Outbox: outbox.New(outbox.Options{DB: a.Pool, Clock: a.Clock, Compile: compiler(context.Background()), Nudge: a.Worker.Nudge}), Runner: a.Worker.Runner,
		Reactor: a.Worker.Reactor, Delivery: a.Worker.Deliverer, Tracking: a.Worker.Tracker, Connections: a.Worker.Connections, Reports: a.Worker.Reports, Receipts: a.Worker.Receipts, Webhooks: a.Worker.Webhooks, Mailboxes: a.Worker.Mailboxes,
		Domains:     &tracking.Domains{DB: a.Pool, Secret: a.Config.Secret, BaseURL: a.Config.BaseURL, Get: a.Worker.Connections.Client.Do, Resolver: net.DefaultResolver},
		Preferences: &preferences.Preferences{DB: a.Pool, Clock: a.Clock, People: a.Worker.People, Key: a.Inbound.Key, BaseURL: a.Config.BaseURL},
		Tasks:       a.Tasks, Drafts: a.Drafts, Texts: a.Texts, Nudge: a.Worker.Nudge, Logger: a.logger, BaseURL: a.Config.BaseURL,
		Web: web.Handler(), AI: a.aiName(), TrustedProxies: a.Config.TrustedProxies, Metrics: a.metrics,
	})
	return err
}

// Addr is where the server listens; nil for a process that only works.
func (a *App) Addr() net.Addr {
	if a.listener == nil {
		return nil
	}
	return a.listener.Addr()
}

// Run serves and works until ctx ends, then stops in order. It returns nil after an orderly end.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	failed := make(chan error, 4)
	start := func(part func(context.Context) error) {
		running.Go(func() {
			err := part(ctx)
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				err = nil // it was still starting when it was told to stop
			}
			if err != nil {
				failed <- err
				stop() // one part without the others is no Lejek
			}
		})
	}
	if a.business != nil {
		start(func(ctx context.Context) error { a.business.Run(ctx); return nil })
	}
	start(func(ctx context.Context) error { store.KeepStatistics(ctx, a.Pool, a.logger); return nil })
	if a.Config.Work {
		start(a.Worker.Run)
		start(a.tidy)
	}
	if a.Config.Serve {
		start(a.serve)
	}
	<-ctx.Done()
	running.Wait()
	a.Auth.Wait()
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (a *App) serve(ctx context.Context) error {
	server := a.API.HTTP(a.Config.Addr)
	base, end := context.WithCancel(context.WithoutCancel(ctx)) // streams end with it; other requests are finished
	defer end()
	server.BaseContext = func(net.Listener) context.Context { return base }
	done := make(chan error, 1)
	go func() { done <- server.Serve(a.listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.API.Drain()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if err := server.Shutdown(limit); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// Close ends what New opened, in reverse order. Call it after Run.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	for _, end := range slices.Backward(a.closing) {
		errs = append(errs, end(ctx))
	}
	a.closing = nil
	if a.listener != nil {
		_ = a.listener.Close() // it is closed already after an orderly end
	}
	return errors.Join(errs...)
}
