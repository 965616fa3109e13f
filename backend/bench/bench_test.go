package bench_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/bench"
	"github.com/lejek/lejek/backend/cli"
)

// TestMain makes this test program Lejek itself when it is called as one: the benches start `serve` and `worker` of the program they are in.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "serve" && os.Args[1] != "worker" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// purchases are the first rows of the real file. They lie beside the project, or where LEJEK_SHARED says.
func purchases(t *testing.T, rows int) *bytes.Buffer {
	t.Helper()
	shared := os.Getenv("LEJEK_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	path := filepath.Join(shared, "data/cdnow/purchases.csv")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the purchases are not on this machine: %s is absent; set LEJEK_SHARED to the folder that holds data/cdnow", path)
	}
	require.NoError(t, err)
	lines := strings.SplitAfterN(string(text), "\n", rows+2)
	return bytes.NewBufferString(strings.Join(lines[:rows+1], ""))
}

func TestReplay(t *testing.T) {
	t.Parallel()
	result, err := bench.Replay(t.Context(), bench.ReplayOptions{
		Events: purchases(t, 300), Until: time.Date(1998, 7, 1, 0, 0, 0, 0, time.UTC), Kill: 1, Seed: 7, Twice: true,
	}, t.Output())
	require.NoError(t, err)
	result.EventsPerS, result.AdvancesPerS, result.Seconds = 0, 0, 0
	require.Equal(t, bench.ReplayResult{Contacts: 77, Events: 300, Mails: 105, Kills: 1}, result)
}

func TestSegments(t *testing.T) {
	t.Parallel()
	result, err := bench.Segments(t.Context(), bench.ReplayOptions{Events: purchases(t, 300), Until: time.Date(1998, 7, 1, 0, 0, 0, 0, time.UTC)}, t.Output())
	require.NoError(t, err)
	require.Equal(t, 77, result.ContactsInFile)
	require.Equal(t, 105, result.Entries)
	require.Equal(t, 105, result.Rehearsed)
}

func TestReplayRefusesWhatIsNoFileOfPurchases(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ file, says string }{
		"NoCustomer": {"id,date\n1,1997-01-01\n", `There is no column "customer_id"`},
		"NoDate":     {"customer_id,date\n1,soon\n", "line 2"},
		"Nothing":    {"customer_id,date\n", "no purchase"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bench.Replay(t.Context(), bench.ReplayOptions{Events: strings.NewReader(row.file)}, t.Output())
			require.ErrorContains(t, err, row.says)
		})
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	result, err := bench.Engine(t.Context(), bench.EngineOptions{Runs: 500, Burst: 500}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.AdvancesPerS)
	require.Positive(t, result.BareLoopPerS)
	require.Positive(t, result.Ratio)
	require.Positive(t, result.LateP99)
	require.GreaterOrEqual(t, result.LateP99, result.LateP50)
}

func TestEndToEnd(t *testing.T) {
	t.Parallel()
	result, err := bench.EndToEnd(t.Context(), bench.EndToEndOptions{Idle: 3, Rate: 50, Busy: time.Second}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.IdleP99)
	require.Positive(t, result.BusyP99)
}

func TestLateness(t *testing.T) {
	t.Parallel()
	result, err := bench.Lateness(t.Context(), bench.LatenessOptions{Rate: 50, For: time.Second}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.LateP50)
	require.GreaterOrEqual(t, result.LateP99, result.LateP50)
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	result, err := bench.Waiting(t.Context(), bench.WaitingOptions{Runs: 2000, Watch: time.Second}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.DueQuery)
	require.Positive(t, result.WorkerRSS)
}

func TestIngest(t *testing.T) {
	t.Parallel()
	result, err := bench.Ingest(t.Context(), bench.IngestOptions{People: 500, Clients: 2, Batch: 100, For: time.Second}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.EventsPerS)
	require.Positive(t, result.SingleP99)
}

func TestAudience(t *testing.T) {
	t.Parallel()
	result, err := bench.Audience(t.Context(), bench.AudienceOptions{Contacts: 3000, Events: 15000, For: time.Second}, t.Output())
	require.NoError(t, err)
	require.Positive(t, result.Count)
	require.Positive(t, result.Sweep)
	require.Positive(t, result.EventP99)
	require.Positive(t, result.EventP99Sweep)
}
