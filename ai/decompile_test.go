package ai_test

import (
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/stretchr/testify/require"
)

func TestAPlanReadBackFromItsGraphDrawsTheSameGraph(t *testing.T) {
	t.Parallel()
	for _, prompt := range append(basePrompts, "seria powitalna", "пробный период", "when tag lead is added, A/B test 50/50 two emails", "when tag lead is added wait until they book, at most 5 days, then email") {
		base := drawn(prompt)
		again := ai.Compile(ai.Decompile(base), ai.Setting{Kinds: ai.Drawable(), Language: "en"})
		require.Len(t, again.Bundle.Graph.Nodes, len(base.Graph.Nodes), prompt)
		require.Len(t, again.Bundle.Graph.Edges, len(base.Graph.Edges), prompt)
		for _, kind := range []string{"wait", "goal", "condition", "split", "add_tag"} {
			was, is := ofKind(base, kind), ofKind(again.Bundle, kind)
			require.Len(t, is, len(was), "%s: %s", prompt, kind)
			for i := range was {
				require.JSONEq(t, string(was[i].Config), string(is[i].Config), "%s: %s", prompt, was[i].ID)
			}
		}
	}
}
