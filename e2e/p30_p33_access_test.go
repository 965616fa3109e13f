package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

func TestP19_CommentsBelongToAStepAndToNoVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	w.join("marketer", "Anna Nowak", "anna@studio.example")
	p, anna := w.Open(Screen{}), w.as("anna@studio.example")
	p.edit(id)
	before := w.Draft(id)
	p.Click(p.ID("step-mail-1"))
	p.Click(p.ID("comments"))
	p.Click(p.Role("textbox", "About “The first letter”"))
	p.Type("Shorter, @an")
	p.See(p.Role("option", "Anna Nowak"))
	p.Press("Enter")
	p.Type("?")
	p.Click(p.Role("button", "Comment"))
	p.Reads(p.ID("talk-mail-1"), "Shorter, @Anna Nowak ?")
	p.Reads(p.ID("comment-mail-1"), "1 comment")
	require.Equal(t, before, w.Draft(id), "a comment is no change of the draft")

	anna.edit(id)
	anna.Click(anna.ID("comment-mail-1"))
	talk := anna.ID("talk-mail-1")
	anna.Click(talk.GetByText("Answer", playwright.LocatorGetByTextOptions{Exact: new(true)}))
	anna.Click(talk.GetByRole("textbox"))
	anna.Type("Done")
	anna.Press("Control+Enter")
	anna.Reads(talk, "Done")
	anna.Click(talk.GetByText("Resolve", playwright.LocatorGetByTextOptions{Exact: new(true)}))
	anna.Gone(anna.ID("comment-mail-1"))
	anna.Click(anna.GetByText("1 resolved"))
	anna.Reads(anna.ID("talk-mail-1"), "Resolved: Anna Nowak")
}

// key presses keys one after another.
func (p *Page) keys(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.Press(key)
	}
}

func TestP30_AFunnelIsBuiltByKeyboardAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	p.Goto("/funnels")
	p.Focus(p.Role("button", "New funnel").First())
	p.Press("Enter")
	p.See(p.Role("button", "Draw a funnel"))
	p.Focus(p.Role("button", "Draw a funnel"))
	p.Press("Enter")
	p.See(p.ID("step-start"))
	p.Focus(p.ID("step-start")) // the canvas is one stop
	p.Press("ArrowDown")
	add := func(search, step string) {
		t.Helper()
		p.Press("a")
		p.Focused(p.ID("picker").GetByRole("combobox"))
		p.Type(search)
		p.Press("Enter")
		p.See(p.ID("step-" + step))
	}
	add("wait", "wait-1")
	p.Focused(p.ID("step-wait-1"))
	add("condition", "if-1")
	p.Focused(p.ID("step-if-1"))
	add("add a tag", "tag-1")
	p.Focused(p.ID("step-tag-1"))
	p.keys("ArrowUp", "ArrowUp")
	p.Focused(p.ID("step-wait-1"))
	p.Press("Shift+A") // before
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type("remove a tag")
	p.Press("Enter")
	p.Focused(p.ID("step-untag-1"))
	p.Press("ArrowDown")
	p.Focused(p.ID("step-wait-1"))
	p.Press("Enter")
	p.Focused(p.Inspector().Locator("[data-field] :focus"))
	p.Press("Escape")
	p.Focused(p.ID("step-wait-1"))

	p.Press("ArrowUp")
	p.Press("m") // the remover moves behind the wait
	p.keys("ArrowDown", "Enter")
	p.Focused(p.ID("step-untag-1"))
	p.Press("Delete")
	p.Gone(p.ID("step-untag-1"))
	p.Press("Control+z")
	p.See(p.ID("step-untag-1"))
	p.Saved()
	cards, err := p.Locator(`[data-canvas] [data-testid^="step-"]`).Count()
	p.ok(err, "count the cards")
	require.Equal(t, 5, cards)
	stops, err := p.Locator(`[data-canvas] [data-testid^="step-"][tabindex="0"]`).Count()
	p.ok(err, "count the stops")
	require.Equal(t, 1, stops, "roving focus: one stop of Tab")
}

func TestP31_AReaderHearsWhereThingsStand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.See(p.Role("region", "Canvas: Two letters"))
	p.Insert("mail-1", "next", "condition", "if-1")
	p.Press("Escape")
	name := p.ID("step-wait-1")
	p.ok(p.expect.Locator(name).ToHaveAttribute("aria-label", regexp.MustCompile(`^Waits, .+, step \d of 5, after “.+”, Yes`)), "name the card in full")
	said := p.Locator(`output.visually-hidden[aria-live="polite"]`)
	p.Count(said, 1)
	p.Reads(said, "Added")
	p.Press("Control+z")
	p.Reads(said, "Undone")
	p.Click(p.ID("step-mail-1"))
	p.Press("Escape")
	p.Press("Delete")
	p.Reads(said, "Removed: “The first letter”")
}

func TestP32_TheOutlineIsAnEditableTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.Click(p.GetByText("Outline").First())
	p.See(p.Role("tree", "Steps of Two letters"))
	p.Focus(p.ID("step-start"))
	stops, err := p.Locator(`[role=tree] [tabindex="0"]`).Count()
	p.ok(err, "count the stops")
	require.Equal(t, 1, stops, "the tree is one stop of Tab")
	p.keys("ArrowDown", "ArrowDown")
	p.Focused(p.ID("step-mail-1"))
	p.Press("a")
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type("wait")
	p.Press("Enter")
	p.See(p.ID("step-wait-2"))
	p.Focused(p.ID("step-wait-2"))
	p.Press("d")
	p.Press("End")
	p.Press("Home")
	p.Focused(p.ID("step-start"))
	p.Click(p.GetByText("Canvas").First())
	p.Reads(p.Locator(`[data-canvas]`).GetByTestId("marks-wait-2"), "Turned off") // always in sync
	p.Press("Control+z")
	p.Press("Control+z")
	p.Gone(p.ID("step-wait-2"))

	t.Run("OnPaperItIsTheOutline", func(*testing.T) {
		_, err := p.Evaluate(`() => window.dispatchEvent(new Event("beforeprint"))`)
		p.ok(err, "print")
		p.ok(p.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}), "look at the paper")
		p.See(p.Role("tree", "Steps of Two letters"))
		p.Reads(p.Role("tree", "Steps of Two letters"), "The second letter")
		p.Count(p.Locator(`[role=tree] button:visible`).Filter(playwright.LocatorFilterOptions{HasText: regexp.MustCompile("^$")}), 0)
		p.ok(p.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaScreen}), "look at the screen")
		_, err = p.Evaluate(`() => window.dispatchEvent(new Event("afterprint"))`)
		p.ok(err, "be done")
		p.See(p.Locator("[data-canvas]"))
	})
	t.Run("BelowAWidthOf768ItIsTheEditor", func(*testing.T) {
		p.ok(p.SetViewportSize(767, 900), "make the window narrow")
		p.See(p.Role("tree", "Steps of Two letters"))
		p.Count(p.Locator("[data-canvas]"), 0)
		p.ok(p.SetViewportSize(768, 900), "make it wider")
		p.See(p.Locator("[data-canvas]"))
	})
}

func TestP33_FingersReachEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{Width: 1024, Height: 768, Touch: true})
	p.edit(id)
	place := func(step string) (x, y float64) {
		box, err := p.ID("step-" + step).BoundingBox()
		p.ok(err, "measure the card")
		return box.X + box.Width/2, box.Y + box.Height/2
	}
	touch, err := p.context.NewCDPSession(p.Page)
	p.ok(err, "reach the fingers")
	fingers := func(kind string, points ...[2]float64) {
		t.Helper()
		list := []map[string]any{}
		for i, at := range points {
			list = append(list, map[string]any{"x": at[0], "y": at[1], "id": i})
		}
		_, err := touch.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": list})
		p.ok(err, "touch")
	}
	x, y := place("mail-1")
	fingers("touchStart", [2]float64{160, 600})
	for i := range 5 {
		fingers("touchMove", [2]float64{160 + float64(i+1)*10, 600})
	}
	fingers("touchEnd")
	moved, _ := place("mail-1")
	require.InDelta(t, x+50, moved, 12, "one finger moves the picture")

	before := w.Draft(id)
	x, y = place("wait-1")
	fingers("touchStart", [2]float64{x - 20, y}, [2]float64{x + 20, y})
	for i := range 5 {
		by := float64(i+1) * 6
		fingers("touchMove", [2]float64{x - 20 - by, y}, [2]float64{x + 20 + by, y})
	}
	fingers("touchEnd")
	require.Equal(t, before, w.Draft(id), "no card moves while two fingers zoom")
	p.Tap(p.ID("step-wait-1"))
	p.See(p.Inspector())
	p.Press("Escape")

	// A finger that stays opens the menu; from there a step is put elsewhere by a tap, without dragging.
	x, y = place("mail-1")
	fingers("touchStart", [2]float64{x, y})
	p.See(p.ID("context-menu"))
	fingers("touchEnd")
	p.Tap(p.ID("context-menu").Locator(`[data-command="move"]`))
	p.See(p.ID("moving-bar"))
	p.Tap(p.ID("insert-wait-1-next"))
	p.Gone(p.ID("moving-bar"))
	p.Saved()
	require.Regexp(t, `"from": "wait-1",\s+"port": "next",\s+"to": "mail-1"`, w.Draft(id), "the step has moved behind the wait")
	small, err := p.Evaluate(`() => [...document.querySelectorAll("[data-canvas] [data-testid^=insert-], header button")]
		.filter((e) => e.checkVisibility())
		.map((e) => { const b = e.getBoundingClientRect(); const after = getComputedStyle(e, "::after"); return { name: e.dataset.testid ?? e.getAttribute("aria-label") ?? e.textContent, w: Math.max(b.width, parseFloat(after.width) || 0), h: Math.max(b.height, parseFloat(after.height) || 0) }; })
		.filter((e) => e.h < 43 || e.w < 43).map((e) => e.name + " " + e.w + "x" + e.h)`)
	p.ok(err, "measure what fingers press")
	require.Empty(t, small, fmt.Sprint(small))
}
