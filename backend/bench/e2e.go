package bench

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

//go:embed order.json
var orderFunnel []byte

// EndToEndOptions size the measurement; the zero value is the design's.
type EndToEndOptions struct {
	Idle    int           // events one at a time; 0 is 200
	Rate    int           // events a second under load; 0 is 500
	Busy    time.Duration // for so long; 0 is 25 s
	Collect time.Duration // what happens within so long goes in one request under load; 0 is 20 ms
	Clients int           // requests under way at once; 0 is 8
}

// EndToEndResult is how long it takes from the moment an application has an event to tell until a mail server has accepted the mail that
// comes of it: one event at a time, and at a steady rate.
type EndToEndResult struct {
	IdleP99 float64 `json:"idle_p99_ms"`
	BusyP99 float64 `json:"busy_p99_ms"`
}

// endToEnd is one measurement on its way.
type endToEnd struct {
	*installation

	options EndToEndOptions
	sink    *sink
	shop    *intake
	machine clock.Machine
}

// EndToEnd measures from HTTP to SMTP through a `serve` and a `worker` process in real time.
func EndToEnd(ctx context.Context, options EndToEndOptions, progress io.Writer) (result EndToEndResult, err error) {
	options.Idle, options.Rate, options.Clients = cmp.Or(options.Idle, 200), cmp.Or(options.Rate, 500), cmp.Or(options.Clients, 8)
	options.Busy, options.Collect = cmp.Or(options.Busy, 25*time.Second), cmp.Or(options.Collect, 20*time.Millisecond)
	e := &endToEnd{options: options}
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	if e.sink, err = openSink(ctx); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, e.sink.close()) }()
	settings := map[string]string{"LEJEK_SMTP_URL": "smtp://127.0.0.1:" + strconv.Itoa(e.sink.port)} // the operator allows a server that is not public
	if e.installation, err = install(ctx, db, settings, orderFunnel); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, e.stop(context.WithoutCancel(ctx))) }()
	if err := e.goLive(ctx); err != nil {
		return result, err
	}
	if err := e.start(ctx); err != nil {
		return result, err
	}
	e.shop = e.intake(options.Clients)
	busy := int(options.Busy.Seconds() * float64(options.Rate))
	if err := e.introduce(ctx, options.Idle+busy); err != nil {
		return result, err
	}
	idle, err := e.idle(ctx)
	if err != nil {
		return result, err
	}
	result.IdleP99 = percentile(idle, 99)
	fmt.Fprintf(progress, "Idle: %d events, median %.0f ms, p99 %.0f ms\n", len(idle), percentile(idle, 50), result.IdleP99)
	loaded, err := e.busy(ctx, options.Idle, busy)
	if err != nil {
		return result, err
	}
	result.BusyP99 = percentile(loaded, 99)
	fmt.Fprintf(progress, "Busy: %d events at %d a second, median %.0f ms, p99 %.0f ms\n", len(loaded), options.Rate, percentile(loaded, 50), result.BusyP99)
	if e.sink.extra > 0 {
		return result, fmt.Errorf("%d mails were sent twice", e.sink.extra)
	}
	return result, nil
}

// goLive lets the workspace's mails leave to the sink, faster than it is asked for.
func (e *endToEnd) goLive(ctx context.Context) error {
	return store.InTx(ctx, e.db.Pool, e.app.Clock, func(tx store.Tx) error {
		live := "live"
		if _, err := workspaces.Update(ctx, tx, e.workspace, workspaces.Patch{SendingMode: &live}); err != nil {
			return err
		}
		return e.app.Worker.Deliverer.SaveSMTP(ctx, tx, e.workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", Port: e.sink.port, TLS: "none"}, PerSecond: 10_000, Active: true,
		})
	})
}

func customer(n int) string { return strconv.Itoa(n) + "@bench.example" }

// introduce tells the server of n people who agreed to mails, by an event no funnel listens to.
func (e *endToEnd) introduce(ctx context.Context, n int) error {
	all := make([]apiEvent, n)
	for i := range all {
		all[i] = apiEvent{Name: "signed_up", Contact: apiContact{Email: customer(i), Consents: granted()}}
	}
	for batch := range slices.Chunk(all, events.MaxBatch) {
		if _, err := e.shop.send(ctx, batch); err != nil {
			return err
		}
	}
	return e.until(ctx, time.Minute, "the people are known", func() (bool, error) {
		var left int
		err := e.db.Pool.QueryRow(ctx, "SELECT count(*) FROM inbox").Scan(&left)
		return left == 0, err
	})
}

func order(n int) apiEvent {
	return apiEvent{
		Name: "order_placed", ID: "order-" + strconv.Itoa(n), Contact: apiContact{Email: customer(n)},
		Properties: map[string]any{"number": n, "total": 19.9},
	}
}

const mailPatience = time.Minute

// idle sends one event at a time, at uneven distances so that they do not fall in with any poll.
func (e *endToEnd) idle(ctx context.Context) ([]float64, error) {
	late := make([]float64, e.options.Idle)
	for n := range late {
		if err := rest(ctx, time.Duration(n*37%101)*time.Millisecond); err != nil {
			return nil, err
		}
		began := e.machine.Now()
		if _, err := e.shop.send(ctx, []apiEvent{order(n)}); err != nil {
			return nil, err
		}
		if err := e.until(ctx, mailPatience, "a mail was accepted", func() (bool, error) { return e.sink.has(customer(n)), nil }); err != nil {
			return nil, err
		}
		late[n] = e.lateness(n, began)
	}
	return late, nil
}

// busy sends n events at a steady rate, whether earlier ones were answered or not, as a library in an application does: what happened in
// the last moment in one request. The time counts from when each happened.
func (e *endToEnd) busy(ctx context.Context, first, n int) ([]float64, error) {
	before := e.sink.got()
	began := make([]time.Time, n)
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(e.options.Clients)
	start := e.machine.Now()
	for sent := 0; sent < n && gctx.Err() == nil; {
		var batch []apiEvent
		for batch == nil || sent < n && began[sent-1].Sub(began[sent-len(batch)]) < e.options.Collect {
			began[sent] = start.Add(time.Duration(sent) * time.Second / time.Duration(e.options.Rate))
			batch = append(batch, order(first+sent))
			sent++
		}
		if err := rest(gctx, began[sent-1].Sub(e.machine.Now())); err != nil {
			break
		}
		group.Go(func() error {
			_, err := e.shop.send(gctx, batch)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	err := e.until(ctx, mailPatience, "all mails were accepted", func() (bool, error) { return e.sink.got() >= before+n, nil })
	if err != nil {
		return nil, fmt.Errorf("%w (%d of %d)", err, e.sink.got()-before, n)
	}
	late := make([]float64, n)
	for i := range late {
		late[i] = e.lateness(first+i, began[i])
	}
	return late, nil
}

// lateness is the milliseconds from began until the mail of a customer was accepted.
func (e *endToEnd) lateness(n int, began time.Time) float64 {
	e.sink.mu.Lock()
	defer e.sink.mu.Unlock()
	return float64(e.sink.taken[customer(n)].Sub(began).Microseconds()) / 1000
}

// rest waits so long, or until ctx ends.
func rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
