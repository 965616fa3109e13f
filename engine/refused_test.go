package engine_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func TestTheValidatorRefusesWhatCannotBeWrittenForAnybody(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		`{{ [1,2,3] }}`: false, `{{ true ? [1] : "a" }}`: false, `{{ first_name ?? [1] }}`: false, `{{ [1,2] | join(", ") }}`: true, `{{ 2 in [1,2] }}`: true,
		`{{ 1/0 }}`: false, `{{ 5 % 0 }}`: false, `{{ first_name | default(1/(2-2)) }}`: false, `{{ -1/-0.0 }}`: false, `{{ 1/2 }}`: true, `{{ event.n / 2 }}`: true,
	} {
		bundle := enginetest.New(enginetest.Event("go")).Mail("mail-1").Bundle()
		letter := bundle.Creatives["mail-1"]
		letter.Subject = text
		bundle.Creatives["mail-1"] = letter
		problems := engine.Validate(bundle)
		require.Equal(t, fine, engine.Publishable(problems), "%s: %v", text, problems)
		if !fine {
			at := slices.IndexFunc(problems, func(p engine.Problem) bool { return p.Severity == engine.Error })
			require.Equal(t, "FIELD_INVALID", problems[at].Code)
			require.Equal(t, "mail-1", problems[at].Node)
			require.Equal(t, "creative.subject", problems[at].Field)
		}
	}
}

func TestARecurringTimeNeedsAnInterval(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"FREQ=WEEKLY;BYDAY=MO": true, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO": true, "FREQ=DAILY;INTERVAL=10": true, "FREQ=DAILY;INTERVAL=0": false,
		"freq=daily;interval=00": false, "INTERVAL=0;FREQ=DAILY": false, "FREQ=DAILY;INTERVAL=-1": false, "FREQ=DAILY;INTERVAL=": false,
	} {
		_, err := engine.ParseRecurrence(text)
		require.Equal(t, fine, err == nil, "%s: %v", text, err)
	}
	bundle := enginetest.New(c{"kind": "schedule", "rrule": "FREQ=DAILY;INTERVAL=0", "audience": "list:all"}).Mail("mail-1").Bundle()
	require.True(t, slices.ContainsFunc(engine.Validate(bundle), func(p engine.Problem) bool {
		return p.Code == "FIELD_INVALID" && p.Node == "start" && p.Field == "triggers.0.rrule"
	}), "%v", engine.Validate(bundle))
}

func TestADoubledIDIsOneProblemAndNoLoop(t *testing.T) {
	t.Parallel()
	bundle := enginetest.New().Mail("mail-1").Tag("tag-1", "a").Tag("tag-2", "b").Bundle()
	for i := range bundle.Graph.Nodes {
		if bundle.Graph.Nodes[i].ID == "tag-2" {
			bundle.Graph.Nodes[i].ID = "mail-1"
		}
	}
	for i := range bundle.Graph.Edges {
		if bundle.Graph.Edges[i].To == "tag-2" {
			bundle.Graph.Edges[i].To = "mail-1"
		}
	}
	codes := []string{}
	for _, p := range engine.Validate(bundle) {
		codes = append(codes, p.Code)
	}
	require.Contains(t, codes, "ID_TWICE")
	require.NotContains(t, codes, "CYCLE_NO_WAIT")
}
