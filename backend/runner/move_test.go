package runner_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/migrations"
)

// movable is a funnel: go, wait ten hours, tag, wait a day, tag.
const movable = `{"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 10, "unit": "hours"}}},
	{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:one"}},
	{"id": "wait-2", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "days"}}},
	{"id": "tag-2", "kind": "add_tag", "config": {"tag": "tag:two"}}MORE],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "tag-1"},
		{"from": "tag-1", "port": "next", "to": "wait-2"}, {"from": "wait-2", "port": "next", "to": "tag-2"}]}`

func movableWith(more string, replace ...string) string {
	return strings.NewReplacer(append(replace, "MORE", more)...).Replace(movable)
}

func liveVersion(w *spinetest.World, funnel uuid.UUID) (version uuid.UUID) {
	require.NoError(w, w.Pool.QueryRow(w.Context(), `SELECT live_version FROM funnels WHERE workspace_id = $1 AND id = $2`, w.Workspace, funnel).Scan(&version))
	return version
}

// movers is one worker of tasks on the world's database.
func movers(t *testing.T, w *spinetest.World, kind tasks.Kind) *tasks.Tasks {
	t.Helper()
	all, err := tasks.New(w.Pool, w.Clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	all.Register(kind)
	workers := river.NewWorkers()
	all.AddTo(workers)
	client, err := river.NewClient(riverpgxv5.New(w.Pool), &river.Config{
		Schema: migrations.RiverSchema, Workers: workers, Logger: slog.New(slog.DiscardHandler),
		Queues: map[string]river.QueueConfig{tasks.Queue: {MaxWorkers: 1, FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond}},
	})
	require.NoError(t, err)
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = client.StopAndCancel(ctx) // the database is dropped with it
	})
	return all
}

func move(t *testing.T, w *spinetest.World, all *tasks.Tasks, args runner.MoveArgs) runner.MoveReport {
	t.Helper()
	task, _, err := all.Start(t.Context(), tasks.Request{Workspace: w.Workspace, Kind: runner.MoveKind, Args: args})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		task, err = all.Get(t.Context(), w.Workspace, task.ID)
		require.NoError(t, err)
		return task.FinishedAt != nil
	}, 120*time.Second, 20*time.Millisecond)
	require.Equal(t, tasks.Done, task.State, task.Error)
	var report runner.MoveReport
	require.NoError(t, json.Unmarshal(task.Result, &report))
	return report
}

func TestMovingPeopleToANewVersion(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	funnel := w.Funnel("movers", movableWith(""))
	old := liveVersion(w, funnel)
	start := w.Clock.Now()
	for _, who := range []string{"anna", "bea", "cleo"} {
		w.Event(who+"@example.com", "go", nil)
	}
	w.Settle()
	w.To(start.Add(4 * time.Hour))
	w.Event("bea@example.com", "paid", nil)
	w.Settle()
	fresh := w.Publish(funnel, movableWith(`, {"id": "goal-1", "kind": "goal", "config": {"mode": "event", "event": {"name": "paid"}}}`, `"amount": 10`, `"amount": 6`))
	all := movers(t, w, w.Runner.MoveTask(nil))
	by := uuid.New()
	args := runner.MoveArgs{Funnel: funnel, To: fresh, By: &by, Note: "Shorter", Plan: []runs.Placement{{Version: old, N: 1, Node: "wait-1", Do: runs.DoMove, To: "wait-1"}}}

	target := &plans.Version{}
	loaded, err := w.Runner.Plans.Get(t.Context(), w.Pool, []plans.Key{{Workspace: w.Workspace, Version: fresh}})
	require.NoError(t, err)
	*target = *loaded[plans.Key{Workspace: w.Workspace, Version: fresh}]
	outlooks, err := w.Runner.Outlooks(t.Context(), w.Workspace, funnel, target, args.Plan)
	require.NoError(t, err)
	require.Equal(t, engine.StaysAnew, outlooks[0].Stays)
	require.Equal(t, "wait-1", outlooks[0].To)

	require.Equal(t, []int{3, 0, 0}, counted(move(t, w, all, args)))
	require.Zero(t, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND version_id = $2`, w.Workspace, old))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND goal = 'goal-1' AND status = 'done'`, w.Workspace), "bea had paid already")
	require.Equal(t, 3, w.Count(`SELECT count(*) FROM journal WHERE workspace_id = $1 AND kind = 'moved' AND node = 'wait-1' AND detail->>'by' = $2
		AND detail->>'from' = 'wait-1' AND detail->>'from_version' = '1' AND detail->>'to_version' = '2' AND detail->>'note' = 'Shorter'`, w.Workspace, by.String()))
	w.Settle()
	require.Equal(t, 2, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND node = 'wait-1' AND deadline = $2`, w.Workspace, start.Add(6*time.Hour)), "counted from when they came")
	w.To(start.Add(6 * time.Hour))
	require.Equal(t, 2, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND node = 'wait-2'`, w.Workspace))
	w.To(start.Add(48 * time.Hour))
	require.Equal(t, 2, w.Count(`SELECT count(*) FROM contacts WHERE workspace_id = $1 AND tags @> '{one,two}'`, w.Workspace))
	require.Equal(t, []int{0, 0, 0}, counted(move(t, w, all, args)), "a second time there is nobody left")
	w.Audit()
}

func counted(r runner.MoveReport) []int { return []int{r.Moved, r.Ended, r.Left} }

func TestMovingParkedAndPausedRunsAndEndingOthers(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	funnel := w.Funnel("movers", movableWith(""))
	old := liveVersion(w, funnel)
	start := w.Clock.Now()
	w.Event("anna@example.com", "go", nil)
	w.Event("bea@example.com", "go", nil)
	w.To(start.Add(11 * time.Hour)) // both at wait-2
	w.Event("cleo@example.com", "go", nil)
	w.Settle()
	park := func(email string) {
		w.Exec(`UPDATE runs SET status = 'parked', wake_at = NULL, resume_at = wake_at, end_reason = 'failed' WHERE workspace_id = $1
			AND contact_id = (SELECT id FROM contacts WHERE workspace_id = $1 AND email = $2)`, w.Workspace, email)
	}
	park("anna@example.com")
	fresh := w.Publish(funnel, movableWith("", `"tag:two"`, `"tag:three"`))
	w.Exec(`UPDATE funnels SET state = 'paused' WHERE workspace_id = $1`, w.Workspace)
	all := movers(t, w, w.Runner.MoveTask(nil))
	report := move(t, w, all, runner.MoveArgs{Funnel: funnel, To: fresh, Plan: []runs.Placement{
		{Version: old, Node: "wait-2", Do: runs.DoMove, To: "wait-2"}, {Version: old, Node: "wait-1", Do: runs.DoEnd},
	}})
	require.Equal(t, []int{2, 1, 0}, counted(report))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND status = 'exited' AND end_reason = 'published'`, w.Workspace))
	w.Settle()
	require.Equal(t, 2, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND status = 'paused'`, w.Workspace), "nobody goes on in a paused funnel")
	w.Exec(`UPDATE funnels SET state = 'live' WHERE workspace_id = $1`, w.Workspace)
	w.Tx(func(tx store.Tx) error { _, err := runs.Resume(t.Context(), tx, w.Workspace, funnel); return err })
	w.To(start.Add(60 * time.Hour))
	require.Equal(t, 2, w.Count(`SELECT count(*) FROM contacts WHERE workspace_id = $1 AND tags @> '{one,three}'`, w.Workspace))
	w.Audit()
}

// wakeUntil wakes due runs in every lane until stop.
func wakeUntil(ctx context.Context, r *runner.Runner, stop <-chan struct{}) error {
	for {
		for lane := range 3 {
			if _, err := r.Drain(ctx, pump.Batch{Lane: lane, Limit: 100}); err != nil {
				return err
			}
		}
		select {
		case <-stop:
			return nil
		default:
		}
	}
}

// Two workers wake runs while a third dies in the middle of moving ten thousand people, and another goes on.
func TestMovingTenThousandPeopleWhileTheyAdvanceAndTheMoverDies(t *testing.T) {
	t.Parallel()
	const people = 10_000
	w := spinetest.New(t)
	funnel := w.Funnel("movers", movableWith(""))
	old := liveVersion(w, funnel)
	start := w.Clock.Now()
	w.Exec(`INSERT INTO contacts (workspace_id, id, external_id, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, gen_random_uuid(), n::text, '', '', '', '', '', '', '{}', '{}', '{}', '', $2, $2 FROM generate_series(1, $3) n`, w.Workspace, start, people)
	// Half of them wait since a while and are due while the move goes on.
	w.Exec(`WITH r AS (INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, deadline, started_at, slot, occurrence)
			SELECT $1, gen_random_uuid(), $2, $3, id, 'wait-1', 2, 'active', 1, x.due, x.due - interval '10 hours', x.due, x.due - interval '10 hours', 'once', 'e' || external_id
			FROM contacts, LATERAL (SELECT CASE WHEN external_id::int % 2 = 0 THEN $4::timestamptz ELSE $4::timestamptz + interval '5 hours' END AS due) x WHERE workspace_id = $1
			RETURNING workspace_id, id, at)
		INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, port)
		SELECT workspace_id, id, 1, 'in', 'entry', at, 'next' FROM r UNION ALL SELECT workspace_id, id, 2, 'wait-1', 'wait', at, '' FROM r`,
		w.Workspace, funnel, old, start.Add(time.Minute))
	fresh := w.Publish(funnel, movableWith("", `"tag:two"`, `"tag:three"`))
	w.Exec("ANALYZE")
	dying, attempts := w.Runner.MoveTask(nil), 0
	work := dying.Work
	dying.Work = func(ctx context.Context, task *tasks.Run) (any, error) {
		if attempts++; attempts > 2 {
			return work(ctx, task)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		chunks := 0
		killed := w.Runner.MoveTask(func(string) {
			if chunks++; chunks == 5 {
				cancel()
			}
		})
		return killed.Work(ctx, task)
	}
	all := movers(t, w, dying)
	w.Jump(start.Add(time.Minute))
	stop, done := make(chan struct{}), make(chan error, 2)
	for range 2 {
		go func() {
			other := &runner.Runner{DB: w.Pool, Clock: w.Clock, Machine: clock.Machine{}, Plans: &plans.Cache{}, People: w.People, Logger: slog.New(slog.DiscardHandler)}
			done <- wakeUntil(t.Context(), other, stop)
		}()
	}
	report := move(t, w, all, runner.MoveArgs{Funnel: funnel, To: fresh, Plan: []runs.Placement{
		{Version: old, N: 1, Node: "wait-1", Do: runs.DoMove, To: "wait-1"}, {Version: old, N: 1, Node: "wait-2", Do: runs.DoMove, To: "wait-2"},
	}})
	close(stop)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.GreaterOrEqual(t, attempts, 3)
	require.Equal(t, people, report.Moved+report.Left)
	require.Equal(t, report.Moved, w.Count(`SELECT count(*) FROM journal WHERE workspace_id = $1 AND kind = 'moved'`, w.Workspace), "each once")
	require.Equal(t, report.Moved, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND version_id = $2`, w.Workspace, fresh))
	require.Zero(t, report.Left)
	w.To(start.Add(40 * time.Hour))
	require.Equal(t, people, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND status = 'done'`, w.Workspace))
	require.Equal(t, people, w.Count(`SELECT count(*) FROM contacts WHERE workspace_id = $1 AND tags @> '{one,three}' AND NOT tags @> '{two}'`, w.Workspace))
	w.Audit()
}
