package engine

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// golden compares JSON with a file of testdata, or writes it.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(value))
	path := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./engine -update")
	if line, differ := firstDifference(string(want), got.String()); differ {
		require.Failf(t, "differs from the golden file", "%s line %s\nrun go test ./engine -update and look at the change", path, line)
	}
}

// firstDifference finds the first line in which two texts differ.
func firstDifference(want, got string) (line string, differ bool) {
	wanted, gotten := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(gotten)) {
		a, b := "(end)", "(end)"
		if i < len(wanted) {
			a = wanted[i]
		}
		if i < len(gotten) {
			b = gotten[i]
		}
		if a != b {
			return fmt.Sprintf("%d: wanted %s, got %s", i+1, a, b), true
		}
	}
	return "", false
}

func TestCatalogueIsTheGoldenFile(t *testing.T) {
	t.Parallel()
	golden(t, "catalogue.golden.json", Catalogue())
}

func TestEveryConfigMemberIsAFieldAndViceVersa(t *testing.T) {
	t.Parallel()
	compare := func(kind Kind, config any) {
		var keys, tags []string
		for _, field := range kind.Fields {
			keys = append(keys, field.Key)
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(config).Elem()) {
			if field.Anonymous {
				continue // its members are seen too
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			tags = append(tags, name)
		}
		require.ElementsMatch(t, keys, tags, kind.Kind)
	}
	for _, d := range nodeKinds {
		compare(d.Kind, d.newConfig())
	}
	for _, d := range triggerKinds {
		compare(d.Kind, d.newConfig())
	}
}

func TestEveryKindIsDescribedForPeople(t *testing.T) {
	t.Parallel()
	all := slices.Concat(Catalogue().Nodes, Catalogue().Triggers)
	for _, kind := range all {
		require.NotEmpty(t, kind.Title, kind.Kind)
		require.True(t, strings.HasSuffix(kind.Purpose, "."), kind.Kind)
		require.NotEmpty(t, kind.Synonyms, kind.Kind)
		require.Contains(t, families, kind.Family, kind.Kind)
		for _, field := range kind.Fields {
			require.NotPanics(t, func() { judgeOf(field.Type) }, "%s.%s", kind.Kind, field.Key)
			require.NotEmpty(t, field.Label, "%s.%s", kind.Kind, field.Key)
			for _, condition := range field.ShowIf {
				require.True(t, slices.ContainsFunc(kind.Fields, func(f Field) bool { return f.Key == condition.Key }), field.Key)
			}
		}
	}
}

func TestDefiningAKindTwicePanics(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { mustBeNew(Kind{Kind: "wait"}, nodeKinds) })
	require.Panics(t, func() { mustBeNew(Kind{Kind: "manual"}, triggerKinds) })
	require.NotPanics(t, func() { mustBeNew(Kind{Kind: "teleport"}, nodeKinds) })
}

func TestKindsAreFoundByName(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(nodeKinds)) {
		kind, ok := NodeKind(name)
		require.True(t, ok)
		require.Equal(t, name, kind.Kind)
	}
	_, ok := NodeKind("send_pigeon")
	require.False(t, ok)
	_, ok = TriggerKind("api_event")
	require.True(t, ok)
}
