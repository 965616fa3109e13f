package chaos

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFault_01_OneOfTwoWorkersIsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	other := f.worker("")
	for i := range pick[uint64](20, 2) {
		seed := seed(t) + i
		random := rand.New(rand.NewPCG(seed, 1))
		victim := f.worker("")
		const load = 3 * time.Second
		f.herd(1500, f.now().Add(300*time.Millisecond), load/1500)
		f.pass(300*time.Millisecond + time.Duration(random.Int64N(int64(load))))
		if random.IntN(2) == 0 {
			victim, other = other, victim
		}
		victim.kill()
		f.through()
		late := f.late()
		t.Logf("seed %d: at most %s late", seed, late)
		require.Less(t, late, pick(time.Second, 30*time.Second), "seed %d", seed)
		require.NoError(t, other.Process.Signal(syscall.Signal(0)))
	}
}

func TestFault_02_TheOnlyWorkerIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	kills := pick(5, 2)
	every := pick(3*time.Second, time.Second)
	for range kills {
		f.herd(400, f.now(), 2*every/400) // some are left when it is killed, however long it took to come up
		p := f.worker("")
		resumed := 0.0
		f.until(patience, "it goes on", func() bool {
			return f.db.QueryRow(t.Context(), `SELECT min(extract(epoch FROM m.created_at - w.started_at)) FROM messages m,
				(SELECT started_at FROM workers ORDER BY started_at DESC LIMIT 1) AS w WHERE m.created_at >= w.started_at`).Scan(&resumed) == nil
		})
		f.pass(every)
		p.kill()
		t.Logf("resumed %.3f s after it was there", resumed)
		require.Less(t, resumed, pick(1.0, 30.0))
	}
	f.worker("")
	f.through()
}

func TestFault_03_AWorkerDiesInsideABatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		point string
		kept  bool
	}{
		"AfterTheLease":               {"runner.after_lease", false},
		"AfterItsEffects":             {"runner.after_effects", false},
		"BeforeTheCommit":             {"runner.before_commit", false},
		"AfterTheCommitBeforeTheNews": {"runner.after_commit", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := raise(t, "")
			f.herd(50, f.now().Add(-time.Second), time.Millisecond)
			p := f.start(map[string]string{"LEJEK_FAILPOINTS": c.point + "=exit"}, "worker")
			select {
			case <-p.ended:
			case <-time.After(patience):
				t.Fatal("the failpoint was never reached")
			}
			advanced := f.count("SELECT count(*) FROM runs WHERE seq > 2")
			require.Equal(t, advanced, f.count("SELECT count(*) FROM messages"))
			require.Equal(t, c.kept, advanced > 0, "%d runs were advanced", advanced)
			f.worker("")
			f.through()
		})
	}
}

func TestFault_11_AWorkerLosesTheDatabaseWithoutHearingOfIt(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	hole := newProxy(t, f.url)
	zombie := f.start(map[string]string{"LEJEK_FAILPOINTS": "runner.before_commit=stop", "DATABASE_URL": hole.url}, "worker")
	f.until(30*time.Second, "the worker is there", func() bool { return f.count("SELECT count(*) FROM workers") == 1 })
	f.herd(60, f.now(), time.Millisecond)
	f.until(30*time.Second, "it stands before a commit", zombie.stands)
	hole.blackhole()
	began := time.Now()
	f.worker("")
	f.herd(200, f.now(), time.Millisecond)
	require.NoError(t, zombie.Process.Signal(syscall.SIGCONT)) // its commit goes nowhere
	f.through()
	require.Less(t, time.Since(began), pick(20*time.Second, time.Minute), "its locks were released")
	t.Logf("everything was done %s after the hole opened", time.Since(began))
	f.pass(pick(40*time.Second, time.Second))
	hole.heal() // the late commit arrives
	f.herd(100, f.now(), time.Millisecond)
	f.through()
}
