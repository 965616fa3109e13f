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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passage, reason := c.gate.Judge(now)
			require.Equal(t, c.passage, passage)
			require.Equal(t, c.reason, reason)
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
