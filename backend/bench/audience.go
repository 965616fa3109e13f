package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/segments"
)

// AudienceOptions size the measurement; the zero value is the design's.
type AudienceOptions struct {
	Contacts int           // 0 is 1,000,000
	Events   int           // of theirs in the past year; 0 is 5,000,000
	Due      int           // people whom the sweep is timed over; 0 is 20,000, or a fiftieth of the contacts where they are few
	For      time.Duration // single events are sent for so long, at rest and during a sweep; 0 is 15 s
	Rate     int           // of them a second; 0 is 40
}

// AudienceResult is what a big audience costs: the count of a rule that is saved nowhere (median), a sweep over many people whom time alone
// moves, and a single event over HTTP, at rest and while such a sweep goes on.
type AudienceResult struct {
	Count         float64 `json:"count_ms"`
	Sweep         float64 `json:"sweep_ms"`
	EventP99      float64 `json:"event_p99_ms"`
	EventP99Sweep float64 `json:"event_p99_ms_during_sweep"`
}

// audienceRule asks for three purchases and none for 90 days in one city.
const audienceRule = `{"all": [{"event": {"name": "purchase", "op": "gte", "value": 3}},
	{"event": {"name": "purchase", "op": "is", "value": 0, "within": {"amount": 90, "unit": "days"}}}, {"field": "city", "op": "is", "value": %q}]}`

// audience is one measurement on its way.
type audience struct {
	*installation

	options  AudienceOptions
	machine  clock.Machine
	crowd    *crowd
	progress io.Writer
}

// Audience measures counts and sweeps over a big workspace.
func Audience(ctx context.Context, options AudienceOptions, progress io.Writer) (result AudienceResult, err error) {
	options.Contacts, options.Events = cmp.Or(options.Contacts, 1_000_000), cmp.Or(options.Events, 5_000_000)
	options.Due = cmp.Or(options.Due, min(20_000, options.Contacts/50))
	options.For, options.Rate = cmp.Or(options.For, 15*time.Second), cmp.Or(options.Rate, 40)
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	a := &audience{options: options, progress: progress}
	if a.installation, err = install(ctx, db, nil, []byte(nobody)); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, a.stop(context.WithoutCancel(ctx))) }()
	name, rule := "Silent", `{"all": [{"event": {"name": "purchase"}}, {"event": {"name": "purchase", "agg": "last", "op": "not_within_last", "value": {"amount": 90, "unit": "days"}}}]}`
	silent, err := a.app.Segments.Create(ctx, a.workspace, segments.Input{Name: &name, Rule: json.RawMessage(rule)})
	if err != nil {
		return result, fmt.Errorf("make the segment: %w", err)
	}
	if a.crowd, err = a.gather(ctx, options.Contacts, options.Events, silent.ID, progress); err != nil {
		return result, err
	}
	if result.Count, err = a.count(ctx); err != nil {
		return result, err
	}
	if err := a.start(ctx); err != nil {
		return result, err
	}
	return result, a.disturb(ctx, &result)
}

// counts is how often the audience is counted, each time in another city.
const counts = 9

// count asks how many match, compares that with what was generated, and answers the median in milliseconds.
func (a *audience) count(ctx context.Context) (float64, error) {
	took := make([]float64, counts)
	for city := range took {
		most := a.crowd.match(city, a.app.Clock.Now())
		began := a.machine.Now()
		numbers, err := a.app.Segments.Count(ctx, a.workspace, fmt.Appendf(nil, audienceRule, cityName(city)))
		if err != nil {
			return 0, err
		}
		took[city] = float64(a.machine.Now().Sub(began).Microseconds()) / 1000
		least := most
		most = a.crowd.match(city, a.app.Clock.Now()) // people fall silent while they are counted
		fmt.Fprintf(a.progress, "%s: %d match, %d would get a mail, %.0f ms\n", cityName(city), numbers.Match, numbers.Channels[0].Sendable, took[city])
		if numbers.Match < int64(least) || numbers.Match > int64(most) {
			return 0, fmt.Errorf("%d people in %s match, and not %d", numbers.Match, cityName(city), most)
		}
	}
	return median(took), nil
}

// disturb times single events at rest, a sweep by itself, and single events during a sweep.
func (a *audience) disturb(ctx context.Context, result *AudienceResult) error {
	shop := a.intake(16)
	atRest, err := a.singles(ctx, shop)
	if err != nil {
		return err
	}
	result.EventP99 = percentile(atRest, 99)
	fmt.Fprintf(a.progress, "Single events at rest: %s\n", spread(atRest))
	if err := a.quiet(ctx); err != nil {
		return err
	}

	began := a.machine.Now()
	due, err := a.release(ctx, a.options.Due)
	if err != nil {
		return err
	}
	if err := a.swept(ctx); err != nil {
		return err
	}
	took := a.machine.Now().Sub(began)
	result.Sweep = float64(took.Microseconds()) / 1000
	fmt.Fprintf(a.progress, "A sweep over %d people: %.0f ms\n", due, result.Sweep)
	if err := a.quiet(ctx); err != nil {
		return err
	}

	// So many that they last until the last event is answered.
	long := int(1.5 * float64(due) * float64(a.options.For+time.Second) / float64(took))
	if due, err = a.release(ctx, long); err != nil {
		return err
	}
	meanwhile, err := a.singles(ctx, shop)
	if err != nil {
		return err
	}
	left, err := a.left(ctx)
	if err != nil {
		return err
	}
	result.EventP99Sweep = percentile(meanwhile, 99)
	fmt.Fprintf(a.progress, "Single events during a sweep over %d people, of whom %d were left when the last was answered: %s\n", due, left, spread(meanwhile))
	if err := a.swept(ctx); err != nil {
		return err
	}
	return a.tally(ctx)
}

func spread(took []float64) string {
	return fmt.Sprintf("%d, median %.1f ms, p90 %.1f ms, p99 %.1f ms, worst %.1f ms", len(took), percentile(took, 50), percentile(took, 90), percentile(took, 99), percentile(took, 100))
}

// singles times single purchases, sent at a steady rate whether earlier ones were answered or not, from the instant each should have left.
// Every other one is by somebody the sweep may be looking at.
func (a *audience) singles(ctx context.Context, shop *intake) ([]float64, error) {
	group, gctx := errgroup.WithContext(ctx)
	begin := a.machine.Now().Add(100 * time.Millisecond)
	random := dice(3)
	took := make([]float64, max(1, int(a.options.For.Seconds()*float64(a.options.Rate))))
	for n := range took {
		who := random.IntN(a.options.Contacts)
		if n%2 == 1 && len(a.crowd.silent) > 0 {
			who = a.crowd.silent[random.IntN(len(a.crowd.silent))]
		}
		event := []apiEvent{{Name: "purchase", Contact: apiContact{Email: customer(who)}, Properties: map[string]any{"total": 19.9}}}
		at := begin.Add(time.Duration(n) * time.Second / time.Duration(a.options.Rate))
		group.Go(func() error {
			if err := rest(gctx, at.Sub(a.machine.Now())); err != nil {
				return err
			}
			_, err := shop.send(gctx, event)
			took[n] = float64(a.machine.Now().Sub(at).Microseconds()) / 1000
			return err
		})
	}
	return took, group.Wait()
}

// release makes n of those due whose instant has come and who were kept from the sweep so far.
func (a *audience) release(ctx context.Context, n int) (int, error) {
	tag, err := a.db.Pool.Exec(ctx, `UPDATE segment_members m SET recheck_at = r.last_at + interval '2160 hours' FROM event_rollups r,
			(SELECT workspace_id, contact_id, segment_id FROM segment_members WHERE recheck_at = $2 LIMIT $1) x
		WHERE m.workspace_id = x.workspace_id AND m.contact_id = x.contact_id AND m.segment_id = x.segment_id
			AND r.workspace_id = x.workspace_id AND r.contact_id = x.contact_id AND r.name = 'purchase'`, n, a.crowd.later)
	if err != nil {
		return 0, fmt.Errorf("let the sweep have people: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return 0, errors.New("nobody is left whom the sweep could look at: measure more contacts")
	}
	return int(tag.RowsAffected()), nil
}

func (a *audience) left(ctx context.Context) (n int, err error) {
	err = a.db.Pool.QueryRow(ctx, "SELECT count(*) FROM segment_members WHERE recheck_at <= $1", a.app.Clock.Now()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count who is due: %w", err)
	}
	return n, nil
}

// swept waits until nobody is due.
func (a *audience) swept(ctx context.Context) error {
	return a.watch(ctx, 10*time.Minute, "nobody is due", 20*time.Millisecond, func() (due bool, err error) {
		err = a.db.Pool.QueryRow(ctx, "SELECT NOT EXISTS (SELECT 1 FROM segment_members WHERE recheck_at <= $1)", a.app.Clock.Now()).Scan(&due)
		return due, err
	})
}

// quiet waits until what was told has been heard.
func (a *audience) quiet(ctx context.Context) error {
	return a.watch(ctx, 10*time.Minute, "all events are worked off", 100*time.Millisecond, func() (none bool, err error) {
		err = a.db.Pool.QueryRow(ctx, "SELECT NOT EXISTS (SELECT 1 FROM inbox)").Scan(&none)
		return none, err
	})
}

// tally requires that the sweep told of each person once whom it put into the segment.
func (a *audience) tally(ctx context.Context) error {
	if err := a.quiet(ctx); err != nil {
		return err
	}
	var told, people int
	err := a.db.Pool.QueryRow(ctx, "SELECT count(*), count(DISTINCT contact_id) FROM events WHERE name = 'segment_entered'").Scan(&told, &people)
	if err != nil {
		return fmt.Errorf("count who was told of: %w", err)
	}
	if told == 0 || told != people {
		return fmt.Errorf("the sweep told %d times of %d people", told, people)
	}
	return nil
}
