package ai_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/eval"
	"github.com/lejek/lejek/engine"
	"github.com/stretchr/testify/require"
)

// everyPrompt gives the prompts of all sets.
func everyPrompt(t *testing.T) []eval.Prompt {
	t.Helper()
	sets, err := filepath.Glob("testdata/prompts.*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, sets)
	var all []eval.Prompt
	for _, set := range sets {
		file, err := os.Open(filepath.Clean(set))
		require.NoError(t, err)
		prompts, err := eval.Read(file)
		require.NoError(t, err, set)
		require.NoError(t, file.Close())
		all = append(all, prompts...)
	}
	return all
}

// TestNoPlanIsSenseless draws every prompt there is: no wait of nothing, no wait behind which nothing happens, no question without an answer,
// no text twice.
func TestNoPlanIsSenseless(t *testing.T) {
	t.Parallel()
	for _, p := range everyPrompt(t) {
		got := offline(p.Prompt)
		if got.Graph == nil {
			continue
		}
		for _, fault := range senseless(got) {
			t.Errorf("%s: %s\n%s\n%s", p.ID, fault, p.Prompt, got.Explanation)
		}
	}
}

// TestAMessageThatGoesOnIsRepeatedWhereItStands has messages that come until something ends them: at the top, and in the answer of a question.
func TestAMessageThatGoesOnIsRepeatedWhereItStands(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"klient nie przyszedł co 3 dni, rabat 15% z kodem BACK15, przestań jak kupi",
		"klient nie przyszedł na wizytę, mail co 3 dni, przestań jak się umówi",
		"client did not show up, email every 3 days, stop when they book",
		"клиент не пришёл, раз в 3 дня, скидка 15%, остановить если купит",
		"form sent: if they have the tag warm, email every 4 days until they book",
	} {
		got := offline(prompt)
		require.Equal(t, ai.StatusGraph, got.Outcome, prompt)
		require.Empty(t, senseless(got), "%s\n%s", prompt, got.Explanation)
		require.True(t, comesAgain(got), "%s\n%s", prompt, got.Explanation)
		require.NotContains(t, got.Explanation, "attended", prompt)
	}
}

func TestWhatDidNotHappenIsNoQuestionWhereItStartsTheFunnel(t *testing.T) {
	t.Parallel()
	got := offline("klient nie przyszedł co 3 dni, rabat 15% z kodem BACK15, przestań jak kupi, nie w nocy. Jeśli nie kliknie w 2 dni powiadom zespół")
	require.Empty(t, senseless(got), got.Explanation)
	require.NotContains(t, got.Explanation, "attended")
}

// comesAgain tells whether a way leads from a message back to it.
func comesAgain(r ai.Result) bool {
	leads := map[string][]string{}
	for _, e := range r.Graph.Edges {
		leads[e.From] = append(leads[e.From], e.To)
	}
	for _, n := range r.Graph.Nodes {
		if !strings.HasPrefix(n.Kind, "send_") {
			continue
		}
		seen, todo := map[string]bool{}, leads[n.ID]
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			if at == n.ID {
				return true
			}
			if !seen[at] {
				seen[at] = true
				todo = append(todo, leads[at]...)
			}
		}
	}
	return false
}

func senseless(r ai.Result) []string {
	var faults []string
	leads := map[string][]engine.Edge{}
	for _, e := range r.Graph.Edges {
		leads[e.From] = append(leads[e.From], e)
	}
	for _, n := range r.Graph.Nodes {
		var c struct {
			Mode string `json:"mode"`
			For  struct {
				Amount float64 `json:"amount"`
			} `json:"for"`
		}
		_ = json.Unmarshal(n.Config, &c) // what does not fit is not there
		switch {
		case n.Kind == "wait" && c.Mode == "duration" && c.For.Amount <= 0:
			faults = append(faults, "a wait of nothing: "+n.ID)
		case n.Kind == "wait" && c.Mode == "duration" && len(leads[n.ID]) == 1 && plainWait(r, leads[n.ID][0].To):
			faults = append(faults, "two waits in a row: "+n.ID)
		case n.Kind == "wait" && len(leads[n.ID]) == 0:
			faults = append(faults, "nothing follows the wait: "+n.ID)
		case n.Kind == "condition" && len(leads[n.ID]) == 0:
			faults = append(faults, "a question without an answer: "+n.ID)
		}
	}
	if len(r.Creatives) > 8 {
		return faults // there are not texts enough for a long series
	}
	texts := map[string]string{}
	for id, c := range r.Creatives {
		said := c.Channel + c.Subject + c.Title + c.Text
		if twin, ok := texts[said]; ok {
			faults = append(faults, "the same text twice: "+min(id, twin)+" and "+max(id, twin))
		}
		texts[said] = id
	}
	return faults
}

func plainWait(r ai.Result, id string) bool {
	for _, n := range r.Graph.Nodes {
		if n.ID == id {
			return n.Kind == "wait" && strings.Contains(string(n.Config), `"mode":"duration"`) && !strings.Contains(string(n.Config), `"at":`)
		}
	}
	return false
}
