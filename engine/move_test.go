package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

func planOf(t *testing.T, graph string) *engine.Plan {
	t.Helper()
	var bundle engine.Bundle
	require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
	plan, err := engine.Compile(bundle)
	require.NoError(t, err)
	return plan
}

const waiting = `{"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "manual"}]}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 10, "unit": "hours"}}},
	{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:x"}}GOAL],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "tag-1"}]}`

func TestMoveKeepsOrCountsAgainAWait(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	from := planOf(t, strings.Replace(waiting, "GOAL", "", 1))
	longer := planOf(t, strings.Replace(strings.Replace(waiting, `"amount": 10`, `"amount": 30`, 1), "GOAL", "", 1))
	shorter := planOf(t, strings.Replace(strings.Replace(waiting, `"amount": 10`, `"amount": 2`, 1), "GOAL", "", 1))
	run := engine.Run{ID: "r", Node: "wait-1", Seq: 2, Status: engine.Active, At: at, StartedAt: at, Deadline: at.Add(10 * time.Hour), WakeAt: at.Add(10 * time.Hour)}
	now := at.Add(4 * time.Hour)
	for name, c := range map[string]struct {
		to    *engine.Plan
		node  string
		run   func(*engine.Run)
		stays engine.Stays
		node2 string // after the advance that follows
		wake  time.Time
	}{
		"TheSameWaitEndsWhenItWould":        {from, "wait-1", nil, engine.StaysOn, "wait-1", at.Add(10 * time.Hour)},
		"AnotherWaitCountsFromTheirArrival": {longer, "wait-1", nil, engine.StaysAnew, "wait-1", at.Add(30 * time.Hour)},
		"AShorterWaitMayBeOver":             {shorter, "wait-1", nil, engine.StaysAnew, "", time.Time{}},
		"AnotherStepIsComeToNow":            {from, "tag-1", nil, engine.StaysAgain, "", time.Time{}},
		"AParkedRunIsLetInAgain":            {from, "wait-1", func(r *engine.Run) { r.Status, r.Deadline = engine.Parked, time.Time{} }, engine.StaysAgain, "wait-1", now.Add(10 * time.Hour)},
		"APausedRunKeepsItsWait":            {from, "wait-1", func(r *engine.Run) { r.Status = engine.Paused }, engine.StaysOn, "wait-1", at.Add(10 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := run
			if c.run != nil {
				c.run(&run)
			}
			require.Equal(t, c.stays, engine.Carries(from, "wait-1", c.to, c.node, !run.Deadline.IsZero()))
			out, err := engine.Move(from, c.to, run, c.node, nil, map[string]any{"by": "anna"}, engine.Input{Now: now})
			require.NoError(t, err)
			require.Equal(t, []engine.Visit{{Seq: 3, Node: c.node, Kind: engine.KindMoved, At: now, Detail: map[string]any{"by": "anna"}}}, out.Visits)
			require.True(t, out.Void)
			require.Equal(t, 3, out.VoidBefore, "what the old place was about to send stays here")
			require.Equal(t, engine.Active, out.Run.Status)
			require.Equal(t, now, out.Run.WakeAt)
			next, err := engine.Advance(c.to, out.Run, engine.Input{Now: now})
			require.NoError(t, err)
			if c.node2 == "" {
				require.Equal(t, engine.Done, next.Run.Status)
				return
			}
			require.Equal(t, c.node2, next.Run.Node)
			require.Equal(t, c.wake, next.Run.WakeAt)
		})
	}
}

func TestMoveReachesAGoalThatIsTrueAlready(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	from := planOf(t, strings.Replace(waiting, "GOAL", "", 1))
	event := planOf(t, strings.Replace(waiting, "GOAL", `, {"id": "goal-1", "kind": "goal", "config": {"mode": "event", "event": {"name": "paid"}}}`, 1))
	rule := planOf(t, strings.Replace(waiting, "GOAL", `, {"id": "goal-1", "kind": "goal", "config": {"mode": "rule", "rule": {"tag": "tag:vip"}}}`, 1))
	run := engine.Run{ID: "r", Node: "wait-1", Seq: 2, Status: engine.Active, At: at, StartedAt: at, Deadline: at.Add(10 * time.Hour), WakeAt: at.Add(10 * time.Hour)}
	now := at.Add(4 * time.Hour)
	require.Equal(t, []string{"paid"}, event.GoalEvents())

	paid := []engine.Event{{Name: "seen", At: at.Add(time.Hour)}, {Name: "paid", At: at.Add(2 * time.Hour)}}
	out, err := engine.Move(from, event, run, "wait-1", paid, nil, engine.Input{Now: now})
	require.NoError(t, err)
	require.Equal(t, engine.Done, out.Run.Status)
	require.Equal(t, "goal-1", out.Run.Goal)
	require.Equal(t, 4, out.Run.Seq)
	require.Len(t, out.Visits, 2)

	in := engine.Input{Now: now, Contact: engine.Contact{Tags: []string{"vip"}}}
	out, err = engine.Move(from, rule, run, "wait-1", nil, nil, in)
	require.NoError(t, err)
	out, err = engine.Advance(rule, out.Run, in)
	require.NoError(t, err)
	require.Equal(t, "goal-1", out.Run.Goal)

	_, err = engine.Move(from, rule, run, "nowhere", nil, nil, in)
	require.Error(t, err)
}
