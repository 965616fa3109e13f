package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
)

// IngestOptions size the measurement; the zero value is the design's.
type IngestOptions struct {
	People  int           // who are known; 0 is 20,000
	Clients int           // that send batches as fast as they are answered; 0 is 8
	Batch   int           // events in each of theirs, and in those of the second part; 0 is 1,000
	For     time.Duration // each of the two parts; 0 is 15 s
	Rate    int           // events a second in batches while single events are timed; 0 is 1,000
	Singles int           // single events a second meanwhile; 0 is 20
}

// IngestResult is what the event API takes: events a second in batches, and how long a single event takes meanwhile at a steady rate.
type IngestResult struct {
	EventsPerS float64 `json:"events_per_s"`
	SingleP99  float64 `json:"single_p99_ms"`
}

// ingestion is one measurement on its way.
type ingestion struct {
	*installation

	options IngestOptions
	machine clock.Machine
	shop    *intake
	ids     atomic.Int64
}

// Ingest measures the event API through HTTP with a worker beside it. The events are about known people and nothing listens to them:
// what a funnel does with one is the engine's bench.
func Ingest(ctx context.Context, options IngestOptions, progress io.Writer) (result IngestResult, err error) {
	options.People, options.Clients, options.Batch = cmp.Or(options.People, 20_000), cmp.Or(options.Clients, 8), cmp.Or(options.Batch, events.MaxBatch)
	options.For, options.Rate, options.Singles = cmp.Or(options.For, 15*time.Second), cmp.Or(options.Rate, 1000), cmp.Or(options.Singles, 20)
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	g := &ingestion{options: options}
	if g.installation, err = install(ctx, db, nil, orderFunnel); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, g.stop(context.WithoutCancel(ctx))) }()
	if err := g.start(ctx); err != nil {
		return result, err
	}
	g.shop = g.intake(options.Clients + 8)
	if err := g.introduce(ctx); err != nil {
		return result, err
	}
	if result.EventsPerS, err = g.flood(ctx); err != nil {
		return result, err
	}
	fmt.Fprintf(progress, "Batches of %d by %d clients: %.0f events a second\n", options.Batch, options.Clients, result.EventsPerS)
	singles, err := g.singles(ctx)
	if err != nil {
		return result, err
	}
	var kept int64
	if err := db.Pool.QueryRow(ctx, "SELECT count(*) FROM events WHERE name = 'product_viewed'").Scan(&kept); err != nil {
		return result, fmt.Errorf("count the events: %w", err)
	}
	if kept != g.ids.Load() {
		return result, fmt.Errorf("%d events were sent and %d were kept", g.ids.Load(), kept)
	}
	result.SingleP99 = percentile(singles, 99)
	fmt.Fprintf(progress, "Single events while batches run at %d a second: %d, median %.1f ms, p90 %.1f ms, p99 %.1f ms, worst %.1f ms\n",
		options.Rate, len(singles), percentile(singles, 50), percentile(singles, 90), result.SingleP99, percentile(singles, 100))
	return result, nil
}

func (g *ingestion) introduce(ctx context.Context) error {
	for from := 0; from < g.options.People; from += events.MaxBatch {
		batch := make([]apiEvent, min(events.MaxBatch, g.options.People-from))
		for i := range batch {
			batch[i] = apiEvent{Name: "signed_up", Contact: apiContact{Email: customer(from + i), Consents: granted()}}
		}
		if _, err := g.shop.send(ctx, batch); err != nil {
			return err
		}
	}
	return g.watch(ctx, time.Minute, "the people are known", 50*time.Millisecond, func() (bool, error) {
		var left int
		err := g.db.Pool.QueryRow(ctx, "SELECT count(*) FROM inbox").Scan(&left)
		return left == 0, err
	})
}

// view is an event of somebody that nothing listens to.
func (g *ingestion) view(random *rand.Rand) apiEvent {
	return apiEvent{
		Name: "product_viewed", ID: "view-" + strconv.FormatInt(g.ids.Add(1), 10), Contact: apiContact{Email: customer(random.IntN(g.options.People))},
		Properties: map[string]any{"sku": random.IntN(1000), "price": 19.9, "category": "shoes"},
	}
}

func (g *ingestion) views(random *rand.Rand, n int) []apiEvent {
	batch := make([]apiEvent, n)
	for i := range batch {
		batch[i] = g.view(random)
	}
	return batch
}

func dice(seed int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), 7)) //nolint:gosec // whom an event of a bench is about
}

// flood sends batches as fast as they are answered.
func (g *ingestion) flood(ctx context.Context) (float64, error) {
	var taken atomic.Int64
	group, gctx := errgroup.WithContext(ctx)
	began := g.machine.Now()
	end := began.Add(g.options.For)
	for client := range g.options.Clients {
		group.Go(func() error {
			random := dice(client)
			for g.machine.Now().Before(end) {
				said, err := g.shop.send(gctx, g.views(random, g.options.Batch))
				if err != nil {
					return err
				}
				taken.Add(int64(said.accepted))
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(taken.Load()) / g.machine.Now().Sub(began).Seconds(), err
}

// singles times single events, sent at a steady rate whether earlier ones were answered or not, from the instant each should have left.
func (g *ingestion) singles(ctx context.Context) ([]float64, error) {
	group, gctx := errgroup.WithContext(ctx)
	begin := g.machine.Now().Add(time.Second)
	random := dice(1 << 20)
	every := time.Duration(g.options.Batch) * time.Second / time.Duration(g.options.Rate)
	for n := range int(g.options.For / every) {
		batch := g.views(random, g.options.Batch)
		group.Go(func() error {
			if err := rest(gctx, begin.Add(time.Duration(n)*every).Sub(g.machine.Now())); err != nil {
				return err
			}
			_, err := g.shop.send(gctx, batch)
			return err
		})
	}
	took := make([]float64, int(g.options.For.Seconds()*float64(g.options.Singles)))
	for n := range took {
		event := []apiEvent{g.view(random)}
		at := begin.Add(time.Duration(n) * time.Second / time.Duration(g.options.Singles)).Add(time.Duration(n*37%41) * time.Millisecond)
		group.Go(func() error {
			if err := rest(gctx, at.Sub(g.machine.Now())); err != nil {
				return err
			}
			_, err := g.shop.send(gctx, event)
			took[n] = float64(g.machine.Now().Sub(at).Microseconds()) / 1000
			return err
		})
	}
	return took, group.Wait()
}
