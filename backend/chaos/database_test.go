package chaos

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/embedpg"
)

func TestFault_09_TheDatabaseCrashesUnderLoad(t *testing.T) {
	t.Parallel()
	server, _ := own(t)
	f := raise(t, server.URL("postgres"))
	f.worker("")
	for range pick(5, 2) {
		f.herd(2000, f.now().Add(200*time.Millisecond), 4*time.Second/2000)
		f.pass(time.Second)
		require.NoError(t, server.Crash(t.Context()))
		up := f.now()
		f.until(30*time.Second, "work goes on", func() bool { return f.count("SELECT count(*) FROM messages WHERE created_at > $1", up) > 0 })
		resumed := f.now().Sub(up)
		t.Logf("working again %s after the database was up", resumed)
		require.Less(t, resumed, pick(time.Second, 30*time.Second))
		f.through()
	}
}

func TestFault_09_TheDatabaseIsAwayForLongerThanAJobLasts(t *testing.T) {
	t.Parallel()
	server, options := own(t)
	f := raise(t, server.URL("postgres"))
	f.worker("")
	f.herd(200, f.now(), time.Millisecond)
	f.through()
	f.herd(400, f.now(), time.Millisecond)
	require.NoError(t, server.Stop(t.Context()))
	f.pass(pick(45*time.Second, 3*time.Second))
	again, err := embedpg.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = again.Stop(t.Context()) })
	up := time.Now()
	f.through()
	t.Logf("everything was done %s after the database was up", time.Since(up))
	// The slots' jobs ended meanwhile, and River notes that by tries of its own, seconds apart; only then may others take their place.
	require.Less(t, time.Since(up), pick(10*time.Second, 40*time.Second))
	f.herd(200, f.now(), time.Millisecond)
	f.through()
}

func TestFault_10_ConnectionsOfWorkersAreTerminated(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	f.worker("")
	f.worker("")
	random := rand.New(rand.NewPCG(seed(t), 10))
	load := pick(10*time.Second, 3*time.Second)
	f.herd(int(load.Seconds()*400), f.now(), 2500*time.Microsecond)
	for end := time.Now().Add(load); time.Now().Before(end); f.pass(100 * time.Millisecond) {
		f.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lejek' ORDER BY md5(pid::text || $1::bigint) LIMIT 1`,
			int64(random.Uint32()))
	}
	f.through()
	require.Less(t, f.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lejek'"), 60, "connections do not pile up")
}

func TestFault_12_SendersTryAgainWhileTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	server, options := own(t)
	f := raise(t, server.URL("postgres"))
	f.start(nil, "serve")
	send := func(id string) (int, http.Header, string) {
		body, err := json.Marshal(map[string]any{"name": "go", "id": id, "contact": map[string]any{"email": id + "@example.com"}})
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+f.env["LEJEK_ADDR"]+"/api/v1/events", bytes.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+f.token)
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, nil, err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, answer.Header, string(text)
	}
	f.until(30*time.Second, "the server answers", func() bool { status, _, _ := send("first"); return status == http.StatusOK })
	require.NoError(t, server.Stop(t.Context()))
	refused := 0
	for end := time.Now().Add(pick(10*time.Second, 2*time.Second)); time.Now().Before(end); f.pass(100 * time.Millisecond) {
		status, header, text := send("second")
		require.Equal(t, http.StatusServiceUnavailable, status, text)
		require.NotEmpty(t, header.Get("Retry-After"))
		refused++
	}
	require.Positive(t, refused)
	again, err := embedpg.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = again.Stop(t.Context()) })
	f.until(30*time.Second, "the event is taken", func() bool { status, _, _ := send("second"); return status == http.StatusOK })
	_, _, text := send("second")
	require.Contains(t, text, "duplicate")
	require.Equal(t, 2, f.count("SELECT count(*) FROM events WHERE name = 'go'"))
	require.Equal(t, 2, f.count("SELECT count(*) FROM runs"))
	// The database may have left before the first run moved: that one is late by as long as it was away.
	f.until(30*time.Second, "both are on their way", func() bool { return f.count("SELECT count(*) FROM runs WHERE wake_at <= $1", f.now()) == 0 })
	f.audit()
}

func TestFault_43_AnOldSnapshotDoesNotSlowTheSearchForDueRuns(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	conn, err := f.db.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	old, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = old.Exec(t.Context(), "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET idle_in_transaction_session_timeout = 0; SELECT count(*) FROM runs")
	require.NoError(t, err)
	f.herd(pick(200_000, 6000), f.now().Add(-time.Hour), time.Millisecond)
	job := f.app.Worker.Runner.Job()
	_, err = job.DrainAll(t.Context()) // every fired run leaves a dead version that the snapshot keeps
	require.NoError(t, err)
	require.Equal(t, f.expected, f.count("SELECT count(*) FROM messages"))
	var took []time.Duration
	for range 200 {
		began := time.Now()
		due, err := job.Peek(t.Context())
		require.NoError(t, err)
		require.Empty(t, due)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("median %s, 95 of 100 under %s", took[100], took[190])
	require.Less(t, took[190], pick(5*time.Millisecond, 2*time.Second), "all but the full looks, one in five seconds, start at the floor")
	_, err = old.Exec(t.Context(), "COMMIT")
	require.NoError(t, err)
	f.audit()
}
