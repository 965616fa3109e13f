// Package timeline moves the manual clock so that nothing is skipped: from one due instant to the next, everything of an instant done
// before the next one begins.
package timeline

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
)

// Next is the earliest instant after the given one at which something becomes due; ok is false if there is none.
func Next(ctx context.Context, db store.DB, after time.Time) (at time.Time, ok bool, err error) {
	var next *time.Time
	err = db.QueryRow(ctx, `SELECT min(at) FROM (
		SELECT (SELECT min(wake_at) FROM runs WHERE lane = l AND wake_at > $1) AS at FROM generate_series(0, 2) AS l
		UNION ALL SELECT min(next_attempt_at) FROM messages WHERE status = 'queued' AND next_attempt_at > $1
		UNION ALL SELECT min(next_attempt_at) FROM calls WHERE status = 'queued' AND next_attempt_at > $1
		UNION ALL SELECT min(recheck_at) FROM segment_members WHERE recheck_at > $1
		UNION ALL SELECT min(at) FROM rechecks WHERE at > $1
		UNION ALL SELECT min(judge_at) FROM hits WHERE judge_at > $1
		UNION ALL SELECT min(due_at) FROM date_dues WHERE due_at > $1
		UNION ALL SELECT min(start_at) FROM campaigns WHERE start_at > $1
		UNION ALL SELECT min(feed_at) FROM campaigns WHERE feed_at > $1
		UNION ALL SELECT min(next_at) FROM schedules WHERE next_at > $1
		UNION ALL SELECT min(next_attempt_at) FROM reports WHERE status = 'queued' AND next_attempt_at > $1
		UNION ALL SELECT min(due_at) FROM inbox WHERE attempts < 8 AND due_at > $1) AS due`, after).Scan(&next)
	if err != nil {
		return at, false, fmt.Errorf("look for what is due next: %w", err)
	}
	if next == nil {
		return at, false, nil
	}
	return *next, true, nil
}

// Idle tells whether everything due is done: no run to wake and no segment to look at up to due, no internal event, no message and no call up to now.
func Idle(ctx context.Context, db store.DB, manual *clock.Manual) (bool, error) {
	now, due, err := manual.Read(ctx, db)
	if err != nil {
		return false, err
	}
	var busy bool
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE lane IN (0, 1, 2) AND wake_at <= $1)
		OR EXISTS (SELECT 1 FROM inbox WHERE attempts < 8 AND due_at <= $2)
		OR EXISTS (SELECT 1 FROM messages WHERE status = 'queued' AND next_attempt_at <= $2)
		OR EXISTS (SELECT 1 FROM messages WHERE status = 'sending')
		OR EXISTS (SELECT 1 FROM calls WHERE status = 'queued' AND next_attempt_at <= $2)
		OR EXISTS (SELECT 1 FROM hits WHERE judge_at <= $2)
		OR EXISTS (SELECT 1 FROM calls WHERE status = 'working')
		OR EXISTS (SELECT 1 FROM reports WHERE status = 'queued' AND next_attempt_at <= $2)
		OR EXISTS (SELECT 1 FROM segment_members WHERE recheck_at <= $1)
		OR EXISTS (SELECT 1 FROM rechecks WHERE at <= $1)
		OR EXISTS (SELECT 1 FROM segments WHERE state <> 'live')
		OR EXISTS (SELECT 1 FROM date_dues WHERE due_at <= $1)
		OR EXISTS (SELECT 1 FROM schedules WHERE next_at <= $1)
		OR EXISTS (SELECT 1 FROM campaigns WHERE start_at <= $1 OR feed_at <= $1 OR state = 'freezing')
		OR EXISTS (SELECT 1 FROM date_watches WHERE state <> 'live')
		OR EXISTS (SELECT 1 FROM funnels f LEFT JOIN agendas a ON a.workspace_id = f.workspace_id AND a.funnel_id = f.id
			WHERE CASE WHEN f.state IN ('live', 'paused') THEN a.version_id IS DISTINCT FROM f.live_version ELSE a.version_id IS NOT NULL END)`, due, now).Scan(&busy)
	if err != nil {
		return false, fmt.Errorf("look for what is due: %w", err)
	}
	return !busy, nil
}

// Walk moves business time to an instant. settle returns when everything due is done: by working it off, or by waiting for the
// workers to do so. It is called at every instant at which something becomes due, first with the events of the instant still to
// meet runs, then with the waits that end there.
func Walk(ctx context.Context, db store.DB, manual *clock.Manual, to time.Time, settle func(context.Context) error) error {
	to = clock.Micro(to)
	if err := settle(ctx); err != nil {
		return err
	}
	_, at, err := manual.Read(ctx, db)
	if err != nil {
		return err
	}
	for at.Before(to) {
		next, ok, err := Next(ctx, db, at)
		if err != nil {
			return err
		}
		if !ok || next.After(to) {
			next = to
		}
		if err := step(ctx, manual, next, settle); err != nil {
			return err
		}
		at = next
	}
	return nil
}

func step(ctx context.Context, manual *clock.Manual, at time.Time, settle func(context.Context) error) error {
	if err := manual.SetNow(ctx, at); err != nil {
		return err
	}
	if err := settle(ctx); err != nil {
		return err
	}
	if err := manual.SetDue(ctx, at); err != nil {
		return err
	}
	return settle(ctx)
}
