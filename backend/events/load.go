package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/engine"
)

// load locks the people of the batch and reads the funnels and runs they meet.
func (m *meeting) load(ctx context.Context, r *Reactor) error {
	keys := make([]facts.Key, len(m.batch))
	for i, h := range m.batch {
		keys[i] = h.who
	}
	var err error
	if m.people, err = facts.Contacts(ctx, m.tx, keys, facts.Block); err != nil {
		return err
	}
	// Behind the locks: how far a build has come decides whether a move is told of.
	if m.segments, err = r.Segments.Load(ctx, m.tx, m.workspace); err != nil {
		return err
	}
	wanted, err := m.loadFunnels(ctx)
	if err != nil {
		return err
	}
	inside, err := m.loadRuns(ctx)
	if err != nil {
		return err
	}
	if m.versions, err = r.Plans.Get(ctx, m.tx, append(inside, wanted...)); err != nil {
		return err
	}
	usable := m.funnels[:0]
	for i, f := range m.funnels {
		if f.version = m.versions[wanted[i]]; f.version != nil && f.version.Plan != nil {
			usable = append(usable, f)
		}
	}
	m.funnels = usable
	m.pasts, m.taken, m.happened = map[pair]past{}, map[slot]bool{}, map[slot]bool{}
	return m.loadFacts(ctx)
}

func (m *meeting) loadFunnels(ctx context.Context) ([]plans.Key, error) {
	rows, err := m.tx.Query(ctx, `SELECT w.zone, f.id, f.state, f.live_version FROM workspaces w
		LEFT JOIN funnels f ON f.workspace_id = w.id AND f.state IN ('live', 'paused') WHERE w.id = $1 ORDER BY f.id`, m.workspace)
	if err != nil {
		return nil, fmt.Errorf("read live funnels: %w", err)
	}
	var versions []plans.Key
	var id, version *uuid.UUID
	var state *string
	_, err = pgx.ForEachRow(rows, []any{&m.zone, &id, &state, &version}, func() error {
		if id != nil {
			m.funnels = append(m.funnels, funnel{id: *id, state: *state})
			versions = append(versions, plans.Key{Workspace: m.workspace, Version: *version})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read live funnels: %w", err)
	}
	return versions, nil
}

func (m *meeting) loadRuns(ctx context.Context) ([]plans.Key, error) {
	m.runs = map[uuid.UUID][]*run{}
	contacts := make([][16]byte, 0, len(m.people))
	for key := range m.people {
		contacts = append(contacts, key.Contact)
	}
	rows, err := m.tx.Query(ctx, `SELECT id, contact_id, funnel_id, version_id, node, status, coalesce(slot, ''), coalesce(key, ''), coalesce(since, started_at) FROM runs
		WHERE workspace_id = $1 AND contact_id = ANY($2) AND status IN ('active', 'paused', 'parked')
		UNION ALL SELECT r.id, r.contact_id, r.funnel_id, r.version_id, r.node, r.status, '', coalesce(r.key, ''), coalesce(r.since, r.started_at) FROM runs r
			JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id AND f.state IN ('live', 'paused')
		WHERE r.workspace_id = $1 AND r.status = 'done' AND r.goal = ''
			AND r.id IN (SELECT m.run_id FROM messages m WHERE m.workspace_id = $1 AND m.contact_id = ANY($2) AND `+runs.Unsent+`)`, m.workspace, contacts)
	if err != nil {
		return nil, fmt.Errorf("read the runs of people: %w", err)
	}
	var versions []plans.Key
	var id, contact, funnel, version [16]byte
	var node, status, held, key string
	var since time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &contact, &funnel, &version, &node, &status, &held, &key, &since}, func() error {
		of := plans.Key{Workspace: m.workspace, Version: version}
		m.runs[contact] = append(m.runs[contact], &run{pair: pair{funnel, contact}, id: id, version: of, node: node, status: status, slot: held, key: key, since: since})
		versions = append(versions, of)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the runs of people: %w", err)
	}
	return versions, nil
}

// questions says about whom something is asked besides what their rows say, and what.
func (m *meeting) questions() (asked map[facts.Key]*facts.Person, needs facts.Needs) {
	asked = map[facts.Key]*facts.Person{}
	for _, f := range m.funnels {
		for _, h := range m.batch {
			person := m.people[h.who]
			if h.quiet != "" || person == nil || !f.version.StartsOn(h.fires()) {
				continue
			}
			needs = needs.And(f.version.Needs)
			asked[h.who] = person
		}
	}
	var heard []string
	for _, h := range m.batch {
		if person := m.people[h.who]; person != nil && h.stands == "" && m.segments.Hears(h.name) {
			heard, asked[h.who] = append(heard, h.name), person
		}
	}
	if heard != nil {
		needs = needs.And(m.segments.Needs(heard))
	}
	for _, h := range m.batch {
		if person := m.people[h.who]; person != nil && h.quiet == "" && h.name == "unsubscribed" {
			asked[h.who], needs.Consents = person, true // what else they have left decides which runs end
		}
	}
	return asked, needs
}

// loadFacts reads what the filters and goals of funnels that answer to the batch ask, and adds the batch's own events, which are
// not in the tables yet.
func (m *meeting) loadFacts(ctx context.Context) error {
	asked, needs := m.questions()
	if err := facts.Fill(ctx, m.tx, asked, needs); err != nil {
		return err
	}
	if len(needs.Events) == 0 && !needs.Rollups {
		return nil
	}
	for _, h := range m.batch {
		person := asked[h.who]
		if person == nil || h.stands != "" {
			continue
		}
		if needs.Rollups {
			if person.Rollups == nil {
				person.Rollups = map[string]engine.Rollup{}
			}
			person.Rollups[h.name] = widen(person.Rollups[h.name], 1, h.at, h.at)
		}
		if !slices.Contains(needs.Events, h.name) {
			continue
		}
		person.Events = append(person.Events, engine.Event{ID: h.id, Name: h.name, At: h.at, Props: h.props})
		slices.SortStableFunc(person.Events, func(a, b engine.Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	}
	return nil
}

// widen adds events to a roll-up.
func widen(r engine.Rollup, count int, first, last time.Time) engine.Rollup {
	if r.Count == 0 || first.Before(r.First) {
		r.First = first
	}
	if last.After(r.Last) {
		r.Last = last
	}
	r.Count += count
	return r
}

// loadPasts reads what re-entry rules ask about earlier runs, for the funnels that would let somebody in.
func (m *meeting) loadPasts(ctx context.Context, admissions [][]admission) error {
	var pastFunnels, pastContacts, keyFunnels, keyContacts [][16]byte
	var keys []string
	if err := m.loadOccurrences(ctx, admissions); err != nil {
		return err
	}
	asked := map[slot]bool{}
	for i, h := range m.batch {
		for _, a := range admissions[i] {
			key := slot{pair{a.funnel.id, h.who.Contact}, a.Slot}
			if !a.Starts() || asked[key] || a.Reentry.Rule == engine.ReentryRestart {
				continue
			}
			asked[key] = true
			if a.Reentry.Rule == engine.ReentryEach {
				keyFunnels, keyContacts, keys = append(keyFunnels, key.funnel), append(keyContacts, key.contact), append(keys, key.slot)
			} else {
				pastFunnels, pastContacts = append(pastFunnels, key.funnel), append(pastContacts, key.contact)
			}
		}
	}
	if len(keys) > 0 {
		rows, err := m.tx.Query(ctx, `SELECT r.funnel_id, r.contact_id, r.slot FROM runs r
			JOIN unnest($2::uuid[], $3::uuid[], $4::text[]) AS k (funnel_id, contact_id, slot)
			ON r.funnel_id = k.funnel_id AND r.contact_id = k.contact_id AND r.slot = k.slot WHERE r.workspace_id = $1`,
			m.workspace, keyFunnels, keyContacts, keys)
		if err != nil {
			return fmt.Errorf("read taken keys: %w", err)
		}
		var f, c [16]byte
		var held string
		if _, err := pgx.ForEachRow(rows, []any{&f, &c, &held}, func() error { m.taken[slot{pair{f, c}, held}] = true; return nil }); err != nil {
			return fmt.Errorf("read taken keys: %w", err)
		}
	}
	if len(pastFunnels) > 0 {
		rows, err := m.tx.Query(ctx, `SELECT r.funnel_id, r.contact_id, max(r.ended_at) FROM runs r
			JOIN unnest($2::uuid[], $3::uuid[]) AS k (funnel_id, contact_id) ON r.funnel_id = k.funnel_id AND r.contact_id = k.contact_id
			WHERE r.workspace_id = $1 GROUP BY r.funnel_id, r.contact_id`, m.workspace, pastFunnels, pastContacts)
		if err != nil {
			return fmt.Errorf("read earlier runs: %w", err)
		}
		var f, c [16]byte
		var last *time.Time
		_, err = pgx.ForEachRow(rows, []any{&f, &c, &last}, func() error {
			p := past{any: true}
			if last != nil {
				p.last = *last
			}
			m.pasts[pair{f, c}] = p
			return nil
		})
		if err != nil {
			return fmt.Errorf("read earlier runs: %w", err)
		}
	}
	return nil
}

// loadOccurrences reads which of the occurrences that would let somebody in have made a run already.
func (m *meeting) loadOccurrences(ctx context.Context, admissions [][]admission) error {
	var funnels, contacts [][16]byte
	var names []string
	for i, h := range m.batch {
		for _, a := range admissions[i] {
			if a.Starts() && a.Occurrence != "" {
				funnels, contacts, names = append(funnels, a.funnel.id), append(contacts, h.who.Contact), append(names, a.Occurrence)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	rows, err := m.tx.Query(ctx, `SELECT r.funnel_id, r.contact_id, r.occurrence FROM runs r
		JOIN unnest($2::uuid[], $3::uuid[], $4::text[]) AS k (funnel_id, contact_id, occurrence)
		ON r.funnel_id = k.funnel_id AND r.contact_id = k.contact_id AND r.occurrence = k.occurrence WHERE r.workspace_id = $1`, m.workspace, funnels, contacts, names)
	if err != nil {
		return fmt.Errorf("read what made runs before: %w", err)
	}
	var funnel, contact [16]byte
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&funnel, &contact, &name}, func() error { m.happened[slot{pair{funnel, contact}, name}] = true; return nil }); err != nil {
		return fmt.Errorf("read what made runs before: %w", err)
	}
	return nil
}
