package ai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/engine"
)

// ops is the answer of a model that mends with operations.
func ops(written string) string {
	return `{"status":"ops","plan":"mend it","questions":[],"reason":null,"ops":[` + written + `]}`
}

func TestAPlanIsMendedByOperationsAndTheRestOfItStays(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(loopPlan), aitest.Says(ops(`{"branch":"s1","port":"next","to":"end"}`)))
	got := draft(t, askCart, s)
	require.Equal(t, "first", got.Engine, got.Assumptions)
	require.Empty(t, ai.Errors(got.Problems))
	require.Equal(t, 2, len(s.Plans()))
	require.Contains(t, s.Plans()[1].System, "Task: edit", "the smallest change is asked for, not another plan")
	require.Contains(t, s.Plans()[1].User, "CYCLE_NO_WAIT")
	require.NotContains(t, s.Plans()[1].User, "Return the whole")
}

func TestOperationsOfARepairDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ops   string
		kinds string // of the messages in order of the document
	}{
		"a third message at the end": {`{"message":"m3","brief":"the very last","subject":null,"body":null,"copy_of":null},{"put":"after","at":"s2","port":null,"next":null,"steps":[{"wait":"days","n":2,"at":null,"id":"w3"},{"send":"send_email","message":"m3","id":"s3"}]}`, "send_email send_email send_email"},
		"one before another":         {`{"message":"m3","brief":"first of all","subject":null,"body":null,"copy_of":null},{"put":"before","at":"s1","port":null,"next":null,"steps":[{"send":"send_email","message":"m3","id":"s3"}]}`, "send_email send_email send_email"},
		"instead of one":             {`{"put":"replace","at":"s2","port":null,"next":null,"steps":[{"send":"send_email","message":"m2","id":"s2b"},{"wait":"days","n":2,"at":null,"id":"w9"},{"send":"send_email","message":"m1","id":"s3"}]}`, "send_email send_email send_email"},
		"another wait":               {`{"message":"m3","brief":"the very last","subject":null,"body":null,"copy_of":null},{"put":"after","at":"s2","port":null,"next":null,"steps":[{"wait":"days","n":2,"at":null,"id":"w9"},{"send":"send_email","message":"m3","id":"s3"}]},{"update":"w2","fields":[{"name":"n","value":"3"}]}`, "send_email send_email send_email"},
		"on one way of a branch":     {`{"message":"m3","brief":"thanks","subject":null,"body":null,"copy_of":null},{"put":"after","at":"c1","port":"yes","next":null,"steps":[{"send":"send_email","message":"m3","id":"s3"}]}`, "send_email send_email send_email"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, aitest.Says(soundPlan), aitest.Says(ops(c.ops)))
			got := draft(t, "abandoned cart, 3 emails", s)
			require.Equal(t, "first", got.Engine, got.Assumptions)
			require.Empty(t, ai.Errors(got.Problems))
			require.Equal(t, 2, len(s.Plans()), got.Assumptions)
			require.Equal(t, c.kinds, sends(got.Graph))
			if name == "another wait" {
				require.Contains(t, quoted(t, got.Graph), `"amount":3`)
			}
		})
	}
}

func quoted(t *testing.T, g *engine.Graph) string {
	t.Helper()
	raw, err := json.Marshal(g)
	require.NoError(t, err)
	return string(raw)
}

func sends(g *engine.Graph) string {
	var out []string
	for _, n := range g.Nodes {
		if strings.HasPrefix(n.Kind, "send_") {
			out = append(out, n.Kind)
		}
	}
	return strings.Join(out, " ")
}

func TestARepairThatHelpsNothingIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(loopPlan), aitest.Says(ops(`{"setting":"reentry","value":"always"}`)))
	got := draft(t, askCart, s)
	require.Equal(t, ai.Offline, got.Engine)
	require.Equal(t, 2, len(s.Plans()), "the same is wrong after the first repair")
}

func TestARepairOfAStepThatIsNotThereIsToldSo(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(loopPlan), aitest.Says(ops(`{"remove":"nothing"}`)), aitest.Says(ops(`{"branch":"s1","port":"next","to":"end"}`)))
	got := draft(t, askCart, s)
	require.Equal(t, "first", got.Engine, got.Assumptions)
	require.Equal(t, 3, len(s.Plans()))
	require.Contains(t, s.Plans()[2].User, `there is no step \"nothing\"`)
	var body struct {
		Messages []struct{ Content string } `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(s.Plans()[2].Body, &body))
	require.Less(t, len(body.Messages[1].Content), 6000, "a repair is a short question")
}
