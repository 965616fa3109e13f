package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/engine"
)

// Needs says what a batch of plans asks about people besides their own fields, tags and lists.
type Needs struct {
	Events   []string // names whose events are looked at one by one
	Rollups  bool     // counts by name, ever
	Consents bool
	Segments bool // slugs of those the person is in
}

// Any tells whether anything is asked.
func (n Needs) Any() bool { return len(n.Events) > 0 || n.Rollups || n.Consents || n.Segments }

// And is what both ask.
func (n Needs) And(other Needs) Needs {
	for _, name := range other.Events {
		if !slices.Contains(n.Events, name) {
			n.Events = append(slices.Clip(n.Events), name)
		}
	}
	n.Rollups, n.Consents, n.Segments = n.Rollups || other.Rollups, n.Consents || other.Consents, n.Segments || other.Segments
	return n
}

// Fill loads what needs says for all the given people.
func Fill(ctx context.Context, db DB, people map[Key]*Person, needs Needs) error {
	if len(people) == 0 {
		return nil
	}
	keys := make([]Key, 0, len(people))
	for key := range people {
		keys = append(keys, key)
	}
	workspaces, ids := split(keys)
	if needs.Consents {
		if err := consents(ctx, db, people, workspaces, ids); err != nil {
			return fmt.Errorf("read consents: %w", err)
		}
	}
	if needs.Segments {
		if err := segments(ctx, db, people, workspaces, ids); err != nil {
			return fmt.Errorf("read the segments of people: %w", err)
		}
	}
	if needs.Rollups {
		if err := rollups(ctx, db, people, workspaces, ids); err != nil {
			return fmt.Errorf("read event counts: %w", err)
		}
	}
	if len(needs.Events) > 0 {
		if err := events(ctx, db, people, workspaces, ids, needs.Events); err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
	return nil
}

func consents(ctx context.Context, db DB, people map[Key]*Person, workspaces, ids [][16]byte) error {
	rows, err := db.Query(ctx, `SELECT t.workspace_id, t.contact_id, t.channel, t.topic, t.state FROM consents t
		JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON t.workspace_id = k.workspace_id AND t.contact_id = k.id`, workspaces, ids)
	if err != nil {
		return err
	}
	var workspace, contact [16]byte
	var c engine.Consent
	_, err = pgx.ForEachRow(rows, []any{&workspace, &contact, &c.Channel, &c.Topic, &c.State}, func() error {
		p := people[Key{workspace, contact}]
		p.Consents = append(p.Consents, c)
		return nil
	})
	return err
}

func segments(ctx context.Context, db DB, people map[Key]*Person, workspaces, ids [][16]byte) error {
	rows, err := db.Query(ctx, `SELECT m.workspace_id, m.contact_id, s.slug FROM segment_members m
		JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON m.workspace_id = k.workspace_id AND m.contact_id = k.id
		JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id WHERE m.since IS NOT NULL AND s.state <> 'deleted'`, workspaces, ids)
	if err != nil {
		return err
	}
	var workspace, contact [16]byte
	var slug string
	_, err = pgx.ForEachRow(rows, []any{&workspace, &contact, &slug}, func() error {
		p := people[Key{workspace, contact}]
		p.Segments = append(p.Segments, slug)
		return nil
	})
	return err
}

func rollups(ctx context.Context, db DB, people map[Key]*Person, workspaces, ids [][16]byte) error {
	rows, err := db.Query(ctx, `SELECT t.workspace_id, t.contact_id, t.name, t.count, t.first_at, t.last_at FROM event_rollups t
		JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON t.workspace_id = k.workspace_id AND t.contact_id = k.id`, workspaces, ids)
	if err != nil {
		return err
	}
	var workspace, contact [16]byte
	var name string
	var r engine.Rollup
	_, err = pgx.ForEachRow(rows, []any{&workspace, &contact, &name, &r.Count, &r.First, &r.Last}, func() error {
		p := people[Key{workspace, contact}]
		if p.Rollups == nil {
			p.Rollups = map[string]engine.Rollup{}
		}
		p.Rollups[name] = r
		return nil
	})
	return err
}

func events(ctx context.Context, db DB, people map[Key]*Person, workspaces, ids [][16]byte, names []string) error {
	rows, err := db.Query(ctx, `SELECT t.workspace_id, t.contact_id, t.id, t.name, t.at, t.props FROM events t
		JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON t.workspace_id = k.workspace_id AND t.contact_id = k.id
		WHERE t.name = ANY($3) ORDER BY t.at, t.id`, workspaces, ids, names)
	if err != nil {
		return err
	}
	var workspace, contact [16]byte
	var e engine.Event
	var props []byte
	_, err = pgx.ForEachRow(rows, []any{&workspace, &contact, &e.ID, &e.Name, &e.At, &props}, func() error {
		e.Props = nil
		if len(props) > 0 {
			if err := json.Unmarshal(props, &e.Props); err != nil {
				return fmt.Errorf("event %d: %w", e.ID, err)
			}
		}
		p := people[Key{workspace, contact}]
		p.Events = append(p.Events, e)
		return nil
	})
	return err
}

// RunKey names a run.
type RunKey struct{ Workspace, Run uuid.UUID }

// Messages loads what became of the messages of runs, by run and step.
func Messages(ctx context.Context, db DB, keys []RunKey) (map[RunKey]map[string][]engine.Event, error) {
	workspaces, ids := make([][16]byte, len(keys)), make([][16]byte, len(keys))
	for i, key := range keys {
		workspaces[i], ids[i] = key.Workspace, key.Run
	}
	rows, err := db.Query(ctx, `SELECT m.workspace_id, m.run_id, m.node, m.sent_at, m.delivered_at, m.opened_at, m.clicked_at, m.replied_at, m.bounced_at
		FROM messages m JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON m.workspace_id = k.workspace_id AND m.run_id = k.id
		WHERE m.sent_at IS NOT NULL ORDER BY m.seq`, workspaces, ids)
	if err != nil {
		return nil, fmt.Errorf("read the messages of runs: %w", err)
	}
	found := map[RunKey]map[string][]engine.Event{}
	var workspace, run [16]byte
	var node string
	var at [6]*time.Time
	names := [6]string{"message_sent", "message_delivered", "message_opened", "link_clicked", "message_replied", "message_bounced"}
	_, err = pgx.ForEachRow(rows, []any{&workspace, &run, &node, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5]}, func() error {
		key := RunKey{workspace, run}
		if found[key] == nil {
			found[key] = map[string][]engine.Event{}
		}
		for i, name := range names {
			if at[i] != nil {
				found[key][node] = append(found[key][node], engine.Event{Name: name, At: *at[i]})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages of runs: %w", err)
	}
	return found, nil
}
