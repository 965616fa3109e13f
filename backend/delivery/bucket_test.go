package delivery

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	ten := rate{perSecond: 10, burst: 10}.second()

	t.Run("GrantsTheBurstAndThenTheRate", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		take := func(after time.Duration, want, reserve int) (int, time.Time) {
			n, retry, err := claim(t.Context(), tx, "a", now.Add(after), ten, ask{want: want, reserve: reserve})
			require.NoError(t, err)
			return n, retry
		}
		n, _ := take(0, 100, 2)
		require.Equal(t, 8, n, "bulk leaves the reserve")
		n, _ = take(0, 100, 2)
		require.Zero(t, n)
		n, _ = take(0, 1, 0)
		require.Equal(t, 1, n, "what is urgent takes of it")
		n, _ = take(0, 5, 0)
		require.Equal(t, 1, n)
		n, retry := take(0, 5, 0)
		require.Zero(t, n)
		require.Equal(t, now.Add(100*time.Millisecond), retry.UTC())
		n, _ = take(100*time.Millisecond, 5, 0)
		require.Equal(t, 1, n)
		n, _ = take(time.Hour, 100, 0)
		require.Equal(t, 10, n, "no more than the burst, however long it rested")
	})

	t.Run("GrantsNothingUntilThereIsEnoughForABatch", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		take := func(after time.Duration, least int) (int, time.Time) {
			n, retry, err := claim(t.Context(), tx, "a", now.Add(after), ten, ask{want: 100, least: least, reserve: 2})
			require.NoError(t, err)
			return n, retry.UTC()
		}
		n, retry := take(0, 4)
		require.Equal(t, 8, n)
		require.Equal(t, now.Add(400*time.Millisecond), retry)
		n, retry = take(399*time.Millisecond, 4)
		require.Zero(t, n, "three are no batch, and stay in the bucket")
		require.Equal(t, now.Add(400*time.Millisecond), retry)
		n, _ = take(399*time.Millisecond, 1)
		require.Equal(t, 3, n, "for what somebody waits for they are one")
		n, retry = take(700*time.Millisecond, 1000)
		require.Zero(t, n)
		require.Equal(t, now.Add(1100*time.Millisecond), retry, "no more is waited for than there can be")
		n, _ = take(retry.Sub(now), 1000)
		require.Equal(t, 8, n)
	})

	t.Run("GrantsNothingWhileTheAccountIsPaused", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		require.NoError(t, pauseAccount(t.Context(), tx, "a", now.Add(time.Minute), "down"))
		n, retry, err := claim(t.Context(), tx, "a", now, ten, ask{want: 5})
		require.NoError(t, err)
		require.Zero(t, n)
		require.Equal(t, now.Add(time.Minute), retry.UTC())
		n, _, err = claim(t.Context(), tx, "a", now.Add(time.Minute), ten, ask{want: 5})
		require.NoError(t, err)
		require.Equal(t, 5, n)
	})

	t.Run("ABucketFilledByAClockThatWentWrongRefillsWithinABurst", func(t *testing.T) {
		t.Parallel()
		tx := storetest.Tx(t)
		n, _, err := claim(t.Context(), tx, "a", now.Add(time.Hour), ten, ask{want: 5})
		require.NoError(t, err)
		require.Equal(t, 5, n)
		n, retry, err := claim(t.Context(), tx, "a", now, ten, ask{want: 5})
		require.NoError(t, err)
		require.Zero(t, n)
		require.Equal(t, now.Add(100*time.Millisecond), retry.UTC())
		n, _, err = claim(t.Context(), tx, "a", retry, ten, ask{want: 5})
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})

	t.Run("SharesOneBucketAmongWorkers", func(t *testing.T) {
		t.Parallel()
		pool := storetest.DB(t)
		var granted atomic.Int64
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				for step := range 50 {
					n, _, err := claim(t.Context(), pool, "a", now.Add(time.Duration(step)*20*time.Millisecond), ten, ask{want: 7})
					if err != nil {
						t.Error(err)
					}
					granted.Add(int64(n))
				}
			})
		}
		workers.Wait()
		require.LessOrEqual(t, granted.Load(), int64(10+10), "a second's tokens and the burst")
		require.GreaterOrEqual(t, granted.Load(), int64(15))
	})
}

func TestFault_27_BulkLeavesAFifthOfABurstToWhatSomebodyWaitsFor(t *testing.T) {
	t.Parallel()
	tx := storetest.Tx(t)
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	ten := rate{perSecond: 10, burst: 10}.second()
	take := func(lane, want int) int {
		n, _, err := claim(t.Context(), tx, "a", now, ten, worthwhile(ten, lane, want))
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 8, take(laneCampaigns, 500))
	require.Zero(t, take(laneCampaigns, 500))
	require.Equal(t, 2, take(laneTransactional, 7), "few are enough for what somebody waits for")
}
