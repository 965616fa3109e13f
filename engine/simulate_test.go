package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var subscriber = Contact{
	ID: "anna", Fields: map[string]any{"email": "anna@example.com", "first_name": "Anna"}, Zone: "Europe/Warsaw",
	Consents: []Consent{{Channel: "email", State: "granted"}},
}

func simulate(t *testing.T, funnel string, in SimInput) Timeline {
	t.Helper()
	if in.Start.IsZero() {
		in.Start = monday
	}
	timeline, err := Simulate(corpus(t, "funnels")[funnel], in)
	require.NoError(t, err)
	return timeline
}

func (timeline Timeline) path() []string {
	w := walker{}
	for _, v := range timeline.Visits {
		w.visits = append(w.visits, v.Visit)
	}
	return w.path()
}

func TestASimulationGoesTheWholeWay(t *testing.T) {
	t.Parallel()
	got := simulate(t, "win-back", SimInput{Contact: subscriber})
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next"}, got.path())
	require.Equal(t, Done, got.Status)
	require.Equal(t, monday.AddDate(0, 0, 90), got.EndedAt)
	require.Len(t, got.Messages, 1)
	require.Equal(t, "We miss you", got.Messages[0].Subject)
	require.Empty(t, got.Messages[0].Skipped)
}

func TestASimulationFollowsWhatIsAssumed(t *testing.T) {
	t.Parallel()
	ignored := simulate(t, "welcome-series", SimInput{Contact: subscriber})
	require.Contains(t, ignored.path(), "if-1.no")
	opened := simulate(t, "welcome-series", SimInput{Contact: subscriber, Assume: map[string]Assumption{
		"mail-1": {Opens: true, After: Duration{Amount: 2, Unit: Hours}},
	}})
	require.Contains(t, opened.path(), "if-1.yes")
	require.Len(t, opened.Messages, 3)
}

func TestASimulationEndsAtTheGoal(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", SimInput{Contact: subscriber, Events: []Event{
		{Name: "order_placed", At: monday.Add(time.Hour)}, // the events of an instant come before the waits that end there
	}})
	require.Equal(t, []string{"start.next", "wait-1", "goal-1.reached"}, got.path())
	require.Empty(t, got.Messages)
	require.Equal(t, ReasonGoal, got.Reason)
	late := simulate(t, "abandoned-cart", SimInput{Contact: subscriber, Events: []Event{
		{Name: "order_placed", At: monday.Add(time.Hour + time.Microsecond)},
	}})
	require.Len(t, late.Messages, 1)
	require.Equal(t, ReasonGoal, late.Reason)
}

func TestASimulationHearsAClickOnTheMessageOfAStep(t *testing.T) {
	t.Parallel()
	got := simulate(t, "abandoned-cart", SimInput{Contact: subscriber, Assume: map[string]Assumption{
		"mail-1": {Clicks: true, After: Duration{Amount: 3, Unit: Hours}},
	}})
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next", "wait-2", "wait-2.next", "tag-1.next"}, got.path())
	require.Equal(t, monday.Add(4*time.Hour), got.EndedAt)
}

func TestASimulationSaysWhyAMessageWouldNotLeave(t *testing.T) {
	t.Parallel()
	nobody := simulate(t, "win-back", SimInput{Contact: Contact{ID: "x"}})
	require.Equal(t, SkippedConsent, nobody.Messages[0].Skipped)
	bundle := corpus(t, "problems")["VAR_NO_FALLBACK.first-name"]
	got, err := Simulate(bundle, SimInput{Contact: Contact{ID: "x", Consents: subscriber.Consents}, Start: monday})
	require.NoError(t, err)
	require.Equal(t, SkippedMissing, got.Messages[0].Skipped)
	require.Equal(t, "first_name", got.Messages[0].Missing)
}

func TestASimulationSaysWhyNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	got := simulate(t, "kind-entry", SimInput{Contact: subscriber, Event: &Event{Name: "purchase", Props: map[string]any{"total": 120.0}}})
	require.Equal(t, "api_event", got.Trigger)
	require.Equal(t, RefusedFilter, got.Refused)
	none := simulate(t, "kind-entry", SimInput{Contact: subscriber, Event: &Event{Name: "purchase", Props: map[string]any{"total": 20.0}}})
	require.Empty(t, none.Trigger)
}

func TestASimulationOfALoopStopsAtItsEnd(t *testing.T) {
	t.Parallel()
	engaged := subscriber
	engaged.Tags = []string{"engaged"}
	got := simulate(t, "weekly-nudge", SimInput{Contact: engaged, Until: monday.AddDate(0, 0, 28)})
	require.Equal(t, Active, got.Status)
	require.Len(t, got.Messages, 4)
	require.False(t, got.WaitsFor.IsZero())
	left := simulate(t, "weekly-nudge", SimInput{Contact: engaged, Events: []Event{
		{Name: "unsubscribed", At: monday.AddDate(0, 0, 10)},
	}})
	require.Equal(t, ReasonUnsubscribed, left.Reason)
	require.Len(t, left.Messages, 1)
}

func TestASimulationDoesNotTouchTheContact(t *testing.T) {
	t.Parallel()
	contact := Contact{ID: "c", Tags: make([]string, 0, 8), Fields: map[string]any{}, Rollups: map[string]Rollup{}}
	simulate(t, "kind-set-field", SimInput{Contact: contact, Event: &Event{Name: "purchase", Props: map[string]any{"total": 5.0}}})
	require.Empty(t, contact.Fields)
	require.Empty(t, contact.Rollups)
}

func TestAllSoundFunnelsCanBeSimulated(t *testing.T) {
	t.Parallel()
	for name := range corpus(t, "funnels") {
		simulate(t, name, SimInput{Contact: subscriber})
	}
}
