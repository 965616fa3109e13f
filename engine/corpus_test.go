package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
