package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DB is a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Slots a run holds under the re-entry rules; the key of `each` follows SlotKey.
const (
	SlotOnce   = "once"
	SlotActive = "active"
	SlotKey    = "k:"
)

// Reasons a run is ended for from outside.
const (
	ReasonStopped      = "stopped"      // the funnel was
	ReasonErased       = "erased"       // the person was
	ReasonMerged       = "merged"       // the person who took this one in already had a run in its slot
	ReasonReplaced     = "replaced"     // a new trigger, re-entry restart
	ReasonUnsubscribed = "unsubscribed" // and nothing but marketing was left
	ReasonOperator     = "operator"     // somebody pressed End
	ReasonPublished    = "published"    // somebody chose so when a newer version was published
)

// Ended runs tell the inbox so (run_ended), except where nobody is left to hear it, or the next run begins at once.

// alive are the states in which a run may still do something.
const alive = `status IN ('active', 'paused', 'parked')`

const end = `WITH gone AS (
	UPDATE runs SET status = 'exited', end_reason = $2::text, ended_at = $3::timestamptz, wake_at = NULL, resume_at = NULL, deadline = NULL, void_before = seq + 1,
		slot = CASE WHEN slot = 'active' THEN NULL ELSE slot END
	WHERE workspace_id = $1 AND ` + alive + ` AND %s
	RETURNING id, contact_id, funnel_id, chain
), told AS (
	INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
	SELECT $1, contact_id, 'run_ended', $3, $3, jsonb_build_object('funnel', funnel_id, 'run', id, 'reason', $2::text), chain + 1 FROM gone
	WHERE $2 NOT IN ('replaced', 'erased', 'merged')
), void AS (
	UPDATE messages m SET status = 'skipped', reason = 'void' FROM gone
	WHERE m.workspace_id = $1 AND m.run_id = gone.id AND m.status = 'queued'
), unasked AS (
	UPDATE calls c SET status = 'void', ended_at = $3 FROM gone
	WHERE c.workspace_id = $1 AND c.run_id = gone.id AND c.status = 'queued'
), heard AS (
	DELETE FROM signals s USING gone WHERE s.workspace_id = $1 AND s.run_id = gone.id
)
SELECT count(*) FROM gone`

var (
	endSome      = fmt.Sprintf(end, "id = ANY($4)")
	endOfContact = fmt.Sprintf(end, "contact_id = $4")
	endOfFunnel  = fmt.Sprintf(end, "funnel_id = $4")
)

// End ends the given runs as exited and voids their unsent messages. Runs that have ended already are left alone. It returns how
// many ended.
func End(ctx context.Context, db DB, workspace uuid.UUID, now time.Time, ids []uuid.UUID, reason string) (int, error) {
	return count(ctx, db, endSome, workspace, reason, now, ids)
}

// EndOfContact ends every run of one person; the caller holds the contact's lock.
func EndOfContact(ctx context.Context, db DB, workspace uuid.UUID, now time.Time, contact uuid.UUID, reason string) (int, error) {
	return count(ctx, db, endOfContact, workspace, reason, now, contact)
}

// EndOfFunnel ends every run of one funnel, in all versions.
func EndOfFunnel(ctx context.Context, db DB, workspace uuid.UUID, now time.Time, funnel uuid.UUID, reason string) (int, error) {
	return count(ctx, db, endOfFunnel, workspace, reason, now, funnel)
}

// Resume makes the paused runs of a funnel active again with the wake times they had: what became due meanwhile is due now. Pausing
// needs no call: a paused funnel's run is set aside when it becomes due.
func Resume(ctx context.Context, db DB, workspace, funnel uuid.UUID) (int, error) {
	tag, err := db.Exec(ctx, `UPDATE runs SET status = 'active', wake_at = resume_at, resume_at = NULL
		WHERE workspace_id = $1 AND funnel_id = $2 AND status = 'paused'`, workspace, funnel)
	if err != nil {
		return 0, fmt.Errorf("resume the funnel's runs: %w", err)
	}
	if _, err := db.Exec(ctx, `UPDATE messages m SET next_attempt_at = m.due_at, reason = NULL FROM runs r
		WHERE m.workspace_id = $1 AND m.status = 'queued' AND m.reason = 'funnel_paused'
			AND r.workspace_id = m.workspace_id AND r.id = m.run_id AND r.funnel_id = $2`, workspace, funnel); err != nil {
		return 0, fmt.Errorf("resume the funnel's messages: %w", err)
	}
	if _, err := db.Exec(ctx, `UPDATE calls c SET next_attempt_at = c.due_at FROM runs r
		WHERE c.workspace_id = $1 AND c.status = 'queued' AND c.attempts = 0
			AND r.workspace_id = c.workspace_id AND r.id = c.run_id AND r.funnel_id = $2`, workspace, funnel); err != nil {
		return 0, fmt.Errorf("resume the funnel's calls: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// Merge gives the runs and messages of one person to another one, who holds on to what they have: where both have a run in one slot
// of a funnel, from's run ends as merged, and an ended run of from gives up a slot that is taken. The caller holds both contacts' locks.
func Merge(ctx context.Context, db DB, workspace uuid.UUID, now time.Time, from, to uuid.UUID) error {
	clash, err := ids(ctx, db, `SELECT f.id FROM runs f JOIN runs t ON t.workspace_id = f.workspace_id AND t.funnel_id = f.funnel_id
			AND t.contact_id = $3 AND t.slot = f.slot
		WHERE f.workspace_id = $1 AND f.contact_id = $2`, workspace, from, to)
	if err != nil {
		return err
	}
	if _, err := End(ctx, db, workspace, now, clash, ReasonMerged); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, `UPDATE runs SET contact_id = $3, slot = CASE WHEN id = ANY($4) THEN NULL ELSE slot END
		WHERE workspace_id = $1 AND contact_id = $2`, workspace, from, to, clash); err != nil {
		return fmt.Errorf("give the person's runs over: %w", err)
	}
	if _, err := db.Exec(ctx, `UPDATE messages SET contact_id = $3 WHERE workspace_id = $1 AND contact_id = $2`, workspace, from, to); err != nil {
		return fmt.Errorf("give the person's messages over: %w", err)
	}
	return nil
}

func count(ctx context.Context, db DB, sql string, args ...any) (int, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return 0, fmt.Errorf("end runs: %w", err)
	}
	n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
	if err != nil {
		return 0, fmt.Errorf("end runs: %w", err)
	}
	return n, nil
}

func ids(ctx context.Context, db DB, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("find runs: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find runs: %w", err)
	}
	if found == nil {
		found = []uuid.UUID{}
	}
	return found, nil
}
