package events_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/store/storetest"
)

// Everybody sees that the month is missing before the first of them makes it; an advisory lock tells a catalogue cache nothing.
func TestAMonthIsMadeByManyAtOnce(t *testing.T) {
	t.Parallel()
	const many = 3
	pool := storetest.DB(t)
	conns := make([]*pgxpool.Conn, many)
	for i := range conns { // each has made months before, so that nothing but the months is new to it
		var err error
		conns[i], err = pool.Acquire(t.Context())
		require.NoError(t, err)
		defer conns[i].Release()
		require.NoError(t, events.Prepare(t.Context(), conns[i], time.Date(2030, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC)))
	}
	gate, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = gate.Exec(t.Context(), "SELECT pg_advisory_xact_lock(hashtext('lejek event months'))")
	require.NoError(t, err)
	var group errgroup.Group
	for _, conn := range conns {
		group.Go(func() error { return events.Prepare(t.Context(), conn, time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)) })
	}
	require.Eventually(t, func() bool {
		var waiting int
		require.NoError(t, gate.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting))
		return waiting == many
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, gate.Commit(t.Context()))
	require.NoError(t, group.Wait())
}
