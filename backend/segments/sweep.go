package segments

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// Lanes of the sweep: people first, then builds.
const (
	lanePeople = iota
	laneBuild
	lanes
)

// Sweep moves people whom time alone moves, and builds segments whose rule is new. Rows with a due instant and segments in the making
// are its queue, so it goes on where a killed process stopped.
type Sweep struct {
	DB    store.DB
	Clock clock.Source
	Cache *Cache

	// Also is done with people who are looked at because no event tells what changed about them; nil is nothing.
	Also func(ctx context.Context, tx store.Tx, workspace uuid.UUID, zone string, people []*facts.Person) error
}

// Job is the pump's job of the sweep.
func (s *Sweep) Job() pump.Job {
	return pump.Job{Kind: "sweep", Label: "Keep segments up to date", Slots: 2, Lanes: lanes, Peek: s.peek, Drain: s.drain}
}

func (s *Sweep) peek(ctx context.Context) ([]int, error) {
	due, err := s.Clock.Due(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	var people, builds bool
	err = s.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM segment_members WHERE recheck_at <= $1) OR EXISTS (SELECT 1 FROM rechecks WHERE at <= $1),
		EXISTS (SELECT 1 FROM segments WHERE state <> 'live')`, due).Scan(&people, &builds)
	if err != nil {
		return nil, fmt.Errorf("look for segments to sweep: %w", err)
	}
	var busy []int
	if people {
		busy = append(busy, lanePeople)
	}
	if builds {
		busy = append(busy, laneBuild)
	}
	return busy, nil
}

func (s *Sweep) drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !s.Clock.Settled() {
		return pump.Drained{}, nil
	}
	if batch.Lane == laneBuild {
		return s.build(ctx, batch.Limit)
	}
	return s.sweep(ctx, batch.Limit)
}

// The contacts are locked, not the rows: whoever holds a person is not waited for, and who waits for a person waits for one batch.
const (
	lockRechecks = `SELECT c.workspace_id, c.id FROM rechecks r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE r.at <= $1 ORDER BY r.at LIMIT $2 FOR NO KEY UPDATE OF c SKIP LOCKED`
	lockDue = `SELECT c.workspace_id, c.id FROM segment_members m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
		WHERE m.recheck_at <= $1 ORDER BY m.recheck_at LIMIT $2 FOR NO KEY UPDATE OF c SKIP LOCKED`
)

func (s *Sweep) sweep(ctx context.Context, limit int) (drained pump.Drained, err error) {
	err = store.InTx(ctx, s.DB, s.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		due, err := s.Clock.Due(ctx, tx)
		if err != nil {
			return err
		}
		keys, err := lock(ctx, tx, lockRechecks, due, limit)
		if err != nil {
			return err
		}
		if len(keys) < limit {
			more, err := lock(ctx, tx, lockDue, due, limit-len(keys))
			if err != nil {
				return err
			}
			keys = append(keys, more...)
		}
		if len(keys) == 0 {
			return tx.QueryRow(ctx, `SELECT (EXISTS (SELECT 1 FROM segment_members WHERE recheck_at <= $1)
				OR EXISTS (SELECT 1 FROM rechecks WHERE at <= $1))::int`, due).Scan(&drained.Busy)
		}
		// Only now, with the locks held, is read what is due: another process may just have done it.
		people, err := facts.Contacts(ctx, tx, keys, facts.NoLock)
		if err != nil {
			return err
		}
		for workspace, group := range byWorkspace(people) {
			if err := s.visit(ctx, tx, workspace, due, group); err != nil {
				return err
			}
		}
		drained.Rows = len(people)
		failpoint.Hit("segments.before_commit")
		return nil
	})
	return drained, err
}

func lock(ctx context.Context, tx store.Tx, query string, due time.Time, limit int) ([]facts.Key, error) {
	rows, err := tx.Query(ctx, query, due, limit)
	if err != nil {
		return nil, fmt.Errorf("lease people to sweep: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (facts.Key, error) {
		var key facts.Key
		return key, row.Scan(&key.Workspace, &key.Contact)
	})
	if err != nil {
		return nil, fmt.Errorf("lease people to sweep: %w", err)
	}
	return keys, nil
}

func byWorkspace(people map[facts.Key]*facts.Person) map[uuid.UUID]map[facts.Key]*facts.Person {
	grouped := map[uuid.UUID]map[facts.Key]*facts.Person{}
	for key, person := range people {
		if grouped[key.Workspace] == nil {
			grouped[key.Workspace] = map[facts.Key]*facts.Person{}
		}
		grouped[key.Workspace][key] = person
	}
	return grouped
}

// visit looks at the people of one workspace.
func (s *Sweep) visit(ctx context.Context, tx store.Tx, workspace uuid.UUID, due time.Time, people map[facts.Key]*facts.Person) error {
	var zone string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&zone); err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	set, err := s.Cache.Load(ctx, tx, workspace)
	if err != nil {
		return err
	}
	looks, err := s.looks(ctx, tx, workspace, due, people)
	if err != nil {
		return err
	}
	if err := facts.Fill(ctx, tx, people, set.Needs(nil)); err != nil {
		return err
	}
	if _, err = Move(ctx, tx, workspace, zone, set, looks); err != nil || s.Also == nil {
		return err
	}
	var anew []*facts.Person
	for _, look := range looks {
		if look.Due == nil {
			anew = append(anew, look.Person)
		}
	}
	return s.Also(ctx, tx, workspace, zone, anew)
}

// looks is what is due of each person. Re-checks are taken off here: the look at them is in the same transaction.
func (s *Sweep) looks(ctx context.Context, tx store.Tx, workspace uuid.UUID, due time.Time, people map[facts.Key]*facts.Person) ([]Look, error) {
	ids := make([]uuid.UUID, 0, len(people))
	for key := range people {
		ids = append(ids, key.Contact)
	}
	byContact := map[uuid.UUID]*Look{}
	rows, err := tx.Query(ctx, "DELETE FROM rechecks WHERE workspace_id = $1 AND contact_id = ANY($2) AND at <= $3 RETURNING contact_id, quiet, chain", workspace, ids, due)
	if err != nil {
		return nil, fmt.Errorf("read re-checks: %w", err)
	}
	var contact, segment uuid.UUID
	var quiet bool
	var chain int
	_, err = pgx.ForEachRow(rows, []any{&contact, &quiet, &chain}, func() error {
		byContact[contact] = &Look{Quiet: quiet, Chain: chain}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read re-checks: %w", err)
	}
	rows, err = tx.Query(ctx, "SELECT contact_id, segment_id, recheck_at FROM segment_members WHERE workspace_id = $1 AND contact_id = ANY($2) AND recheck_at <= $3",
		workspace, ids, due)
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&contact, &segment, &at}, func() error {
		look := byContact[contact]
		switch {
		case look == nil:
			look = &Look{Due: map[uuid.UUID]time.Time{}}
			byContact[contact] = look
		case look.Due == nil:
			return nil // everything is looked at
		}
		look.Due[segment] = at
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	looks := make([]Look, 0, len(byContact))
	for key, person := range people {
		if look := byContact[key.Contact]; look != nil {
			look.Person = person
			looks = append(looks, *look)
		}
	}
	return looks, nil
}
