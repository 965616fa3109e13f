package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestFreshenStatisticsAnalysesWhatHasGrown(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t)
	workspace := storetest.Workspace(t, db)
	_, err := db.Exec(t.Context(), `INSERT INTO tags (workspace_id, slug, name, created_at) SELECT $1, 't' || n, 't', $2 FROM generate_series(1, 600) AS n`,
		workspace, storetest.Now)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the counters arrive within a second or so
		tables, err := store.FreshenStatistics(t.Context(), db)
		require.NoError(t, err)
		return slices.Equal(tables, []string{"public.tags"})
	}, 30*time.Second, 50*time.Millisecond)
	var rows int
	require.NoError(t, db.QueryRow(t.Context(), "SELECT reltuples::int FROM pg_class WHERE relname = 'tags'").Scan(&rows))
	require.Equal(t, 600, rows)
}
