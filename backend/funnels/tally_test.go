package funnels

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type handClock struct{ now time.Time }

func (h *handClock) Now() time.Time { return h.now }

func TestTally(t *testing.T) {
	t.Parallel()
	machine := &handClock{now: time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)}
	var all tally[int]
	calls := 0
	ask := func(key string, takes time.Duration) int {
		n, err := all.get(key, machine, func() (int, error) {
			calls++
			machine.now = machine.now.Add(takes)
			return calls, nil
		})
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 1, ask("quick", 249*time.Millisecond))
	require.Equal(t, 2, ask("quick", 249*time.Millisecond), "a quick count is always fresh")
	require.Equal(t, 3, ask("slow", 300*time.Millisecond))
	machine.now = machine.now.Add(3 * time.Second)
	require.Equal(t, 3, ask("slow", 300*time.Millisecond))
	require.Equal(t, 4, ask("other", 0), "another key is another count")
	machine.now = machine.now.Add(4 * time.Second)
	require.Equal(t, 5, ask("slow", time.Hour))
	machine.now = machine.now.Add(31 * time.Second)
	require.Equal(t, 6, ask("slow", time.Hour), "never older than half a minute")
	_, err := all.get("broken", machine, func() (int, error) { return 0, errors.New("boom") })
	require.EqualError(t, err, "boom")
}
