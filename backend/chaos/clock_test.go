package chaos

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// early counts mails of waits that are not over by the database's own clock.
const early = "SELECT count(*) FROM messages WHERE due_at > clock_timestamp() + interval '50 milliseconds'"

func TestFault_17_AWorkersClockIsWrong(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"10m", "-10m"} {
		t.Run("FromTheStart"+by, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shift")
			require.NoError(t, os.WriteFile(file, []byte(by), 0o600))
			f := raise(t, "")
			f.worker("clock.machine=file:" + file)
			f.herd(600, f.now().Add(300*time.Millisecond), 2*time.Second/600)
			for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); f.pass(20 * time.Millisecond) {
				require.Zero(t, f.count(early))
			}
			f.through()
			require.Less(t, f.late(), pick(time.Second, 30*time.Second), "it goes by the database's clock")
			require.Zero(t, f.count("SELECT count(*) FROM workers WHERE abs(extract(epoch FROM beat_at - clock_timestamp())) > 30"), "so do its beats")
		})
		t.Run("Suddenly"+by, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "shift")
			f := raise(t, "")
			skewed := f.worker("clock.machine=file:" + file)
			f.worker("")
			f.herd(1000, f.now().Add(300*time.Millisecond), 4*time.Second/1000)
			f.pass(time.Second)
			require.NoError(t, os.WriteFile(file, []byte(by), 0o600))
			began := time.Now()
			f.until(pick(5*time.Second, 30*time.Second), "the worker stops claiming", func() bool {
				require.Zero(t, f.count(early))
				return skewed.says("due work waits until it has settled")
			})
			t.Logf("it stopped claiming after %s", time.Since(began))
			f.through()
			require.Zero(t, f.count(early))
			require.Less(t, f.late(), pick(time.Second, 30*time.Second), "the other one goes on")
		})
	}
}

func TestFault_18_TheDatabasesClockStepsBackAnHour(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shift")
	f := raise(t, "")
	workers := []*process{f.worker("clock.database=file:" + file), f.worker("clock.database=file:" + file)}
	f.herd(600, f.now().Add(300*time.Millisecond), 3*time.Second/600)
	f.pass(time.Second)
	require.NoError(t, os.WriteFile(file, []byte("-1h"), 0o600))
	for _, p := range workers {
		f.until(20*time.Second, "there is an alarm", func() bool { return p.says("the database's clock jumped") })
	}
	f.until(20*time.Second, "time stands still", func() bool {
		before := f.count("SELECT count(*) FROM messages")
		f.pass(2 * time.Second)
		return f.count("SELECT count(*) FROM messages") == before
	})
	f.herd(100, f.now(), time.Millisecond)
	f.pass(time.Second)
	require.NoError(t, os.Remove(file)) // somebody sets it right
	f.through()
}
