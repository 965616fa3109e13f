package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/timeline"
)

//go:embed winback.json
var winBack []byte

// ReplayOptions say what is replayed.
type ReplayOptions struct {
	Events io.Reader // the file of purchases
	Rows   int       // how many of it; 0 is all
	Until  time.Time // the last instant, inclusive; zero is the first midnight after the last purchase
	Kill   int       // how often the worker is killed
	Seed   uint64    // of the moments at which it is
	Twice  bool      // hand the file in once more at the end, of which nothing may come
}

// ReplayResult is what came of a replay. Mails are distinct visits whose message is sent; Doubled are mails beyond one for a visit, or beyond one
// for a person at one instant. Both rates are over all Seconds, from the first event to the last mail.
type ReplayResult struct {
	Contacts     int     `json:"contacts"`
	Events       int     `json:"events"`
	Mails        int     `json:"mails"`
	Doubled      int     `json:"doubled"`
	Kills        int     `json:"kills"`
	EventsPerS   float64 `json:"events_per_s"`
	AdvancesPerS float64 `json:"advances_per_s"`
	Seconds      float64 `json:"seconds"`
}

// replay is one on its way.
type replay struct {
	*installation

	options  ReplayOptions
	manual   *clock.Manual
	machine  clock.Machine
	instants []instant
	shop     *intake
	random   *rand.Rand
	progress io.Writer

	handed  int           // events so far
	kills   []int         // the worker is killed in the instants in which so many events are reached
	strike  time.Time     // machine time of the next kill; zero when none is near
	killed  int           // kills so far
	average time.Duration // that an instant takes
}

// Replay hands real purchases to a server, an instant at a time, lets a worker do what is due, and counts. Every person whose last purchase is
// ninety days old gets one mail.
func Replay(ctx context.Context, options ReplayOptions, progress io.Writer) (result ReplayResult, err error) {
	r := &replay{options: options, progress: progress, random: rand.New(rand.NewPCG(options.Seed, 0))} //nolint:gosec // the moments may be told in advance
	if options.Rows == 0 {
		r.options.Rows = 1 << 40
	}
	var customers int
	if r.instants, customers, err = purchases(options.Events, r.options.Rows); err != nil {
		return result, err
	}
	if len(r.instants) == 0 {
		return result, errors.New("the file holds no purchase")
	}
	total := 0
	for _, i := range r.instants {
		total += len(i.events)
	}
	r.plan(total)
	if options.Until.IsZero() {
		last := r.instants[len(r.instants)-1].at
		r.options.Until = last.Truncate(24*time.Hour).AddDate(0, 0, 1)
	}
	fmt.Fprintf(progress, "%d purchases by %d customers\n", total, customers)
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	if r.manual, err = clock.NewManual(ctx, db.Pool, r.instants[0].at.Add(-time.Second)); err != nil {
		return result, err
	}
	r.installation, err = install(ctx, db, map[string]string{"LEJEK_CLOCK": "manual"}, winBack)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, r.stop(context.WithoutCancel(ctx))) }()
	if err := r.start(ctx); err != nil {
		return result, err
	}
	return r.run(ctx)
}

// plan chooses when the worker is killed: between 20 and 80 % of the way.
func (r *replay) plan(total int) {
	for range r.options.Kill {
		r.kills = append(r.kills, int(float64(total)*(0.2+0.6*r.random.Float64())))
	}
	slices.Sort(r.kills)
	if len(r.kills) > 0 {
		fmt.Fprintf(r.progress, "The worker is killed after %v events (--seed %d)\n", r.kills, r.options.Seed)
	}
}

func (r *replay) run(ctx context.Context) (result ReplayResult, err error) {
	r.shop = r.intake(1)
	began := r.machine.Now()
	for n, i := range r.instants {
		if err := r.pass(ctx, i); err != nil {
			return result, fmt.Errorf("at %s: %w", i.at.Format(time.RFC3339), err)
		}
		r.average = r.machine.Now().Sub(began) / time.Duration(n+1)
		if n%50 == 49 {
			fmt.Fprintf(r.progress, "%s: %d events, %.0f s\n", i.at.Format(time.DateOnly), r.handed, r.machine.Now().Sub(began).Seconds())
		}
	}
	if err := timeline.Walk(ctx, r.db.Pool, r.manual, r.options.Until, r.settle); err != nil {
		return result, err
	}
	result.Seconds = r.machine.Now().Sub(began).Seconds()
	if r.options.Twice {
		if err := r.again(ctx); err != nil {
			return result, err
		}
	}
	result.Kills = r.killed
	if err := r.count(ctx, &result); err != nil {
		return result, err
	}
	return result, r.audit(ctx)
}

// pass does one instant, after what became due before it: its events first, then the waits that end there.
func (r *replay) pass(ctx context.Context, i instant) error {
	_, due, err := r.manual.Read(ctx, r.db.Pool)
	if err != nil {
		return err
	}
	next, ok, err := timeline.Next(ctx, r.db.Pool, due)
	if err != nil {
		return err
	}
	if before := i.at.Add(-time.Microsecond); ok && !next.After(before) {
		if err := timeline.Walk(ctx, r.db.Pool, r.manual, before, r.settle); err != nil {
			return err
		}
	}
	r.threaten(len(i.events))
	if err := r.manual.SetNow(ctx, i.at); err != nil {
		return err
	}
	if _, err := r.hand(ctx, i.events); err != nil {
		return err
	}
	r.handed += len(i.events)
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.manual.SetDue(ctx, i.at); err != nil {
		return err
	}
	return r.settle(ctx)
}

func (r *replay) hand(ctx context.Context, all []apiEvent) (sum answers, err error) {
	for batch := range slices.Chunk(all, events.MaxBatch) {
		said, err := r.shop.send(ctx, batch)
		if err != nil {
			return sum, err
		}
		sum.accepted, sum.duplicate = sum.accepted+said.accepted, sum.duplicate+said.duplicate
	}
	return sum, nil
}

// settle waits for the worker.
func (r *replay) settle(ctx context.Context) error {
	return r.until(ctx, 2*time.Minute, "nothing is due any more", func() (bool, error) {
		if err := r.kill(ctx); err != nil {
			return false, err
		}
		if err := r.worker.alive(); err != nil {
			return false, err
		}
		return timeline.Idle(ctx, r.db.Pool, r.manual)
	})
}

// threaten chooses the moment of a kill that falls into the coming instant.
func (r *replay) threaten(coming int) {
	if len(r.kills) == 0 || r.kills[0] >= r.handed+coming {
		return
	}
	r.kills = r.kills[1:]
	r.strike = r.machine.Now().Add(time.Duration(r.random.Int64N(int64(r.average) + 1)))
}

// kill ends the worker if its moment has come, and starts another one.
func (r *replay) kill(ctx context.Context) error {
	if r.strike.IsZero() || r.machine.Now().Before(r.strike) {
		return nil
	}
	r.strike = time.Time{}
	r.killed++
	if err := r.worker.kill(); err != nil {
		return err
	}
	return r.work(ctx)
}

// again hands the whole file in once more: every event is known, and nothing comes of it.
func (r *replay) again(ctx context.Context) error {
	var all []apiEvent
	for _, i := range r.instants {
		all = append(all, i.events...)
	}
	said, err := r.hand(ctx, all)
	if err != nil {
		return fmt.Errorf("the second time: %w", err)
	}
	if said.accepted > 0 {
		return fmt.Errorf("handed in a second time, %d of %d events were taken for new ones", said.accepted, len(all))
	}
	fmt.Fprintf(r.progress, "Handed in a second time: %d of %d events were known\n", said.duplicate, len(all))
	return r.settle(ctx)
}

// count reads what came of it.
func (r *replay) count(ctx context.Context, result *ReplayResult) error {
	var advances int
	err := r.db.Pool.QueryRow(ctx, `WITH sent AS (SELECT run_id, seq, contact_id, due_at FROM messages WHERE workspace_id = $1 AND status = 'sent')
		SELECT (SELECT count(*) FROM contacts WHERE workspace_id = $1), (SELECT count(*) FROM events WHERE workspace_id = $1 AND name = 'purchase'),
			(SELECT count(DISTINCT (run_id, seq)) FROM sent),
			(SELECT count(*) - least(count(DISTINCT (run_id, seq)), count(DISTINCT (contact_id, due_at))) FROM sent),
			(SELECT count(*) FROM journal WHERE workspace_id = $1 AND kind IN ('wait', 'send_email'))`, r.workspace).
		Scan(&result.Contacts, &result.Events, &result.Mails, &result.Doubled, &advances)
	if err != nil {
		return fmt.Errorf("count what came of it: %w", err)
	}
	result.EventsPerS, result.AdvancesPerS = float64(result.Events)/result.Seconds, float64(advances)/result.Seconds
	return nil
}

// audit looks for broken invariants.
func (r *replay) audit(ctx context.Context) error {
	found, err := auditor.Audit(ctx, r.db.Pool, auditor.Options{Due: r.options.Until, Machine: r.machine.Now()})
	if err != nil {
		return err
	}
	errs := make([]error, len(found))
	for i, violation := range found {
		errs[i] = violation
	}
	return errors.Join(errs...)
}
