package segments

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// clearing is how many rows of a deleted segment go in one batch, for each that a build would look at.
const clearing = 10

// build does one batch for one segment that is building or deleted. The segment's row is locked, so that two processes do not look at
// the same people; reading it goes on.
func (s *Sweep) build(ctx context.Context, limit int) (drained pump.Drained, err error) {
	err = store.InTx(ctx, s.DB, s.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		var workspace, id uuid.UUID
		var state string
		var builtTo *uuid.UUID
		err := tx.QueryRow(ctx, `SELECT workspace_id, id, state, built_to FROM segments WHERE state <> 'live'
			ORDER BY updated_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`).Scan(&workspace, &id, &state, &builtTo)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lease a segment to build: %w", err)
		}
		if state == Deleted {
			drained.Rows, err = clearAway(ctx, tx, workspace, id, limit*clearing)
			return err
		}
		drained.Rows, err = s.chunk(ctx, tx, workspace, id, builtTo, limit)
		failpoint.Hit("segments.before_commit")
		return err
	})
	return drained, err
}

// chunk looks at the next people with the segment's rule and fires nothing.
func (s *Sweep) chunk(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, builtTo *uuid.UUID, limit int) (int, error) {
	after := uuid.Nil
	if builtTo != nil {
		after = *builtTo
	}
	rows, err := tx.Query(ctx, "SELECT id FROM contacts WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3", workspace, after, limit)
	if err != nil {
		return 0, fmt.Errorf("read people to build a segment of: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("read people to build a segment of: %w", err)
	}
	if len(ids) == 0 {
		_, err := tx.Exec(ctx, "UPDATE segments SET state = 'live', built_to = NULL WHERE workspace_id = $1 AND id = $2", workspace, id)
		if err != nil {
			return 0, fmt.Errorf("finish a segment: %w", err)
		}
		return 1, nil
	}
	if err := s.judge(ctx, tx, workspace, id, ids); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "UPDATE segments SET built_to = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, ids[len(ids)-1]); err != nil {
		return 0, fmt.Errorf("note how far a segment is built: %w", err)
	}
	return len(ids), nil
}

// judge locks people and puts them into the segment, or out of it.
func (s *Sweep) judge(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, ids []uuid.UUID) error {
	keys := make([]facts.Key, len(ids))
	for i, contact := range ids {
		keys[i] = facts.Key{Workspace: workspace, Contact: contact}
	}
	people, err := facts.Contacts(ctx, tx, keys, facts.Block)
	if err != nil {
		return err
	}
	set, err := s.Cache.Load(ctx, tx, workspace)
	if err != nil {
		return err
	}
	var zone string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&zone); err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	alone := Set{}
	made := false // others are made of it
	for _, g := range set.list {
		if g.id == id {
			alone.list = []*segment{g}
		} else if len(alone.list) > 0 {
			for _, slug := range g.refers {
				made = made || slug == alone.list[0].slug
			}
		}
	}
	if err := facts.Fill(ctx, tx, people, alone.Needs(nil)); err != nil {
		return err
	}
	looks := make([]Look, 0, len(people))
	for _, person := range people {
		looks = append(looks, Look{Person: person, Quiet: true})
	}
	changed, err := Move(ctx, tx, workspace, zone, alone, looks)
	if err != nil || !made || len(changed) == 0 {
		return err
	}
	return store.Q.RecheckContacts(ctx, tx, store.RecheckContactsParams{WorkspaceID: workspace, Ids: changed, Now: tx.Now, Quiet: true})
}

// clearAway deletes rows of a deleted segment and, when there are none left, the segment. Members are found by their index; the rest,
// who were only to be looked at again, in one pass.
func clearAway(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, limit int) (int, error) {
	for _, step := range []struct {
		where string
		limit int
	}{{" AND since IS NOT NULL", limit}, {"", 20 * limit}} {
		tag, err := tx.Exec(ctx, `DELETE FROM segment_members m USING (SELECT contact_id FROM segment_members
				WHERE workspace_id = $1 AND segment_id = $2`+step.where+` LIMIT $3) AS x
			WHERE m.workspace_id = $1 AND m.segment_id = $2 AND m.contact_id = x.contact_id`, workspace, id, step.limit)
		if err != nil {
			return 0, fmt.Errorf("clear a deleted segment: %w", err)
		}
		if tag.RowsAffected() > 0 {
			return int(tag.RowsAffected()), nil
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM segments WHERE workspace_id = $1 AND id = $2", workspace, id); err != nil {
		return 0, fmt.Errorf("delete a segment: %w", err)
	}
	return 1, nil
}
