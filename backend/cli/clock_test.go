package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// TestClockImportAndDoctor drives an installation by the command line alone. It sets the environment, so it is not parallel.
func TestClockImportAndDoctor(t *testing.T) {
	url := storetest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	w := spinetest.On(t, pool, storetest.Now)
	w.Funnel("letters", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "purchase"}], "reentry": {"rule": "restart"}}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 3, "unit": "days"}}},
		{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:silent"}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "tag-1"}]}`)
	t.Setenv("DATABASE_URL", url)
	t.Setenv("LEJEK_CLOCK", "manual")
	t.Setenv("LEJEK_DATA_DIR", t.TempDir())
	t.Setenv("LEJEK_SECRET", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")

	file := filepath.Join(t.TempDir(), "purchases.csv")
	require.NoError(t, os.WriteFile(file, []byte("customer,date,total\n1,2026-03-20,5\n2,2026-03-21,7\n"), 0o600))
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(t.Context(), args, &out, &errs)
		require.Equal(t, want, code, "%v: %s%s", args, out.String(), errs.String())
		return out.String()
	}

	require.Contains(t, run(exitDone, "import", "events", file, "--contact", "customer", "--at", "date", "--name", "purchase", "--live"), "2 events taken, 0 were here before")
	require.Contains(t, run(exitDone, "import", "events", file, "--contact", "customer", "--at", "date", "--name", "purchase", "--live"), "0 events taken, 2 were here before")
	run(exitUsage, "import", "events", file)
	run(exitUsage, "clock", "advance")

	require.Contains(t, run(exitDone, "clock", "show"), "It is 2026-03-23T09:00:00Z")
	require.Contains(t, run(exitDone, "clock", "advance", "2d"), "Something becomes due at 2026-03-26T09:00:00Z")
	require.Zero(t, w.Count("SELECT count(*) FROM contacts WHERE tags @> '{silent}'"))
	require.Contains(t, run(exitDone, "clock", "advance", storetest.Now.AddDate(0, 0, 4).Format(time.RFC3339), "--json"), `"now":"2026-03-27T09:00:00Z"`)
	require.Equal(t, 2, w.Count("SELECT count(*) FROM contacts WHERE tags @> '{silent}'"))
	run(exitFailed, "clock", "set", "2026-03-01T00:00:00Z")

	require.Contains(t, run(exitDone, "doctor"), "everything stored holds together")
	w.Exec("UPDATE event_rollups SET count = count + 1")
	require.Contains(t, run(exitFailed, "doctor", "--json"), `"code":"I10","level":"problem"`)
	w.Exec("UPDATE event_rollups SET count = count - 1")
	w.Audit()
}
