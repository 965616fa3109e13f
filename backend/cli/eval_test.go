package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai/aitest"
)

const evalPrompts = `{"id":"e1","lang":"en","prompt":"abandoned cart, 2 emails","must":{"expect":"graph","sends":2}}
{"id":"e2","lang":"en","prompt":"welcome email to new people on list news","must":{"expect":"graph","min_sends":1}}
{"id":"e3","lang":"en","prompt":"mail everybody who unsubscribed","must":{"expect":"refuse"}}
`

// evaluatedModel runs the command and answers what it says of the model.
func evaluatedModel(t *testing.T) json.RawMessage {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prompts.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(evalPrompts), 0o600))
	code, out, errs := call(t, "eval", "--prompts", file, "--json")
	require.Equal(t, exitDone, code, errs)
	var got struct{ Model json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	return got.Model
}

func TestEvalAsksTheModelOfTheEnvironmentAndTellsWhoseAnswersItMarks(t *testing.T) {
	plan := `{"status":"graph","lang":"en","plan":"two mails","assumptions":[],"questions":[],"reason":null,"trigger":{"kind":"api_event","ref":"cart_updated","when":null,"offset_days":null},"reentry":"restart","reentry_days":null,"blocks":[{"id":"main","steps":[{"wait":"hours","n":1,"at":null,"id":"w1"},{"send":"send_email","message":"m1","id":"s1"},{"wait":"days","n":1,"at":null,"id":"w2"},{"send":"send_email","message":"m2","id":"s2"}],"next":null}],"messages":[{"id":"m1","brief":"your cart","because":"cart"},{"id":"m2","brief":"last reminder","because":"cart"}]}`
	server := aitest.Start(aitest.Says(plan))
	t.Cleanup(server.Close)
	t.Setenv("AI_EVAL_BASE_URL", server.URL)
	t.Setenv("AI_EVAL_KEY", "eval-key")
	t.Setenv("AI_EVAL_MODEL", "measured-1")
	var score struct {
		Engine    string  `json:"engine"`
		Validity  float64 `json:"validity"`
		ByModel   int     `json:"by_model"`
		ByPlanner int     `json:"by_planner"`
		ByCode    int     `json:"by_code"`
	}
	require.NoError(t, json.Unmarshal(evaluatedModel(t), &score))
	require.Equal(t, "measured-1", score.Engine)
	require.InDelta(t, 1, score.Validity, 0)
	require.Equal(t, 2, score.ByModel)
	require.Equal(t, 1, score.ByCode, "what must be refused is decided without asking")
	require.Zero(t, score.ByPlanner)
	require.NotEmpty(t, server.Plans())
	require.Equal(t, "Bearer eval-key", server.Plans()[0].Authorization)
	require.Equal(t, "measured-1", server.Plans()[0].Model)

	server.Close()
	require.NoError(t, json.Unmarshal(evaluatedModel(t), &score))
	require.Zero(t, score.ByModel)
	require.Equal(t, 2, score.ByPlanner, "a model that is away does not get the planner's marks in silence")
}

func TestEvalWithoutAModelSaysSkipped(t *testing.T) {
	t.Setenv("AI_EVAL_BASE_URL", "")
	t.Setenv("AI_EVAL_MODEL", "")
	require.Contains(t, string(evaluatedModel(t)), "skipped")
}
