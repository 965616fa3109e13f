package e2e

import (
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

const sentence = "When somebody leaves a cart, remind them after one hour, and again after two days if they did not buy."

func TestASentenceBecomesAFunnelThatRunsToItsMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	id := p.NewFunnel()
	empty := w.Draft(id)

	p.Ask(sentence)
	p.Reads(p.ID("engine"), "Built-in planner, without AI")
	p.ok(p.expect.Locator(p.Role("button", "Publish to sandbox")).ToHaveAttribute("aria-disabled", "true"), "not publish what is not decided")
	p.Click(p.Role("button", "Reject all"))
	p.Gone(p.ID("review"))
	p.Count(p.Locator(`[data-testid^="step-"]`), 1)
	require.Equal(t, empty, w.Draft(id), "a rejected suggestion leaves nothing")

	p.Ask(sentence)
	p.Click(p.Role("button", "Accept all"))
	p.Saved()
	accepted := w.Draft(id)
	require.NotEqual(t, empty, accepted)
	p.Press("Control+z")
	p.Count(p.Locator(`[data-testid^="step-"]`), 1)
	p.Saved()
	require.Equal(t, empty, w.Draft(id), "one undo takes the whole suggestion back")
	p.Click(p.Role("button", "Redo"))
	p.Saved()
	require.Equal(t, accepted, w.Draft(id))
	p.Publish("1")

	w.Event("cart_updated", "anna@shop.example", map[string]any{"cart_url": "https://shop.example/cart/7"})
	w.Advance(time.Hour)
	p.Count(p.Letters("anna@shop.example"), 1)
	w.Advance(72 * time.Hour)
	p.Count(p.Letters("anna@shop.example"), 2)
	p.Click(p.Letters("anna@shop.example").First())
	p.See(p.FrameLocator(`[data-testid="mail"]`).GetByRole("link", playwright.FrameLocatorGetByRoleOptions{Name: "Unsubscribe"}))
}
