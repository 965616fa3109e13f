package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

func TestP10_AStepIsTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Off")
	p := w.Open(Screen{})
	p.Edit(id)
	p.Card("mail-1")
	p.ok(p.ID("step-mail-1").Focus(), "be on the card")
	p.Press("d")
	p.Reads(p.Marks("mail-1"), "Turned off")
	p.Reads(p.ID("step-mail-1"), "people pass by")
	require.Contains(t, p.String(`() => [...document.querySelectorAll("[data-testid=step-mail-1] *")].map((e) => getComputedStyle(e).textDecorationLine).join(" ")`), "line-through")
	p.Saved()
	for _, n := range p.Kept(id).Graph.Nodes {
		require.Equal(t, n.ID == "mail-1", n.Off, n.ID)
	}
	p.Press("s")
	p.Click(p.GetByText("A sample contact"))
	p.Click(p.Role("button", "Simulate"))
	p.See(p.GetByText("Skipped, turned off:").First())
}

func TestP11_EveryChangeOfTheDocumentIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Labels")
	p := w.Open(Screen{})
	p.Edit(id)
	stage := func() string { p.Saved(); text, _ := w.Whole(id); return text }
	start, _ := w.Whole(id)
	onCard := func(step string) { p.Card(step); p.ok(p.ID("step-"+step).Focus(), "be on the card") }

	for _, c := range []struct {
		label string
		edit  func()
	}{
		{"add “Wait”", func() { p.Insert("mail-1", "next", "wait", "wait-2") }},
		{"remove “Second letter”", func() { onCard("mail-2"); p.Press("Delete") }},
		{"rename “First letter”", func() { p.Card("mail-1"); p.Write(p.Inspector().GetByLabel("Name of the step"), "Renamed") }},
		{"move 2 steps", func() {
			onCard("mail-1")
			p.ShiftClick(p.ID("step-wait-1"))
			p.Press("m")
			p.Press("Enter")
		}},
		{"lead to “First letter”", func() {
			p.Click(p.ID("insert-mail-2-next"))
			p.Type("first letter")
			p.Press("Enter")
		}},
		{"turn off “First letter”", func() { onCard("mail-1"); p.Press("d") }},
		{"duplicate “First letter”", func() { onCard("mail-1"); p.Press("Control+d") }},
		{"paste 1 step", func() { onCard("mail-1"); p.Press("Control+c"); p.Press("Control+v") }},
		{"write a note", func() { onCard("mail-1"); p.Press("n"); p.Type("Why"); p.Press("Escape") }},
		{"draw to the right", func() { onCard("mail-1"); p.Press("Shift+D") }},
		{"rename the funnel", func() { p.Write(p.Role("textbox", "Name of the funnel"), "Other name") }},
	} {
		c.edit()
		require.NotEqual(t, start, stage(), c.label)
		p.Undoable(c.label)
		// Choosing and looking are nothing to undo.
		onCard("start")
		p.Press("-")
		p.Undoable(c.label)
		p.Click(p.UndoButton())
		if c.label == "write a note" {
			p.Click(p.UndoButton())
		}
		require.JSONEq(t, start, stage(), c.label)
		p.ok(p.expect.Locator(p.UndoButton()).ToBeDisabled(), "have undone all")
	}
	onCard("start")
	p.Press("Control+y")
	p.See(p.Locator(`[data-canvas]`))
	require.NotEqual(t, start, stage(), "done again by Ctrl Y")
	p.Press("Control+z")
	require.JSONEq(t, start, stage())
	p.Press("Control+Shift+z")
	require.NotEqual(t, start, stage(), "done again by Ctrl Shift Z")
}

func TestP12_TwoHundredStepsBackOverAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Depth")
	p := w.Open(Screen{})
	p.Edit(id)
	p.Card("wait-1")
	p.ok(p.ID("step-wait-1").Focus(), "be on the card")
	for range 204 {
		p.Press("d")
	}
	p.Saved()
	_, err := p.Reload()
	p.ok(err, "reload")
	p.See(p.ID("step-wait-1"))
	p.ok(p.ID("step-wait-1").Focus(), "be on the card")
	undo := p.UndoButton()
	for range 199 {
		p.Press("Control+z")
	}
	p.ok(p.expect.Locator(undo).ToBeEnabled(), "have one more to undo")
	p.Press("Control+z")
	p.ok(p.expect.Locator(undo).ToBeDisabled(), "go back two hundred and no more")
	require.LessOrEqual(t, p.Number(`(id) => (sessionStorage.getItem("lejek.history." + id) ?? "").length * 2`, id), 2.0*1024*1024)

	// What is typed at a stretch is one entry; leaving the field ends it.
	p.Card("mail-1")
	name := p.Inspector().GetByLabel("Name of the step")
	p.Click(name)
	p.Press("End")
	p.Type(" of many")
	p.ok(name.Blur(), "leave the field")
	p.Click(name)
	p.Press("End")
	p.Type(" words")
	p.ok(name.Blur(), "leave the field")
	p.Card("start")
	for _, left := range []string{"First letter of many", "First letter"} {
		p.Click(undo)
		p.Reads(p.ID("step-mail-1"), left)
	}
	p.ok(p.expect.Locator(p.ID("step-mail-1")).Not().ToContainText("of many"), "be as it was")
}

func TestP13_KeysAreLettersWhereOneTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Typing")
	p := w.Open(Screen{})
	p.Edit(id)
	before, _ := w.Whole(id)
	steps := p.Locator(`[data-canvas] [data-testid^="step-"]`)
	p.Card("mail-1")
	name := p.Inspector().GetByLabel("Name of the step")
	p.Click(name)
	p.Press("Control+a")
	for _, key := range []string{"d", "?", "m", "n", "/", "1"} {
		p.Press(key)
	}
	p.ok(p.expect.Locator(name).ToHaveValue("d?mn/1"), "have typed letters")
	p.Count(p.Locator("[role=dialog]"), 0)
	p.Press("Delete")
	p.Count(steps, 4)
	for range 6 {
		p.Press("Control+z")
	}
	p.ok(p.expect.Locator(name).ToHaveValue("First letter"), "undo in the field is the field's own")

	// Inside a menu, letters belong to the menu.
	p.Click(p.Role("button", "More for this step"))
	p.See(p.Role("menuitem", "Duplicate"))
	p.Press("d")
	p.ok(p.expect.Locator(p.Marks("mail-1")).Not().ToContainText("Turned off"), "stay on")
	p.Press("Escape")

	// While text is marked, keys are about the text.
	p.Card("mail-1")
	p.ok(p.Inspector().Locator("header b").First().SelectText(), "mark words of the panel")
	p.Press("Delete")
	p.Press("d")
	p.Count(steps, 4)
	p.ok(p.expect.Locator(p.Marks("mail-1")).Not().ToContainText("Turned off"), "stay on")
	_, err := p.Evaluate(`() => getSelection().removeAllRanges()`)
	p.ok(err, "mark nothing")
	p.Saved()
	after, _ := w.Whole(id)
	require.JSONEq(t, before, after)
}

func TestP14_StepsAreCopiedAcrossFunnelsAndTabs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	from := w.Draw("From", []string{"start entry", "mail-1 send_email Hello", "tag-1 add_tag", "mail-2 send_email Good bye"},
		[]string{"start next mail-1", "mail-1 next tag-1", "tag-1 next mail-2"})
	to := w.Draw("To", []string{"start entry", "mail-1 send_email Hello", "wait-1 wait"}, []string{"start next mail-1", "mail-1 next wait-1"})
	p := w.Open(Screen{})
	p.Edit(from)
	p.Card("mail-1")
	p.ShiftClick(p.ID("step-tag-1"))
	p.ShiftClick(p.ID("step-mail-2"))
	p.Press("Control+c")

	tab, err := p.context.NewPage()
	p.ok(err, "open a tab")
	other := &Page{Page: tab, t: t, world: w, context: p.context, expect: p.expect}
	other.Edit(to)
	// It lands on the link that is chosen.
	other.Click(other.ID("step-wait-1"))
	x, y := other.Middle(other.ID("insert-start-next"))
	other.ok(other.Mouse().Click(x, y+16), "choose the link")
	other.Press("Control+v")
	other.See(other.ID("step-mail-3"))
	kept := other.Kept(to)
	require.Equal(t, "mail-2", kept.To("start", "next"))
	require.Equal(t, "tag-1", kept.To("mail-2", "next"))
	require.Equal(t, "mail-3", kept.To("tag-1", "next"))
	require.Equal(t, "mail-1", kept.To("mail-3", "next"), "what followed the link follows the copies")
	require.Equal(t, map[string]string{"start": "", "mail-1": "Hello", "wait-1": "", "mail-2": "Hello (copy)", "tag-1": "", "mail-3": "Good bye"}, kept.Names())
	require.Len(t, kept.Creatives, 3, "each copy has a message of its own")
	other.See(other.Locator(`[data-testid="marks-tag-1"] [data-testid^="problem-"]`)) // what it needs is missing, and it is said

	// Cut and duplicate.
	p.Press("Escape")
	p.Card("tag-1")
	p.ok(p.ID("step-tag-1").Focus(), "be on the card")
	p.Press("Control+x")
	p.Count(p.ID("step-tag-1"), 0)
	require.Equal(t, "mail-2", p.Kept(from).To("mail-1", "next"))
	p.Card("mail-2")
	p.ok(p.ID("step-mail-2").Focus(), "be on the card")
	p.Press("Control+d")
	p.Reads(p.ID("step-mail-3"), "Good bye (copy)")
	require.Equal(t, "mail-3", p.Kept(from).To("mail-2", "next"))

	// What is no step of ours, or a newer one, is refused in words.
	for text, why := range map[string]string{
		"Just words": "What was copied is not a step of a funnel.",
		`{"lejek":"steps","version":99,"steps":[1,2]}`: "copied in a newer version of Lejek",
	} {
		name := p.Role("textbox", "Name of the funnel")
		p.Write(name, text)
		p.Press("Control+a")
		p.Press("Control+c")
		p.Card("mail-2")
		p.ok(p.ID("step-mail-2").Focus(), "be on the card")
		p.Press("Control+v")
		p.See(p.Locator(".mantine-Notification-root").Filter(playwright.LocatorFilterOptions{HasText: why}))
	}
}

func TestP15_SeveralStepsAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Fork("Several")
	p := w.Open(Screen{})
	p.Edit(id)
	bar := p.ID("selection-bar")

	p.Card("mail-1")
	p.ShiftClick(p.ID("step-mail-2"))
	p.Count(p.Chosen(), 2)
	p.Reads(bar, "2 steps chosen")
	p.ShiftClick(p.ID("step-mail-2"))
	p.Count(p.Chosen(), 1)

	// A box drawn with Shift over the two lower rows, in a browser that is busy when the mouse is let go.
	p.Press("Escape")
	one, two := p.Box(p.ID("step-mail-1")), p.Box(p.ID("step-mail-3"))
	p.ok(p.Keyboard().Down("Shift"), "hold Shift")
	p.ok(p.Mouse().Move(one.X-20, one.Y-10), "point")
	p.ok(p.Mouse().Down(), "press")
	p.ok(p.Mouse().Move(two.X+40, two.Y+40, playwright.MouseMoveOptions{Steps: new(4)}), "draw")
	p.Number(`() => { window.addEventListener("pointerup", () => { const at = performance.now(); while (performance.now() - at < 150); }, { once: true }); return 0; }`)
	p.Drop()
	p.ok(p.Keyboard().Up("Shift"), "let Shift go")
	p.Count(p.Chosen(), 3)

	p.Press("Control+a")
	p.Count(p.Chosen(), 5)
	p.Press("Escape")
	p.Card("mail-2")
	p.ok(p.ID("step-mail-2").Focus(), "be on the card")
	p.Press("b")
	p.Count(p.Chosen(), 2)
	for _, name := range []string{"Move", "Copy", "Duplicate", "Turn off or on", "Wrap in a note", "Save as template", "Remove"} {
		p.See(bar.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: name, Exact: new(true)}))
	}
	press := func(name string) {
		p.Click(bar.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: name, Exact: new(true)}))
	}
	press("Turn off or on")
	off := 0
	for _, n := range p.Kept(id).Graph.Nodes {
		if n.Off {
			off++
		}
	}
	require.Equal(t, 2, off)
	press("Wrap in a note")
	p.Type("Those who said no")
	p.Press("Escape")
	require.Equal(t, []string{"mail-2", "mail-3"}, p.Kept(id).Layout.Notes[0].Around)

	p.Card("mail-2")
	p.ShiftClick(p.ID("step-mail-3"))
	press("Save as template")
	p.See(p.GetByText("Saved as a template: On no").First())
	press("Move")
	p.Click(p.ID("insert-start-next"))
	kept := p.Kept(id)
	require.Equal(t, "mail-2", kept.To("start", "next"))
	require.Equal(t, "if-1", kept.To("mail-3", "next"))
	require.Empty(t, kept.To("if-1", "no"))
	press("Remove")
	require.Equal(t, "if-1", p.Kept(id).To("start", "next"))
}
