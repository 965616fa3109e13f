package ai_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/stretchr/testify/require"
)

// written is a prompt of the evaluation set with what its answer must be. Most of what it checks needs kinds of later
// releases; what can be held to already is held here.
type written struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	Must   struct {
		Expect string         `json:"expect"`
		AlsoOK []string       `json:"also_ok"`
		Reason []string       `json:"reason"`
		Sends  map[string]int `json:"sends_by_channel"`
		Copy   string         `json:"copy_lang"`
		No     []string       `json:"text_excludes"`
	} `json:"must"`
}

// evaluationSet reads the prompts from LEJEK_SHARED, or from a folder "shared" beside the repository.
func evaluationSet(t *testing.T) []written {
	t.Helper()
	dir := os.Getenv("LEJEK_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	file, err := os.Open(filepath.Join(dir, "data", "ai", "prompts.jsonl"))
	if err != nil {
		t.Skip("absent: the evaluation set is not part of the repository; LEJEK_SHARED names its folder")
	}
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	var all []written
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var w written
		require.NoError(t, json.Unmarshal(lines.Bytes(), &w))
		all = append(all, w)
	}
	require.NotEmpty(t, all)
	return all
}

func TestThePromptsOfTheEvaluationSet(t *testing.T) {
	t.Parallel()
	all := evaluationSet(t)
	decided := 0
	for _, w := range all {
		got := offline(w.Prompt)
		require.Empty(t, ai.Errors(got.Problems), w.ID)
		if got.Outcome == ai.Status(w.Must.Expect) || slices.Contains(w.Must.AlsoOK, string(got.Outcome)) {
			decided++
		} else {
			t.Logf("%s: %s instead of %s", w.ID, got.Outcome, w.Must.Expect)
		}
		if w.Must.Expect == "refuse" {
			require.NotEqual(t, ai.StatusGraph, got.Outcome, w.ID)
			require.Contains(t, w.Must.Reason, got.Reason, w.ID)
		}
		if w.Must.Expect == "clarify" && !slices.Contains(w.Must.AlsoOK, "graph") {
			require.Equal(t, ai.StatusClarify, got.Outcome, w.ID)
		}
		if got.Outcome != ai.StatusGraph {
			continue
		}
		if w.Must.Copy != "" {
			require.Equal(t, w.Must.Copy, got.Language, w.ID)
		}
		for _, word := range w.Must.No {
			require.NotContains(t, texts(got), word, w.ID)
		}
		if n := w.Must.Sends["email"]; n > 0 && len(w.Must.Sends) == 1 {
			require.Len(t, got.Creatives, n, w.ID)
		}
	}
	t.Logf("outcome as asked for: %d of %d", decided, len(all))
	require.GreaterOrEqual(t, decided*100, 70*len(all))
}
