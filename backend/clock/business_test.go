package clock

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type bundle struct {
	clock   *Business
	elapsed time.Duration
	shift   time.Duration // of the machine's clock
	jumps   []time.Duration
}

var base = time.Date(2026, 3, 29, 0, 59, 0, 123456789, time.UTC)

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{}
	b.clock = newBusiness(base, func() time.Duration { return b.elapsed }, Options{
		Logger: slog.New(slog.DiscardHandler),
		OnJump: func(by time.Duration) { b.jumps = append(b.jumps, by) },
	})
	b.clock.wall = func() time.Time { return base.Round(0).Add(b.elapsed + b.shift) }
	return b
}

func TestBusiness(t *testing.T) {
	t.Parallel()

	t.Run("CountsMicrosecondsInUTC", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.elapsed = 1500 * time.Nanosecond
		require.Equal(t, time.Date(2026, 3, 29, 0, 59, 0, 123458000, time.UTC), b.clock.Now())
	})

	t.Run("FollowsSmallCorrections", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.clock.observe(700 * time.Millisecond)
		require.Equal(t, Micro(base.Add(700*time.Millisecond)), b.clock.Now())
		require.True(t, b.clock.Settled())
		require.Empty(t, b.jumps)
	})

	t.Run("NeverGoesBackwards", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.elapsed = 10 * time.Second
		first := b.clock.Now()
		b.clock.observe(-time.Second)
		require.Equal(t, first, b.clock.Now())
		b.elapsed = 12 * time.Second
		require.Equal(t, first.Add(time.Second), b.clock.Now())
	})

	t.Run("AJumpIsAnAlarmAndChangesNothingUntilConfirmed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		before := b.clock.Now()
		b.clock.observe(time.Hour)
		require.False(t, b.clock.Settled())
		require.Equal(t, before, b.clock.Now())
		require.Equal(t, []time.Duration{time.Hour}, b.jumps)

		b.clock.observe(time.Hour + time.Second)
		require.True(t, b.clock.Settled())
		require.Equal(t, before.Add(time.Hour+time.Second), b.clock.Now())
		require.Len(t, b.jumps, 1)
	})

	t.Run("AJumpThatGoesAwaySettlesOnTheOldTime", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		before := b.clock.Now()
		b.clock.observe(time.Hour)
		b.clock.observe(0)
		require.True(t, b.clock.Settled())
		require.Equal(t, before, b.clock.Now())
	})

	t.Run("AStepOfTheMachinesClockIsAnAlarmAtOnceAndChangesNoInstant", func(t *testing.T) {
		t.Parallel()
		for _, by := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
			b := setup(t)
			b.elapsed, b.shift = time.Second, by
			require.False(t, b.clock.Settled())
			require.False(t, b.clock.Settled())
			require.Equal(t, []time.Duration{by}, b.jumps)
			require.Equal(t, Micro(base.Add(time.Second)), b.clock.Now())
			b.clock.observe(0)
			require.True(t, b.clock.Settled(), "the database says that nothing happened to time")
			require.Equal(t, Micro(base.Add(time.Second)), b.clock.Now())
		}
	})

	t.Run("AMachineThatSleptWaitsForTwoSamples", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.shift = time.Hour // its monotonic clock slept too
		require.False(t, b.clock.Settled())
		b.clock.observe(time.Hour)
		require.False(t, b.clock.Settled())
		b.clock.observe(time.Hour)
		require.True(t, b.clock.Settled())
		require.Equal(t, Micro(base.Add(time.Hour)), b.clock.Now())
		require.Len(t, b.jumps, 1)
	})

	t.Run("TheMachinesTimeFollowsTheDatabaseBackwardsToo", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.elapsed = time.Minute
		stands := b.clock.Now()
		b.clock.observe(-time.Hour)
		b.clock.observe(-time.Hour)
		require.Equal(t, stands, b.clock.Now())
		require.Equal(t, base.Add(time.Minute-time.Hour), b.clock.Machine().Now())
	})

	t.Run("AWanderingClockStaysUnsettled", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for _, offset := range []time.Duration{time.Hour, 2 * time.Hour, 3 * time.Hour} {
			b.clock.observe(offset)
			require.False(t, b.clock.Settled())
		}
		require.Len(t, b.jumps, 1)
	})
}
