package chaos

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/migrations"
)

const river = migrations.RiverSchema

func TestFault_13_TheLeaderOfThreeIsKilled(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	fleet := map[string]*process{}
	for range 3 {
		known := f.names()
		p := f.worker("")
		for _, id := range f.names() {
			if known[id] == "" {
				fleet[id] = p
			}
		}
	}
	require.Len(t, fleet, 3)
	leader := ""
	f.until(30*time.Second, "somebody leads", func() bool {
		return f.db.QueryRow(t.Context(), "SELECT leader_id FROM "+river+".river_leader").Scan(&leader) == nil && fleet[leader] != nil
	})
	load := pick(8*time.Second, 2*time.Second)
	f.herd(int(load.Seconds()*300), f.now().Add(200*time.Millisecond), time.Second/300)
	f.pass(load / 3)
	fleet[leader].kill()
	// A job that waits for its retry needs a leader to become available.
	f.exec(`INSERT INTO ` + river + `.river_job (state, attempt, max_attempts, priority, queue, kind, args, errors, attempted_at, scheduled_at, created_at)
		VALUES ('retryable', 1, 3, 1, 'nobody', 'chaos', '{}', ARRAY['{"at": "2026-01-01T00:00:00Z", "attempt": 1, "error": "x", "trace": ""}'::jsonb],
			clock_timestamp(), clock_timestamp() - interval '1 second', clock_timestamp())`)
	f.through()
	require.Less(t, f.late(), pick(time.Second, 30*time.Second), "pumps need no leader")
	if full() {
		f.until(30*time.Second, "another one leads", func() bool {
			return f.count("SELECT count(*) FROM "+river+".river_job WHERE kind = 'chaos' AND state = 'available'") == 1
		})
	}
}

// names are the processes at work.
func (f *fleet) names() map[string]string {
	f.Helper()
	rows, err := f.db.Query(f.Context(), "SELECT id FROM workers")
	require.NoError(f, err)
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var id string
		require.NoError(f, rows.Scan(&id))
		all[id] = id
	}
	require.NoError(f, rows.Err())
	return all
}

func TestFault_14_NobodyHearsNotices(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	f.worker("")
	load := pick(10*time.Second, 3*time.Second)
	f.herd(int(load.Seconds()*300), f.now(), time.Second/300)
	cut := 0
	for end := time.Now().Add(load); time.Now().Before(end); f.pass(50 * time.Millisecond) {
		cut += f.count(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lejek' AND query ILIKE 'listen%'`)
	}
	f.through()
	require.Less(t, f.late(), pick(time.Second, 30*time.Second))
	t.Logf("%d listeners were cut off", cut)
}

func TestFault_15_AnOperatorRemovesThePumpsJobs(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	f.worker("")
	alive := func(kind string) int {
		return f.count("SELECT count(*) FROM "+river+".river_job WHERE kind = $1 AND state IN ('available', 'running')", kind)
	}
	f.until(30*time.Second, "the pumps run", func() bool { return alive("wake") == 2 })
	deeds := []string{
		"DELETE FROM " + river + ".river_job",
		"UPDATE " + river + ".river_job SET state = 'cancelled', finalized_at = clock_timestamp() WHERE finalized_at IS NULL",
		"UPDATE " + river + ".river_job SET state = 'discarded', finalized_at = clock_timestamp() WHERE finalized_at IS NULL",
	}
	for _, deed := range deeds[:pick(3, 1)] {
		f.exec(deed)
		began := time.Now()
		f.herd(50, f.now(), time.Millisecond)
		f.until(30*time.Second, "the pumps are back", func() bool { return alive("wake") == 2 && alive("inbox") > 0 })
		require.Less(t, time.Since(began), pick(6*time.Second, 30*time.Second), deed)
		f.through()
	}
}

func TestFault_16_AnOperatorPausesTheWakeQueue(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	f.worker("")
	client := f.app.Worker.River
	f.herd(50, f.now(), time.Millisecond)
	f.through()
	require.NoError(t, client.QueuePause(context.WithoutCancel(t.Context()), "wake", nil))
	f.until(30*time.Second, "the slots rest", func() bool {
		return f.count("SELECT count(*) FROM "+river+".river_job WHERE kind = 'wake' AND state = 'running'") == 0
	})
	f.herd(pick(10_000, 1000), f.now(), 0)
	f.pass(2 * time.Second)
	require.Equal(t, 50, f.count("SELECT count(*) FROM messages"), "nothing happens during the pause")
	require.NoError(t, client.QueueResume(t.Context(), "wake", nil))
	f.through()
}
