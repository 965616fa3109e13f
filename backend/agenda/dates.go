package agenda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// watches are the dates kept for a workspace.
func watches(ctx context.Context, tx store.Tx, workspace uuid.UUID) ([]engine.DateWatch, error) {
	rows, err := tx.Query(ctx, "SELECT spec FROM date_watches WHERE workspace_id = $1 AND state <> 'deleted'", workspace)
	if err != nil {
		return nil, fmt.Errorf("read the dates of funnels: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (watch engine.DateWatch, err error) {
		var spec []byte
		if err := row.Scan(&spec); err != nil {
			return watch, err
		}
		return watch, json.Unmarshal(spec, &watch)
	})
	if err != nil {
		return nil, fmt.Errorf("read the dates of funnels: %w", err)
	}
	return list, nil
}

// Recompute finds the next dates of people whose fields or zone have changed. Their contacts are locked.
func Recompute(ctx context.Context, tx store.Tx, workspace uuid.UUID, zone string, people []*facts.Person) error {
	if len(people) == 0 {
		return nil
	}
	list, err := watches(ctx, tx, workspace)
	if err != nil || len(list) == 0 {
		return err
	}
	return compute(ctx, tx, workspace, zone, list, people)
}

// waiting is what a row knows of a person's date: the day they were told of last, and the one they wait for.
type waiting struct{ told, awaited string }

type place struct {
	contact uuid.UUID
	key     string
}

// known reads what people were told of and wait for. Their contacts are locked.
func known(ctx context.Context, tx store.Tx, workspace uuid.UUID, list []engine.DateWatch, people []*facts.Person) (map[place]waiting, error) {
	contacts, keys := make([][16]byte, len(people)), make([]string, len(list))
	for i, person := range people {
		contacts[i] = person.Key.Contact
	}
	for i := range list {
		keys[i] = list[i].Key
	}
	rows, err := tx.Query(ctx, `SELECT contact_id, key, coalesce(told, ''), coalesce(day, '') FROM date_dues
		WHERE workspace_id = $1 AND contact_id = ANY($2) AND key = ANY($3)`, workspace, contacts, keys)
	if err != nil {
		return nil, fmt.Errorf("read the dates people wait for: %w", err)
	}
	found := map[place]waiting{}
	var contact [16]byte
	var key string
	var w waiting
	if _, err := pgx.ForEachRow(rows, []any{&contact, &key, &w.told, &w.awaited}, func() error { found[place{contact, key}] = w; return nil }); err != nil {
		return nil, fmt.Errorf("read the dates people wait for: %w", err)
	}
	return found, nil
}

// compute writes the next coming of each date for each person. Where there is none the row goes, unless it says what they were told.
func compute(ctx context.Context, tx store.Tx, workspace uuid.UUID, zone string, list []engine.DateWatch, people []*facts.Person) error {
	rows, err := known(ctx, tx, workspace, list, people)
	if err != nil {
		return err
	}
	var contacts, gone [][16]byte
	var keys, days, goneKeys []string
	var due []time.Time
	for _, person := range people {
		for i := range list {
			row := rows[place{person.Key.Contact, list[i].Key}]
			next, ok := list[i].Follow(&person.Contact, zone, tx.Now, row.told, row.awaited)
			if ok && !person.Gone {
				contacts, keys, due, days = append(contacts, person.Key.Contact), append(keys, list[i].Key), append(due, next.At), append(days, next.Day)
			} else {
				gone, goneKeys = append(gone, person.Key.Contact), append(goneKeys, list[i].Key)
			}
		}
	}
	if len(keys) > 0 {
		_, err := tx.Exec(ctx, `INSERT INTO date_dues AS d (workspace_id, contact_id, key, due_at, day)
			SELECT w.workspace_id, x.contact, w.key, x.due, x.day FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::text[]) AS x (contact, key, due, day)
			JOIN date_watches w ON w.workspace_id = $1 AND w.key = x.key
			ON CONFLICT (workspace_id, contact_id, key) DO UPDATE SET due_at = excluded.due_at, day = excluded.day
			WHERE (d.due_at > $6 OR d.due_at IS NULL) AND (d.due_at, d.day) IS DISTINCT FROM (excluded.due_at, excluded.day)`,
			workspace, contacts, keys, due, days, tx.Now)
		if err != nil {
			return fmt.Errorf("note the dates of people: %w", err)
		}
	}
	if len(goneKeys) > 0 {
		_, err := tx.Exec(ctx, `WITH x AS (SELECT * FROM unnest($2::uuid[], $3::text[]) AS x (contact, key)), kept AS (
				UPDATE date_dues d SET due_at = NULL, day = NULL FROM x
				WHERE d.workspace_id = $1 AND d.contact_id = x.contact AND d.key = x.key AND d.due_at > $4 AND d.told IS NOT NULL
			) DELETE FROM date_dues d USING x
			WHERE d.workspace_id = $1 AND d.contact_id = x.contact AND d.key = x.key AND d.due_at > $4 AND d.told IS NULL`, workspace, gone, goneKeys, tx.Now)
		if err != nil {
			return fmt.Errorf("take dates of people away: %w", err)
		}
	}
	return nil
}

// build computes a new date for the next people, or clears one away that no funnel wants any more.
func (a *Agenda) build(ctx context.Context, limit int) (drained pump.Drained, err error) {
	err = store.InTx(ctx, a.DB, a.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		var workspace uuid.UUID
		var key, state string
		var builtTo *uuid.UUID
		var spec []byte
		err := tx.QueryRow(ctx, `SELECT workspace_id, key, spec, state, built_to FROM date_watches WHERE state <> 'live'
			ORDER BY created_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`).Scan(&workspace, &key, &spec, &state, &builtTo)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lease a date to build: %w", err)
		}
		if state == "deleted" {
			drained.Rows, err = clearAway(ctx, tx, workspace, key, 10*limit)
			return err
		}
		var watch engine.DateWatch
		if err := json.Unmarshal(spec, &watch); err != nil {
			return fmt.Errorf("read a date: %w", err)
		}
		drained.Rows, err = chunk(ctx, tx, workspace, watch, builtTo, limit)
		failpoint.Hit("agenda.before_commit")
		return err
	})
	return drained, err
}

func chunk(ctx context.Context, tx store.Tx, workspace uuid.UUID, watch engine.DateWatch, builtTo *uuid.UUID, limit int) (int, error) {
	after := uuid.Nil
	if builtTo != nil {
		after = *builtTo
	}
	rows, err := tx.Query(ctx, "SELECT id FROM contacts WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3", workspace, after, limit)
	if err != nil {
		return 0, fmt.Errorf("read people with dates: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("read people with dates: %w", err)
	}
	if len(ids) == 0 {
		_, err := tx.Exec(ctx, "UPDATE date_watches SET state = 'live', built_to = NULL WHERE workspace_id = $1 AND key = $2", workspace, watch.Key)
		return 1, err
	}
	keys := make([]facts.Key, len(ids))
	for i, id := range ids {
		keys[i] = facts.Key{Workspace: workspace, Contact: id}
	}
	found, err := facts.Contacts(ctx, tx, keys, facts.Block)
	if err != nil {
		return 0, err
	}
	var zone string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&zone); err != nil {
		return 0, fmt.Errorf("read the workspace: %w", err)
	}
	people := make([]*facts.Person, 0, len(found))
	for _, person := range found {
		people = append(people, person)
	}
	if err := compute(ctx, tx, workspace, zone, []engine.DateWatch{watch}, people); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "UPDATE date_watches SET built_to = $3 WHERE workspace_id = $1 AND key = $2", workspace, watch.Key, ids[len(ids)-1])
	return len(ids), err
}

func clearAway(ctx context.Context, tx store.Tx, workspace uuid.UUID, key string, limit int) (int, error) {
	tag, err := tx.Exec(ctx, `DELETE FROM date_dues d USING (SELECT contact_id FROM date_dues WHERE workspace_id = $1 AND key = $2 LIMIT $3) AS x
		WHERE d.workspace_id = $1 AND d.key = $2 AND d.contact_id = x.contact_id`, workspace, key, limit)
	if err != nil {
		return 0, fmt.Errorf("clear a date away: %w", err)
	}
	if tag.RowsAffected() > 0 {
		return int(tag.RowsAffected()), nil
	}
	_, err = tx.Exec(ctx, "DELETE FROM date_watches WHERE workspace_id = $1 AND key = $2 AND state = 'deleted'", workspace, key)
	return 1, err
}

const lockDue = `SELECT c.workspace_id, c.id FROM date_dues d JOIN contacts c ON c.workspace_id = d.workspace_id AND c.id = d.contact_id
	WHERE d.due_at <= $1 ORDER BY d.due_at LIMIT $2 FOR NO KEY UPDATE OF c SKIP LOCKED`

// reach tells of dates that have come, and finds the next ones.
func (a *Agenda) reach(ctx context.Context, limit int) (drained pump.Drained, err error) {
	err = store.InTx(ctx, a.DB, a.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		due, err := a.Clock.Due(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, lockDue, due, limit)
		if err != nil {
			return fmt.Errorf("lease dates: %w", err)
		}
		keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (key facts.Key, err error) {
			return key, row.Scan(&key.Workspace, &key.Contact)
		})
		if err != nil {
			return fmt.Errorf("lease dates: %w", err)
		}
		if len(keys) == 0 {
			return tx.QueryRow(ctx, "SELECT (EXISTS (SELECT 1 FROM date_dues WHERE due_at <= $1))::int", due).Scan(&drained.Busy)
		}
		people, err := facts.Contacts(ctx, tx, keys, facts.NoLock)
		if err != nil {
			return err
		}
		grouped := map[uuid.UUID][]*facts.Person{}
		for key, person := range people {
			grouped[key.Workspace] = append(grouped[key.Workspace], person)
		}
		for workspace, group := range grouped {
			if err := tell(ctx, tx, workspace, due, group); err != nil {
				return err
			}
		}
		drained.Rows = len(people)
		failpoint.Hit("agenda.before_commit")
		return nil
	})
	return drained, err
}

// tell posts the dates of people that have come. What is due is read behind the contacts' locks.
func tell(ctx context.Context, tx store.Tx, workspace uuid.UUID, due time.Time, people []*facts.Person) error {
	var zone string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&zone); err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	ids := make([]uuid.UUID, len(people))
	for i, person := range people {
		ids[i] = person.Key.Contact
	}
	_, err := tx.Exec(ctx, `WITH come AS (
			SELECT contact_id, key, due_at, day FROM date_dues WHERE workspace_id = $1 AND contact_id = ANY($2) AND due_at <= $3
		), heard AS (
			UPDATE date_dues d SET due_at = NULL, told = c.day, day = NULL FROM come c
			WHERE d.workspace_id = $1 AND d.contact_id = c.contact_id AND d.key = c.key
		) INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props)
		SELECT $1, c.contact_id, $4, c.due_at, c.due_at, jsonb_strip_nulls(jsonb_build_object('field', w.spec->>'field', 'date', c.key, 'day', c.day))
		FROM come c JOIN date_watches w ON w.workspace_id = $1 AND w.key = c.key
		JOIN contacts p ON p.workspace_id = $1 AND p.id = c.contact_id AND p.erased_at IS NULL AND p.merged_into IS NULL
		WHERE w.state <> 'deleted'`, workspace, ids, due, engine.EventDateReached)
	if err != nil {
		return fmt.Errorf("tell of dates: %w", err)
	}
	return Recompute(ctx, tx, workspace, zone, people)
}
