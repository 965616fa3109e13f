package ai_test

import (
	"strings"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/stretchr/testify/require"
)

const (
	longerAndSMS = `{"status":"ops","plan":"longer wait, an SMS","questions":[],"reason":null,"ops":[{"update":"wait-1","fields":[{"name":"n","value":"3"},{"name":"wait","value":"days"}]},{"message":"m9","brief":"short SMS reminder","subject":null,"body":null,"copy_of":null},{"put":"after","at":"mail-2","port":null,"next":null,"steps":[{"wait":"days","n":1,"at":null,"id":"n0"},{"send":"send_sms","message":"m9","id":"n1"}]}]}`
	brokenEdit   = `{"status":"ops","plan":"x","questions":[],"reason":null,"ops":[{"update":"wait-9","fields":[{"name":"n","value":"3"}]}]}`
)

func edited(t *testing.T, prompt string, servers ...*aitest.Server) ai.Result {
	t.Helper()
	return drafter(servers...).Edit(t.Context(), ai.EditRequest{Request: ai.Request{Prompt: prompt}, Base: drawn(basePrompts[5])})
}

func TestAModelsEditIsCarriedOutAndGrouped(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(longerAndSMS))
	got := edited(t, "make the wait 3 days and add an SMS", s)
	require.Equal(t, ai.StatusGraph, got.Outcome, got.Assumptions)
	require.Equal(t, "first", got.Engine)
	require.Len(t, got.Change.Groups, 2)
	require.Len(t, ofKind(got.Bundle(), "send_sms"), 1)
	untouched(t, drawn(basePrompts[5]), got)
	require.Contains(t, s.Plans()[0].User, `"id":"wait-1"`)
	require.Contains(t, s.Plans()[0].System, "EditSpec")
}

func TestAnEditIsRepairedWithWhatIsWrongAndElseTheGrammarDoesIt(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(brokenEdit), aitest.Says(longerAndSMS))
	got := edited(t, "make the wait 3 days and add an SMS", s)
	require.Equal(t, "first", got.Engine)
	require.Contains(t, s.Plans()[1].User, "there is no step wait-9")
	s = serve(t, aitest.Says(brokenEdit))
	got = edited(t, "make the wait 3 days and add an SMS", s)
	require.Equal(t, ai.Offline, got.Engine)
	require.Equal(t, ai.StatusGraph, got.Outcome)
	require.Len(t, s.Plans(), 2, "the same mistake twice ends it")
	require.Contains(t, got.Assumptions[0], "could not be repaired")
}

func TestWordsAModelInventsAreSentBack(t *testing.T) {
	t.Parallel()
	bad := `{"status":"ops","plan":"x","questions":[],"reason":null,"ops":[{"message":"note","brief":null,"subject":"50% off now","body":null,"copy_of":null}]}`
	s := serve(t, aitest.Says(bad))
	got := edited(t, "make the wait 3 days", s)
	require.Contains(t, s.Plans()[1].User, "FACTS")
	require.Equal(t, ai.Offline, got.Engine)
}

func TestAModelMayAskWhichStepAndRefuse(t *testing.T) {
	t.Parallel()
	ask := `{"status":"clarify","plan":"","questions":[{"text":"Which wait?","options":["wait-1","wait-2"]}],"reason":null,"ops":[]}`
	two := func(prompt string, s *aitest.Server) ai.Result {
		return drafter(s).Edit(t.Context(), ai.EditRequest{Request: ai.Request{Prompt: prompt}, Base: drawn(basePrompts[9])})
	}
	got := two("change the wait", serve(t, aitest.Says(ask)))
	require.Equal(t, ai.StatusClarify, got.Outcome)
	require.Equal(t, [][]string{{"Wait 1 day", "Wait 2 d"}}, got.Choices, "people read what a step does, not its id")
	s := serve(t, aitest.Says(longerAndSMS))
	two("make the wait longer\nWait 2 d", s)
	require.Contains(t, s.Plans()[0].User, `wait-2 · Wait 2 d`, "the model is told which step was chosen")
	named := `{"status":"clarify","plan":"","questions":[{"text":"Do you mean wait-1?","options":["Yes, wait-1","No"]}],"reason":null,"ops":[]}`
	got = edited(t, "change the wait", serve(t, aitest.Says(named)))
	require.Equal(t, []string{`Do you mean "Wait 2 d"?`}, got.Questions)
	require.Equal(t, [][]string{{`Yes, "Wait 2 d"`, "No"}}, got.Choices)
	no := `{"status":"refuse","plan":"","questions":[],"reason":"That is not about a funnel.","ops":[]}`
	got = edited(t, "what is the weather", serve(t, aitest.Says(no)))
	require.Equal(t, ai.StatusRefuse, got.Outcome)
	require.Equal(t, "That is not about a funnel.", got.Reason)
}

func TestAnEditThatChangesNothingSaysSo(t *testing.T) {
	t.Parallel()
	same := `{"status":"ops","plan":"done!","questions":[],"reason":null,"ops":[{"update":"wait-1","fields":[{"name":"n","value":"2"}]}]}`
	got := edited(t, "the wait should be two days", serve(t, aitest.Says(same)))
	require.Equal(t, ai.StatusUnchanged, got.Outcome)
	require.Contains(t, got.Explanation, "Nothing would change")
	require.Nil(t, got.Graph)
}

func TestTheSchemaOfEditsStaysWithinWhatProvidersTake(t *testing.T) {
	t.Parallel()
	schema := string(ai.Drawable().EditSchema())
	require.LessOrEqual(t, strings.Count(schema, `"type"`), 220)
	require.NotContains(t, schema, "allOf")
}
