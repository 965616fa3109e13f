package events

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Expected is how many would start a funnel, judged by what happened lately.
type Expected struct {
	Days      int
	Events    int // of its triggers, in those days
	PerDay    float64
	Reachable []Reachable
}

// Reachable is to how many of the people who would start it a channel's marketing may go.
type Reachable struct {
	Channel     string
	People, May int
}

const (
	expectDays  = 28
	expectAsked = 1000 // events whose person is asked; of more, the share is taken
)

// Expect looks at the events of the last four weeks that the triggers listen to and asks the entry about their people as they are now.
// Channels are those whose consent is of interest. It locks nothing.
func (r *Reactor) Expect(ctx context.Context, db store.DB, in engine.Input, workspace uuid.UUID, bundle engine.Bundle, channels []string, allowUnknown bool) (*Expected, error) {
	version, err := plans.Draft(bundle)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // what is wrong with it the validator says; nothing can be expected of it
	}
	since := in.Now.AddDate(0, 0, -expectDays)
	expected := &Expected{Days: expectDays}
	err = db.QueryRow(ctx, "SELECT count(*) FROM events WHERE workspace_id = $1 AND at >= $2 AND name = ANY($3) AND NOT imported", workspace, since, version.Plan.Starts()).Scan(&expected.Events)
	if err != nil {
		return nil, fmt.Errorf("count events of the triggers: %w", err)
	}
	started, asked, err := wouldStart(ctx, db, in, workspace, version, since)
	if err != nil {
		return nil, err
	}
	if asked > 0 {
		expected.PerDay = float64(expected.Events) * float64(started.events) / float64(asked) / expectDays
	}
	people := slices.Collect(maps.Keys(started.people))
	for _, channel := range channels {
		may, err := mayGet(ctx, db, workspace, people, channel, allowUnknown)
		if err != nil {
			return nil, err
		}
		expected.Reachable = append(expected.Reachable, Reachable{channel, len(people), may})
	}
	return expected, nil
}

// starters are the events that would start a run and their people.
type starters struct {
	events int
	people map[uuid.UUID]bool
}

func wouldStart(ctx context.Context, db store.DB, in engine.Input, workspace uuid.UUID, version *plans.Version, since time.Time) (starters, int, error) {
	found := starters{people: map[uuid.UUID]bool{}}
	type happened struct {
		contact uuid.UUID
		event   engine.Event
	}
	rows, err := db.Query(ctx, `SELECT contact_id, name, at, props FROM events
		WHERE workspace_id = $1 AND at >= $2 AND name = ANY($3) AND NOT imported ORDER BY at DESC, id DESC LIMIT $4`, workspace, since, version.Plan.Starts(), expectAsked)
	if err != nil {
		return found, 0, fmt.Errorf("read events of the triggers: %w", err)
	}
	sample, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h happened, err error) {
		err = row.Scan(&h.contact, &h.event.Name, &h.event.At, &h.event.Props)
		return h, err
	})
	if err != nil {
		return found, 0, fmt.Errorf("read events of the triggers: %w", err)
	}
	ids := map[uuid.UUID]bool{}
	for _, h := range sample {
		ids[h.contact] = true
	}
	people, err := facts.Contacts(ctx, db, keysOf(workspace, slices.Collect(maps.Keys(ids))), facts.NoLock)
	if err != nil {
		return found, 0, err
	}
	if err := facts.Fill(ctx, db, people, version.Needs); err != nil {
		return found, 0, err
	}
	for _, h := range sample {
		person := people[facts.Key{Workspace: workspace, Contact: h.contact}]
		if person == nil || person.Gone {
			continue
		}
		in.Contact = person.Contact
		if version.Plan.Admit(h.event, in).Starts() {
			found.events++
			found.people[h.contact] = true
		}
	}
	return found, len(sample), nil
}

// mayGet counts who has an address for a channel and agreed to marketing by it.
func mayGet(ctx context.Context, db store.DB, workspace uuid.UUID, people []uuid.UUID, channel string, allowUnknown bool) (int, error) {
	var may int
	err := db.QueryRow(ctx, `SELECT count(*) FROM contacts c LEFT JOIN consents k
			ON k.workspace_id = c.workspace_id AND k.contact_id = c.id AND k.channel = $3 AND k.topic = ''
		WHERE c.workspace_id = $1 AND c.id = ANY($2)
			AND CASE WHEN $3 = 'email' THEN c.email_folded IS NOT NULL WHEN $3 IN ('sms', 'whatsapp') THEN c.phone IS NOT NULL ELSE true END
			AND CASE WHEN $4 THEN coalesce(k.state, 'unknown') <> 'denied' ELSE k.state = 'granted' END`, workspace, people, channel, allowUnknown).Scan(&may)
	if err != nil {
		return 0, fmt.Errorf("count who may get something: %w", err)
	}
	return may, nil
}
