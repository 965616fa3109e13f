//go:build unix

package embedpg_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/embedpg"
)

// folder is reachable for the unprivileged user that runs the server when the tests run as root.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "embedpg")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func start(t *testing.T, opts embedpg.Options) *embedpg.Server {
	t.Helper()
	srv, err := embedpg.Start(context.Background(), opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, srv.Stop(context.Background()))
		if srv.Dir() != opts.Dir {
			require.NoError(t, os.RemoveAll(srv.Dir()))
		}
	})
	return srv
}

func exec(t *testing.T, srv *embedpg.Server, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), srv.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var out string
	require.NoError(t, conn.QueryRow(context.Background(), sql).Scan(&out))
	return out
}

func TestSecondStartAttachesAndNeverStops(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := start(t, embedpg.Options{Dir: dir})
	second := start(t, embedpg.Options{Dir: dir})
	require.True(t, first.Owned())
	require.False(t, second.Owned())
	require.Equal(t, first.URL("x"), second.URL("x"))
	require.NoError(t, second.Stop(context.Background()))
	require.Equal(t, "here", exec(t, first, `SELECT 'here'`))
}

func TestServerLeftBehindIsAdopted(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, err := embedpg.Start(context.Background(), embedpg.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, first.Leave())
	second := start(t, embedpg.Options{Dir: dir})
	require.True(t, second.Owned())
	require.Equal(t, first.URL("x"), second.URL("x"))
}

func TestDataStaysBetweenStartsAndSurvivesACrash(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, err := embedpg.Start(context.Background(), embedpg.Options{Dir: dir})
	require.NoError(t, err)
	exec(t, first, `WITH made AS (SELECT set_config('a.b', 'x', false)) SELECT set_config FROM made`)
	conn, err := pgx.Connect(context.Background(), first.URL("postgres"))
	require.NoError(t, err)
	_, err = conn.Exec(context.Background(), `CREATE TABLE kept AS SELECT 'kept' AS word`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(context.Background()))
	require.NoError(t, first.Crash(context.Background()))
	require.Equal(t, "kept", exec(t, first, `SELECT word FROM kept`))
	require.NoError(t, first.Stop(context.Background()))

	second := start(t, embedpg.Options{Dir: dir})
	require.Equal(t, "kept", exec(t, second, `SELECT word FROM kept`))
}

// A server of its own is nobody else's to start: it is back after it was killed, on the same port, and Stop still ends it.
func TestAServerThatWasKilledIsStartedAgain(t *testing.T) {
	t.Parallel()
	srv := start(t, embedpg.Options{Dir: folder(t)})
	for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		text, err := os.ReadFile(filepath.Join(srv.Dir(), "data", "postmaster.pid"))
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(first)
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, signal))
		require.Eventually(t, func() bool {
			conn, err := pgx.Connect(context.Background(), srv.URL("postgres"))
			if err != nil {
				return false
			}
			defer conn.Close(context.Background())
			now, err := os.ReadFile(filepath.Join(srv.Dir(), "data", "postmaster.pid"))
			return err == nil && !strings.HasPrefix(string(now), first+"\n")
		}, 20*time.Second, 50*time.Millisecond)
	}
}

// Two processes share a server; when the one that started it stops, the other goes on with it.
func TestTheOtherTakesOverWhenTheOwnerStops(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, err := embedpg.Start(context.Background(), embedpg.Options{Dir: dir})
	require.NoError(t, err)
	second := start(t, embedpg.Options{Dir: dir})
	require.NoError(t, first.Stop(context.Background()))
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(context.Background(), second.URL("postgres"))
		return err == nil && conn.Close(context.Background()) == nil
	}, 20*time.Second, 50*time.Millisecond)
	require.True(t, second.Owned())
}

func TestStalePidFileDoesNotHinder(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, err := embedpg.Start(context.Background(), embedpg.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, first.Stop(context.Background()))
	pidfile := filepath.Join(first.Dir(), "data", "postmaster.pid")
	stale := strconv.Itoa(os.Getpid()) + "\n" + filepath.Join(first.Dir(), "data") + "\n1700000000\n5432\n\n127.0.0.1\n"
	require.NoError(t, os.WriteFile(pidfile, []byte(stale), 0o600))
	info, err := os.Stat(filepath.Join(first.Dir(), "data"))
	require.NoError(t, err)
	chownLike(t, pidfile, info)

	second := start(t, embedpg.Options{Dir: dir})
	require.Equal(t, "up", exec(t, second, `SELECT 'up'`))
}

func TestBusyPortIsRefusedInWords(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = embedpg.Start(context.Background(), embedpg.Options{Dir: folder(t), Port: l.Addr().(*net.TCPAddr).Port})
	require.ErrorContains(t, err, "is taken by another program")
}
