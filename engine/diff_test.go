package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

// told writes changes shortly: code node field: from -> to.
func told(t *testing.T, changes []engine.Change) []string {
	t.Helper()
	lines := make([]string, 0, len(changes))
	for _, c := range changes {
		line := c.Code + " " + c.Node
		if c.Field != "" {
			line += " " + c.Field
		}
		if c.From != nil || c.To != nil {
			from, err := json.Marshal(c.From)
			require.NoError(t, err)
			to, err := json.Marshal(c.To)
			require.NoError(t, err)
			line += fmt.Sprintf(": %s -> %s", from, to)
		}
		lines = append(lines, line)
	}
	return lines
}

const diffed = `{"graph": {"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "tag_added", "tag": "tag:vip"}]}},
	{"id": "mail-1", "kind": "send_email", "name": "", "config": {"creative": "creative:one", "class": "marketing"}},
	{"id": "wait-1", "kind": "wait", "name": "", "config": {"mode": "duration", "for": {"amount": 3, "unit": "days"}}},
	{"id": "mail-2", "kind": "send_email", "name": "", "config": {"creative": "creative:two", "class": "marketing"}}],
	"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-2"}]},
	"creatives": {"one": {"channel": "email", "subject": "Hello", "blocks": [{"id": "b1", "type": "heading", "text": "Hi", "level": 1},
		{"id": "b2", "type": "text", "doc": {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "First "}, {"type": "text", "text": "words"}]}]}}]},
		"two": {"channel": "email", "subject": "Again", "blocks": []}}}`

func bundleOf(t *testing.T, raw string) (b engine.Bundle) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), &b))
	return b
}

func TestDiffSaysEachChangeByStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(b *engine.Bundle)
		says []string
	}{
		"Nothing": {func(*engine.Bundle) {}, []string{}},
		"ASetting": {func(b *engine.Bundle) {
			b.Graph.Nodes[2].Config = json.RawMessage(`{"for": {"unit": "days", "amount": 5}, "mode": "duration"}`)
		}, []string{`field wait-1 for: {"amount":3,"unit":"days"} -> {"amount":5,"unit":"days"}`}},
		"OrderOfMembersIsNone": {func(b *engine.Bundle) {
			b.Graph.Nodes[2].Config = json.RawMessage(`{"for": {"unit": "days", "amount": 3}, "mode": "duration"}`)
		}, []string{}},
		"AStepBetweenMovesNobody": {func(b *engine.Bundle) {
			b.Graph.Nodes = append(b.Graph.Nodes, engine.Node{ID: "tag-1", Kind: "add_tag", Config: json.RawMessage(`{"tag": "tag:x"}`)})
			b.Graph.Edges[2] = engine.Edge{From: "wait-1", Port: "next", To: "tag-1"}
			b.Graph.Edges = append(b.Graph.Edges, engine.Edge{From: "tag-1", Port: "next", To: "mail-2"})
		}, []string{`step_added tag-1: null -> ["wait-1:next"]`}},
		"AStepTakenOutMovesNobody": {func(b *engine.Bundle) {
			b.Graph.Nodes = append(b.Graph.Nodes[:2:2], b.Graph.Nodes[3])
			b.Graph.Edges = []engine.Edge{b.Graph.Edges[0], {From: "mail-1", Port: "next", To: "mail-2"}}
		}, []string{"step_removed wait-1"}},
		"AMovedStep": {func(b *engine.Bundle) {
			b.Graph.Edges = []engine.Edge{{From: "in", Port: "next", To: "wait-1"}, {From: "wait-1", Port: "next", To: "mail-1"}, {From: "mail-1", Port: "next", To: "mail-2"}}
		}, []string{`step_moved mail-1: ["in"] -> ["wait-1"]`, `step_moved wait-1: ["mail-1"] -> ["in"]`, `step_moved mail-2: ["wait-1"] -> ["mail-1"]`}},
		"APathThatEnds": {func(b *engine.Bundle) { b.Graph.Edges = b.Graph.Edges[:2] }, []string{"path_ends wait-1 next", `step_moved mail-2: ["wait-1"] -> null`}},
		"OffAndRenamed": {func(b *engine.Bundle) {
			b.Graph.Nodes[1].Off, b.Graph.Nodes[1].Name = true, "Hello"
		}, []string{`step_renamed mail-1: null -> "Hello"`, "step_off mail-1"}},
		"AnotherKind": {func(b *engine.Bundle) {
			b.Graph.Nodes[2] = engine.Node{ID: "wait-1", Kind: "join", Config: json.RawMessage(`{}`)}
		}, []string{`step_replaced wait-1: "wait" -> "join"`}},
		"TriggersAndReentry": {func(b *engine.Bundle) {
			b.Graph.Nodes[0].Config = json.RawMessage(`{"triggers": [{"kind": "list_join", "list": "list:news"}], "reentry": {"rule": "after_exit"}}`)
		}, []string{
			`trigger_removed in: {"kind":"tag_added","tag":"tag:vip"} -> null`, `trigger_added in: null -> {"kind":"list_join","list":"list:news"}`,
			`field in reentry: null -> {"rule":"after_exit"}`,
		}},
		"Words": {func(b *engine.Bundle) {
			one := b.Creatives["one"]
			one.Subject = "Good day"
			one.Blocks = []engine.Block{one.Blocks[0], one.Blocks[1], {ID: "b3", Type: "divider"}}
			one.Blocks[1].Doc = json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Other words"}]},{"type":"paragraph","content":[{"type":"text","text":"follow"}]}]}`)
			b.Creatives["one"] = one
		}, []string{
			`text mail-1 subject: "Hello" -> "Good day"`, `text mail-1 blocks.b2: "First words" -> "Other words follow"`, `text mail-1 blocks.b3: null -> "divider"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := bundleOf(t, diffed), bundleOf(t, diffed)
			c.edit(&after)
			require.Equal(t, c.says, told(t, engine.Diff(before, after)))
		})
	}
}

func TestDiffOfADocumentWithItselfIsEmpty(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/funnels/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, engine.Diff(bundleOf(t, string(raw)), bundleOf(t, string(raw))), file)
		all := engine.Diff(engine.Bundle{}, bundleOf(t, string(raw)))
		for _, c := range all {
			require.Equal(t, engine.ChangeStepAdded, c.Code, file)
		}
	}
}
