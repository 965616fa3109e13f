package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

func TestWhatIsFinalAtTheGateComesBeforeWhatWaits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	allDay := []engine.QuietHours{{}}
	for name, c := range map[string]struct {
		gate    engine.Gate
		passage engine.Passage
		reason  string
	}{
		"nothing stands against it":        {},
		"void before all":                  {engine.Gate{Void: true, Stopped: true, Refusal: engine.NoConsent}, engine.Skipped, engine.GateVoid},
		"a stopped funnel before consent":  {engine.Gate{Stopped: true, Refusal: engine.NoConsent}, engine.Skipped, engine.GateStopped},
		"a refusal before its expiry":      {engine.Gate{Refusal: engine.NoConsent, Expires: now}, engine.Skipped, engine.NoConsent},
		"expired at the instant":           {engine.Gate{Expires: now, Paused: "workspace_paused"}, engine.Expired, engine.GateExpired},
		"not expired a microsecond before": {gate: engine.Gate{Expires: now.Add(time.Microsecond)}},
		"a pause only waits":               {engine.Gate{Paused: "funnel_paused"}, engine.Waits, "funnel_paused"},
		"a receipt knows no night":         {gate: engine.Gate{Class: engine.ClassTransactional, Quiet: allDay, Cap: &engine.Cap{Count: 1, Per: 24}, Sent: []time.Time{now}}},
		"quiet for good":                   {engine.Gate{Quiet: allDay}, engine.Skipped, engine.GateQuiet},
		"over the cap, it waits":           {engine.Gate{Cap: &engine.Cap{Count: 1, Per: 24}, Sent: []time.Time{now.Add(-23 * time.Hour)}, Expires: now.Add(2 * time.Hour)}, engine.Waits, engine.GateCap},
		"over the cap for too long":        {engine.Gate{Cap: &engine.Cap{Count: 1, Per: 24}, Sent: []time.Time{now.Add(-time.Hour)}, Expires: now.Add(2 * time.Hour)}, engine.Skipped, engine.GateCap},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.gate.Judge(now)
			require.Equal(t, c.passage, got.Passage)
			require.Equal(t, c.reason, got.Reason)
		})
	}
}

func TestReentryStandsAgainstEarlierRuns(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	week := &engine.Duration{Amount: 1, Unit: engine.Weeks}
	for name, c := range map[string]struct {
		reentry engine.Reentry
		past    engine.Past
		want    string
	}{
		"once, the first time":             {reentry: engine.Reentry{Rule: engine.ReentryOnce}},
		"once, after any run":              {engine.Reentry{Rule: engine.ReentryOnce}, engine.Past{Any: true}, engine.RefusedOnce},
		"restart never refuses":            {engine.Reentry{Rule: engine.ReentryRestart}, engine.Past{Any: true, Inside: true}, ""},
		"each, a new key":                  {engine.Reentry{Rule: engine.ReentryEach}, engine.Past{Any: true, Inside: true}, ""},
		"each, a key that was there":       {engine.Reentry{Rule: engine.ReentryEach}, engine.Past{Any: true, Key: true}, engine.RefusedOnce},
		"after exit, still inside":         {engine.Reentry{Rule: engine.ReentryAfterExit}, engine.Past{Any: true, Inside: true}, engine.RefusedActive},
		"after exit, out":                  {engine.Reentry{Rule: engine.ReentryAfterExit}, engine.Past{Any: true, Last: now}, ""},
		"after exit, within the pause":     {engine.Reentry{Rule: engine.ReentryAfterExit, Pause: week}, engine.Past{Any: true, Last: now.AddDate(0, 0, -6)}, engine.RefusedPause},
		"after exit, the pause being over": {engine.Reentry{Rule: engine.ReentryAfterExit, Pause: week}, engine.Past{Any: true, Last: now.AddDate(0, 0, -7)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.reentry.Refuses(c.past, now, time.UTC))
		})
	}
}

func TestQuietHoursOpenWhereThePersonLives(t *testing.T) {
	t.Parallel()
	warsaw := engine.ZoneOf("Europe/Warsaw")
	night := engine.QuietHours{From: engine.TimeOfDay{Hour: 21}, To: engine.TimeOfDay{Hour: 8}}
	weekend := engine.QuietHours{Days: []time.Weekday{time.Saturday, time.Sunday}}
	for name, c := range map[string]struct {
		quiet      []engine.QuietHours
		face, want string
	}{
		"open":                              {[]engine.QuietHours{night}, "2026-03-23T20:59:59", "2026-03-23T20:59:59"},
		"from the first instant":            {[]engine.QuietHours{night}, "2026-03-23T21:00:00", "2026-03-24T08:00:00"},
		"after midnight":                    {[]engine.QuietHours{night}, "2026-03-24T07:59:59", "2026-03-24T08:00:00"},
		"open at their end":                 {[]engine.QuietHours{night}, "2026-03-24T08:00:00", "2026-03-24T08:00:00"},
		"night and weekend follow":          {[]engine.QuietHours{night, weekend}, "2026-03-27T22:00:00", "2026-03-30T08:00:00"},
		"a day's hours begin on that day":   {[]engine.QuietHours{{From: night.From, To: night.To, Days: []time.Weekday{time.Friday}}}, "2026-03-28T03:00:00", "2026-03-28T08:00:00"},
		"another day's do not":              {[]engine.QuietHours{{From: night.From, To: night.To, Days: []time.Weekday{time.Friday}}}, "2026-03-29T03:00:00", "2026-03-29T03:00:00"},
		"the end falls into a skipped hour": {[]engine.QuietHours{{From: engine.TimeOfDay{Hour: 1}, To: engine.TimeOfDay{Hour: 2, Minute: 30}}}, "2026-03-29T01:30:00", "2026-03-29T03:00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := engine.ParseLocal(c.face, warsaw)
			require.NoError(t, err)
			want, err := engine.ParseLocal(c.want, warsaw)
			require.NoError(t, err)
			open, ok := engine.OpenFrom(at, c.quiet, warsaw)
			require.True(t, ok)
			require.Equal(t, want, open)
		})
	}
}

func TestACapFreesWhenEnoughHasPassed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	ago := func(hours ...int) (list []time.Time) {
		for _, h := range hours {
			list = append(list, now.Add(-time.Duration(h)*time.Hour))
		}
		return list
	}
	two := &engine.Cap{Count: 2, Per: 24}
	require.Equal(t, now, (*engine.Cap)(nil).FreeFrom(now, ago(1, 1, 1)))
	require.Equal(t, now, two.FreeFrom(now, ago(1, 24)), "the stretch is half-open")
	require.Equal(t, now.Add(4*time.Hour), two.FreeFrom(now, ago(1, 20)))
	require.Equal(t, now.Add(14*time.Hour), two.FreeFrom(now, ago(1, 10, 20)), "when the cap was lowered, more than one has to pass")
}
