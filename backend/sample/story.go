package sample

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/timeline"
)

// scene is one thing that happens.
type scene struct {
	at   time.Time
	name string
	who  int
	more map[string]any
}

const joins = "joins the newsletter"

var mats = []struct {
	product string
	total   float64
}{{"Cork mat \"Terra\"", 289}, {"Bolster", 149}, {"Ten-class pass", 420}, {"Eye pillow", 59}, {"Gift card", 200}}

// play lets the story happen, in order, with everything that becomes due on the way.
func (s *studio) play(ctx context.Context) error {
	if err := events.Prepare(ctx, s.tx, s.clock.Now()); err != nil {
		return err
	}
	morning, err := announcement(s.end)
	if err != nil {
		return err
	}
	scenes := s.scenes()
	for len(scenes) > 0 {
		at := scenes[0].at
		if !s.announced && !at.Before(morning) {
			if err := s.to(ctx, morning); err != nil {
				return err
			}
			if err := s.announce(ctx); err != nil {
				return err
			}
		}
		n := slices.IndexFunc(scenes, func(sc scene) bool { return sc.at.After(at) })
		if n < 0 {
			n = len(scenes)
		}
		if err := s.to(ctx, at); err != nil {
			return err
		}
		if err := s.happen(ctx, scenes[:n]); err != nil {
			return fmt.Errorf("what happens at %s: %w", at.Format(time.RFC3339), err)
		}
		if err := s.react(ctx); err != nil {
			return err
		}
		scenes = scenes[n:]
	}
	if err := s.sketchNext(ctx); err != nil {
		return err
	}
	if err := s.to(ctx, s.end); err != nil {
		return err
	}
	return s.react(ctx)
}

// react lets people do something with what arrived.
func (s *studio) react(ctx context.Context) error {
	if err := s.readers(ctx); err != nil || !s.announced {
		return err
	}
	return s.visitors(ctx)
}

// scenes are ninety days of classes and three weeks of visits to the shop. They share instants, so that the story is told in few batches.
func (s *studio) scenes() []scene {
	var all []scene
	begin := s.end.Add(-history)
	day := func(n int, hour int) time.Time {
		return begin.Add(time.Duration(n)*24*time.Hour + time.Duration(hour)*time.Hour + 17*time.Minute)
	}
	days := int(history / (24 * time.Hour))
	for n := range days - 1 {
		for range 4 + s.dice.roll(4) {
			all = append(all, scene{at: day(n, 18), name: "class_attended", who: s.dice.roll(crowd), more: map[string]any{"class": pick(s.dice, classes)}})
		}
	}
	for n := days - int(story/(24*time.Hour)); n < days; n++ {
		for range 2 + s.dice.roll(3) {
			all = append(all, scene{at: day(n, 8+6*s.dice.roll(3)), name: joins, who: s.dice.roll(crowd)})
		}
		for range 2 + s.dice.roll(3) {
			mat, who, at := pick(s.dice, mats), s.dice.roll(crowd), day(n, 8+3*s.dice.roll(5))
			cart := map[string]any{"product": mat.product, "total": mat.total, "url": fmt.Sprintf("%s/cart/%d", site, 1000+len(all))}
			all = append(all, scene{at: at, name: "cart_updated", who: who, more: cart})
			if s.dice.chance(40) {
				all = append(all, scene{at: at.Add(time.Duration(1+s.dice.roll(60)) * time.Hour), name: "order_placed", who: who, more: cart})
			}
		}
		if s.dice.chance(60) {
			all = append(all, scene{at: day(n, 11), name: "class_booked", who: s.dice.roll(crowd), more: map[string]any{"class": pick(s.dice, classes)}})
		}
	}
	all = slices.DeleteFunc(all, func(sc scene) bool { return !sc.at.Before(s.end) })
	slices.SortStableFunc(all, func(a, b scene) int { return a.at.Compare(b.at) })
	return all
}

// happen lets the scenes of one instant happen.
func (s *studio) happen(ctx context.Context, scenes []scene) error {
	var batch []events.Incoming
	for _, sc := range scenes {
		who := people.Input{ExternalID: s.crowd[sc.who].ExternalID}
		if sc.name == joins {
			who.Lists = []string{"newsletter"}
			if _, err := s.people.Upsert(ctx, s.workspace, who, "form"); err != nil {
				return err
			}
			continue
		}
		batch = append(batch, events.Incoming{Who: who, Name: sc.name, Props: sc.more, ID: fmt.Sprintf("%s-%d-%d", sc.name, sc.who, sc.at.UnixMicro())})
	}
	return store.InTx(ctx, s.tx, s.clock, func(tx store.Tx) error {
		_, err := s.reactor.Ingest(ctx, tx, s.workspace, batch)
		return err
	})
}

// readers lets people open and click what arrived since the last scene; one in a while unsubscribes.
func (s *studio) readers(ctx context.Context) error {
	arrived, err := s.arrived(ctx, "campaign_id IS NULL", 6*time.Hour)
	if err != nil {
		return err
	}
	for _, id := range arrived {
		if !s.dice.chance(35) {
			continue
		}
		if err := s.deliverer.Act(ctx, s.workspace, id, "open", ""); err != nil {
			return err
		}
		switch {
		case s.dice.chance(35):
			err = s.deliverer.Act(ctx, s.workspace, id, "click", site)
		case s.dice.chance(4):
			err = s.deliverer.Act(ctx, s.workspace, id, "unsubscribe", "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arrived are the messages of some kind that nobody has opened yet and that are no older than so.
func (s *studio) arrived(ctx context.Context, kind string, since time.Duration) ([]uuid.UUID, error) {
	rows, err := s.tx.Query(ctx, `SELECT id FROM messages WHERE workspace_id = $1 AND status = 'sent' AND opened_at IS NULL AND sent_at <= $2 AND sent_at > $3
		AND `+kind+` ORDER BY sent_at, id`, s.workspace, s.clock.Now().Add(-10*time.Minute), s.clock.Now().Add(-since))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// to lets time pass.
func (s *studio) to(ctx context.Context, at time.Time) error {
	return timeline.Walk(ctx, s.tx, s.clock, at, s.settle)
}

func (s *studio) settle(ctx context.Context) error {
	jobs := append([]pump.Job{s.inbox.Job(), s.runner.Job()}, s.deliverer.Jobs()...)
	if s.announced {
		jobs = append(jobs, s.campaigns.Job())
	}
	for {
		done := 0
		for _, job := range jobs {
			n, err := job.DrainAll(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", job.Kind, err)
			}
			done += n
		}
		if done == 0 {
			return nil
		}
	}
}
