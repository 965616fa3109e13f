package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

const corpus = "../../engine/testdata/"

// call runs a command line.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHelpListsTheCommands(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t)
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "validate")
	require.Contains(t, out, "simulate")
	code, out, _ = call(t, "validate", "-h")
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "-json")
}

func TestWrongUsageIsExitCodeTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"fly"}, {"validate"}, {"validate", "a", "b"}, {"validate", "--wings", "a"}, {"simulate", "--start", "noon", "a"}} {
		code, _, errs := call(t, args...)
		require.Equal(t, exitUsage, code, args)
		require.NotEmpty(t, errs, args)
	}
}

func TestValidateAcceptsTheSoundAndRefusesTheBroken(t *testing.T) {
	t.Parallel()
	sound, err := filepath.Glob(corpus + "funnels/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, sound)
	for _, path := range sound {
		code, out, errs := call(t, "validate", path, "--json")
		require.Equal(t, exitDone, code, path)
		require.JSONEq(t, `{"problems":[]}`, out)
		require.Empty(t, errs)
	}
	broken, err := filepath.Glob(corpus + "problems/*.json")
	require.NoError(t, err)
	for _, path := range broken {
		code, out, _ := call(t, "validate", "--json", path)
		var answer struct {
			Problems []engine.Problem `json:"problems"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &answer))
		require.NotEmpty(t, answer.Problems, path)
		require.Contains(t, filepath.Base(path), answer.Problems[0].Code)
		require.Equal(t, !engine.Publishable(answer.Problems), code == exitFailed, path)
	}
}

func TestValidateNamesThePlaceOfWhatIsNotAFunnel(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t, "validate", corpus+"catalogue.golden.json")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "DOCUMENT_INVALID")
	code, _, errs := call(t, "validate", corpus+"nowhere.json")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "no such file")
}

func TestSimulateTellsTheStory(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t, "simulate", corpus+"funnels/win-back.json", "--start", "2026-12-01T09:00:00Z")
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "2027-03-01 09:00  We miss you")
	require.Contains(t, out, `✉ "We miss you"`)
	require.Contains(t, out, "done: finished")
	code, out, _ = call(t, "simulate", corpus+"funnels/win-back.json", "--json", "--start", "2026-12-01T09:00:00Z")
	require.Equal(t, exitDone, code)
	var timeline engine.Timeline
	require.NoError(t, json.Unmarshal([]byte(out), &timeline))
	require.Len(t, timeline.Messages, 1)
}

func TestSimulateRefusesABrokenFunnel(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t, "simulate", corpus+"problems/CYCLE_NO_WAIT.no-wait.json", "--start", "2026-12-01T09:00:00Z")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "CYCLE_NO_WAIT")
}

func TestTestsOfAFunnelThatCannotRunAreRefused(t *testing.T) {
	t.Parallel()
	broken, err := filepath.Glob(corpus + "problems/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, broken)
	for _, path := range broken {
		refused, _, _ := call(t, "validate", path)
		code, out, _ := call(t, "test", path)
		if refused != exitDone {
			require.Equal(t, refused, code, "%s: %s", path, out)
			require.NotEmpty(t, out, path)
		}
	}
}
