package events

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// nextIDs takes n ids for events, in order.
func nextIDs(ctx context.Context, db store.DB, n int) ([]int64, error) {
	rows, err := db.Query(ctx, "SELECT nextval('event_ids') FROM generate_series(1, $1)", n)
	if err != nil {
		return nil, fmt.Errorf("number events: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("number events: %w", err)
	}
	return ids, nil
}

const (
	insertEvents = `INSERT INTO events (workspace_id, id, contact_id, name, at, received_at, source, external_id, imported, chain, props, reaction, folded)
		SELECT $1, * FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::text[], $9::boolean[],
			$10::smallint[], $11::jsonb[], $12::jsonb[], $13::jsonb[])`
	upsertRollups = `INSERT INTO event_rollups AS r (workspace_id, contact_id, name, count, first_at, last_at)
		SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[])
		ON CONFLICT (workspace_id, contact_id, name) DO UPDATE SET count = r.count + excluded.count,
			first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at)`
)

// record writes the events of a batch with what they did, and counts them.
func record(ctx context.Context, tx store.Tx, workspace uuid.UUID, batch []*happening) error {
	if len(batch) == 0 {
		return nil
	}
	n := len(batch)
	ids, contacts, names := make([]int64, n), make([][16]byte, n), make([]string, n)
	at, arrived := make([]time.Time, n), make([]time.Time, n)
	sources, external, imported, chains := make([]string, n), make([]*string, n), make([]bool, n), make([]int16, n)
	props, reactions, folded := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	rollups := map[rollupKey]engine.Rollup{}
	for i, h := range batch {
		ids[i], contacts[i], names[i] = h.id, h.who.Contact, h.name
		at[i], arrived[i] = h.at, h.arrived
		sources[i], external[i], imported[i], chains[i] = h.source, h.key, h.quiet != "", int16(h.chain)
		props[i], folded[i] = h.raw, engine.FoldValues(h.props)
		if !h.done.empty() {
			reaction, err := json.Marshal(h.done)
			if err != nil {
				return fmt.Errorf("describe what an event did: %w", err)
			}
			reactions[i] = reaction
		}
		key := rollupKey{h.who.Contact, h.name}
		rollups[key] = widen(rollups[key], 1, h.at, h.at)
	}
	if _, err := tx.Exec(ctx, insertEvents, workspace, ids, contacts, names, at, arrived, sources, external, imported, chains, props, reactions, folded); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return count(ctx, tx, workspace, rollups)
}

type rollupKey struct {
	contact uuid.UUID
	name    string
}

// count adds to the roll-ups. One statement cannot touch a row twice, so the batch was folded first.
func count(ctx context.Context, tx store.Tx, workspace uuid.UUID, rollups map[rollupKey]engine.Rollup) error {
	keys := make([]rollupKey, 0, len(rollups))
	for key := range rollups {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b rollupKey) int {
		return cmp.Or(bytes.Compare(a.contact[:], b.contact[:]), cmp.Compare(a.name, b.name))
	})
	n := len(keys)
	contacts, names, counts := make([][16]byte, n), make([]string, n), make([]int32, n)
	first, last := make([]time.Time, n), make([]time.Time, n)
	for i, key := range keys {
		r := rollups[key]
		contacts[i], names[i], counts[i], first[i], last[i] = key.contact, key.name, int32(r.Count), r.First, r.Last
	}
	if _, err := tx.Exec(ctx, upsertRollups, workspace, contacts, names, counts, first, last); err != nil {
		return fmt.Errorf("count events: %w", err)
	}
	return nil
}

// remember keeps the names of events a workspace gets and the properties they carry, for pickers and the validator. It writes only
// when there is something new.
func remember(ctx context.Context, tx store.Tx, workspace uuid.UUID, batch []*happening) error {
	seen := map[string]map[string]bool{}
	for _, h := range batch {
		if h.source == SourceInternal {
			continue
		}
		if seen[h.name] == nil {
			seen[h.name] = map[string]bool{}
		}
		for property := range h.props {
			seen[h.name][property] = true
		}
	}
	if len(seen) == 0 {
		return nil
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	rows, err := tx.Query(ctx, "SELECT name, properties, last_seen_at FROM event_names WHERE workspace_id = $1 AND name = ANY($2)", workspace, names)
	if err != nil {
		return fmt.Errorf("read event names: %w", err)
	}
	fresh := map[string]bool{}
	var name string
	var properties []string
	var last time.Time
	_, err = pgx.ForEachRow(rows, []any{&name, &properties, &last}, func() error {
		for _, p := range properties {
			seen[name][p] = true
		}
		full := len(properties) >= maxKnownProps
		fresh[name] = (full || len(seen[name]) == len(properties)) && tx.Now.Sub(last) < time.Hour
		return nil
	})
	if err != nil {
		return fmt.Errorf("read event names: %w", err)
	}
	for _, name := range names {
		if fresh[name] {
			continue
		}
		list := make([]string, 0, len(seen[name]))
		for property := range seen[name] {
			list = append(list, property)
		}
		slices.Sort(list)
		list = list[:min(len(list), maxKnownProps)]
		_, err := tx.Exec(ctx, `INSERT INTO event_names AS n (workspace_id, name, properties, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $4)
			ON CONFLICT (workspace_id, name) DO UPDATE SET properties = excluded.properties, last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)`,
			workspace, name, list, tx.Now)
		if err != nil {
			return fmt.Errorf("keep an event name: %w", err)
		}
	}
	return nil
}

// maxKnownProps bounds what is kept about one event name.
const maxKnownProps = 200
