// Package spinetest is a small Lejek for tests: a workspace on a database of its own under the manual clock, with everything between an
// event and a message, driven by hand and therefore deterministic.
package spinetest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/agenda"
	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
	"github.com/lejek/lejek/engine"
)

// Secret is the secret of a World.
var Secret = []byte("0123456789abcdef0123456789abcdef")

// World is one workspace and the machinery around it.
type World struct {
	testing.TB

	Pool      *pgxpool.Pool
	Clock     *clock.Manual
	Workspace uuid.UUID
	People    *people.People
	Reactor   *events.Reactor
	Inbox     *events.Inbox
	Runner    *runner.Runner
	Deliverer *delivery.Deliverer
	Sweep     *segments.Sweep
	Agenda    *agenda.Agenda
	Calls     *calls.Calls // register callers before the first Settle
}

// New makes a world at storetest.Now, in UTC.
func New(t testing.TB) *World {
	t.Helper()
	return On(t, storetest.DB(t), storetest.Now)
}

// On makes a world in a given database. A second world on the same database has a workspace of its own.
func On(t testing.TB, pool *pgxpool.Pool, now time.Time) *World {
	t.Helper()
	manual, err := clock.NewManual(t.Context(), pool, now)
	require.NoError(t, err)
	w := &World{TB: t, Pool: pool, Clock: manual, Workspace: store.NewID(), People: people.New(pool, manual, Secret)}
	cache := &plans.Cache{}
	logger := slog.New(slog.DiscardHandler)
	w.Reactor = &events.Reactor{Plans: cache, People: w.People}
	w.Inbox = &events.Inbox{DB: pool, Clock: manual, Reactor: w.Reactor}
	w.Sweep = &segments.Sweep{DB: pool, Clock: manual, Cache: &w.Reactor.Segments, Also: agenda.Recompute}
	w.Agenda = &agenda.Agenda{DB: pool, Clock: manual, Plans: cache}
	w.Runner = &runner.Runner{DB: pool, Clock: manual, Machine: clock.Machine{}, Plans: cache, People: w.People, Logger: logger}
	w.Deliverer = delivery.New(delivery.Config{
		DB: pool, Clock: manual, Machine: clock.Machine{}, Plans: cache, People: w.People, Template: Template, Secret: Secret,
		BaseURL: "https://lejek.example", Worker: "test", Logger: logger, Dialer: delivery.Dialer{Private: true},
	})
	w.Calls = calls.New(calls.Config{DB: pool, Clock: manual, Machine: clock.Machine{}, Logger: logger, Jitter: func(most time.Duration) time.Duration { return most }})
	w.Exec(`INSERT INTO workspaces (id, slug, name, zone, language, currency, sending_mode, allow_unknown_consent, postal_address, created_at, updated_at)
		VALUES ($1, $2, 'Acme', 'UTC', 'en', 'EUR', 'sandbox', false, 'Street 1', $3, $3)`, w.Workspace, "w-"+w.Workspace.String()[24:], now)
	w.Exec(`INSERT INTO senders (workspace_id, slug, name, email, reply_to, verified_at, is_default, created_at)
		VALUES ($1, 'main', 'Acme', 'hello@acme.example', '', $2, true, $2)`, w.Workspace, now)
	require.NoError(t, events.Prepare(t.Context(), pool, now))
	return w
}

// Exec runs a statement.
func (w *World) Exec(sql string, args ...any) {
	w.Helper()
	_, err := w.Pool.Exec(w.Context(), sql, args...)
	require.NoError(w, err)
}

// Count is the single number a query selects.
func (w *World) Count(sql string, args ...any) (n int) {
	w.Helper()
	require.NoError(w, w.Pool.QueryRow(w.Context(), sql, args...).Scan(&n))
	return n
}

// Tx runs body in a transaction.
func (w *World) Tx(body func(tx store.Tx) error) {
	w.Helper()
	require.NoError(w, store.InTx(w.Context(), w.Pool, w.Clock, body))
}

// Contact makes a contact with granted e-mail consent.
func (w *World) Contact(email string) uuid.UUID {
	w.Helper()
	out, err := w.People.Upsert(w.Context(), w.Workspace, people.Input{
		Email: email, Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}},
	}, "test")
	require.NoError(w, err)
	return out.Contact.ID
}

// Funnel publishes a graph as a live funnel. Every creative it names gets a text of its own.
func (w *World) Funnel(name, graph string) uuid.UUID {
	w.Helper()
	id := store.NewID()
	w.Exec(`INSERT INTO funnels (workspace_id, id, slug, name, draft, draft_hash, layout, revision, state, created_at, updated_at)
		VALUES ($1, $2, $3, $3, '{}', '', '{}', 1, 'draft', $4, $4)`, w.Workspace, id, name, w.Clock.Now())
	w.Publish(id, graph)
	return id
}

// Publish makes a graph the funnel's live version.
func (w *World) Publish(funnel uuid.UUID, graph string) uuid.UUID {
	w.Helper()
	bundle := engine.Bundle{Creatives: map[string]engine.Creative{}}
	require.NoError(w, json.Unmarshal([]byte(graph), &bundle.Graph))
	bundle.Graph.Schema = engine.SchemaVersion
	artifacts := map[string]string{}
	now := w.Clock.Now()
	for _, node := range bundle.Graph.Nodes {
		var config struct{ Creative string }
		require.NoError(w, json.Unmarshal(node.Config, &config))
		if config.Creative == "" {
			continue
		}
		slug := config.Creative[len("creative:"):]
		bundle.Creatives[slug] = engine.Creative{Channel: "email", Subject: slug}
		artifacts[slug] = "hash-" + slug
		w.Exec(`INSERT INTO creative_artifacts (workspace_id, hash, artifact, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			w.Workspace, artifacts[slug], fmt.Sprintf(`{"subject": %q}`, slug), now)
	}
	document, err := json.Marshal(bundle)
	require.NoError(w, err)
	hashes, err := json.Marshal(artifacts)
	require.NoError(w, err)
	version := store.NewID()
	w.Exec(`INSERT INTO funnel_versions (workspace_id, id, funnel_id, n, bundle, artifacts, hash, note, published_at)
		VALUES ($1, $2, $3, (SELECT count(*) + 1 FROM funnel_versions WHERE workspace_id = $1 AND funnel_id = $3), $4, $5, '', '', $6)`,
		w.Workspace, version, funnel, document, hashes, now)
	w.Exec(`UPDATE funnels SET state = 'live', live_version = $3 WHERE workspace_id = $1 AND id = $2`, w.Workspace, funnel, version)
	return version
}

// Event sends an event now.
func (w *World) Event(email, name string, props map[string]any) events.Outcome {
	w.Helper()
	return w.Events(events.Incoming{Who: people.Input{Email: email}, Name: name, Props: props})[0]
}

// Events sends a batch.
func (w *World) Events(batch ...events.Incoming) (outcomes []events.Outcome) {
	w.Helper()
	w.Tx(func(tx store.Tx) (err error) {
		outcomes, err = w.Reactor.Ingest(w.Context(), tx, w.Workspace, batch)
		return err
	})
	return outcomes
}

// Settle works everything off that is due.
func (w *World) Settle() {
	w.Helper()
	require.NoError(w, w.settle(w.Context()))
}

func (w *World) settle(ctx context.Context) error {
	jobs := slices.Concat([]pump.Job{w.Inbox.Job(), w.Runner.Job(), w.Sweep.Job(), w.Agenda.Job()}, w.Calls.Jobs(), w.Deliverer.Jobs())
	for {
		done := 0
		for _, job := range jobs {
			n, err := job.DrainAll(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", job.Kind, err)
			}
			done += n
		}
		if done == 0 {
			return nil
		}
		if done > 1000 {
			if _, err := store.FreshenStatistics(ctx, w.Pool); err != nil {
				return err
			}
		}
	}
}

// To lets time pass up to an instant, doing everything when it is due.
func (w *World) To(at time.Time) {
	w.Helper()
	require.NoError(w, timeline.Walk(w.Context(), w.Pool, w.Clock, at, w.settle))
}

// Jump sets the clock to an instant without doing anything on the way: a worker that was away.
func (w *World) Jump(at time.Time) {
	w.Helper()
	require.NoError(w, w.Clock.SetNow(w.Context(), at))
	require.NoError(w, w.Clock.SetDue(w.Context(), at))
}

// Audit requires that no invariant is broken and nothing is overdue.
func (w *World) Audit() {
	w.Helper()
	_, due, err := w.Clock.Read(w.Context(), w.Pool)
	require.NoError(w, err)
	w.audit(due)
}

// AuditBusy requires that no invariant is broken while there is still work to do.
func (w *World) AuditBusy() {
	w.Helper()
	w.audit(time.Time{})
}

func (w *World) audit(due time.Time) {
	w.Helper()
	found, err := auditor.Audit(w.Context(), w.Pool, auditor.Options{Due: due, Machine: clock.Machine{}.Now()})
	require.NoError(w, err)
	require.Empty(w, found)
}

// Sent lists creative and time of what was sent to an address, such as "welcome 09:00:00", in order.
func (w *World) Sent(email string) []string {
	w.Helper()
	rows, err := w.Pool.Query(w.Context(), `SELECT creative, sent_at FROM messages WHERE workspace_id = $1 AND to_address = $2 AND status = 'sent' ORDER BY sent_at, id`, w.Workspace, email)
	require.NoError(w, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var creative string
		var at time.Time
		require.NoError(w, rows.Scan(&creative, &at))
		list = append(list, creative+" "+at.UTC().Format("01-02 15:04:05"))
	}
	require.NoError(w, rows.Err())
	return list
}

// Template reads the artifacts of a World: {"subject": merge text}.
func Template(artifact []byte) (delivery.Template, error) {
	var text struct{ Subject string }
	if err := json.Unmarshal(artifact, &text); err != nil {
		return nil, err
	}
	merge, err := engine.ParseMerge(text.Subject)
	return template{merge}, err
}

type template struct{ subject *engine.Merge }

func (t template) Render(scope *engine.MergeScope, _ func(int, string) string) (delivery.Content, error) {
	subject, err := t.subject.Render(scope, engine.ContextHeader)
	return delivery.Content{
		Subject: subject, HTML: "<p>" + subject + "</p><a href=\"" + scope.UnsubscribeURL + "\">leave</a>", Text: subject,
		Links: []delivery.Link{{URL: scope.UnsubscribeURL, Label: "leave"}},
	}, err
}
