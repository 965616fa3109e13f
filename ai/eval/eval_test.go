package eval_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/eval"
	"github.com/stretchr/testify/require"
)

func offline(p eval.Prompt) ai.Result {
	return ai.DraftOffline(ai.Request{Prompt: p.Prompt}, ai.Drawable())
}

func prompts(t *testing.T, set string) []eval.Prompt {
	t.Helper()
	file, err := os.Open("../testdata/prompts." + set + ".jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	read, err := eval.Read(file)
	require.NoError(t, err)
	return read
}

// floor is what a set must reach in each language, whatever the last figures were.
type floor struct {
	micro float64
	macro map[string]float64
}

var floors = map[string]floor{
	"given":   {0.92, map[string]float64{"en": 0.80, "pl": 0.75, "ru": 0.75}},
	"dev":     {0.85, map[string]float64{"en": 0.65, "pl": 0.65, "ru": 0.65}},
	"heldout": {0.85, map[string]float64{"en": 0.65, "pl": 0.65, "ru": 0.65}},
	// What marketers of many trades asked for in their own words; a small part was written last and never tuned on.
	"field":         {0.92, map[string]float64{"en": 0.80, "pl": 0.75, "ru": 0.75}},
	"field-heldout": {0.80, map[string]float64{"en": 0.50, "pl": 0.50, "ru": 0.50}},
	// Ways of saying the same kinds of wishes: triggers in any place, paces, caps, waits for something; a third was never tuned on.
	"kinds": {0.92, map[string]float64{"en": 0.80, "pl": 0.75, "ru": 0.75}},
	// Demands of one kind each, said by many: shares and hold-outs, least gaps, days of the week, starts told last, goals that do something.
	"asks": {0.92, map[string]float64{"en": 0.80, "pl": 0.75, "ru": 0.75}},
	// Ordinary demands as somebody who has never seen the planner writes them.
	"strangers":     {0.92, map[string]float64{"en": 0.65, "pl": 0.65, "ru": 0.65}},
	"kinds-heldout": {0.80, map[string]float64{"en": 0.60, "pl": 0.60, "ru": 0.60}},
}

// TestThePlannerKeepsItsScores compares each set with its floor and with the last figures, kept in testdata/scores.json: none may fall by more
// than two points. UPDATE_GOLDEN=1 writes new figures. Nobody tunes on the held-out set: its prompts are looked at by machine only.
func TestThePlannerKeepsItsScores(t *testing.T) {
	t.Parallel()
	golden := "../testdata/scores.json"
	last := map[string]eval.Score{}
	if raw, err := os.ReadFile(golden); err == nil {
		require.NoError(t, json.Unmarshal(raw, &last))
	}
	now := map[string]eval.Score{}
	for set, floor := range floors {
		s, graded := eval.Run(prompts(t, set), offline, time.Now)
		if !strings.HasSuffix(set, "heldout") {
			t.Logf("%s: %v", set, s.Failed)
		}
		require.InDelta(t, 1, s.Validity, 1e-9, set)
		require.Zero(t, s.RefuseGraphs, set)
		require.GreaterOrEqual(t, s.Outcome, 0.9, set)
		require.GreaterOrEqual(t, s.IntentMicro, floor.micro, set)
		for lang, least := range floor.macro {
			require.GreaterOrEqual(t, s.IntentMacro[lang], least, "%s %s", set, lang)
		}
		for _, g := range graded {
			require.Empty(t, g.Unsafe, g.ID)
		}
		s.P95, s.Failed = 0, nil
		now[set] = s
		if before, ok := last[set]; ok {
			require.GreaterOrEqual(t, s.IntentMicro, before.IntentMicro-0.02, set)
			for lang, share := range before.IntentMacro {
				require.GreaterOrEqual(t, s.IntentMacro[lang], share-0.04, "%s %s", set, lang)
			}
		}
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		raw, err := json.MarshalIndent(now, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, append(raw, '\n'), 0o600))
	}
	require.NotEmpty(t, last, "UPDATE_GOLDEN=1 writes the first figures")
}

func TestPromptsWrittenBadlyLoseLittle(t *testing.T) {
	t.Parallel()
	given := prompts(t, "given")
	s, _ := eval.Run(given, offline, time.Now)
	m := eval.Mutate(given, offline, s.IntentMicro)
	require.Equal(t, 5*len(given), m.Prompts)
	require.LessOrEqual(t, m.Drop, 5.0, "%v", m.ByKind)
}

func TestAnAnswerIsJudgedByItsGraph(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	p := eval.Prompt{ID: "x", Lang: "en", Prompt: "abandoned cart, 2 emails: after 1 hour, after 1 day", Must: eval.Must{
		Expect: "graph", Trigger: []string{"api_event"}, Sends: n(2), Offsets: []float64{1, 24}, GoalEvent: []string{"payment_made"},
	}}
	g := eval.Grade(p, offline(p))
	require.Empty(t, g.Failed)
	require.True(t, g.Decided && g.Valid && g.Graph)

	p.Must.Sends, p.Must.Offsets, p.Must.Trigger = n(3), []float64{5}, []string{"manual"}
	g = eval.Grade(p, offline(p))
	for _, key := range []string{"sends", "offsets_hours", "trigger"} {
		require.True(t, slices.Contains(g.Failed, key), key)
	}
	require.Len(t, g.Failed, 4, "the person followed gets two messages, not three: %v", g.Failed)

	p.Must = eval.Must{Expect: "refuse", Reason: []string{"consent"}}
	g = eval.Grade(p, offline(p))
	require.False(t, g.Decided)
	require.True(t, g.Refuse && g.Graph)
}

func TestAQuestionIsJudgedByWhatItIsAbout(t *testing.T) {
	t.Parallel()
	p := eval.Prompt{ID: "x", Lang: "en", Prompt: "send 3 emails but at most 1", Must: eval.Must{Expect: "clarify", QuestionsAbout: []string{"count"}}}
	require.Empty(t, eval.Grade(p, offline(p)).Failed)
	p.Must.QuestionsAbout = []string{"channel"}
	require.Equal(t, []string{"questions_about"}, eval.Grade(p, offline(p)).Failed)
}
