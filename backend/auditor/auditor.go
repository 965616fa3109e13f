// Package auditor looks for what must never be: a message twice, a gap in a journal, a run nobody will wake. It reads only, whole tables,
// in one snapshot; tests run it after every fault, operators by `doctor`.
package auditor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// Violation is one invariant that does not hold.
type Violation struct {
	Code     string   // such as I2
	Rule     string   // what must hold
	Count    int      // rows against it
	Examples []string // a few of them
}

// Error makes a violation readable in a log.
func (v Violation) Error() string {
	return fmt.Sprintf("%s %s: %d rows, such as %v", v.Code, v.Rule, v.Count, v.Examples)
}

// Options say what moment it is.
type Options struct {
	Due     time.Time // business time up to which runs should have been woken
	Machine time.Time
	Slack   time.Duration // how late a run may be without being a finding
}

const examples = 5

// rule is an invariant as a query that selects one text per row against it. $1 is the instant before which everything due must be
// done, $2 is machine time; each query uses both, so that all are called alike.
type rule struct{ code, says, sql string }

var rules = []rule{
	{"I1", "at most one message per run and visit", `SELECT run_id::text || ' visit ' || seq FROM messages WHERE run_id IS NOT NULL
		GROUP BY workspace_id, run_id, seq HAVING count(*) > 1`},
	{"I2", "a run's journal has every visit once, from 1 to its seq", `SELECT r.id::text || ' seq ' || r.seq || ' lines ' || count(j.seq) FROM runs r
		LEFT JOIN journal j ON j.workspace_id = r.workspace_id AND j.run_id = r.id GROUP BY r.workspace_id, r.id
		HAVING count(j.seq) <> r.seq OR r.seq > 0 AND (min(j.seq) <> 1 OR max(j.seq) <> r.seq)`},
	{"I3", "no run is overdue", `SELECT id::text || ' since ' || wake_at FROM runs WHERE wake_at < $1`},
	{"I4", "no message is being sent past its lease", `SELECT id::text FROM messages WHERE status = 'sending' AND lease_until < $2::timestamptz - interval '60 seconds'`},
	{"I5", "a message was accepted once at most, and sent ones were", `SELECT m.id::text || ' accepted ' || count(a.attempt) FROM messages m
		LEFT JOIN delivery_attempts a ON a.workspace_id = m.workspace_id AND a.message_id = m.id AND a.state = 'accepted'
		GROUP BY m.workspace_id, m.id HAVING count(a.attempt) > 1
			OR m.status = 'sent' AND m.provider_id <> '00000000-0000-0000-0000-000000000000' AND count(a.attempt) = 0`},
	{"I6", "nobody got marketing after they left", `SELECT m.id::text FROM messages m JOIN consents k ON k.workspace_id = m.workspace_id AND k.contact_id = m.contact_id
			AND k.channel = m.channel AND k.topic = '' AND k.state = 'denied' AND k.at < m.sent_at
		WHERE m.class = 'marketing' AND m.provider_id = '00000000-0000-0000-0000-000000000000'`},
	{"I7", "what was sent is kept as it left", `SELECT m.id::text FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
		WHERE m.status = 'sent' AND c.erased_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM message_bodies b WHERE b.workspace_id = m.workspace_id AND b.message_id = m.id)`},
	{"I8", "an ended run waits for nothing", `SELECT r.id::text FROM runs r WHERE r.status IN ('done', 'exited') AND (r.ended_at IS NULL
			OR r.wake_at IS NOT NULL AND (r.status = 'exited' OR r.goal <> '')
			OR EXISTS (SELECT 1 FROM signals s WHERE s.workspace_id = r.workspace_id AND s.run_id = r.id) <> (coalesce(r.wake_at, r.resume_at) IS NOT NULL))
		UNION ALL SELECT m.id::text FROM messages m JOIN runs r ON r.workspace_id = m.workspace_id AND r.id = m.run_id
			WHERE m.status = 'queued' AND (r.status = 'exited' OR m.seq < r.void_before)`},
	{"I9", "an event belongs to a contact of its workspace", `SELECT e.id::text FROM events e
		WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE c.workspace_id = e.workspace_id AND c.id = e.contact_id)`},
	{"I10", "roll-ups count the events there are", `SELECT contact_id::text || ' ' || name || ' ' || coalesce(r.count, 0) || ' instead of ' || coalesce(e.n, 0)
		FROM event_rollups r FULL JOIN (SELECT workspace_id, contact_id, name, count(*) AS n FROM events GROUP BY 1, 2, 3) e USING (workspace_id, contact_id, name)
		WHERE r.count IS DISTINCT FROM e.n::int`},
	{"I11", "nobody who is gone is in a funnel", `SELECT r.id::text FROM runs r JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		WHERE r.status IN ('active', 'paused', 'parked') AND (c.erased_at IS NOT NULL OR c.merged_into IS NOT NULL)`},
	{"I12", "an id of a sender stands for one event", `SELECT k.source || ' ' || k.external_id FROM event_keys k
		LEFT JOIN events e ON e.workspace_id = k.workspace_id AND e.id = k.event_id AND e.source = k.source AND e.external_id = k.external_id WHERE e.id IS NULL
		UNION ALL SELECT source || ' ' || external_id FROM events WHERE external_id IS NOT NULL GROUP BY workspace_id, source, external_id HAVING count(*) > 1`},
	{"I13", "an internal event does not fail for ever", `SELECT id::text || ': ' || coalesce(last_error, '') FROM inbox WHERE attempts >= 8`},
	{"I14", "no call is being made past its lease", `SELECT run_id::text || ' visit ' || seq FROM calls WHERE status = 'working' AND lease_until < $2::timestamptz - interval '60 seconds'`},
	{"I15", "no call is to be made that nobody waits for", `SELECT c.run_id::text || ' visit ' || c.seq FROM calls c
		JOIN runs r ON r.workspace_id = c.workspace_id AND r.id = c.run_id
		WHERE c.status = 'queued' AND (r.status = 'exited' OR c.seq < r.void_before OR NOT c.detached AND (r.status = 'done' OR r.seq <> c.seq))`},
	{"I16", "no call is overdue", `SELECT run_id::text || ' visit ' || seq FROM calls WHERE status = 'queued' AND next_attempt_at < $1`},
	{"I17", "a campaign has at most one message per recipient, and none for others", `SELECT m.campaign_id::text || ' ' || m.contact_id FROM messages m
		LEFT JOIN campaign_recipients r ON r.workspace_id = m.workspace_id AND r.campaign_id = m.campaign_id AND r.contact_id = m.contact_id
		WHERE m.campaign_id IS NOT NULL GROUP BY m.workspace_id, m.campaign_id, m.contact_id, r.made HAVING count(*) > 1 OR r.made IS DISTINCT FROM true`},
	{"I18", "a run is paused only while its funnel is", `SELECT r.id::text FROM runs r JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
		WHERE r.status = 'paused' AND f.state <> 'paused'`},
}

// Audit checks every invariant in one snapshot and returns those that do not hold.
func Audit(ctx context.Context, db store.DB, options Options) (found []Violation, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		found, err = AuditTx(ctx, tx, options)
		return err
	})
	return found, err
}

// AuditTx is Audit of what a transaction sees.
func AuditTx(ctx context.Context, tx pgx.Tx, options Options) ([]Violation, error) {
	var found []Violation
	for _, r := range rules {
		v := Violation{Code: r.code, Rule: r.says}
		query := `SELECT count(*), (array_agg(x.what))[1:$3] FROM (SELECT q.*, $1::timestamptz, $2::timestamptz FROM (` + r.sql + `) AS q (what)) AS x (what)`
		if err := tx.QueryRow(ctx, query, options.Due.Add(-options.Slack), options.Machine, examples).Scan(&v.Count, &v.Examples); err != nil {
			return nil, fmt.Errorf("audit %s: %w", r.code, err)
		}
		if v.Count > 0 {
			found = append(found, v)
		}
	}
	return found, nil
}
