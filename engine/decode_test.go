package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

func TestADocumentThatCannotBeReadNamesThePlace(t *testing.T) {
	t.Parallel()
	deep := `{"graph":{"schema":1,"nodes":[{"id":"a","kind":"wait","name":"","config":` + strings.Repeat(`{"a":`, 10000) + `1` + strings.Repeat(`}`, 10000) + `}],"edges":[]}}`
	tests := map[string]struct{ document, place, message string }{
		"nothing":               {``, "line 1, column 1", "not JSON"},
		"no JSON":               {"{\n  \"graph\": {,}\n}", "line 2, column 13", "not JSON"},
		"cut off":               {`{"graph":{"schema":1,`, "line 1", "not JSON"},
		"more than one":         {`{"graph":{}} {}`, "line 1, column 14", "not JSON"},
		"UTF-16":                {"\xff\xfe{\x00", "", "save it as UTF-8"},
		"Windows-1251":          {"{\"graph\":{\"name\":\"\xcf\xf0\xe8\"}}", "line 1, column 19", "save it as UTF-8"},
		"no object":             {`[]`, "", "an object is expected"},
		"an unknown member":     {`{"graphs":{}}`, "graphs", `did you mean "graph"?`},
		"one deep inside":       {`{"graph":{"schema":1,"nodes":[{"id":"a","knid":"wait"}],"edges":[]}}`, "graph.nodes.0.knid", `did you mean "kind"?`},
		"one in a creative":     {`{"graph":{},"creatives":{"a":{"channel":"email","blocks":[{"colour":"red"}]}}}`, "creatives.a.blocks.0.colour", "known are id, type"},
		"letters of other case": {`{"graph":{"Nodes":[]}}`, "graph.Nodes", `did you mean "nodes"?`},
		"another type":          {`{"graph":{"schema":"1"}}`, "graph.schema", "a number is expected"},
		"an object for a list":  {`{"graph":{"nodes":{}}}`, "graph.nodes", "a list is expected"},
		"a number for a text":   {`{"graph":{"nodes":[{"id":7}]}}`, "graph.nodes.0.id", "a text is expected"},
		"too deep":              {deep, "line 1", "nested more than 64 levels"},
		"brackets that end":     {`{"layout":"` + strings.Repeat("[", 100) + `","graphs":1}`, "graphs", "did you mean"},
		"too large":             {`{"layout":"` + strings.Repeat("x", engine.MaxDocumentBytes) + `"}`, "", "larger than 4 MB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.DecodeBundle([]byte(test.document))
			var unreadable *engine.DecodeError
			require.ErrorAs(t, err, &unreadable)
			require.Contains(t, err.Error(), test.place)
			require.Contains(t, err.Error(), test.message)
			problem := unreadable.Problem()
			require.Equal(t, engine.CodeDocument, problem.Code)
			require.Equal(t, unreadable.Path, problem.Field)
		})
	}
}

func TestAGraphIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	graph, err := engine.DecodeGraph([]byte(`{"schema":1,"nodes":[{"id":"a","kind":"join","name":"A","config":{"x":[1]},"off":true}],"edges":[{"from":"a","port":"next","to":"b"}]}`))
	require.NoError(t, err)
	require.Equal(t, engine.Graph{
		Schema: 1,
		Nodes:  []engine.Node{{ID: "a", Kind: "join", Name: "A", Config: []byte(`{"x":[1]}`), Off: true}},
		Edges:  []engine.Edge{{From: "a", Port: "next", To: "b"}},
	}, graph)
	_, err = engine.DecodeGraph([]byte(`{"schema":1,"nodes":[],"edges":[],"layout":{}}`))
	require.ErrorContains(t, err, "layout")
}

func TestAnUnsoundFunnelDoesNotCompile(t *testing.T) {
	t.Parallel()
	_, err := engine.Compile(engine.Bundle{Graph: engine.Graph{Schema: 1}})
	var unsound *engine.UnsoundError
	require.ErrorAs(t, err, &unsound)
	require.Equal(t, engine.CodeEntryOne, unsound.Problems[0].Code)
	require.ErrorContains(t, err, "has no start")
}

func TestAMarkBeforeUTF8IsNoMistake(t *testing.T) {
	t.Parallel()
	bundle, err := engine.DecodeBundle([]byte("\xef\xbb\xbf{\"graph\":{\"schema\":1,\"nodes\":[],\"edges\":[]}}"))
	require.NoError(t, err)
	require.Equal(t, 1, bundle.Graph.Schema)
}
