package engine_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

// TestASimulatedGoalTakesBackWhatIsHeld holds the last message of a way back until the evening; what happens before it leaves still counts.
func TestASimulatedGoalTakesBackWhatIsHeld(t *testing.T) {
	t.Parallel()
	const nodes = `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "restart"}}},
		{"id": "mail", "kind": "send_email", "config": {"creative": "creative:offer"}},
		{"id": "goal", "kind": "goal", "config": {"mode": "event", "event": {"name": "bought"}}},
		{"id": "thanks", "kind": "send_email", "config": {"creative": "creative:thanks", "class": "transactional"}}],
		"edges": [{"from": "in", "port": "next", "to": "mail"}, {"from": "goal", "port": "reached", "to": "thanks"}]}`
	bundle := graphOf(t, nodes)
	bundle.Creatives = map[string]engine.Creative{"offer": {Channel: "email", Subject: "10% off"}, "thanks": {Channel: "email", Subject: "Thanks"}}
	hour := func(n int) string { return monday.UTC().Add(time.Duration(n) * time.Hour).Format("15:04") }
	house := engine.House{Zone: "UTC", Quiet: make([]engine.QuietHours, 1)}
	require.NoError(t, json.Unmarshal([]byte(fmt.Sprintf(`{"from": %q, "to": %q}`, hour(-1), hour(6))), &house.Quiet[0]))
	person := subscriber
	person.Zone = "UTC"
	for what, c := range map[string]struct {
		event  string
		after  time.Duration
		way    []string
		mails  map[string]string // subject and why it stayed
		reason string
	}{
		"a goal":               {"bought", time.Hour, []string{"in.next", "mail.next", "goal.reached", "thanks.next"}, map[string]string{"10% off": engine.GateVoid, "Thanks": ""}, engine.ReasonGoal},
		"a goal after it left": {"bought", 7 * time.Hour, []string{"in.next", "mail.next"}, map[string]string{"10% off": ""}, engine.ReasonFinished},
		"nothing":              {"looked", time.Hour, []string{"in.next", "mail.next"}, map[string]string{"10% off": ""}, engine.ReasonFinished},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got, err := engine.Simulate(bundle, engine.SimInput{Contact: person, Start: monday, House: house, Events: []engine.Event{{Name: c.event, At: monday.Add(c.after)}}})
			require.NoError(t, err)
			require.Equal(t, c.way, way(got))
			mails := map[string]string{}
			for _, m := range got.Messages {
				mails[m.Subject] = m.Skipped
			}
			require.Equal(t, c.mails, mails)
			require.Equal(t, []any{engine.Done, c.reason}, []any{got.Status, got.Reason})
		})
	}
	t.Run("a restart", func(t *testing.T) {
		t.Parallel()
		got, err := engine.Simulate(bundle, engine.SimInput{Contact: person, Start: monday, House: house, Events: []engine.Event{{Name: "go", At: monday.Add(time.Hour)}}})
		require.NoError(t, err)
		require.Len(t, got.Messages, 2)
		require.Equal(t, []string{engine.GateVoid, ""}, []string{got.Messages[0].Skipped, got.Messages[1].Skipped})
	})
}
