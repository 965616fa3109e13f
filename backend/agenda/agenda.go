package agenda

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Agenda is the agenda of an installation.
type Agenda struct {
	DB    store.DB
	Clock clock.Source
	Plans *plans.Cache
}

const (
	laneDates = iota
	laneSchedules
	laneTakeIn
)

// Job is the pump's job of the agenda. The pump gives lanes out by urgency, three at most, so taking in and building share one.
func (a *Agenda) Job() pump.Job {
	return pump.Job{Kind: "schedule", Label: "Keep dates and recurring times", Slots: 1, Lanes: laneTakeIn + 1, Peek: a.peek, Drain: a.drain}
}

const stale = `SELECT f.workspace_id FROM funnels f LEFT JOIN agendas a ON a.workspace_id = f.workspace_id AND a.funnel_id = f.id
	WHERE CASE WHEN f.state IN ('live', 'paused') THEN a.version_id IS DISTINCT FROM f.live_version ELSE a.version_id IS NOT NULL END`

func (a *Agenda) peek(ctx context.Context) ([]int, error) {
	due, err := a.Clock.Due(ctx, a.DB)
	if err != nil {
		return nil, err
	}
	var found [laneTakeIn + 1]bool
	err = a.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM date_dues WHERE due_at <= $1), EXISTS (SELECT 1 FROM schedules WHERE next_at <= $1),
		EXISTS (`+stale+`) OR EXISTS (SELECT 1 FROM date_watches WHERE state <> 'live')`, due).Scan(&found[laneDates], &found[laneSchedules], &found[laneTakeIn])
	if err != nil {
		return nil, fmt.Errorf("look at the agenda: %w", err)
	}
	var lanes []int
	for lane, busy := range found {
		if busy {
			lanes = append(lanes, lane)
		}
	}
	return lanes, nil
}

func (a *Agenda) drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !a.Clock.Settled() {
		return pump.Drained{}, nil
	}
	switch batch.Lane {
	case laneDates:
		return a.reach(ctx, batch.Limit)
	case laneSchedules:
		return a.occur(ctx, batch.Limit)
	}
	drained, err := a.takeIn(ctx)
	if err != nil || drained.Rows > 0 {
		return drained, err
	}
	return a.build(ctx, batch.Limit)
}

// takeIn compares what one workspace's live funnels want with what is kept.
func (a *Agenda) takeIn(ctx context.Context) (drained pump.Drained, err error) {
	err = store.InTx(ctx, a.DB, a.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		rows, err := tx.Query(ctx, stale+" LIMIT 1")
		if err != nil {
			return fmt.Errorf("look for new versions: %w", err)
		}
		workspaces, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil || len(workspaces) == 0 {
			return err
		}
		drained.Rows = 1
		// One at a time, and not while somebody publishes.
		if err := store.Q.LockPublishing(ctx, tx, workspaces[0]); err != nil {
			return fmt.Errorf("lock the workspace's funnels: %w", err)
		}
		return a.compare(ctx, tx, workspaces[0])
	})
	return drained, err
}

func (a *Agenda) compare(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	var zone string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&zone); err != nil {
		return fmt.Errorf("read the workspace: %w", err)
	}
	dates, schedules, err := a.wanted(ctx, tx, workspace)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(dates)) {
		spec, err := json.Marshal(dates[key])
		if err != nil {
			return fmt.Errorf("write a date: %w", err)
		}
		_, err = tx.Exec(ctx, `INSERT INTO date_watches (workspace_id, key, spec, state, created_at) VALUES ($1, $2, $3, 'building', $4)
			ON CONFLICT (workspace_id, key) DO UPDATE SET state = 'building', built_to = NULL WHERE date_watches.state = 'deleted'`, workspace, key, spec, tx.Now)
		if err != nil {
			return fmt.Errorf("keep a date: %w", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(schedules)) {
		if err := keepSchedule(ctx, tx, workspace, zone, schedules[key]); err != nil {
			return err
		}
	}
	for sql, keys := range map[string][]string{
		"UPDATE date_watches SET state = 'deleted' WHERE workspace_id = $1 AND key <> ALL($2) AND state <> 'deleted'": slices.Collect(maps.Keys(dates)),
		"DELETE FROM schedules WHERE workspace_id = $1 AND key <> ALL($2)":                                            slices.Collect(maps.Keys(schedules)),
	} {
		if keys == nil {
			keys = []string{}
		}
		if _, err := tx.Exec(ctx, sql, workspace, keys); err != nil {
			return fmt.Errorf("drop what no funnel wants any more: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM agendas WHERE workspace_id = $1", workspace); err != nil {
		return fmt.Errorf("note what was taken in: %w", err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO agendas (workspace_id, funnel_id, version_id) SELECT workspace_id, id, live_version FROM funnels
		WHERE workspace_id = $1 AND state IN ('live', 'paused')`, workspace); err != nil {
		return fmt.Errorf("note what was taken in: %w", err)
	}
	return nil
}

// wanted are the dates and schedules of the workspace's live funnels by their keys. A version this program cannot run wants nothing.
func (a *Agenda) wanted(ctx context.Context, tx store.Tx, workspace uuid.UUID) (map[string]engine.DateWatch, map[string]engine.Schedule, error) {
	rows, err := tx.Query(ctx, "SELECT live_version FROM funnels WHERE workspace_id = $1 AND state IN ('live', 'paused')", workspace)
	if err != nil {
		return nil, nil, fmt.Errorf("read live funnels: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, nil, fmt.Errorf("read live funnels: %w", err)
	}
	keys := make([]plans.Key, len(ids))
	for i, id := range ids {
		keys[i] = plans.Key{Workspace: workspace, Version: id}
	}
	versions, err := a.Plans.Get(ctx, tx, keys)
	if err != nil {
		return nil, nil, err
	}
	dates, schedules := map[string]engine.DateWatch{}, map[string]engine.Schedule{}
	for _, version := range versions {
		if version.Plan == nil {
			continue
		}
		for _, date := range version.Plan.Dates() {
			dates[date.Key] = date
		}
		for _, schedule := range version.Plan.Schedules() {
			schedules[schedule.Key] = schedule
		}
	}
	return dates, schedules, nil
}

// keepSchedule begins a schedule that is new, and goes on with one that has lost its next time.
func keepSchedule(ctx context.Context, tx store.Tx, workspace uuid.UUID, home string, schedule engine.Schedule) error {
	zone := engine.ZoneOf(schedule.Zone, home)
	began := engine.DateOf(tx.Now, zone)
	spec, err := json.Marshal(schedule)
	if err != nil {
		return fmt.Errorf("write a schedule: %w", err)
	}
	var kept string
	err = tx.QueryRow(ctx, `INSERT INTO schedules AS s (workspace_id, key, spec, began) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace_id, key) DO UPDATE SET spec = excluded.spec RETURNING began`, workspace, schedule.Key, spec, began.String()).Scan(&kept)
	if err != nil {
		return fmt.Errorf("keep a schedule: %w", err)
	}
	_, err = tx.Exec(ctx, "UPDATE schedules SET next_at = $3 WHERE workspace_id = $1 AND key = $2 AND next_at IS NULL", workspace, schedule.Key,
		nextOf(schedule, kept, zone, tx.Now))
	if err != nil {
		return fmt.Errorf("begin a schedule: %w", err)
	}
	return nil
}

// nextOf is the time of a schedule after an instant; nil when there is none any more.
func nextOf(schedule engine.Schedule, began string, zone *time.Location, after time.Time) *time.Time {
	day, err := engine.ParseDate(began)
	if err != nil {
		day = engine.DateOf(after, zone)
	}
	if at, ok := schedule.Recurrence.Next(after, day, zone); ok {
		return &at
	}
	return nil
}

// Rebuild computes everything anew that depends on the workspace's zone, which was another before.
func Rebuild(ctx context.Context, tx store.Tx, workspace uuid.UUID, before, now string) error {
	if err := rezone(ctx, tx, workspace, engine.ZoneOf(before), engine.ZoneOf(now)); err != nil {
		return err
	}
	for _, sql := range []string{
		"UPDATE date_watches SET state = 'building', built_to = NULL WHERE workspace_id = $1 AND state = 'live'",
		"DELETE FROM agendas WHERE workspace_id = $1",
	} {
		if _, err := tx.Exec(ctx, sql, workspace); err != nil {
			return fmt.Errorf("have dates and schedules computed anew: %w", err)
		}
	}
	return nil
}

// rezone moves the coming times of schedules without a zone of their own; one whose audience is being told stays as it is.
func rezone(ctx context.Context, tx store.Tx, workspace uuid.UUID, before, now *time.Location) error {
	rows, err := tx.Query(ctx, `SELECT key, spec, next_at FROM schedules WHERE workspace_id = $1 AND reached IS NULL AND next_at IS NOT NULL
		AND coalesce(spec->>'zone', '') = '' FOR UPDATE`, workspace)
	if err != nil {
		return fmt.Errorf("read schedules: %w", err)
	}
	var key string
	var schedule engine.Schedule
	var next time.Time
	moved := map[string]*time.Time{}
	_, err = pgx.ForEachRow(rows, []any{&key, &schedule, &next}, func() error {
		moved[key] = nil
		if at, ok := schedule.Recurrence.Rezoned(next, before, now); ok {
			moved[key] = &at
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read schedules: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(moved)) {
		if _, err := tx.Exec(ctx, "UPDATE schedules SET next_at = $3 WHERE workspace_id = $1 AND key = $2", workspace, key, moved[key]); err != nil {
			return fmt.Errorf("move a schedule to another zone: %w", err)
		}
	}
	return nil
}
