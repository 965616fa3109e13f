package rehearse

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/engine"
)

// past is a person as they were at the beginning of the period, and what happened to them.
type past struct {
	*facts.Person

	events []happened // by instant, then in order of arrival
	shut   map[string]time.Time
	sent   []sentBefore
}

// happened is a recorded event.
type happened struct {
	engine.Event

	counts bool // told of too late to start anything
}

// sentBefore is a message of another funnel.
type sentBefore struct {
	channel string
	at      time.Time
}

// stateEvents are those by which people became what they are.
var stateEvents = []string{"tag_added", "tag_removed", "list_joined", "list_left", "consent_changed", "unsubscribed"}

// load reads the next portion of people, in the order of their ids.
func (r *rehearsal) load(ctx context.Context, tx pgx.Tx) ([]*past, error) {
	rows, err := tx.Query(ctx, `SELECT DISTINCT contact_id FROM events
		WHERE workspace_id = $1 AND contact_id > $2 AND name = ANY($3) AND at BETWEEN $4 AND $5 ORDER BY contact_id LIMIT $6`,
		r.options.Workspace, r.result.After, r.plan.Starts(), r.options.From, r.options.To, r.options.Chunk)
	if err != nil {
		return nil, fmt.Errorf("read whom the period concerns: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("read whom the period concerns: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	keys := make([]facts.Key, len(ids))
	for i, id := range ids {
		keys[i] = facts.Key{Workspace: r.options.Workspace, Contact: id}
	}
	known, err := facts.Contacts(ctx, tx, keys, facts.NoLock)
	if err != nil {
		return nil, err
	}
	if err := facts.Fill(ctx, tx, known, facts.Needs{Consents: true}); err != nil {
		return nil, err
	}
	people := make([]*past, len(keys))
	byID := make(map[uuid.UUID]*past, len(keys))
	for i, key := range keys {
		person := known[key]
		if person == nil {
			person = &facts.Person{Key: key, Gone: true}
		}
		people[i] = &past{Person: person, shut: map[string]time.Time{}}
		byID[key.Contact] = people[i]
	}
	for _, read := range []func(context.Context, pgx.Tx, []uuid.UUID, map[uuid.UUID]*past) error{r.loadEvents, r.loadShut, r.loadSent} {
		if err := read(ctx, tx, ids, byID); err != nil {
			return nil, err
		}
	}
	for _, p := range people {
		p.takeBack(r.options.From, r.options.To)
		if p.Gone { // nobody may write to who they were
			p.events = nil
		}
	}
	return people, nil
}

// loadEvents reads all that matters of the lives of people, but not what the funnel itself did in them.
func (r *rehearsal) loadEvents(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, people map[uuid.UUID]*past) error {
	rows, err := tx.Query(ctx, `SELECT e.contact_id, e.id, e.name, CASE WHEN e.imported THEN e.at ELSE greatest(e.at, e.received_at) END AS met, e.at,
			NOT e.imported AND e.received_at - e.at > $4::interval, e.props
		FROM events e WHERE e.workspace_id = $1 AND e.contact_id = ANY($2) AND e.name = ANY($3)
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace_id = e.workspace_id AND r.funnel_id = $5 AND r.id::text = e.props ->> 'run')
		ORDER BY met, e.id`, r.options.Workspace, ids, r.names, lateAfter, r.options.Funnel)
	if err != nil {
		return fmt.Errorf("read what happened: %w", err)
	}
	var contact uuid.UUID
	var e happened
	var props []byte
	_, err = pgx.ForEachRow(rows, []any{&contact, &e.ID, &e.Name, &e.At, &e.Happened, &e.counts, &props}, func() error {
		e.Props = nil
		if len(props) > 0 {
			if err := json.Unmarshal(props, &e.Props); err != nil {
				return fmt.Errorf("event %d: %w", e.ID, err)
			}
		}
		e.At = e.At.UTC()
		people[contact].events = append(people[contact].events, e)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what happened: %w", err)
	}
	return nil
}

// loadShut reads since when addresses are suppressed. An unsubscription is a consent, and known from the events.
func (r *rehearsal) loadShut(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, people map[uuid.UUID]*past) error {
	rows, err := tx.Query(ctx, `SELECT contact_id, channel, at FROM suppressions
		WHERE workspace_id = $1 AND contact_id = ANY($2) AND reason <> 'unsubscribed'`, r.options.Workspace, ids)
	if err != nil {
		return fmt.Errorf("read suppressed addresses: %w", err)
	}
	var contact uuid.UUID
	var channel string
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&contact, &channel, &at}, func() error {
		people[contact].shut[channel] = at.UTC()
		return nil
	})
	if err != nil {
		return fmt.Errorf("read suppressed addresses: %w", err)
	}
	return nil
}

// loadSent reads the marketing that others sent, where there is a cap it counts for.
func (r *rehearsal) loadSent(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, people map[uuid.UUID]*past) error {
	longest := 0
	for _, limit := range r.house.Caps {
		longest = max(longest, limit.Per)
	}
	if longest == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT contact_id, channel, sent_at FROM messages
		WHERE workspace_id = $1 AND contact_id = ANY($2) AND class = 'marketing' AND funnel_id IS DISTINCT FROM $3 AND sent_at BETWEEN $4 AND $5`,
		r.options.Workspace, ids, r.options.Funnel, r.options.From.Add(-time.Duration(longest)*time.Hour), r.options.To)
	if err != nil {
		return fmt.Errorf("read what others sent: %w", err)
	}
	var contact uuid.UUID
	var s sentBefore
	_, err = pgx.ForEachRow(rows, []any{&contact, &s.channel, &s.at}, func() error {
		people[contact].sent = append(people[contact].sent, s)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what others sent: %w", err)
	}
	return nil
}

// takeBack makes tags, lists and consents what they were at the beginning: the first change after it tells the state before, for
// consents together with the last one said earlier. Events after the end are then forgotten.
func (p *past) takeBack(from, to time.Time) {
	type what struct{ kind, name string }
	seen := map[what]bool{}
	first := func(kind, name string) bool {
		key := what{kind, name}
		if name == "" || seen[key] {
			return false
		}
		seen[key] = true
		return true
	}
	said := map[engine.Consent]string{} // before the beginning
	for _, e := range p.events {
		text := func(key string) string { value, _ := e.Props[key].(string); return value }
		before := e.At.Before(from)
		switch e.Name {
		case "tag_added", "tag_removed":
			if !before && first("tag", text("tag")) {
				p.Tags = membership(p.Tags, text("tag"), e.Name == "tag_removed")
			}
		case "list_joined", "list_left":
			if !before && first("list", text("list")) {
				p.Lists = membership(p.Lists, text("list"), e.Name == "list_left")
			}
		case "consent_changed":
			key := engine.Consent{Channel: text("channel"), Topic: text("topic")}
			if before {
				said[key] = text("state")
			} else if first("consent "+key.Topic, key.Channel) {
				p.Consents = consented(p.Consents, key, said[key])
			}
		}
	}
	p.events = slices.DeleteFunc(p.events, func(e happened) bool { return e.At.After(to) })
}

// membership puts a name into a set or takes it out.
func membership(set []string, name string, in bool) []string {
	set = slices.DeleteFunc(slices.Clone(set), func(s string) bool { return s == name })
	if in {
		set = append(set, name)
	}
	return set
}

// consented replaces what was said to a channel and topic; nothing is unknown.
func consented(consents []engine.Consent, key engine.Consent, state string) []engine.Consent {
	consents = slices.DeleteFunc(slices.Clone(consents), func(c engine.Consent) bool { return c.Channel == key.Channel && c.Topic == key.Topic })
	if state != "" {
		consents = append(consents, engine.Consent{Channel: key.Channel, Topic: key.Topic, State: state})
	}
	return consents
}
