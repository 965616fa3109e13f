package engine_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// TestTitlesOfSteps keeps the titles of the corpus in a file that a test of the canvas compares with its own.
func TestTitlesOfSteps(t *testing.T) {
	t.Parallel()
	titles := map[string]map[string]engine.Title{}
	for name, bundle := range enginetest.Corpus(t, "funnels") {
		titles[name] = map[string]engine.Title{}
		for _, node := range bundle.Graph.Nodes {
			node.Name = ""
			title := engine.TitleOf(node, bundle.Creatives)
			for _, text := range title {
				require.NotEmpty(t, text, "%s of %s", node.ID, name)
				require.NotEqual(t, node.ID, text)
			}
			titles[name][node.ID] = title
		}
	}
	got, err := json.MarshalIndent(titles, "", " ")
	require.NoError(t, err)
	const file = "testdata/titles.golden.json"
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}

func TestATitleIsTheNameItsAuthorGave(t *testing.T) {
	t.Parallel()
	node := engine.Node{ID: "wait-1", Kind: "wait", Config: json.RawMessage(`{"mode":"duration","for":{"amount":2,"unit":"hours"}}`)}
	require.Equal(t, engine.Title{"Wait 2 hours", "Czekaj 2 godziny", "Ждать 2 часа"}, engine.TitleOf(node, nil))
	require.Equal(t, "Wait 2 hours", engine.TitleOf(node, nil).In("de"))
	node.Name = "Patience"
	require.Equal(t, map[string]string{"en": "Patience", "pl": "Patience", "ru": "Patience"}, engine.TitleOf(node, nil).Texts())
}
