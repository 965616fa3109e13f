// Package worker puts the spine together for one process: events meet funnels, runs wake, messages leave, each driven by the pump on
// River. `serve` runs it beside the HTTP server, `worker` alone; any number of both share one database.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/agenda"
	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/connections"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/payments"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/backend/watch"
	"github.com/lejek/lejek/backend/webhooks"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/migrations"
)

const (
	// rescueAfter is how long a River job may run before another process takes it for dead; every job of ours ends sooner.
	rescueAfter   = 2 * time.Minute
	jobTimeout    = 90 * time.Second
	softStop      = 20 * time.Second
	prepareEvery  = 6 * time.Hour
	keepCompleted = 6 * time.Hour
	keepDiscarded = 30 * 24 * time.Hour
)

// Config is what a Worker needs.
type Config struct {
	Pool     *pgxpool.Pool
	Clock    clock.Source
	Machine  clock.Clock // real time that all processes agree on; nil is this machine's
	Secret   []byte      // of links and hashes
	Keys     seal.Keys   // of what is sealed; none is the secret
	BaseURL  string
	Template func(artifact []byte) (delivery.Template, error) // nil reads what package creative compiled
	Dialer   delivery.Dialer
	Allow    []netip.Prefix // networks that requests of steps may reach though they are not public
	Logger   *slog.Logger
	Role     string // serve or worker
	Version  string
	Lease    time.Duration // see delivery.Config and calls.Config
	Resolver *net.Resolver // see delivery.Config
	Lists    string        // directory of the lists of hand-overs; "" keeps none
	Writer   *ai.Writer    // of personal texts; nil leaves them to their fallbacks
	Daily    int           // see wording.Wording

	// More are queues of packages above the spine, such as campaigns.
	More []pump.Job

	// Extend adds workers and queues that are not the spine's, such as those of tasks. May be nil.
	Extend func(workers *river.Workers, queues map[string]river.QueueConfig)
}

// Worker is the spine of one process.
type Worker struct {
	Plans     *plans.Cache
	People    *people.People
	Reactor   *events.Reactor
	Inbox     *events.Inbox
	Sweep     *segments.Sweep
	Agenda    *agenda.Agenda
	Runner    *runner.Runner
	Watch     *watch.Watch
	Deliverer *delivery.Deliverer
	Tracker   *tracking.Tracker
	Wording   *wording.Wording
	Calls     *calls.Calls

	Connections *connections.Connections
	Reports     *connections.Reports
	Receipts    *receipts.Sources
	Webhooks    *webhooks.Webhooks
	Mailboxes   *replies.Mailboxes

	Pump  *pump.Pump
	River *river.Client[pgx.Tx] // started by Run; inserting is fine before

	config Config
}

// New puts a Worker together. Nothing runs before Run.
func New(config Config) (*Worker, error) {
	if config.Template == nil {
		config.Template = ReadCreative
	}
	w := &Worker{config: config, Plans: &plans.Cache{}, People: people.New(config.Pool, config.Clock, config.Secret)}
	machine := config.Machine
	if machine == nil {
		machine = clock.Machine{}
	}
	w.Reactor = &events.Reactor{Plans: w.Plans, People: w.People}
	w.Inbox = &events.Inbox{DB: config.Pool, Clock: config.Clock, Reactor: w.Reactor}
	w.Sweep = &segments.Sweep{DB: config.Pool, Clock: config.Clock, Cache: &w.Reactor.Segments, Also: agenda.Recompute}
	w.Agenda = &agenda.Agenda{DB: config.Pool, Clock: config.Clock, Plans: w.Plans}
	w.Runner = &runner.Runner{
		DB: config.Pool, Clock: config.Clock, Machine: machine, Plans: w.Plans, People: w.People, Logger: config.Logger, Nudge: w.Nudge,
	}
	w.Watch = &watch.Watch{DB: config.Pool, Clock: config.Clock, References: funnels.References}
	// The pump's jobs need the deliverer, and the deliverer the pump's name for this process.
	boot := pump.NewBoot()
	client := outgoing.New(outgoing.Options{Allow: config.Allow})
	w.Deliverer = delivery.New(delivery.Config{
		Client: client, Lists: config.Lists, Resolver: config.Resolver,
		DB: config.Pool, Clock: config.Clock, Machine: machine, Plans: w.Plans, People: w.People, Template: config.Template, Secret: config.Secret, Keys: config.Keys,
		BaseURL: config.BaseURL, Worker: boot, Logger: config.Logger, Dialer: config.Dialer, Nudge: w.Nudge, Lease: config.Lease,
	})
	w.Calls = calls.New(calls.Config{DB: config.Pool, Clock: config.Clock, Machine: machine, Logger: config.Logger, Nudge: w.Nudge, Lease: config.Lease})
	w.Connections = &connections.Connections{
		DB: config.Pool, Clock: config.Clock, Secret: config.Secret, Keys: config.Keys, Client: client,
	}
	w.Reports = &connections.Reports{
		Connections: w.Connections, Machine: machine, Payments: &payments.Payments{People: w.People, Reactor: w.Reactor}, Nudge: w.Nudge,
	}
	w.Receipts = &receipts.Sources{
		DB: config.Pool, Clock: config.Clock, Machine: machine, People: w.People, Secret: config.Secret, Keys: config.Keys, BaseURL: config.BaseURL, Get: w.Connections.Client.Do,
		Logger: config.Logger, Nudge: w.Nudge,
	}
	w.Webhooks = &webhooks.Webhooks{
		DB: config.Pool, Clock: config.Clock, Machine: machine, Secret: config.Secret, Keys: config.Keys, Client: w.Connections.Client, Logger: config.Logger, Nudge: w.Nudge,
	}
	w.Inbox.Tell = w.Webhooks.Tell
	w.Mailboxes = &replies.Mailboxes{
		DB: config.Pool, Clock: config.Clock, Machine: machine, People: w.People, Secret: config.Secret, Keys: config.Keys, Dial: config.Dialer.DialContext, Logger: config.Logger, Nudge: w.Nudge,
	}
	w.Tracker = &tracking.Tracker{
		DB: config.Pool, Clock: config.Clock, Links: tracking.NewLinks(config.Secret, config.BaseURL), Logger: config.Logger, Nudge: w.Nudge,
	}
	w.Wording = &wording.Wording{
		DB: config.Pool, Clock: config.Clock, Machine: machine, Writer: config.Writer, Secret: config.Secret, Daily: config.Daily,
	}
	w.answerCalls()
	_, manual := config.Clock.(*clock.Manual)
	w.Pump = pump.New(boot, pump.Config{
		Pool: config.Pool, Machine: machine.Now, Manual: manual, Logger: config.Logger, Role: config.Role, Version: config.Version, Jobs: w.Jobs(),
	})
	workers, queues := river.NewWorkers(), w.Pump.Queues()
	w.Pump.AddTo(workers)
	if config.Extend != nil {
		config.Extend(workers, queues)
	}
	var err error
	w.River, err = river.NewClient(riverpgxv5.New(config.Pool), &river.Config{
		ID: boot, Schema: migrations.RiverSchema, Workers: workers, Queues: queues, Logger: warnings(config.Logger), JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter,
		SoftStopTimeout: softStop, CompletedJobRetentionPeriod: keepCompleted, DiscardedJobRetentionPeriod: keepDiscarded,
		JobStuckHandler: func(ctx context.Context, stuck river.JobStuckHandlerParams) river.JobStuckHandlerResult {
			config.Logger.ErrorContext(ctx, "a job hangs; another one takes its place", "job", stuck.ID, "kind", stuck.Kind, "stuck", stuck.TotalStuckJobs)
			return river.JobStuckHandlerResult{AddWorkerSlot: true}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("set up the job queue: %w", err)
	}
	return w, nil
}

// Jobs are all of the spine's queues, for those who drain by hand.
func (w *Worker) Jobs() []pump.Job {
	return slices.Concat([]pump.Job{w.Inbox.Job(), w.Runner.Job(), w.Sweep.Job(), w.Agenda.Job(), w.Watch.Job()}, w.Calls.Jobs(), []pump.Job{w.Reports.Job(), w.Receipts.Job(), w.Webhooks.Job(), w.Mailboxes.Job()}, w.Deliverer.Jobs(), []pump.Job{w.Tracker.Job()}, w.config.More)
}

// Settle works off everything that is due, without River. It is for tools that find no worker running.
func (w *Worker) Settle(ctx context.Context) error {
	for {
		done := 0
		for _, job := range w.Jobs() {
			n, err := job.DrainAll(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", job.Label, err)
			}
			done += n
		}
		if done == 0 {
			return nil
		}
	}
}

// Nudge tells a pump of this process that something became due; call it after a commit.
func (w *Worker) Nudge(kind string) {
	if w.Pump != nil {
		w.Pump.Nudge(kind)
	}
}

// Run works until ctx ends, then finishes what is in hand, within twenty seconds. It returns nil after an orderly end.
func (w *Worker) Run(ctx context.Context) error {
	err := w.patiently(ctx, func() error { return events.Prepare(ctx, w.config.Pool, w.config.Clock.Now()) })
	if err != nil {
		return fmt.Errorf("prepare the months of events: %w", err)
	}
	if err := w.patiently(ctx, func() error { return w.Deliverer.Start(ctx) }); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, w.Deliverer.Stop)()
	if err := w.patiently(ctx, func() error { return w.River.Start(context.WithoutCancel(ctx)) }); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	preparing := make(chan struct{})
	go func() {
		defer close(preparing)
		w.prepare(ctx)
	}()
	err = w.Pump.Supervise(ctx, w.River)
	<-preparing
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), softStop+10*time.Second)
	defer cancel()
	err = errors.Join(err, w.River.Stop(stopping))
	w.Deliverer.Close()
	return err
}

const comeBack = 500 * time.Millisecond

// patiently does a part of starting, and again while the database is away: it was there a moment ago, so it comes back.
func (w *Worker) patiently(ctx context.Context, part func() error) error {
	for {
		err := part()
		if err == nil || !store.IsDown(err) || ctx.Err() != nil {
			return err
		}
		w.config.Logger.WarnContext(ctx, "the database went away while the worker started; waiting for it", "error", err)
		timer := time.NewTimer(comeBack)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// prepare makes the months of events ahead of time.
func (w *Worker) prepare(ctx context.Context) {
	ticker := time.NewTicker(prepareEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := events.Prepare(ctx, w.config.Pool, w.config.Clock.Now()); err != nil && ctx.Err() == nil {
			w.config.Logger.ErrorContext(ctx, "the months of events could not be prepared; they are made when needed", "error", err)
		}
	}
}

// quiet lets warnings and errors through. River counts the jobs of every queue aloud each few seconds, which would push what a person
// should read out of sight; the pump's own metrics tell the same.
type quiet struct{ slog.Handler }

func warnings(logger *slog.Logger) *slog.Logger { return slog.New(quiet{logger.Handler()}) }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
