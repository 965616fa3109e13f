package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestP35_AllCardsAreThere: nothing is taken out of the page because it is out of sight, up to the largest funnel there can be.
func TestP35_AllCardsAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Large(99)
	p := w.Open(Screen{Untraced: true})
	p.edit(id)
	p.Count(p.Locator(`[data-canvas] [role="button"][data-testid^="step-"]`), 496)
	p.Count(p.Locator(`[data-canvas] [data-testid^="insert-"]`), 595)
	sight, err := p.Evaluate(`() => {
		const box = document.querySelector("[data-canvas]").getBoundingClientRect();
		const cards = [...document.querySelectorAll("[data-canvas] [role=button][data-testid^='step-']")];
		return {
			seen: cards.filter((card) => { const c = card.getBoundingClientRect(); return c.top < box.bottom && c.bottom > box.top; }).length,
			named: new Set(cards.map((card) => card.getAttribute("aria-label"))).size,
			hidden: cards.filter((card) => card.closest("[aria-hidden=true]") || !card.checkVisibility({contentVisibilityAuto: true})).length,
			unmeasured: cards.filter((card) => card.offsetWidth === 0).length,
		};
	}`)
	p.ok(err, "look at the cards")
	found := sight.(map[string]any)
	require.Less(t, found["seen"], 50, "most are out of sight")
	require.Equal(t, 496, found["named"], "each has a full name of its own")
	require.Equal(t, 0, found["hidden"])
	require.Equal(t, 0, found["unmeasured"])

	p.ok(p.ID("step-wait-97").Focus(), "be on a card far out of sight")
	p.Focused(p.ID("step-wait-97"))
	p.Click(p.ID("step-start"))
	p.Press("Control+f")
	p.Type("Letter mail-98b")
	p.Press("Enter")
	p.Focused(p.ID("step-mail-98b"))
	p.Press("ArrowDown")
	p.Focused(p.ID("step-join-98"))
	inside, err := p.ID("step-join-98").Evaluate(`(card) => { const b = card.getBoundingClientRect(); const g = card.closest("[data-canvas]").getBoundingClientRect(); return b.top >= g.top && b.bottom <= g.bottom; }`, nil)
	p.ok(err, "see where it is")
	require.Equal(t, true, inside)
}

// moving counts what moves on the canvas by itself, and the dashes of links that are no suggestion.
const moving = `() => {
	const canvas = document.querySelector("[data-canvas]");
	const dashed = [...canvas.querySelectorAll("path[data-testid^='edge-']")].filter((way) => getComputedStyle(way).strokeDasharray !== "none").length;
	const running = document.getAnimations().filter((a) => canvas.contains(a.effect?.target) && a.playState === "running" && a.effect.getComputedTiming().iterations === Infinity).length;
	return { dashed, running, ways: canvas.querySelectorAll("path[data-testid^='edge-']").length };
}`

// TestP36_IdleLinksStandStill: no link is dashed or moves while nothing happens, nor does any card; only the way a simulated person takes is lit.
func TestP36_IdleLinksStandStill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{Moving: true})
	p.edit(id)
	look := func() map[string]any {
		t.Helper()
		found, err := p.Evaluate(moving)
		p.ok(err, "look for what moves")
		return found.(map[string]any)
	}
	require.Equal(t, map[string]any{"dashed": 0, "running": 0, "ways": 4}, look())
	p.Click(p.ID("step-mail-1"))
	p.See(p.Inspector())
	require.Equal(t, map[string]any{"dashed": 0, "running": 0, "ways": 4}, look(), "choosing a step starts nothing")
	p.Press("Escape")
	p.Publish("1")
	w.Event("signed_up", "anna@shop.example", nil)
	p.Reads(p.ID("count-start-next"), "1")
	require.Equal(t, map[string]any{"dashed": 0, "running": 0, "ways": 4}, look(), "people on their way move no link")
}
