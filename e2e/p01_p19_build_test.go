package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

func TestP01_AStepIsInsertedOnALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Insert")
	p := w.Open(Screen{})
	p.Edit(id)

	plus := p.ID("insert-mail-1-next")
	p.ok(plus.Hover(), "point at the link")
	box := p.Box(plus)
	require.GreaterOrEqual(t, box.Width, 28.0)
	require.GreaterOrEqual(t, box.Height, 28.0)

	p.Click(plus)
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type("wai")
	p.Press("Enter")
	p.See(p.ID("step-wait-2"))
	p.See(p.Inspector())
	kept := p.Kept(id)
	require.Equal(t, "wait-2", kept.To("mail-1", "next"))
	require.Equal(t, "wait-1", kept.To("wait-2", "next"))

	// From "I want an SMS here" to its text: press '+', type, Enter.
	p.Click(p.ID("insert-mail-2-next"))
	p.Type("sms")
	p.Press("Enter")
	p.Focused(p.Inspector().Locator(`[data-field="creative.text"] [contenteditable=true], [data-field="creative.text"] textarea`))

	touch := w.Open(Screen{Width: 1180, Height: 820, Touch: true})
	touch.Edit(id)
	box = touch.Box(touch.ID("insert-mail-1-next"))
	require.GreaterOrEqual(t, box.Width, 44.0)
	require.GreaterOrEqual(t, box.Height, 44.0)
	touch.Tap(touch.ID("insert-mail-1-next"))
	touch.See(touch.ID("picker"))
}

func TestP02_ThePickerKnowsOtherWordsAndSaysWhyNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Words")
	for _, c := range []struct {
		language string
		words    map[string]string
	}{
		{"en-GB", map[string]string{"text": "send_sms", "delay": "wait", "if": "condition"}},
		{"pl-PL", map[string]string{"wiadomość tekstowa": "send_sms", "opoznienie": "wait", "jeśli": "condition"}},
		{"ru-RU", map[string]string{"смс": "send_sms", "задержка": "wait", "если": "condition"}},
	} {
		p := w.Open(Screen{Language: c.language})
		p.Edit(id)
		p.Click(p.ID("insert-mail-1-next"))
		search := p.ID("picker").GetByRole("combobox")
		for word, kind := range c.words {
			p.ok(search.Fill(word), "type %s", word)
			p.See(p.ID("picker").Locator(`[role=option]`).First().And(p.ID("pick-" + kind)))
		}
		if c.language != "en-GB" {
			continue
		}
		p.ok(search.Fill(""), "empty the search")
		p.See(p.ID("picker").GetByText("Often used next"))
		p.See(p.ID("picker").Locator(`[role=option]`).First().And(p.ID("pick-wait")))
		start := p.ID("pick-entry")
		p.Reads(start, "A funnel has exactly one. It is there already.")
		disabled, err := start.GetAttribute("aria-disabled")
		p.ok(err, "read")
		require.Equal(t, "true", disabled)
		steps := p.Locator(`[data-testid^="step-"]`)
		before, err := steps.Count()
		p.ok(err, "count")
		p.ok(start.Click(playwright.LocatorClickOptions{Force: new(true)}), "press what is not allowed")
		p.Count(steps, before)
	}
}

func TestP03_AKindIsDraggedFromThePalette(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Palette")
	p := w.Open(Screen{})
	p.Edit(id)
	lit := p.Locator(`[data-slot] button[data-lit="true"]`)
	x, y := p.Middle(p.ID("insert-wait-1-next"))

	p.Click(p.ID("open-palette"))
	p.Type("wait")
	p.Grab(p.ID("pick-wait"), x, y)
	p.Count(lit, 4)
	p.Press("Escape")
	p.Drop()
	p.Count(lit, 0)
	p.Count(p.ID("step-wait-2"), 0)

	// There is exactly one start: no place lights up for another.
	p.Press("Escape")
	p.Click(p.ID("open-palette"))
	p.Type("trigger")
	p.Grab(p.ID("pick-entry"), x, y)
	p.Count(lit, 0)
	p.Drop()

	p.Press("Escape")
	p.Click(p.ID("open-palette"))
	p.Type("wait")
	p.Grab(p.ID("pick-wait"), x, y)
	p.Drop()
	p.See(p.ID("step-wait-2"))
	require.Equal(t, "wait-2", p.Kept(id).To("wait-1", "next"))
	p.Undoable("add “Wait”")
}

func TestP04_ACardIsDraggedToAnotherPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Fork("Move")
	p := w.Open(Screen{})
	p.Edit(id)

	x, y := p.Middle(p.ID("insert-mail-1-next"))
	p.Grab(p.ID("step-mail-2"), x, y)
	p.Count(p.Locator(`[data-slot] button[data-lit="true"]`), 4) // not where it is, nor right behind itself
	p.Drop()
	p.See(p.Role("menuitem", "Move this step and all below"))
	p.Click(p.Role("menuitem", "Move only this step"))
	kept := p.Kept(id)
	require.Equal(t, "mail-2", kept.To("mail-1", "next"))
	require.Equal(t, "mail-3", kept.To("if-1", "no"))
	p.Undoable("move “On no”")
	p.Click(p.UndoButton())

	p.ok(p.Keyboard().Down("Alt"), "hold Alt")
	x, y = p.Middle(p.ID("insert-mail-1-next"))
	p.Grab(p.ID("step-mail-2"), x, y)
	p.Drop()
	p.ok(p.Keyboard().Up("Alt"), "let Alt go")
	p.Count(p.Role("menuitem", "Move only this step"), 0)
	kept = p.Kept(id)
	require.Equal(t, "mail-2", kept.To("mail-1", "next"))
	require.Equal(t, "mail-3", kept.To("mail-2", "next"))
	require.Empty(t, kept.To("if-1", "no"))

	// At the edge the canvas comes along while the pointer rests.
	ground := p.Box(p.Locator("[data-canvas]"))
	before := p.Sight()
	p.Grab(p.ID("step-mail-1"), ground.X+ground.Width/2, ground.Y+ground.Height-6)
	scrolled := p.Number(`(before) => new Promise((done) => {
		const y = (t) => Number(/translate\(.*?, *(-?[\d.]+)px/.exec(t)[1]);
		const look = () => {
			const by = y(before) - y(document.querySelector(".react-flow__viewport").style.transform);
			if (by > 100) done(by); else requestAnimationFrame(look);
		};
		look();
	})`, before)
	require.Greater(t, scrolled, 100.0)
	p.Press("Escape")
	p.Drop()
}

func TestP05_ALoopIsAChipThatLeadsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Draw("Loop", []string{"start entry", "mail-2 send_email Tell them", "mail-1 send_email A letter"}, []string{"start next mail-2", "mail-2 next mail-1"})
	p := w.Open(Screen{})
	p.Edit(id)
	p.Click(p.ID("insert-mail-1-next"))
	p.Type("tell them")
	p.Click(p.ID("picker").Locator(`[role=option]`).Filter(playwright.LocatorFilterOptions{HasText: "Tell them"}).Last())
	chip := p.ID("goto-mail-1-next")
	p.Reads(chip, "Go to: Tell them")
	require.Equal(t, "mail-2", p.Kept(id).To("mail-1", "next"))

	// The line ends at the chip right below the card and leads nowhere back.
	line := p.String(`() => document.querySelector("[data-testid=edge-mail-1-next]").getAttribute("d")`)
	var x0, y0, x1, y1 float64
	_, err := fmt.Sscanf(strings.NewReplacer("M", "", "L", " ").Replace(line), "%g %g %g %g", &x0, &y0, &x1, &y1)
	p.ok(err, "read %s", line)
	require.InDelta(t, x0, x1, 0.1)
	require.InDelta(t, y0+38, y1, 30)

	p.Click(chip.GetByRole("button").First())
	p.See(p.Locator(`[data-testid="step-mail-2"][aria-pressed="true"]`))

	// Without a wait inside, it cannot be published.
	p.Saved()
	p.See(p.ID("problem-CYCLE_NO_WAIT").First())
	p.Click(p.Role("button", "Publish to sandbox"))
	p.Reads(p.ID("publish-dialog"), "Put a wait of a minute or more")
	p.ok(p.expect.Locator(p.ID("publish-confirm")).ToBeDisabled(), "be refused")
}

func TestP06_ThePictureFollowsTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Fork("Picture")
	p := w.Open(Screen{})
	p.Edit(id)
	all := []string{"start", "if-1", "mail-1", "mail-2", "mail-3"}
	stand := func() (at [][2]float64) {
		for _, s := range all {
			x, y := p.Grounded(s)
			at = append(at, [2]float64{x, y})
		}
		return at
	}
	yes, no := p.Box(p.ID("insert-if-1-yes")), p.Box(p.ID("insert-if-1-no"))
	require.Less(t, yes.X, no.X, "yes is on the left, as in the inspector")
	before := stand()
	_, err := p.Reload()
	p.ok(err, "reload")
	p.See(p.ID("step-mail-3"))
	require.Equal(t, before, stand(), "the same document gives the same picture")

	p.Insert("if-1", "yes", "condition", "if-2")
	for i, at := range stand() {
		require.GreaterOrEqual(t, at[0], before[i][0], "%s moves right or stays", all[i])
		require.GreaterOrEqual(t, at[1], before[i][1], "%s moves down or stays", all[i])
	}
	x1, _ := p.Grounded("mail-1")
	x2, _ := p.Grounded("mail-2")
	require.Less(t, x1, x2, "the branches keep their order")

	last := func() float64 {
		return p.Number(`() => Math.max(...getComputedStyle(document.querySelector("[data-place]")).transitionDuration.split(",").map((d) => parseFloat(d) * 1000))`)
	}
	require.Zero(t, last(), "nothing moves for those who want it so")
	p.ok(p.EmulateMedia(playwright.PageEmulateMediaOptions{ReducedMotion: playwright.ReducedMotionNoPreference}), "want motion")
	require.InDelta(t, 150, last(), 50, "at most 200 ms")
}

func TestP07_SightAndChoiceAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Sight")
	p := w.Open(Screen{})
	p.Edit(id)
	p.Card("wait-1")
	p.Press("-")
	p.Press("-")
	ground := p.Box(p.Locator("[data-canvas]"))
	p.ok(p.Mouse().Move(ground.X+300, ground.Y+300), "point at the ground")
	p.ok(p.Mouse().Wheel(37, 53), "pan")
	require.Less(t, p.Number(`(id) => new Promise((done) => {
		const look = () => {
			const { zoom = 1 } = JSON.parse(localStorage.getItem("lejek.viewport." + id) ?? "{}");
			if (zoom < 0.75) done(zoom); else requestAnimationFrame(look);
		};
		look();
	})`, id), 0.75, "the sight is kept")
	before := p.Sight()
	for range 2 {
		p.Goto("/funnels")
		p.See(p.Role("link", "Sight"))
		p.Edit(id)
		require.Equal(t, before, p.Sight(), "opening never moves the sight")
		p.See(p.Locator(`[data-testid="step-wait-1"][aria-pressed="true"]`))
	}
	p.Insert("wait-1", "next", "wait", "wait-2")
	require.Equal(t, before, p.Sight(), "what is added is in sight already, so the sight stays")
}

func TestP08_ADirectionAndAFreePicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Line("Direction")
	p := w.Open(Screen{})
	p.Edit(id)
	p.Click(p.Role("button", "Draw downward or to the right"))
	order := []string{"start", "mail-1", "wait-1", "mail-2"}
	require.Equal(t, "right", p.Kept(id).Layout.Direction)
	xs := []float64{}
	for _, s := range order {
		x, _ := p.Grounded(s)
		xs = append(xs, x)
	}
	require.True(t, slices.IsSorted(xs), "%v", xs)
	_, err := p.Reload()
	p.ok(err, "reload")
	p.See(p.Locator(`[data-canvas][data-direction="right"]`))
	p.Press("Shift+D")
	p.See(p.Locator(`[data-canvas][data-direction="down"]`))

	guides := p.ID("guide")
	x, y := p.Middle(p.ID("step-mail-2"))
	p.Grab(p.ID("step-mail-2"), x+200, y+60)
	p.Count(guides, 0)
	p.Drop()
	require.Empty(t, p.Kept(id).Layout.Positions, "a picture that arranges itself keeps no places")

	p.Press("Shift+F")
	p.Grab(p.ID("step-mail-2"), x+203, y+61)
	p.Drop()
	places := p.Kept(id).Layout.Positions
	require.Len(t, places, 4)
	for _, at := range places {
		require.Zero(t, int(at[0])%8, "on the grid of eight")
		require.Zero(t, int(at[1])%8, "on the grid of eight")
	}
	require.Greater(t, places["mail-2"][0], places["wait-1"][0]+100)
	p.Grab(p.ID("step-mail-2"), x+2, y+90)
	p.See(guides.First())
	p.Drop()
	p.Press("Shift+Alt+T")
	p.Saved()
	kept := p.Kept(id)
	require.Equal(t, kept.Layout.Positions["wait-1"][0], kept.Layout.Positions["mail-2"][0])
	p.Undoable("tidy up")
}

func TestP09_ASplitIsRemovedWithAChoice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Fork("Remove")
	p := w.Open(Screen{})
	p.Edit(id)
	before, _ := w.Whole(id)

	p.Card("if-1")
	p.Press("Delete")
	p.See(p.ID("keep-yes"))
	p.Reads(p.ID("keep-yes"), "2 other steps go: On no, After no")
	p.Reads(p.ID("keep-no"), "1 other step goes: On yes")
	p.Reads(p.ID("keep-all"), "3 other steps go")
	p.ok(p.ID("keep-no").Hover(), "look at what stays")
	p.Count(p.ID("removal-preview").Locator(`[data-gone="true"]`), 2)
	p.Count(p.ID("removal-preview").Locator(`[data-gone="false"]`), 3)
	p.Click(p.ID("keep-no"))
	kept := p.Kept(id)
	require.Equal(t, "mail-2", kept.To("start", "next"))
	require.Len(t, kept.Graph.Nodes, 3)
	toast := p.Locator(".mantine-Notification-root").Filter(playwright.LocatorFilterOptions{HasText: "Removed:"})
	p.Click(toast.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Undo"}))
	p.Saved()
	after, _ := w.Whole(id)
	require.JSONEq(t, before, after)

	// A plain step joins its neighbours at once; the offer to take it back stays for ten seconds.
	p.Card("mail-2")
	p.Press("Delete")
	shown := p.Number(`() => performance.now()`)
	p.See(toast)
	require.Equal(t, "mail-3", p.Kept(id).To("if-1", "no"))
	p.ok(p.expect.Locator(toast).ToBeHidden(playwright.LocatorAssertionsToBeHiddenOptions{Timeout: new(14_000.0)}), "see the offer end")
	require.InDelta(t, 10_000, p.Number(`() => performance.now()`)-shown, 2500)
}
