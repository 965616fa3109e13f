package pump

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLoop(t *testing.T) {
	t.Parallel()

	setup := func(job Job) *loop {
		return &loop{
			job: job, now: time.Now, poll: poll, nudge: make(chan struct{}), logger: slog.New(slog.DiscardHandler),
			orphan: func(context.Context) bool { return false },
		}
	}

	t.Run("drains full batches back to back and polls when nothing is due", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			left, calls := 1000, 0
			l := setup(Job{Lanes: 1, Drain: func(_ context.Context, b Batch) (Drained, error) {
				calls++
				n := min(left, b.Limit)
				left -= n
				return Drained{Rows: n}, nil
			}})
			began := time.Now()
			l.run(t.Context(), began.Add(time.Second))
			require.Zero(t, left)
			require.LessOrEqual(t, calls, 12)
			require.Equal(t, time.Second, time.Since(began))
		})
	})

	t.Run("wakes at a nudge", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			nudge := make(chan struct{}, 1)
			var at atomic.Int64
			began := time.Now()
			l := setup(Job{Lanes: 1, Drain: func(context.Context, Batch) (Drained, error) {
				at.Store(int64(time.Since(began)))
				return Drained{}, nil
			}})
			l.nudge = nudge
			time.AfterFunc(10*time.Millisecond, func() { nudge <- struct{}{} })
			l.run(t.Context(), began.Add(20*time.Millisecond))
			require.Equal(t, 10*time.Millisecond, time.Duration(at.Load()))
		})
	})

	t.Run("one slot of a process looks for all of them, and another one while it works", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var looks, drains, together, most atomic.Int64
			due := make(chan struct{}, 1)
			job := Job{Lanes: 1, Peek: func(context.Context) ([]int, error) {
				looks.Add(1)
				if len(due) > 0 {
					return []int{0}, nil
				}
				return nil, nil
			}, Drain: func(context.Context, Batch) (Drained, error) {
				if n := together.Add(1); n > most.Load() {
					most.Store(n)
				}
				defer together.Add(-1)
				drains.Add(1)
				time.Sleep(time.Second)
				return Drained{}, nil
			}}
			watch := make(chan struct{}, 1)
			began := time.Now()
			var slots sync.WaitGroup
			for range 3 {
				l := setup(job)
				l.watch = watch
				slots.Go(func() { l.run(t.Context(), began.Add(4*time.Second)) })
			}
			time.Sleep(2 * time.Second)
			require.InDelta(t, 12, looks.Load(), 2, "each looked at first, and one of them every 200 ms")
			require.Zero(t, drains.Load())
			due <- struct{}{}
			slots.Wait()
			require.Equal(t, int64(3), most.Load(), "while one works the others find the rest")
		})
	})

	t.Run("survives errors and panics with growing pauses", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			l := setup(Job{Lanes: 1, Drain: func(context.Context, Batch) (Drained, error) {
				calls++
				if calls%2 == 0 {
					panic("boom")
				}
				return Drained{}, errors.New("no database")
			}})
			l.run(t.Context(), time.Now().Add(10*time.Second))
			require.InDelta(t, 22, calls, 2)
		})
	})

	t.Run("ends as an orphan", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			l := setup(Job{Lanes: 1, Drain: func(context.Context, Batch) (Drained, error) { return Drained{}, nil }})
			l.orphan = func(context.Context) bool { return true }
			began := time.Now()
			require.True(t, l.run(t.Context(), began.Add(time.Minute)))
			require.Less(t, time.Since(began), 6*time.Second)
		})
	})
}

func TestLanes(t *testing.T) {
	t.Parallel()
	job := Job{Lanes: 3}
	require.Equal(t, []int{0, 1, 2}, job.lanes(0, 3), "an even slot always starts with what is urgent")
	require.Equal(t, []int{0, 1, 2}, job.lanes(1, 0))
	require.Equal(t, []int{2, 1, 0}, job.lanes(1, 3), "an odd slot gives every fourth round to bulk")
}

func TestSize(t *testing.T) {
	t.Parallel()
	require.Equal(t, 150, size(100, 100, 50*time.Millisecond))
	require.Equal(t, 100, size(100, 20, 50*time.Millisecond), "a batch that was not full says nothing about a bigger one")
	require.Equal(t, 75, size(100, 100, 200*time.Millisecond))
	require.Equal(t, 50, size(100, 100, 400*time.Millisecond))
	require.Equal(t, MinBatch, size(MinBatch, MinBatch, time.Second))
	require.Equal(t, MaxBatch, size(MaxBatch, MaxBatch, time.Millisecond))
}
