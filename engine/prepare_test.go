package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// writing adds a step that writes texts.
func writing(f *enginetest.Funnel, texts string) *enginetest.Funnel { return writingAs(f, "ai", texts) }

func writingAs(f *enginetest.Funnel, id, texts string) *enginetest.Funnel {
	return f.Then(id, "ai_generate", enginetest.C{
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
		"where a rule decides":            {writing(start().Wait("w", 2, "hours").Then("x", "condition", enginetest.C{"rule": enginetest.C{"tag": "tag:x"}}).From("x", "yes"), "live"), time.Hour},
		"not behind a wait of a branch":   {writing(start().Wait("w", 2, "hours").Then("x", "condition", enginetest.C{"rule": enginetest.C{"tag": "tag:x"}}).From("x", "yes").Wait("y", 2, "hours"), "live"), -1},
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
			require.Equal(t, []string{"ai"}, asked[0].Steps)
			require.Equal(t, []string{"city"}, asked[0].Requests[0].Attributes)
		})
	}
}

func TestTheTextsOfAllWaysOfABranchArePreparedWhileTheyAreFew(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	start := func() *enginetest.Funnel { return enginetest.New(enginetest.Manual()).Wait("w", 2, "hours") }
	asks := func(f *enginetest.Funnel, id string) *enginetest.Funnel {
		return f.Then(id, "condition", enginetest.C{"rule": enginetest.C{"tag": "tag:x"}})
	}
	both := func(f *enginetest.Funnel) *enginetest.Funnel {
		return writingAs(writingAs(asks(f, "x").From("x", "yes"), "yes", "live").From("x", "no").Tag("t", "t"), "no", "live")
	}
	for name, c := range map[string]struct {
		funnel *enginetest.Funnel
		steps  []string
	}{
		"both answers":              {both(start()), []string{"yes", "no"}},
		"one way is approved texts": {writingAs(writingAs(asks(start(), "x").From("x", "yes"), "yes", "approved").From("x", "no"), "no", "live"), []string{"no"}},
		"two in a row":              {writingAs(writingAs(start(), "one", "live"), "two", "live"), []string{"one", "two"}},
		"one before and both after": {both(writingAs(start(), "one", "live")), []string{"one", "yes", "no"}},
		"too many for nobody":       {both(writingAs(writingAs(start(), "one", "live"), "two", "live")), []string{"one", "two"}},
		"a condition in a branch":   {both(asks(start(), "z").From("z", "no")), []string{"yes", "no"}},
		"the ways of a split": {writingAs(writingAs(start().Then("s", "split", enginetest.C{"arms": []enginetest.C{{"id": "a", "label": "A", "weight": 50}, {"id": "b", "label": "B", "weight": 50}}}).
			From("s", "a"), "one", "live").From("s", "b"), "two", "live"), []string{"one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			walk := enginetest.StartByHand(t, c.funnel.Plan(t), enginetest.Person("anna"), at)
			var asked []engine.Prepare
			for _, effect := range walk.Effects {
				if wish, ok := effect.(engine.Prepare); ok {
					asked = append(asked, wish)
				}
			}
			require.Len(t, asked, 1, "one call for a wait")
			require.Equal(t, c.steps, asked[0].Steps)
			require.Len(t, asked[0].Requests, len(c.steps))
			require.Equal(t, at.Add(time.Hour), asked[0].Due)
		})
	}
}
