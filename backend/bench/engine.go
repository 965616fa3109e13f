package bench

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/migrations"
)

//go:embed bare_loop.sql
var bareLoop string

const (
	bareBatch = 300
	rounds    = 3
	laneBare  = 1
)

// EngineOptions size the measurement; the zero value is the design's.
type EngineOptions struct {
	Runs  int // a round, for each of the two; 0 is 30,000
	Burst int // due at one instant; 0 is 20,000
}

// EngineResult is what the engine did in this run. Ratio is advances over the bare loop's, both medians of their rounds; the
// lateness is that of Burst runs due at one instant, from that instant to their commit.
type EngineResult struct {
	AdvancesPerS float64 `json:"advances_per_s"`
	BareLoopPerS float64 `json:"bare_loop_per_s"`
	Ratio        float64 `json:"ratio"`
	LateP50      float64 `json:"late_p50_ms"`
	LateP99      float64 `json:"late_p99_ms"`
}

// Engine measures advances against the bare loop, in alternating rounds on the same database and number of connections, and
// then the lateness of a burst.
func Engine(ctx context.Context, options EngineOptions, progress io.Writer) (result EngineResult, err error) {
	if options.Runs == 0 {
		options.Runs = 30_000
	}
	if options.Burst == 0 {
		options.Burst = 20_000
	}
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = firstError(err, db.Close(context.WithoutCancel(ctx))) }()
	clk, err := clock.NewBusiness(ctx, db.Pool, clock.Options{})
	if err != nil {
		return result, err
	}
	h, err := newHerd(ctx, db, clk)
	if err != nil {
		return result, err
	}
	engine := newEngine(db.Pool, clk)
	var bare, ours []float64
	for round := range rounds {
		due := clock.Micro(clk.Now().Add(-time.Minute))
		if err := h.add(ctx, options.Runs, due); err != nil {
			return result, err
		}
		rate, err := h.bare(ctx, clk, due, engine.slots())
		if err != nil {
			return result, err
		}
		bare = append(bare, rate)
		due = due.Add(time.Second)
		if err := h.add(ctx, options.Runs, due); err != nil {
			return result, err
		}
		if rate, err = engine.rate(ctx, h, due); err != nil {
			return result, err
		}
		ours = append(ours, rate)
		fmt.Fprintf(progress, "Round %d of %d: bare loop %.0f a second, engine %.0f\n", round+1, rounds, bare[round], ours[round])
	}
	result.AdvancesPerS, result.BareLoopPerS = median(ours), median(bare)
	result.Ratio = result.AdvancesPerS / result.BareLoopPerS
	result.LateP50, result.LateP99, err = engine.lateness(ctx, h, clk, options.Burst)
	return result, err
}

// bare runs the bare loop over everything that is due and returns its rate from first to last commit.
func (h *herd) bare(ctx context.Context, clk clock.Clock, due time.Time, conns int) (float64, error) {
	group, ctx2 := errgroup.WithContext(ctx)
	for range conns {
		group.Go(func() error {
			for {
				now := clk.Now()
				tag, err := h.db.Pool.Exec(ctx2, bareLoop, now, time.Time{}, laneBare, bareBatch, now.Add(90*24*time.Hour))
				if err != nil || tag.RowsAffected() == 0 {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("the bare loop: %w", err)
	}
	return h.rate(ctx, due)
}

// rate is runs a second from first to last commit of those due at one instant.
func (h *herd) rate(ctx context.Context, due time.Time) (float64, error) {
	n, first, last, err := h.commits(ctx, due)
	if err != nil {
		return 0, err
	}
	if n == 0 || !last.After(first) {
		return 0, fmt.Errorf("nothing to measure: %d runs between %s and %s", n, first, last)
	}
	return float64(n) / last.Sub(first).Seconds(), nil
}

// engineUnderTest is the production pump with the wake job alone: messages are written and not delivered meanwhile.
type engineUnderTest struct {
	pool *pgxpool.Pool
	job  pump.Job
}

func newEngine(pool *pgxpool.Pool, clk clock.Source) *engineUnderTest {
	r := &runner.Runner{
		DB: pool, Clock: clk, Machine: clock.Machine{}, Plans: &plans.Cache{}, People: people.New(pool, clk, make([]byte, 32)),
		Logger: slog.New(slog.DiscardHandler),
	}
	return &engineUnderTest{pool: pool, job: r.Job()}
}

func (e *engineUnderTest) slots() int { return e.job.Slots }

// rate drives the pump on River until nobody waits any more.
func (e *engineUnderTest) rate(ctx context.Context, h *herd, due time.Time) (float64, error) {
	stop, err := e.start(ctx)
	if err != nil {
		return 0, err
	}
	if err := firstError(h.drained(ctx, due), stop()); err != nil {
		return 0, err
	}
	return h.rate(ctx, due)
}

// lateness lets n runs become due at one instant, with the pump idle before.
func (e *engineUnderTest) lateness(ctx context.Context, h *herd, clk clock.Clock, n int) (p50, p99 float64, err error) {
	due := clock.Micro(clk.Now().Add(time.Hour))
	if err := h.add(ctx, n, due); err != nil {
		return 0, 0, err
	}
	stop, err := e.start(ctx)
	if err != nil {
		return 0, 0, err
	}
	due = clock.Micro(clk.Now().Add(4 * time.Second))
	_, err = h.db.Pool.Exec(ctx, `UPDATE runs SET wake_at = $2, deadline = $2, at = $2::timestamptz - interval '1 hour' WHERE workspace_id = $1 AND node = 'wait-1'`, h.workspace, due)
	if err != nil {
		return 0, 0, err
	}
	if err := firstError(h.drained(ctx, due), stop()); err != nil {
		return 0, 0, err
	}
	err = h.db.Pool.QueryRow(ctx, `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY late), percentile_cont(0.99) WITHIN GROUP (ORDER BY late)
		FROM (SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin) - $2) * 1000 AS late
			FROM runs WHERE workspace_id = $1 AND node = 'wait-2' AND at = $2) AS measured`, h.workspace, due).Scan(&p50, &p99)
	return p50, p99, err
}

// start runs the pump on River; stop ends it in order.
func (e *engineUnderTest) start(ctx context.Context) (stop func() error, err error) {
	log := slog.New(slog.DiscardHandler)
	p := pump.New(pump.NewBoot(), pump.Config{Pool: e.pool, Machine: clock.Machine{}.Now, Logger: log, Role: "bench", Version: "bench", Jobs: []pump.Job{e.job}})
	workers := river.NewWorkers()
	p.AddTo(workers)
	client, err := river.NewClient(riverpgxv5.New(e.pool), &river.Config{Schema: migrations.RiverSchema, Workers: workers, Queues: p.Queues(), Logger: log})
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- p.Supervise(ctx, client) }()
	return func() error {
		cancel()
		return firstError(<-done, client.Stop(context.WithoutCancel(ctx)))
	}, nil
}

// drained waits until everybody has left the wait that ends at due.
func (h *herd) drained(ctx context.Context, due time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		some, err := h.waiting(ctx, due)
		if err != nil || !some {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("some runs due at %s still wait: %w", due, ctx.Err())
		case <-ticker.C:
		}
	}
}
