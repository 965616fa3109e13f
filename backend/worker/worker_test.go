package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
	"github.com/lejek/lejek/backend/worker"
)

// workerURL makes this test program a worker on the database it names, so that a test can kill a real process.
const workerURL = "LEJEK_TEST_WORKER"

func TestMain(m *testing.M) {
	url := os.Getenv(workerURL)
	if url == "" {
		os.Exit(m.Run())
	}
	if err := work(url); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(url string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	pool, err := store.Open(ctx, url, 12)
	if err != nil {
		return err
	}
	defer pool.Close()
	manual, err := clock.NewManual(ctx, pool, storetest.Now)
	if err != nil {
		return err
	}
	w, err := worker.New(worker.Config{
		Pool: pool, Clock: manual, Secret: spinetest.Secret, BaseURL: "https://lejek.example", Template: spinetest.Template,
		Dialer: delivery.Dialer{Private: true}, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Role: "worker", Version: "test", Lease: 2 * time.Second,
	})
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// start runs this program as a worker. points arms failpoints.
func start(t *testing.T, url, points string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerURL+"="+url, failpoint.Variable+"="+points)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// dies waits for a worker to kill itself at its failpoint.
func dies(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		require.ErrorContains(t, err, "killed")
	case <-time.After(time.Minute):
		t.Fatal("the failpoint was never reached")
	}
}

// idle waits until the workers have done everything that is due.
func idle(t *testing.T, w *spinetest.World) {
	t.Helper()
	require.Eventually(t, func() bool {
		done, err := timeline.Idle(t.Context(), w.Pool, w.Clock)
		return err == nil && done
	}, time.Minute, 20*time.Millisecond)
}

func world(t *testing.T) (*spinetest.World, string) {
	t.Helper()
	url := storetest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return spinetest.On(t, pool, storetest.Now), url
}

const twoMails = `{"nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
	{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:one", "class": %q}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "hours"}}},
	{"id": "mail-2", "kind": "send_email", "config": {"creative": "creative:two", "class": %[1]q}}],
	"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-2"}]}`

func enter(w *spinetest.World, n int) {
	w.Helper()
	batch := make([]events.Incoming, n)
	for i := range batch {
		batch[i] = events.Incoming{Name: "go", Who: people.Input{
			Email: fmt.Sprintf("p%d@example.com", i), Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}},
		}}
	}
	w.Events(batch...)
}

func TestCaseKill9BetweenSendAndAdvance(t *testing.T) {
	t.Parallel()
	w, url := world(t)
	w.Funnel("letters", fmt.Sprintf(twoMails, "marketing"))
	const crowd = 400
	enter(w, crowd)
	w.Jump(storetest.Now)

	for _, point := range []string{"runner.before_commit=exit", "runner.after_commit=exit", "delivery.before_commit=exit"} {
		dies(t, start(t, url, point))
		w.AuditBusy()
	}
	last := start(t, url, "")
	idle(t, w)
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages WHERE status = 'sent' AND creative = 'one'"))
	w.Jump(storetest.Now.Add(time.Hour))
	idle(t, w)
	require.Equal(t, 2*crowd, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
	require.Equal(t, 2*crowd, w.Count("SELECT count(*) FROM messages"))
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM runs WHERE status = 'done'"))
	w.Audit()

	began := time.Now()
	require.NoError(t, last.Process.Signal(syscall.SIGTERM))
	require.NoError(t, last.Wait(), "a worker that is asked to stop ends in order")
	require.Less(t, time.Since(began), 10*time.Second)
}

func TestKill9WhileHandingOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		class, point string
		status       string
		taken        int
	}{
		"MarketingThatMayHaveLeftIsNotSentAgain":      {"marketing", "delivery.after_send=exit", "unknown", 1},
		"MarketingThatDidNotLeaveIsNotSentEither":     {"marketing", "delivery.before_send=exit", "unknown", 0},
		"TransactionalThatMayHaveLeftIsTriedOnceMore": {"transactional", "delivery.after_send=exit", "sent", 2},
		"TransactionalThatDidNotLeaveIsTriedOnceMore": {"transactional", "delivery.before_send=exit", "sent", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, url := world(t)
			sink := smtptest.New(t)
			w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
			w.Tx(func(tx store.Tx) error {
				return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
					SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 100, Active: true,
				})
			})
			w.Funnel("letters", fmt.Sprintf(twoMails, c.class))
			enter(w, 1)
			w.Jump(storetest.Now)
			dies(t, start(t, url, c.point))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'sending'"))

			start(t, url, "")
			idle(t, w)
			w.Jump(storetest.Now.Add(20 * time.Minute))
			idle(t, w)
			require.Len(t, sink.Ledger(), c.taken)
			require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = $1", c.status))
			w.Audit()
		})
	}
}

func TestKill9WhileCallingOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		point string
		taken int
	}{
		"BeforeTheCallItIsMadeOnce":             {"calls.before_call=exit", 1},
		"AfterTheCallItIsMadeAgainWithItsKey":   {"calls.after_call=exit", 2},
		"BeforeTheAnswerIsKeptItIsMadeAgainToo": {"calls.before_result=exit", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, url := world(t)
			var mu sync.Mutex
			var keys []string
			service := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				keys = append(keys, r.Header.Get("Idempotency-Key"))
				_, _ = rw.Write([]byte(`{"id": "A-1"}`))
			}))
			t.Cleanup(service.Close)
			w.Funnel("asking", fmt.Sprintf(`{"nodes": [
				{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
				{"id": "ask", "kind": "http_request", "config": {"url": %q, "method": "POST", "body": "{}", "save": [{"name": "id", "path": "id"}]}},
				{"id": "mail", "kind": "send_email", "config": {"creative": "creative:one", "class": "transactional"}}],
				"edges": [{"from": "in", "port": "next", "to": "ask"}, {"from": "ask", "port": "ok", "to": "mail"}]}`, service.URL))
			enter(w, 1)
			w.Jump(storetest.Now)
			dies(t, start(t, url, c.point))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM calls WHERE status = 'working'"))

			last := start(t, url, "")
			idle(t, w)
			require.Len(t, keys, c.taken)
			require.Equal(t, keys[0], keys[len(keys)-1])
			require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE vars @> '{\"id\": \"A-1\"}'"))
			w.Audit()
			require.NoError(t, last.Process.Signal(syscall.SIGTERM))
			require.NoError(t, last.Wait())
		})
	}
}

func TestStoppingFinishesTheCallInHand(t *testing.T) {
	t.Parallel()
	w, url := world(t)
	asked, release := make(chan struct{}), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	t.Cleanup(service.Close)
	w.Funnel("asking", fmt.Sprintf(`{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
		{"id": "ask", "kind": "http_request", "config": {"url": %q, "method": "GET"}}], "edges": [{"from": "in", "port": "next", "to": "ask"}]}`, service.URL))
	enter(w, 1)
	w.Jump(storetest.Now)
	working := start(t, url, "")
	<-asked
	require.NoError(t, working.Process.Signal(syscall.SIGTERM))
	close(release)
	require.NoError(t, working.Wait(), "a worker that is asked to stop ends in order")
	require.Equal(t, 1, w.Count("SELECT count(*) FROM calls WHERE status = 'answered' AND attempts = 1"))
	w.AuditBusy()
}
