package limits_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/limits"
	"github.com/lejek/lejek/backend/store/storetest"
)

type stopped struct{ at time.Time }

func (s *stopped) Now() time.Time { return s.at }

func TestTakeAllowsABurstThenOneAtATime(t *testing.T) {
	t.Parallel()
	machine := &stopped{at: storetest.Now}
	l := limits.Limits{DB: storetest.Tx(t), Machine: machine}
	rate := limits.Rate{Every: 10 * time.Second, Burst: 3}
	for range 3 {
		require.NoError(t, l.Take(t.Context(), "form", rate))
	}
	err := l.Take(t.Context(), "form", rate)
	require.Equal(t, fault.RateLimited, fault.CodeOf(err))
	require.Equal(t, limits.Wait{After: 10 * time.Second}, fault.Public(err).Details)
	require.NoError(t, l.Take(t.Context(), "another", rate))
	machine.at = machine.at.Add(10 * time.Second)
	require.NoError(t, l.Take(t.Context(), "form", rate))
	require.Error(t, l.Take(t.Context(), "form", rate), "one came back, not three")
	machine.at = machine.at.Add(time.Hour)
	require.NoError(t, l.Prune(t.Context()))
	for range 3 {
		require.NoError(t, l.Take(t.Context(), "form", rate))
	}
}

func TestTakeIsSharedByAllProcesses(t *testing.T) {
	t.Parallel()
	pool := storetest.DB(t)
	var granted atomic.Int32
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			l := limits.Limits{DB: pool, Machine: &stopped{at: storetest.Now}}
			for range 3 {
				if l.Take(t.Context(), "ip", limits.Rate{Every: time.Minute, Burst: 7}) == nil {
					granted.Add(1)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(7), granted.Load())
}
