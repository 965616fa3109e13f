package engine_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// mend applies a fix as the interface does: to the graph, the node, its config, or the message it sends.
func mend(t *testing.T, bundle engine.Bundle, p engine.Problem) engine.Bundle {
	t.Helper()
	document := generic(t, bundle)
	graph := document["graph"].(c)
	field := strings.Split(p.Fix.Field, ".")
	value := generic(t, c{"value": p.Fix.Value})["value"]
	var target any = graph
	for _, node := range graph["nodes"].([]any) {
		node := node.(c)
		if node["id"] != p.Node {
			continue
		}
		target = node["config"]
		if field[0] == "kind" || field[0] == "off" {
			target = node
		}
		if field[0] == "creative" && len(field) > 1 {
			slug := strings.TrimPrefix(node["config"].(c)["creative"].(string), "creative:")
			target, field = document["creatives"].(c)[slug], field[1:]
		}
	}
	for ; len(field) > 1; field = field[1:] {
		switch part := target.(type) {
		case c:
			target = part[field[0]]
		case []any:
			i, err := strconv.Atoi(field[0])
			require.NoError(t, err)
			target = part[i]
		}
	}
	switch part := target.(type) {
	case c:
		part[field[0]] = value
	case []any:
		i, err := strconv.Atoi(field[0])
		require.NoError(t, err)
		part[i] = value
	}
	raw, err := json.Marshal(document)
	require.NoError(t, err)
	mended, err := engine.DecodeBundle(raw)
	require.NoError(t, err)
	return mended
}

// generic is a document as maps and lists.
func generic(t *testing.T, document any) c {
	t.Helper()
	raw, err := json.Marshal(document)
	require.NoError(t, err)
	var members c
	require.NoError(t, json.Unmarshal(raw, &members))
	return members
}

func TestEveryFixMendsItsProblem(t *testing.T) {
	t.Parallel()
	fixes := 0
	for name, bundle := range enginetest.Corpus(t, "problems") {
		for _, p := range engine.Validate(bundle) {
			if p.Fix == nil {
				continue
			}
			fixes++
			require.NotEmpty(t, p.Fix.Label, name)
			for _, left := range engine.Validate(mend(t, bundle, p)) {
				require.False(t, left.Code == p.Code && left.Node == p.Node && left.Field == p.Field, "%s: %+v is still there", name, left)
			}
		}
	}
	require.GreaterOrEqual(t, fixes, 12)
}
