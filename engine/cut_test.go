package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func TestACutWaitEndsAsIfItsTimeHadComeNow(t *testing.T) {
	t.Parallel()
	now := monday.Add(10 * time.Minute)
	untilPaid := c{"mode": "until_event", "event": c{"name": "paid"}, "timeout": c{"amount": 1, "unit": "days"}}
	tests := map[string]struct {
		funnel  *enginetest.Funnel
		signals []engine.Event
		path    []string
		wake    time.Time
	}{
		"a duration, and the next wait counts from now": {
			enginetest.New().Wait("wait-1", 1, "hours").Wait("wait-2", 1, "hours").Mail("mail-1"), nil,
			[]string{"wait-1.next", "wait-2"}, now.Add(time.Hour),
		},
		"until an event: time is up": {
			enginetest.New().Then("wait-1", "wait", untilPaid).Tag("yes", "paid").From("wait-1", "timeout").Tag("no", "late"), nil,
			[]string{"wait-1.timeout", "no.next"}, time.Time{},
		},
		"an event that has come already goes first": {
			enginetest.New().Then("wait-1", "wait", untilPaid).Wait("wait-2", 1, "hours").From("wait-1", "timeout").Tag("no", "late"),
			[]engine.Event{event("paid", monday.Add(time.Minute))},
			[]string{"wait-1.next", "wait-2"}, monday.Add(time.Minute + time.Hour),
		},
		"a turn in a throttle": {
			enginetest.New().Then("few", "throttle", c{"count": 1, "per": c{"amount": 1, "unit": "hours"}}).Tag("in", "in"), nil,
			[]string{"few.next", "in.next"}, time.Time{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.StartByHand(t, test.funnel.Plan(t), anna, monday)
			require.True(t, engine.CanCut(w.Plan, w.Run))
			before := len(w.Visits)
			out, err := engine.Advance(w.Plan, w.Run, engine.Input{Now: now, Contact: anna, Signals: test.signals, Cut: true})
			require.NoError(t, err)
			w.Visits = append(w.Visits, out.Visits...)
			require.Equal(t, test.path, w.Path()[before:])
			require.Equal(t, test.wake, out.Run.WakeAt)
		})
	}
}

func TestWhoIsInNoWaitCannotHaveItCut(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	require.False(t, engine.CanCut(plan, w.Run))
	_, err := engine.Advance(plan, w.Run, engine.Input{Now: monday, Contact: anna, Cut: true})
	require.Error(t, err)
}
