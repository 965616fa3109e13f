// Package doctor looks at an installation the way an operator would: is somebody working, is something late, failed or stuck, does what is
// stored hold together. It changes nothing.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/migrations"
)

// Level says how bad a finding is.
type Level string

// The levels. Only Problem makes the command fail.
const (
	OK      Level = "ok"
	Note    Level = "note"
	Problem Level = "problem"
)

// Finding is one thing looked at.
type Finding struct {
	Code    string `json:"code"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
}

// Bad tells whether a finding is a problem.
func Bad(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Problem {
			return true
		}
	}
	return false
}

const (
	lateAfter = 5 * time.Second
	oldXact   = 5 * time.Minute
)

// counted is a number worth telling when it is not zero. $1 is business time, $2 machine time; each query uses both.
type counted struct {
	code  string
	level Level
	says  string
	sql   string
}

var numbers = []counted{
	{"parked", Note, "%d runs are parked; open Runs, Parked to retry, skip or end them", `SELECT count(*) FROM runs WHERE status = 'parked'`},
	{"late", Problem, "%d runs should have been woken by now; is a worker running?", `SELECT count(*) FROM runs WHERE wake_at < $1::timestamptz - interval '5 seconds'`},
	{"inbox", Problem, "%d internal events failed eight times; their errors are in the table inbox", `SELECT count(*) FROM inbox WHERE attempts >= 8`},
	{"unsent", Note, "%d messages were due more than a minute ago and still wait", `SELECT count(*) FROM messages WHERE status = 'queued' AND due_at < $1::timestamptz - interval '1 minute'`},
	{"unknown", Note, "%d messages were possibly sent: nobody knows", `SELECT count(*) FROM messages WHERE status = 'unknown'`},
	{"failed", Note, "%d messages failed; open Messages, Failed", `SELECT count(*) FROM messages WHERE status = 'failed'`},
	{"paused", Note, "%d workspaces have all sending paused", `SELECT count(*) FROM workspaces WHERE paused_at IS NOT NULL`},
	{"accounts", Note, "%d mail servers are left alone for a moment because they did not answer", `SELECT count(*) FROM rate_buckets WHERE paused_until > $2::timestamptz`},
	{"jobs", Problem, "%d background jobs were given up; open the job list", `SELECT count(*) FROM river.river_job WHERE state = 'discarded'`},
}

// Examine looks at everything and lists what it found, good and bad.
func Examine(ctx context.Context, db store.DB, source clock.Source) ([]Finding, error) {
	var findings []Finding
	add := func(code string, level Level, format string, args ...any) {
		findings = append(findings, Finding{Code: code, Level: level, Message: fmt.Sprintf(format, args...)})
	}
	machine := clock.Machine{}.Now()
	due, err := source.Due(ctx, db)
	if err != nil {
		return nil, err
	}
	var version string
	if err := db.QueryRow(ctx, "SELECT current_setting('server_version')").Scan(&version); err != nil {
		return nil, fmt.Errorf("ask the database: %w", err)
	}
	add("database", OK, "Postgres %s, schema %s", version, migrations.Hash())
	kind := "the database's"
	if _, manual := source.(*clock.Manual); manual {
		kind = "manual"
	}
	add("clock", OK, "the clock is %s and shows %s", kind, due.Format(time.RFC3339))

	var alive, dead int
	err = db.QueryRow(ctx, "SELECT count(*) FILTER (WHERE beat_at >= $1), count(*) FILTER (WHERE beat_at < $1) FROM workers", machine.Add(-pump.DeadAfter)).Scan(&alive, &dead)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for workers: %w", err)
	case alive == 0:
		add("workers", Note, "no process is working; run `serve` or `worker`")
	default:
		add("workers", OK, "%d processes work", alive)
	}
	if dead > 0 {
		add("crashed", Note, "%d processes ended without signing off in the last day", dead)
	}
	for _, n := range numbers {
		var count int
		if err := db.QueryRow(ctx, "SELECT ("+n.sql+"), $1::timestamptz, $2::timestamptz", due.Add(-lateAfter), machine).Scan(&count, nil, nil); err != nil {
			return nil, fmt.Errorf("count %s: %w", n.code, err)
		}
		if count > 0 {
			add(n.code, n.level, n.says, count)
		}
	}
	var old int
	err = db.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND xact_start < $1 AND pid <> pg_backend_pid()`, machine.Add(-oldXact)).Scan(&old)
	if err != nil {
		return nil, fmt.Errorf("look for old transactions: %w", err)
	}
	if old > 0 {
		add("snapshots", Note, "%d transactions are older than five minutes and keep the database from cleaning up", old)
	}
	violations, err := auditor.Audit(ctx, db, auditor.Options{Due: due, Machine: machine, Slack: time.Minute})
	if err != nil {
		return nil, err
	}
	for _, v := range violations {
		add(v.Code, Problem, "broken: %s (%d rows, such as %v)", v.Rule, v.Count, v.Examples)
	}
	if len(violations) == 0 {
		add("audit", OK, "everything stored holds together")
	}
	return findings, nil
}
