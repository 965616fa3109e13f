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
	ReasonLeft         = "left"         // a step of another funnel took the person out
)

// Ended runs tell the inbox so (run_ended), except where nobody is left to hear it, or the next run begins at once.

// alive are the states in which a run may still do something.
const alive = `status IN ('active', 'paused', 'parked')`

// Unsent is what a message m is that a run which has come to its end may still take back.
const Unsent = `m.run_id IS NOT NULL AND m.class = 'marketing' AND m.status IN ('queued', 'held')`

// lingers tells that a run is done and not over: it hears an event, or messages of its have not left.
const lingers = `runs.status = 'done' AND (runs.wake_at IS NOT NULL
	OR EXISTS (SELECT 1 FROM messages m WHERE m.workspace_id = runs.workspace_id AND m.run_id = runs.id AND ` + Unsent + `))`

// end ends runs. One that lingers had ended before: that was told then, and it is from then on that it counts as ended.
var end = `WITH chosen AS (
	SELECT id, status = 'done' AS lingered FROM runs WHERE workspace_id = $1 AND %s
), gone AS (
	UPDATE runs r SET status = 'exited', end_reason = $2::text, ended_at = coalesce(r.ended_at, $3::timestamptz), wake_at = NULL, resume_at = NULL, deadline = NULL,
		void_before = seq + 1, slot = CASE WHEN slot = 'active' THEN NULL ELSE slot END
	FROM chosen WHERE r.workspace_id = $1 AND r.id = chosen.id AND r.status <> 'exited' AND (r.status = 'done') = chosen.lingered -- it may have moved meanwhile
	RETURNING r.id, r.contact_id, r.funnel_id, r.chain, r.caller_run, r.caller_seq, chosen.lingered
), called AS (
	SELECT c.id, gone.caller_seq FROM gone JOIN runs c ON c.workspace_id = $1 AND c.id = gone.caller_run AND c.seq = gone.caller_seq AND c.` + alive + `
	WHERE c.id NOT IN (SELECT id FROM gone)
), answered AS (
	INSERT INTO signals (workspace_id, run_id, event_id, name, at, props)
	SELECT $1, id, nextval('event_ids'), 'call_answered', $3, ` + answer("caller_seq", "$2::text") + ` FROM called
), woken AS (
	UPDATE runs r SET ` + awake + ` FROM called WHERE r.workspace_id = $1 AND r.id = called.id
), unlined AS (
	UPDATE tickets t SET run_id = NULL FROM gone WHERE t.workspace_id = $1 AND t.run_id = gone.id AND t.slot > $3
), told AS (
	INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
	SELECT $1, contact_id, 'run_ended', $3, $3, jsonb_build_object('funnel', funnel_id, 'run', id, 'reason', $2::text), chain + 1 FROM gone
	WHERE NOT lingered AND $2 NOT IN ('replaced', 'erased', 'merged')
), void AS (
	UPDATE messages m SET status = 'skipped', reason = 'void' FROM gone
	WHERE m.workspace_id = $1 AND m.run_id = gone.id AND m.status IN ('queued', 'held')
), unasked AS (
	UPDATE calls c SET status = 'void', ended_at = $3 FROM gone
	WHERE c.workspace_id = $1 AND c.run_id = gone.id AND c.status = 'queued'
), heard AS (
	DELETE FROM signals s USING gone WHERE s.workspace_id = $1 AND s.run_id = gone.id
)
SELECT count(*) FROM gone`

var (
	endSome      = fmt.Sprintf(end, "id = ANY($4) AND ("+alive+" OR "+lingers+")")
	endOfContact = fmt.Sprintf(end, "contact_id = $4 AND "+alive)
	endOfFunnel  = fmt.Sprintf(end, "funnel_id = $4 AND "+alive) // the gate knows that it is stopped
)

// answer is the signal by which a run that waits for another one to end learns that it has.
func answer(call, reason string) string {
	return `jsonb_build_object('call', ` + call + `, 'port', 'entered', 'why', jsonb_build_object('ended', ` + reason + `))`
}

// awake makes a run look at its signals now; $3 is now.
const awake = `lane = 0, wake_at = CASE WHEN r.status = 'active' THEN least(r.wake_at, $3) END,
	resume_at = CASE WHEN r.status IN ('paused', 'parked') THEN least(r.resume_at, $3) END`

// Ended are runs that came to their end by themselves and that other runs wait for, by column.
type Ended struct {
	workspaces, callers [][16]byte
	calls               []int32
	reasons             []string
	ats                 []time.Time
}

// Add takes in a run by its caller, the caller's visit that called, and when it was due to end: the caller goes on from there, however
// late a worker is.
func (e *Ended) Add(workspace, caller uuid.UUID, call int, reason string, at time.Time) {
	e.ats = append(e.ats, at)
	e.workspaces, e.callers = append(e.workspaces, workspace), append(e.callers, caller)
	e.calls, e.reasons = append(e.calls, int32(call)), append(e.reasons, reason)
}

// Tell lets the callers that still wait go on. The persons are locked.
func (e *Ended) Tell(ctx context.Context, db DB, now time.Time) error {
	if len(e.callers) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, `WITH called AS (
			SELECT c.workspace_id, c.id, x.call, x.reason, x.at FROM unnest($1::uuid[], $2::uuid[], $4::int[], $5::text[], $6::timestamptz[]) AS x (w, id, call, reason, at)
			JOIN runs c ON c.workspace_id = x.w AND c.id = x.id AND c.seq = x.call AND c.`+alive+`
		), answered AS (
			INSERT INTO signals (workspace_id, run_id, event_id, name, at, props)
			SELECT workspace_id, id, nextval('event_ids'), 'call_answered', at, `+answer("call", "reason")+` FROM called
		)
		UPDATE runs r SET `+awake+` FROM called WHERE r.workspace_id = called.workspace_id AND r.id = called.id`,
		e.workspaces, e.callers, now, e.calls, e.reasons, e.ats)
	if err != nil {
		return fmt.Errorf("tell runs that those they called have ended: %w", err)
	}
	return nil
}

// End ends the given runs as exited and voids their unsent messages. Runs that have ended already are left alone, unless messages of
// theirs have not left. It returns how many ended.
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
// needs no call: a paused funnel's run is set aside when it becomes due. The caller has written before that the funnel is live.
func Resume(ctx context.Context, db DB, workspace, funnel uuid.UUID) (int, error) {
	tag, err := db.Exec(ctx, `UPDATE runs SET status = CASE status WHEN 'paused' THEN 'active' ELSE status END, wake_at = resume_at, resume_at = NULL
		WHERE workspace_id = $1 AND funnel_id = $2 AND (status = 'paused' OR status = 'done' AND goal = '' AND resume_at IS NOT NULL)`, workspace, funnel)
	if err != nil {
		return 0, fmt.Errorf("resume the funnel's runs: %w", err)
	}
	if _, err := db.Exec(ctx, `UPDATE messages m SET next_attempt_at = m.due_at, reason = NULL FROM runs r
		WHERE m.workspace_id = $1 AND m.status = 'queued' AND m.reason = 'funnel_paused'
			AND r.workspace_id = m.workspace_id AND r.id = m.run_id AND r.funnel_id = $2`, workspace, funnel); err != nil {
		return 0, fmt.Errorf("resume the funnel's messages: %w", err)
	}
	if _, err := db.Exec(ctx, `UPDATE calls c SET next_attempt_at = c.due_at FROM runs r
		WHERE c.workspace_id = $1 AND c.status = 'queued'
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
	// Both may have a run of one occurrence, such as a birthday they share: the unique name stays with to's.
	if _, err := db.Exec(ctx, `UPDATE runs f SET contact_id = $3, slot = CASE WHEN id = ANY($4) THEN NULL ELSE slot END,
		occurrence = CASE WHEN EXISTS (SELECT FROM runs t WHERE t.workspace_id = f.workspace_id AND t.contact_id = $3 AND t.funnel_id = f.funnel_id
			AND t.occurrence = f.occurrence) THEN occurrence || ':' || id ELSE occurrence END
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
