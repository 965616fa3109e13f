package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// corpus reads every bundle of a directory of testdata, by name.
func corpus(t testing.TB, dir string) map[string]Bundle {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	bundles := map[string]Bundle{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		bundle, err := DecodeBundle(data)
		require.NoError(t, err, path)
		bundles[strings.TrimSuffix(filepath.Base(path), ".json")] = bundle
	}
	return bundles
}

func TestEverySoundFunnelHasNoProblemAndCompiles(t *testing.T) {
	t.Parallel()
	for name, bundle := range corpus(t, "funnels") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, Validate(bundle))
			_, err := Compile(bundle)
			require.NoError(t, err)
		})
	}
}

func TestThereIsAWorkedBundleOfEveryKind(t *testing.T) {
	t.Parallel()
	bundles := corpus(t, "funnels")
	for kind := range nodeKinds {
		bundle, there := bundles["kind-"+strings.ReplaceAll(kind, "_", "-")]
		require.True(t, there, kind)
		found := false
		for _, node := range bundle.Graph.Nodes {
			found = found || node.Kind == kind
		}
		require.True(t, found, kind)
	}
}

// expectation is the member "tests" of a broken bundle: every problem it has, in order. A field of null is not compared.
type expectation struct {
	Problems []struct {
		Code     string   `json:"code"`
		Severity Severity `json:"severity"`
		Node     string   `json:"node"`
		Field    *string  `json:"field"`
	} `json:"problems"`
}

func TestEveryBrokenBundleHasTheProblemsItNames(t *testing.T) {
	t.Parallel()
	bundles := corpus(t, "problems")
	require.GreaterOrEqual(t, len(bundles), 24)
	for name, bundle := range bundles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want expectation
			require.NoError(t, json.Unmarshal(bundle.Tests, &want))
			got := Validate(bundle)
			code, _, _ := strings.Cut(name, ".")
			require.Equal(t, code, want.Problems[0].Code)
			require.Len(t, got, len(want.Problems), "%+v", got)
			for i, p := range want.Problems {
				require.Equal(t, p.Code, got[i].Code, "%+v", got[i])
				require.Equal(t, p.Severity, got[i].Severity, "%+v", got[i])
				require.Equal(t, p.Node, got[i].Node, "%+v", got[i])
				if p.Field != nil {
					require.Equal(t, *p.Field, got[i].Field, "%+v", got[i])
				}
				require.NotEmpty(t, got[i].Node+got[i].Field)
				require.Regexp(t, `[.!?]$`, got[i].Message)
			}
			require.Equal(t, got, Validate(bundle), "the order is stable")
		})
	}
}

func TestTheCorpusOfProblemsHasEveryCode(t *testing.T) {
	t.Parallel()
	seen := set{}
	for name := range corpus(t, "problems") {
		code, _, _ := strings.Cut(name, ".")
		seen.add(code)
	}
	require.Equal(t, []string{
		CodeBodyEmpty, CodeCreativeMissing, CodeCycleNoWait, CodeEdgeBroken, CodeEntryOne, CodeFieldInvalid, CodeFieldRequired,
		CodeFieldUnknown, CodeHoldOutSends, CodeIDTwice, CodeKindUnknown, CodeLimitNodes, CodePortTwice, CodePortUnknown, CodeQuietExpires, CodeReentryOnce, CodeRefMissing, CodeRuleInvalid,
		CodeSenderUnverified, CodeSplitWeights, CodeSubjectEmpty, CodeUnreachable, CodeUnsubscribe, CodeVarNoFallback, CodeVarSomePaths,
		CodeVarUnknown,
	}, seen.sorted())
}

func TestEverySoundFunnelGoesItsGoldenWay(t *testing.T) {
	t.Parallel()
	person := Contact{
		ID: "anna", Zone: "Europe/Warsaw",
		Fields: map[string]any{"email": "anna@example.com", "first_name": "Anna", "city": "Kraków"},
	}
	for _, channel := range Channels {
		person.Consents = append(person.Consents, Consent{Channel: channel, State: "granted"})
	}
	for name, bundle := range corpus(t, "funnels") {
		timeline, err := Simulate(bundle, SimInput{
			Contact: person, Start: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Until: time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC),
			Assume: map[string]Assumption{"mail-1": {Clicks: true, After: Duration{Amount: 90, Unit: Minutes}, Clicked: "https://aurora.example/"}},
		})
		require.NoError(t, err, name)
		timeline.Assumed = nil // a matter of its own test
		golden(t, "timelines/"+name+".golden.json", timeline)
	}
}
