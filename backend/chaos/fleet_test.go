package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/cli"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/embedpg"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/migrations"
)

// TestMain makes this test program Lejek itself when it is called as one.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "serve" && os.Args[1] != "worker" && os.Args[1] != "bench" {
		flag.Parse()
		if !full() {
			_ = flag.Set("test.parallel", "6") // they wait more than they work
		}
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// full tells whether the whole programme runs (make chaos) with its bounds, or the short one beside all other tests.
func full() bool { return os.Getenv("LEJEK_CHAOS") != "" }

// pick is one size or bound for the whole programme and another for the short one.
func pick[T any](whole, short T) T {
	if full() {
		return whole
	}
	return short
}

// seed is the first seed, from `make chaos SEED=`.
func seed(t *testing.T) uint64 {
	t.Helper()
	first := uint64(1)
	if text := os.Getenv("LEJEK_CHAOS_SEED"); text != "" {
		var err error
		first, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	return first
}

const letters = `{"graph": {"schema": 1, "nodes": [
	{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
	{"id": "wait-1", "kind": "wait", "name": "An hour", "config": {"mode": "duration", "for": {"amount": 1, "unit": "hours"}}},
	{"id": "mail-1", "kind": "send_email", "name": "Hello", "config": {"creative": "creative:hello", "class": "marketing"}},
	{"id": "wait-2", "kind": "wait", "name": "Ninety days", "config": {"mode": "duration", "for": {"amount": 90, "unit": "days"}}}],
	"edges": [{"from": "start", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-2"}]},
	"creatives": {"hello": {"channel": "email", "subject": "Hello", "blocks": [{"id": "b1", "type": "heading", "text": "Hello", "level": 1}, {"id": "b2", "type": "footer"}]}}}`

// fleet is an installation whose processes come and go: a workspace with one live funnel, on real time.
type fleet struct {
	*testing.T

	url       string
	db        *pgxpool.Pool
	app       *app.App
	workspace uuid.UUID
	funnel    uuid.UUID
	version   uuid.UUID
	token     string
	env       map[string]string
	expected  int // runs that were added
}

// own starts a Postgres of the test's own, with default durability.
func own(t *testing.T) (*embedpg.Server, embedpg.Options) {
	t.Helper()
	dir, err := os.MkdirTemp("", "lejek-chaos")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	options := embedpg.Options{Dir: dir, Settings: map[string]string{"shared_buffers": "64MB"}}
	server, err := embedpg.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = server.Stop(context.WithoutCancel(t.Context())) // a test may have stopped it
		_ = os.RemoveAll(server.Dir())
		_ = os.RemoveAll(dir)
	})
	pool, err := store.Open(t.Context(), server.URL("postgres"), 2)
	require.NoError(t, err)
	require.NoError(t, migrations.Up(t.Context(), pool))
	pool.Close()
	return server, options
}

// raise makes the workspace. url "" is a database of the shared server.
func raise(t *testing.T, url string) *fleet {
	t.Helper()
	if url == "" {
		url = storetest.URL(t)
	}
	f := &fleet{T: t, url: url}
	cfg, err := store.Config(url, 4)
	require.NoError(t, err)
	cfg.ConnConfig.RuntimeParams["application_name"] = "chaos"
	f.db, err = pgxpool.NewWithConfig(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(f.db.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	f.env = map[string]string{
		"DATABASE_URL": url, "LEJEK_DATA_DIR": t.TempDir(), "LEJEK_ADDR": listener.Addr().String(), "LEJEK_SECRET": strings.Repeat("63686173", 8),
		"LEJEK_LOG_LEVEL": "warn",
	}
	read, err := config.From(func(name string) string { return f.env[name] })
	require.NoError(t, err)
	f.app, err = app.New(t.Context(), app.Config{Config: read}, app.Deps{Pool: f.db, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	_, _, made, err := f.app.Auth.Setup(t.Context(), f.app.Clock, auth.SetupInput{
		Name: "Anna", Email: "anna@lejek.example", Password: uuid.NewString(), Workspace: "Acme", Zone: "UTC",
	})
	require.NoError(t, err)
	f.workspace = made.ID
	var bundle engine.Bundle
	require.NoError(t, json.Unmarshal([]byte(letters), &bundle))
	draft, err := f.app.Funnels.Create(t.Context(), f.workspace, "Letters", funnels.Document{Graph: bundle.Graph, Creatives: bundle.Creatives}, nil)
	require.NoError(t, err)
	live, err := f.app.Funnels.Publish(t.Context(), f.workspace, draft.Head.ID, funnels.Publish{Revision: draft.Head.Revision, AcceptWarnings: true})
	require.NoError(t, err)
	f.funnel, f.version = draft.Head.ID, live.Version.ID
	_, f.token, err = f.app.Auth.CreateToken(t.Context(), f.db, f.workspace, nil, auth.TokenInput{Name: "Shop", Scopes: []auth.Scope{auth.ScopeEvents}})
	require.NoError(t, err)
	return f
}

// herd puts n people into the first wait, whose ends come one after the other.
func (f *fleet) herd(n int, first time.Time, every time.Duration) {
	f.Helper()
	// In one statement: a worker that is awake must not find a run before what it has behind it, and the runs of others are theirs.
	_, err := f.db.Exec(f.Context(), `WITH people AS (
		INSERT INTO contacts (workspace_id, id, email, email_folded, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists,
			source, created_at, updated_at)
		SELECT $1, id, id || '@example.com', id || '@example.com', 'Anna', '', 'anna', '', '', '', '{}', '{}', '{}', 'api', $4::timestamptz, $4
		FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $6)) AS x RETURNING id
	), agreed AS (
		INSERT INTO consents (workspace_id, contact_id, channel, topic, state, source, at) SELECT $1, id, 'email', '', 'granted', 'test', $4 FROM people
	), started AS (
		INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, deadline, started_at, slot, occurrence)
		SELECT $1, gen_random_uuid(), $2, $3, id, 'wait-1', 2, 'active', 1, due, due - interval '1 hour', due, due - interval '1 hour', 'once', id::text
		FROM (SELECT id, $4::timestamptz + (row_number() OVER () - 1) * $5::bigint * interval '1 microsecond' AS due FROM people) AS x
		RETURNING id, started_at
	)
	INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, port)
	SELECT $1, r.id, v.seq, v.node, v.kind, r.started_at, v.port
	FROM started r, (VALUES (1, 'start', 'entry', 'next'), (2, 'wait-1', 'wait', '')) AS v (seq, node, kind, port)`,
		f.workspace, f.funnel, f.version, clock.Micro(first), every.Microseconds(), n)
	require.NoError(f, err)
	_, err = f.db.Exec(f.Context(), "ANALYZE contacts, consents, runs, journal")
	require.NoError(f, err)
	f.expected += n
}

// process is a running command of Lejek.
type process struct {
	*exec.Cmd

	ended chan struct{}
	mu    sync.Mutex
	said  bytes.Buffer
}

// Write keeps what the process says.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(text)
}

func (p *process) says(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(p.said.String(), text)
}

// start runs a command of Lejek; settings are further environment.
func (f *fleet) start(settings map[string]string, args ...string) *process {
	f.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...), ended: make(chan struct{})}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); name != "DATABASE_URL" && !strings.HasPrefix(name, "LEJEK_") && !strings.HasPrefix(name, "AI_") {
			p.Env = append(p.Env, entry)
		}
	}
	for _, all := range []map[string]string{f.env, settings} {
		for name, value := range all {
			p.Env = append(p.Env, name+"="+value)
		}
	}
	p.Stdout, p.Stderr = p, p
	require.NoError(f, p.Start())
	go func() {
		defer close(p.ended)
		_ = p.Wait() // how it ended is in its state
	}()
	f.Cleanup(func() {
		_ = p.Process.Signal(syscall.SIGCONT)
		p.kill()
		if f.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			text := p.said.String()
			f.Logf("%v said last:\n%s", args, text[max(0, len(text)-2000):])
		}
	})
	return p
}

// stands tells whether the process was stopped, by a failpoint of its own or by SIGSTOP.
func (p *process) stands() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "T")
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.Process.Kill() // it may have ended
	<-p.ended
}

// worker starts a worker and returns when it is registered. points arms failpoints.
func (f *fleet) worker(points string) *process {
	f.Helper()
	before := f.count("SELECT count(*) FROM workers")
	p := f.start(map[string]string{failpoint.Variable: points}, "worker")
	f.until(30*time.Second, "a worker is there", func() bool { return f.count("SELECT count(*) FROM workers") > before })
	return p
}

// until asks until something is so. A database that is down counts as not yet.
func (f *fleet) until(patience time.Duration, what string, reached func() bool) {
	f.Helper()
	require.Eventually(f, reached, patience, 20*time.Millisecond, what)
}

// count is the single number a query selects, -1 while the database is down.
func (f *fleet) count(sql string, args ...any) int {
	n := -1
	if err := f.db.QueryRow(f.Context(), sql, args...).Scan(&n); err != nil {
		return -1
	}
	return n
}

const patience = time.Minute

// through waits until everybody got their mail, and requires that everybody got it once and nothing is broken.
func (f *fleet) through() {
	f.Helper()
	f.until(patience, "everybody got their mail", func() bool {
		return f.count("SELECT count(*) FROM messages WHERE status = 'sent'") >= f.expected && f.count("SELECT count(*) FROM inbox") == 0
	})
	f.once()
}

// once requires that everybody got their mail exactly once.
func (f *fleet) once() {
	f.Helper()
	require.Equal(f, f.expected, f.count("SELECT count(*) FROM messages"))
	require.Equal(f, f.expected, f.count("SELECT count(DISTINCT run_id) FROM messages WHERE status = 'sent'"))
	if got := f.count("SELECT count(*) FROM runs WHERE node = 'wait-2' AND seq = 5 AND status = 'active'"); got != f.expected {
		var odd string
		_ = f.db.QueryRow(f.Context(), "SELECT r::text FROM runs r WHERE NOT (node = 'wait-2' AND seq = 5 AND status = 'active') LIMIT 1").Scan(&odd)
		require.Equal(f, f.expected, got, odd)
	}
	f.audit()
}

func (f *fleet) audit() {
	f.Helper()
	found, err := auditor.Audit(f.Context(), f.db, auditor.Options{Due: f.app.Clock.Now(), Machine: clock.Machine{}.Now(), Slack: pick(5*time.Second, 30*time.Second)})
	require.NoError(f, err)
	require.Empty(f, found)
}

// late is how late the latest mail was written, by the instant of its transaction.
func (f *fleet) late() time.Duration {
	f.Helper()
	var seconds float64
	require.NoError(f, f.db.QueryRow(f.Context(), "SELECT coalesce(max(extract(epoch FROM created_at - due_at)), 0) FROM messages").Scan(&seconds))
	return time.Duration(seconds * float64(time.Second))
}

// now is the instant the fleet goes by.
func (f *fleet) now() time.Time { return f.app.Clock.Now() }

// pass lets real time go by: these tests are about processes on real time.
func (f *fleet) pass(d time.Duration) {
	f.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.Context().Done():
		f.FailNow()
	}
}

func (f *fleet) exec(sql string, args ...any) {
	f.Helper()
	_, err := f.db.Exec(f.Context(), sql, args...)
	require.NoError(f, err, fmt.Sprint(sql))
}
