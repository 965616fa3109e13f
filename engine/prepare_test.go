package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// writing adds a step that writes texts.
func writing(f *enginetest.Funnel, texts string) *enginetest.Funnel {
	return f.Then("ai", "ai_generate", enginetest.C{
		"variables": []enginetest.C{{"name": "hi", "instruction": "Greet", "max": 40, "fallback": "Hello"}}, "attributes": []string{"field:city"}, "texts": texts,
	})
}

func TestTextsAreAskedForBeforeAWaitEndsThatSurelyLeadsToThem(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	start := func() *enginetest.Funnel { return enginetest.New(enginetest.Manual()) }
	for name, c := range map[string]struct {
		funnel *enginetest.Funnel
		after  time.Duration // until it is asked for; negative is never
	}{
		"an hour before a long wait ends": {writing(start().Wait("w", 5, "hours"), "live"), 4 * time.Hour},
		"when a short wait begins":        {writing(start().Wait("w", 30, "minutes"), "live"), 0},
		"through steps that take no time": {writing(start().Wait("w", 2, "hours").Tag("x", "x"), "live"), time.Hour},
		"not where only approved ones go": {writing(start().Wait("w", 2, "hours"), "approved"), -1},
		"not for a step that is off":      {writing(start().Wait("w", 2, "hours"), "live").Off(), -1},
		"not before another wait":         {writing(start().Wait("w", 2, "hours").Wait("x", 2, "hours"), "live"), -1},
		"not where a rule decides":        {writing(start().Wait("w", 2, "hours").Then("x", "condition", enginetest.C{"rule": enginetest.C{"tag": "tag:x"}}).From("x", "yes"), "live"), -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			walk := enginetest.StartByHand(t, c.funnel.Plan(t), enginetest.Person("anna"), at)
			walk.Advance(at.Add(time.Minute)) // looking again asks for nothing again
			var asked []engine.Prepare
			for _, effect := range walk.Effects {
				if wish, ok := effect.(engine.Prepare); ok {
					asked = append(asked, wish)
				}
			}
			if c.after < 0 {
				require.Empty(t, asked)
				return
			}
			require.Len(t, asked, 1)
			require.Equal(t, at.Add(c.after), asked[0].Due)
			require.Equal(t, walk.Run.Deadline, asked[0].Until)
			require.Equal(t, "ai", asked[0].Step)
			require.Equal(t, []string{"city"}, asked[0].Request.Attributes)
		})
	}
}
