package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func TestPartsThatHoldOthersAreJudged(t *testing.T) {
	t.Parallel()
	name := engine.Block{ID: "n", Type: "heading", Text: `{{ item.name | default("") }}`, Level: 3}
	inside := func(block engine.Block, children ...engine.Block) engine.Block { block.Blocks = children; return block }
	list := engine.Block{ID: "r", Type: "repeat", Over: "event.items"}
	for what, c := range map[string]struct {
		block engine.Block
		code  string // "" is sound
	}{
		"a list":                     {inside(list, name), ""},
		"a condition in a list":      {inside(list, inside(engine.Block{ID: "s", Type: "show_if", When: "item.price > 10"}, name)), ""},
		"no list named":              {inside(engine.Block{ID: "r", Type: "repeat"}, name), engine.CodeFieldRequired},
		"a list that is no path":     {inside(engine.Block{ID: "r", Type: "repeat", Over: "event.items | first"}, name), engine.CodeFieldInvalid},
		"a list nobody knows":        {inside(engine.Block{ID: "r", Type: "repeat", Over: "event.itms"}, name), engine.CodeVarUnknown},
		"no condition":               {inside(engine.Block{ID: "s", Type: "show_if"}, engine.Block{ID: "d", Type: "divider"}), engine.CodeFieldRequired},
		"an item outside of a list":  {name, engine.CodeVarUnknown},
		"a list in a list":           {inside(list, inside(engine.Block{ID: "q", Type: "repeat", Over: "event.items"}, name)), engine.CodeFieldInvalid},
		"a footer in a list":         {inside(list, engine.Block{ID: "f", Type: "footer"}), engine.CodeFieldInvalid},
		"a heading that holds parts": {inside(name, engine.Block{ID: "d", Type: "divider"}), engine.CodeFieldInvalid},
		"the same id twice":          {inside(list, engine.Block{ID: "b1", Type: "divider"}), engine.CodeIDTwice},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			bundle := enginetest.Corpus(t, "funnels")["abandoned-cart"]
			bundle.Workspace.Events["cart_updated"] = append(bundle.Workspace.Events["cart_updated"], "items")
			creative := bundle.Creatives["cart-1"]
			creative.Blocks = append([]engine.Block{c.block}, creative.Blocks...)
			bundle.Creatives["cart-1"] = creative
			problems := engine.Validate(bundle)
			if c.code == "" {
				require.Empty(t, problems)
				return
			}
			require.NotEmpty(t, problems)
			require.Equal(t, c.code, problems[0].Code, problems[0].Message)
		})
	}
}
