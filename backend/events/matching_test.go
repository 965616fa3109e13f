package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/migrations"
)

const vips = `{"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "tag_added", "tag": "tag:vip"}], "filter": {"field": "first_name", "op": "is_set"}}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "days"}}}],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}]}`

func TestStartingThoseWhoMatchNow(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`INSERT INTO contacts (workspace_id, id, external_id, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, gen_random_uuid(), n::text, CASE WHEN n % 10 = 0 THEN '' ELSE 'Jan' END, '', '', '', '', '', '{}', CASE WHEN n <= 1000 THEN '{vip}'::text[] ELSE '{}' END, '{}', '', $2, $2
		FROM generate_series(1, 1100) n`, w.Workspace, w.Clock.Now())
	var bundle engine.Bundle
	require.NoError(t, json.Unmarshal([]byte(vips), &bundle.Graph))
	funnel := w.Funnel("vips", vips)
	var version uuid.UUID
	require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT live_version FROM funnels WHERE workspace_id = $1 AND id = $2`, w.Workspace, funnel).Scan(&version))
	count := func() events.Matching {
		now := func() engine.Input { return engine.Input{Now: w.Clock.Now(), Zone: "UTC"} }
		found, err := w.Reactor.CountMatching(t.Context(), w.Pool, now, w.Workspace, funnel, bundle)
		require.NoError(t, err)
		return found
	}
	require.Equal(t, events.Matching{People: 900, Any: true}, count())

	all, err := tasks.New(w.Pool, w.Clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	dying := w.Reactor.MatchingTask(nil)
	work, attempts := dying.Work, 0
	dying.Work = func(ctx context.Context, task *tasks.Run) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if attempts++; attempts > 1 {
			return work(ctx, task)
		}
		killed := w.Reactor.MatchingTask(func(string) { cancel() }) // after the first chunk is committed
		if _, err := killed.Work(ctx, task); err != nil {
			return nil, errors.New("the worker died")
		}
		return nil, nil
	}
	all.Register(dying)
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
	start := func() store.Task {
		task, _, err := all.Start(t.Context(), tasks.Request{Workspace: w.Workspace, Kind: events.MatchingKind, Args: events.MatchingArgs{Funnel: funnel, Version: version}})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			task, err = all.Get(t.Context(), w.Workspace, task.ID)
			require.NoError(t, err)
			return task.FinishedAt != nil
		}, 60*time.Second, 20*time.Millisecond)
		require.Equal(t, tasks.Done, task.State, task.Error)
		return task
	}
	started := func() int {
		return w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND funnel_id = $2 AND occurrence = $3`, w.Workspace, funnel, "publish:"+version.String())
	}

	task := start()
	require.EqualValues(t, 2, task.Attempt)
	var report events.MatchingReport
	require.NoError(t, json.Unmarshal(task.Result, &report))
	require.Equal(t, []int{900, 100}, []int{report.Started, report.Refused})
	require.Equal(t, 900, started())
	require.Equal(t, 900, w.Count(`SELECT count(*) FROM runs WHERE workspace_id = $1 AND lane = 2`, w.Workspace), "whoever acts just now is served first")
	require.Zero(t, w.Count(`SELECT count(*) FROM events WHERE workspace_id = $1`, w.Workspace), "nothing happened, so nothing is told")
	require.Zero(t, count().People, "who is inside is not offered again")

	start()
	require.Equal(t, 900, started(), "each once, however often it runs")
	w.Audit()
}

func TestCountingThoseWhoMatchKeepsThePauseOfReentry(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	graph := `{"schema": 1, "nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "list_join", "list": "list:news"}],
		"reentry": {"rule": "after_exit", "pause": {"amount": 30, "unit": "days"}}}}], "edges": []}`
	var bundle engine.Bundle
	require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
	funnel := w.Funnel("news", graph)
	w.Exec(`UPDATE contacts SET lists = '{news}' WHERE workspace_id = $1 AND id = $2`, w.Workspace, w.Contact("jan@example.com"))
	count := func() int {
		now := func() engine.Input { return engine.Input{Now: w.Clock.Now(), Zone: "UTC"} }
		found, err := w.Reactor.CountMatching(t.Context(), w.Pool, now, w.Workspace, funnel, bundle)
		require.NoError(t, err)
		return found.People
	}
	require.Equal(t, 1, count())
	w.Exec(`INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, at, started_at, ended_at, occurrence)
		SELECT c.workspace_id, gen_random_uuid(), f.id, f.live_version, c.id, 'in', 1, 'done', 0, $2, $2, $2, 'e1' FROM contacts c JOIN funnels f USING (workspace_id)
		WHERE c.workspace_id = $1`, w.Workspace, w.Clock.Now())
	require.Zero(t, count(), "they left a moment ago")
	w.Jump(w.Clock.Now().AddDate(0, 0, 31))
	require.Equal(t, 1, count())
}

func TestWhoseDateHasComeMatchesAlready(t *testing.T) {
	t.Parallel()
	for trigger, matching := range map[string]int{
		`{"kind": "date_field", "field": "field:until", "offset": {"amount": 3, "unit": "days", "direction": "before"}}`:     3,
		`{"kind": "date_field", "field": "field:until", "yearly": true}`:                                                     1,
		`{"kind": "date_field", "field": "field:created_at", "offset": {"amount": 1, "unit": "days", "direction": "after"}}`: 0,
	} {
		w := spinetest.New(t)
		w.Exec(`INSERT INTO field_defs (workspace_id, key, type, label, created_at) VALUES ($1, 'until', 'date', 'Until', $2)`, w.Workspace, w.Clock.Now())
		for name, date := range map[string]string{"past": "2025-01-10", "soon": w.Clock.Now().AddDate(0, 0, 2).Format(time.DateOnly), "later": "2031-01-01", "today": "2000-" + w.Clock.Now().Format("01-02")} {
			id := w.Contact(name + "@example.com")
			w.Exec(`UPDATE contacts SET fields = jsonb_build_object('until', $3::text) WHERE workspace_id = $1 AND id = $2`, w.Workspace, id, date)
		}
		w.Contact("none@example.com")
		graph := `{"schema": 1, "nodes": [{"id": "in", "kind": "entry", "config": {"triggers": [` + trigger + `]}}], "edges": []}`
		var bundle engine.Bundle
		require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
		now := func() engine.Input { return engine.Input{Now: w.Clock.Now(), Zone: "UTC"} }
		found, err := w.Reactor.CountMatching(t.Context(), w.Pool, now, w.Workspace, w.Funnel("dates", graph), bundle)
		require.NoError(t, err)
		require.Equal(t, events.Matching{People: matching, Any: true}, found, trigger)
	}
}
