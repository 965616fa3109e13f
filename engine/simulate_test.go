package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

var subscriber = engine.Contact{
	ID: "anna", Fields: map[string]any{"email": "anna@example.com", "first_name": "Anna"}, Zone: "Europe/Warsaw",
	Consents: []engine.Consent{{Channel: "email", State: "granted"}},
}

func simulate(t *testing.T, funnel string, in engine.SimInput) engine.Timeline {
	t.Helper()
	if in.Start.IsZero() {
		in.Start = monday
	}
	timeline, err := engine.Simulate(enginetest.Corpus(t, "funnels")[funnel], in)
	require.NoError(t, err)
	return timeline
}

// graphOf makes a bundle of a graph.
func graphOf(t *testing.T, graph string) engine.Bundle {
	t.Helper()
	bundle := engine.Bundle{}
	require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
	bundle.Graph.Schema = engine.SchemaVersion
	return bundle
}

// way is where a simulated run has been; see enginetest.Walk.
func way(timeline engine.Timeline) []string {
	w := enginetest.Walk{}
	for _, v := range timeline.Visits {
		w.Visits = append(w.Visits, v.Visit)
	}
	return w.Path()
}

func TestASimulationGoesTheWholeWay(t *testing.T) {
	t.Parallel()
	got := simulate(t, "win-back", engine.SimInput{Contact: subscriber})
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next"}, way(got))
	require.Equal(t, engine.Done, got.Status)
	require.Equal(t, monday.AddDate(0, 0, 90), got.EndedAt)
	require.Len(t, got.Messages, 1)
	require.Equal(t, "We miss you", got.Messages[0].Subject)
	require.Empty(t, got.Messages[0].Skipped)
}

func TestASimulationFollowsWhatIsAssumed(t *testing.T) {
	t.Parallel()
	ignored := simulate(t, "welcome-series", engine.SimInput{Contact: subscriber})
	require.Contains(t, way(ignored), "if-1.no")
	opened := simulate(t, "welcome-series", engine.SimInput{Contact: subscriber, Assume: map[string]engine.Assumption{
		"mail-1": {Opens: true, After: engine.Duration{Amount: 2, Unit: engine.Hours}},
	}})
	require.Contains(t, way(opened), "if-1.yes")
	require.Len(t, opened.Messages, 3)
}

func TestASimulationEndsAtTheGoal(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", engine.SimInput{Contact: subscriber, Events: []engine.Event{
		{Name: "order_placed", At: monday.Add(time.Hour)}, // the events of an instant come before the waits that end there
	}})
	require.Equal(t, []string{"start.next", "wait-1", "goal-1.reached"}, way(got))
	require.Empty(t, got.Messages)
	require.Equal(t, engine.ReasonGoal, got.Reason)
	late := simulate(t, "abandoned-cart", engine.SimInput{Contact: subscriber, Events: []engine.Event{
		{Name: "order_placed", At: monday.Add(time.Hour + time.Microsecond)},
	}})
	require.Len(t, late.Messages, 1)
	require.Equal(t, engine.ReasonGoal, late.Reason)
}

func TestASimulationHearsAClickOnTheMessageOfAStep(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", engine.SimInput{Contact: subscriber, Assume: map[string]engine.Assumption{
		"mail-1": {Clicks: true, After: engine.Duration{Amount: 3, Unit: engine.Hours}},
	}})
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next", "wait-2", "wait-2.next", "tag-1.next"}, way(got))
	require.Equal(t, monday.Add(4*time.Hour), got.EndedAt)
}

func TestASimulationSaysWhyAMessageWouldNotLeave(t *testing.T) {
	t.Parallel()
	nobody := simulate(t, "win-back", engine.SimInput{Contact: engine.Contact{ID: "x"}})
	require.Equal(t, engine.NoAddress, nobody.Messages[0].Skipped)
	reader := engine.Contact{ID: "x", Fields: map[string]any{"email": "x@example.com"}}
	require.Equal(t, engine.NoConsent, simulate(t, "win-back", engine.SimInput{Contact: reader}).Messages[0].Skipped)
	bundle := enginetest.Corpus(t, "problems")["VAR_NO_FALLBACK.first-name"]
	got, err := engine.Simulate(bundle, engine.SimInput{Contact: engine.Contact{ID: "x", Fields: map[string]any{"email": "x@example.com"}, Consents: subscriber.Consents}, Start: monday})
	require.NoError(t, err)
	require.Equal(t, engine.ReasonMissing, got.Messages[0].Skipped)
	require.Equal(t, "first_name", got.Messages[0].Missing)
}

func TestASimulationSaysWhyNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	got := simulate(t, "kind-entry", engine.SimInput{Contact: subscriber, Event: &engine.Event{Name: "purchase", Props: map[string]any{"total": 120.0}}})
	require.Equal(t, "api_event", got.Trigger)
	require.Equal(t, engine.RefusedFilter, got.Refused)
	none := simulate(t, "kind-entry", engine.SimInput{Contact: subscriber, Event: &engine.Event{Name: "purchase", Props: map[string]any{"total": 20.0}}})
	require.Empty(t, none.Trigger)
}

func TestASimulationStartsByTheFirstTriggerWhenOnlyPropertiesAreSaid(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", engine.SimInput{Contact: subscriber, Event: &engine.Event{Props: map[string]any{}}})
	require.Equal(t, "api_event", got.Trigger)
	require.NotEmpty(t, got.Messages)
}

func TestASimulationOfALoopStopsAtItsEnd(t *testing.T) {
	t.Parallel()
	engaged := subscriber
	engaged.Tags = []string{"engaged"}
	got := simulate(t, "weekly-nudge", engine.SimInput{Contact: engaged, Until: monday.AddDate(0, 0, 28)})
	require.Equal(t, engine.Active, got.Status)
	require.Len(t, got.Messages, 4)
	require.False(t, got.WaitsFor.IsZero())
	left := simulate(t, "weekly-nudge", engine.SimInput{Contact: engaged, Events: []engine.Event{
		{Name: "unsubscribed", At: monday.AddDate(0, 0, 10)},
	}})
	require.Equal(t, engine.ReasonUnsubscribed, left.Reason)
	require.Len(t, left.Messages, 1)
}

func TestASimulationStartsOverOnEachTrigger(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", engine.SimInput{Contact: subscriber, Events: []engine.Event{
		{Name: "cart_updated", At: monday.Add(30 * time.Minute), Props: map[string]any{"total": 80.0}},
	}})
	require.Equal(t, []string{"start.next", "wait-1", "start.next", "wait-1", "wait-1.next", "mail-1.next"}, way(got)[:6])
	require.Equal(t, monday.Add(90*time.Minute), got.Messages[0].At)
	require.Equal(t, 6, got.Messages[0].Seq)
}

func TestLeavingATopicSkipsItsMessagesOnly(t *testing.T) {
	t.Parallel()
	got := simulate(t, "welcome-series", engine.SimInput{Contact: subscriber, Events: []engine.Event{
		{Name: "unsubscribed", At: monday.Add(time.Hour), Props: map[string]any{"topic": "news"}},
	}})
	require.Equal(t, engine.ReasonFinished, got.Reason)
	require.Empty(t, got.Messages[0].Skipped)
	require.Equal(t, engine.NoTopic, got.Messages[1].Skipped)
}

func TestASimulationDoesNotTouchTheContact(t *testing.T) {
	t.Parallel()
	contact := engine.Contact{ID: "c", Tags: make([]string, 0, 8), Fields: map[string]any{}, Rollups: map[string]engine.Rollup{}}
	simulate(t, "kind-set-field", engine.SimInput{Contact: contact, Event: &engine.Event{Name: "purchase", Props: map[string]any{"total": 5.0}}})
	require.Empty(t, contact.Fields)
	require.Empty(t, contact.Rollups)
}

func TestAllSoundFunnelsCanBeSimulated(t *testing.T) {
	t.Parallel()
	for name := range enginetest.Corpus(t, "funnels") {
		simulate(t, name, engine.SimInput{Contact: subscriber})
	}
}

func TestASimulationSaysWhatItAssumes(t *testing.T) {
	t.Parallel()
	funnel := graphOf(t, `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "signed_up"}]}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "paid", "where": {"field": "total", "op": "gte", "value": 10}}, "timeout": {"amount": 2, "unit": "days"}}},
		{"id": "tag-1", "kind": "add_tag", "config": {"tag": "tag:customer"}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "tag-1"}]}`)
	run := func(assume map[string]engine.Assumption, events ...engine.Event) engine.Timeline {
		timeline, err := engine.Simulate(funnel, engine.SimInput{Contact: subscriber, Start: monday, Assume: assume, Events: events})
		require.NoError(t, err)
		return timeline
	}

	nothing := run(nil)
	require.Equal(t, []engine.Assumed{{Node: "wait-1", Kind: "wait", Port: "timeout", Ports: []string{"next", "timeout"}}}, nothing.Assumed)
	require.Equal(t, []string{"in.next", "wait-1", "wait-1.timeout"}, way(nothing))

	flipped := run(map[string]engine.Assumption{"wait-1": {Port: "next", After: engine.Duration{Amount: 90, Unit: engine.Minutes}}})
	require.True(t, flipped.Assumed[0].Said)
	require.Equal(t, []string{"in.next", "wait-1", "wait-1.next", "tag-1.next"}, way(flipped))
	require.Equal(t, monday.Add(90*time.Minute), flipped.EndedAt)

	require.Empty(t, run(nil, engine.Event{Name: "paid", At: monday.Add(time.Hour), Props: map[string]any{"total": 5.0}}).Assumed, "who says what happens assumes nothing")
}

func TestASimulationAssumesWhatPeopleDoOnlyWhereItMatters(t *testing.T) {
	t.Parallel()
	series := simulate(t, "welcome-series", engine.SimInput{Contact: subscriber})
	require.Equal(t, "mail-1", series.Assumed[0].Node)
	require.Equal(t, engine.DoesNothing, series.Assumed[0].Does)
	require.Empty(t, simulate(t, "win-back", engine.SimInput{Contact: subscriber}).Assumed)
}

func TestASimulationKeepsQuietHoursAndTheCap(t *testing.T) {
	t.Parallel()
	night := []engine.QuietHours{{From: engine.TimeOfDay{Hour: 20}, To: engine.TimeOfDay{Hour: 8}}}
	midnight := time.Date(2026, 3, 23, 23, 0, 0, 0, time.UTC) // in Warsaw the 24th
	got := simulate(t, "win-back", engine.SimInput{Contact: subscriber, Start: midnight, House: engine.House{Quiet: night}})
	require.Equal(t, engine.GateQuiet, got.Messages[0].Held)
	require.Equal(t, time.Date(2026, 6, 22, 6, 0, 0, 0, time.UTC), got.Messages[0].At, "eight o'clock where the person lives")
	require.Empty(t, got.Messages[0].Skipped)

	capped := simulate(t, "welcome-series", engine.SimInput{Contact: subscriber, House: engine.House{Caps: map[string]engine.Cap{"email": {Count: 1, Per: 24 * 30}}}})
	require.Empty(t, capped.Messages[0].Skipped)
	require.Equal(t, engine.GateCap, capped.Messages[1].Skipped)
}

func TestNobodyFindsTheTextsThatLackAFallback(t *testing.T) {
	t.Parallel()
	bundle := enginetest.Corpus(t, "problems")["VAR_NO_FALLBACK.first-name"]
	for name, c := range map[string]struct {
		person  engine.Contact
		skipped string
	}{
		"the sample has a first name": {engine.Sample(bundle.Workspace), ""},
		"nobody has none":             {engine.Nobody(), engine.ReasonMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event, err := engine.UsualEvent(bundle, true)
			require.NoError(t, err)
			got, err := engine.Simulate(bundle, engine.SimInput{Contact: c.person, Event: &event, Start: monday})
			require.NoError(t, err)
			require.Equal(t, c.skipped, got.Messages[0].Skipped)
		})
	}
}
