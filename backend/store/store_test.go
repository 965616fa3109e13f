package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestInTx(t *testing.T) {
	t.Parallel()

	t.Run("ReadsTheClockOnceAndInMicroseconds", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		at := time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.FixedZone("x", 3600))
		require.NoError(t, store.InTx(t.Context(), tx.Tx, clock.Fixed(at), func(tx store.Tx) error {
			require.Equal(t, time.Date(2026, 5, 1, 11, 0, 0, 123456000, time.UTC), tx.Now)
			return nil
		}))
	})

	t.Run("ASavepointKeepsTheOuterInstant", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		require.NoError(t, store.InTx(t.Context(), tx, clock.Machine{}, func(tx store.Tx) error {
			require.Equal(t, storetest.Now, tx.Now)
			return nil
		}))
	})

	t.Run("ReadsTheManualClockThroughTheTransaction", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		manual, err := clock.NewManual(t.Context(), db, storetest.Now)
		require.NoError(t, err)
		require.NoError(t, manual.SetNow(t.Context(), storetest.Now.Add(time.Hour)))
		require.NoError(t, store.InTx(t.Context(), db, manual, func(tx store.Tx) error {
			require.Equal(t, storetest.Now.Add(time.Hour), tx.Now)
			return nil
		}))
		due, err := manual.Due(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, storetest.Now, due)
		require.ErrorIs(t, manual.SetDue(t.Context(), storetest.Now.Add(2*time.Hour)), clock.ErrBackwards)
		require.ErrorIs(t, manual.SetNow(t.Context(), storetest.Now), clock.ErrBackwards)
		require.NoError(t, manual.SetDue(t.Context(), storetest.Now.Add(time.Hour)))
	})

	t.Run("AnErrorLeavesNothing", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		var id uuid.UUID
		boom := errors.New("boom")
		ctx, cancel := context.WithCancel(t.Context())
		err := store.InTx(ctx, db, storetest.Clock, func(tx store.Tx) error {
			id = storetest.Workspace(t, tx)
			cancel() // the rollback must not depend on the caller's context
			return boom
		})
		require.ErrorIs(t, err, boom)
		_, err = store.Q.Workspace(t.Context(), db, id)
		require.Error(t, err)
		require.Zero(t, db.Stat().AcquiredConns())
	})

	t.Run("RunsAgainAfterADeadlockThreeTimesAtMost", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		for name, test := range map[string]struct {
			code   string
			failed int
			calls  int
			fails  bool
		}{
			"once":    {code: "40P01", failed: 1, calls: 2},
			"twice":   {code: "40001", failed: 2, calls: 3},
			"always":  {code: "40001", failed: 9, calls: 3, fails: true},
			"another": {code: "23505", failed: 1, calls: 1, fails: true},
		} {
			calls := 0
			err := store.InTx(t.Context(), db, storetest.Clock, func(store.Tx) error {
				if calls++; calls <= test.failed {
					return &pgconn.PgError{Code: test.code}
				}
				return nil
			})
			require.Equal(t, test.fails, err != nil, name)
			require.Equal(t, test.calls, calls, name)
		}
	})
}

func TestInstantsComeBackInUTCWhateverTheDatabasesZone(t *testing.T) {
	t.Parallel()
	tx := storetest.Tx(t)
	var zone string
	require.NoError(t, tx.QueryRow(t.Context(), "SHOW timezone").Scan(&zone))
	require.Equal(t, storetest.Zone, zone)
	workspace, err := store.Q.Workspace(t.Context(), tx, storetest.Workspace(t, tx))
	require.NoError(t, err)
	require.Equal(t, storetest.Now, workspace.CreatedAt)
}

func TestBusinessClockFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t)
	business, err := clock.NewBusiness(t.Context(), db, clock.Options{})
	require.NoError(t, err)
	var theirs time.Time
	require.NoError(t, db.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&theirs))
	require.WithinDuration(t, theirs, business.Now(), time.Second)
}

func TestConfigNeverRepeatsAPassword(t *testing.T) {
	t.Parallel()
	_, err := store.Config("postgres://u:hunter2@host:port:x/", 0)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
}

func TestFault_40_ADeadlockIsRetried(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t)
	first, second := storetest.Workspace(t, db), storetest.Workspace(t, db)
	const rounds = 3
	var meet, part [rounds]sync.WaitGroup
	for i := range meet {
		meet[i].Add(2)
		part[i].Add(2)
	}
	var both errgroup.Group
	for side, order := range [2][2]uuid.UUID{{first, second}, {second, first}} {
		both.Go(func() error {
			for round := range rounds {
				tries := 0
				err := store.InTx(t.Context(), db, storetest.Clock, func(tx store.Tx) error {
					for place, id := range order {
						if _, err := tx.Exec(t.Context(), "UPDATE workspaces SET name = name || $2 WHERE id = $1", id, strconv.Itoa(side)); err != nil {
							return err
						}
						if tries++; place == 0 && tries == 1 {
							meet[round].Done()
							meet[round].Wait() // both hold their first row now
						}
					}
					return nil
				})
				part[round].Done()
				part[round].Wait()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, both.Wait())
	var names []string
	require.NoError(t, db.QueryRow(t.Context(), "SELECT array_agg(name) FROM workspaces WHERE id IN ($1, $2)", first, second).Scan(&names))
	for _, name := range names {
		require.Len(t, name, len("Acme")+2*rounds, "each change was made once")
	}
}
