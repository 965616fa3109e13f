package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTenEditsAreUndoneAndDoneAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	id := p.NewFunnel()
	// Keys mean undo only where nobody types: the start's card takes the focus.
	onCard := func() { p.Click(p.ID("step-start")) }

	stages := []string{w.Draft(id)}
	for _, edit := range []func(){
		func() { p.Write(p.Role("textbox", "Name of the funnel"), "Ten edits") },
		func() { p.Insert("start", "next", "e-mail", "mail-1") },
		func() { p.Write(p.Subject(), "Welcome to us") },
		func() { p.Write(p.Text(), "Good that you are here.") },
		func() { p.Insert("mail-1", "next", "wait", "wait-1") },
		func() { p.Write(p.Input("for"), "5") },
		func() { p.Choose(p.Field("for").Locator(`input[aria-label$=": unit"]`), "", "hours") },
		func() { p.Insert("wait-1", "next", "condition", "if-1") },
		func() { p.Insert("if-1", "no", "split", "split-1") },
		func() { p.Click(p.ID("step-wait-1")); p.Press("d") },
	} {
		edit()
		p.Saved()
		draft := w.Draft(id)
		require.NotEqual(t, stages[len(stages)-1], draft, "edit %d changes the draft", len(stages))
		stages = append(stages, draft)
	}

	onCard()
	for i := 9; i >= 0; i-- {
		if i%2 == 0 {
			p.Press("Control+z")
		} else {
			p.Click(p.Role("button", "Undo"))
			onCard()
		}
		p.Saved()
		require.Equal(t, stages[i], w.Draft(id), "after undoing edit %d", i+1)
	}
	p.ok(p.expect.Locator(p.Role("button", "Undo")).ToBeDisabled(), "find nothing more to undo")
	for i := 1; i <= 10; i++ {
		if i%2 == 0 {
			p.Press("Control+y")
		} else {
			p.Click(p.Role("button", "Redo"))
			onCard()
		}
		p.Saved()
		require.Equal(t, stages[i], w.Draft(id), "after doing edit %d again", i)
	}

	_, err := p.Reload()
	p.ok(err, "reload")
	p.See(p.ID("step-split-1"))
	p.Reads(p.ID("step-mail-1"), "Welcome to us")
	require.Equal(t, stages[10], w.Draft(id), "opening a funnel writes nothing")
	p.Click(p.Role("button", "Undo"))
	p.Saved()
	require.Equal(t, stages[9], w.Draft(id), "what was done before the reload can still be undone")
}
