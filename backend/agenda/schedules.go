package agenda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// occurrence is a schedule whose time has come.
type occurrence struct {
	workspace uuid.UUID
	schedule  engine.Schedule
	began     string
	at        time.Time
	reached   *uuid.UUID
}

// occur tells the next people of an audience that a schedule's time has come. Who joins the audience behind the cursor's back has
// missed it; who is told is told once, since the cursor moves in the same transaction.
func (a *Agenda) occur(ctx context.Context, limit int) (drained pump.Drained, err error) {
	err = store.InTx(ctx, a.DB, a.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		due, err := a.Clock.Due(ctx, tx)
		if err != nil {
			return err
		}
		var o occurrence
		var spec []byte
		err = tx.QueryRow(ctx, `SELECT workspace_id, spec, began, next_at, reached FROM schedules WHERE next_at <= $1
			ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`, due).Scan(&o.workspace, &spec, &o.began, &o.at, &o.reached)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lease a schedule: %w", err)
		}
		if err := json.Unmarshal(spec, &o.schedule); err != nil {
			return fmt.Errorf("read a schedule: %w", err)
		}
		told, err := o.tell(ctx, tx, limit)
		if err != nil {
			return err
		}
		drained.Rows = max(1, told)
		if told < limit {
			err = o.finish(ctx, tx)
		}
		failpoint.Hit("agenda.before_commit")
		return err
	})
	return drained, err
}

// audiences select the people behind a cursor, with what they select by as $3.
var audiences = map[string]string{
	"list": `SELECT c.id FROM contacts c WHERE c.workspace_id = $1 AND c.id > $2 AND c.lists @> ARRAY[$3::text]
		AND c.erased_at IS NULL AND c.merged_into IS NULL ORDER BY c.id LIMIT $4`,
	"segment": `SELECT m.contact_id FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id
		JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id AND c.erased_at IS NULL AND c.merged_into IS NULL
		WHERE m.workspace_id = $1 AND m.contact_id > $2 AND m.since IS NOT NULL AND s.slug = $3 ORDER BY m.contact_id LIMIT $4`,
}

func (o *occurrence) tell(ctx context.Context, tx store.Tx, limit int) (int, error) {
	kind, slug, _ := strings.Cut(o.schedule.Audience, ":")
	after := uuid.Nil
	if o.reached != nil {
		after = *o.reached
	}
	rows, err := tx.Query(ctx, audiences[kind], o.workspace, after, slug, limit)
	if err != nil {
		return 0, fmt.Errorf("read the audience of a schedule: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return 0, fmt.Errorf("read the audience of a schedule: %w", err)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	props, err := json.Marshal(map[string]any{"schedule": o.schedule.Key, "audience": o.schedule.Audience, "at": o.at.UTC().Format(time.RFC3339)})
	if err != nil {
		return 0, fmt.Errorf("describe a schedule: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props)
		SELECT $1, c, $3, $4, $4, $5 FROM unnest($2::uuid[]) AS c`, o.workspace, ids, engine.EventScheduleDue, o.at, props)
	if err != nil {
		return 0, fmt.Errorf("tell an audience that its time has come: %w", err)
	}
	_, err = tx.Exec(ctx, "UPDATE schedules SET reached = $3 WHERE workspace_id = $1 AND key = $2", o.workspace, o.schedule.Key, ids[len(ids)-1])
	return len(ids), err
}

// finish goes on to the schedule's next time.
func (o *occurrence) finish(ctx context.Context, tx store.Tx) error {
	var home string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", o.workspace).Scan(&home); err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	next := nextOf(o.schedule, o.began, engine.ZoneOf(o.schedule.Zone, home), o.at)
	_, err := tx.Exec(ctx, "UPDATE schedules SET next_at = $3, reached = NULL WHERE workspace_id = $1 AND key = $2", o.workspace, o.schedule.Key, next)
	if err != nil {
		return fmt.Errorf("go on to the next time of a schedule: %w", err)
	}
	return nil
}
