package e2e

import (
	"net/http"
	"net/netip"
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai/aitest"
)

// ghosts are the cards on the canvas, of which all but the first are only suggested.
func (p *Page) ghosts() playwright.Locator {
	return p.Locator(`[data-canvas] [role="button"][data-testid^="step-"]`)
}

func TestP28_ASentenceBecomesGhostsThatAreOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	id := p.NewFunnel()
	line := p.Role("textbox", "Describe a funnel")

	p.ok(p.ID("step-start").Focus(), "be on the card")
	p.Press("/")
	p.Focused(line)
	ideas := p.Role("list", "You could ask").GetByRole("button")
	p.Count(ideas, 4)
	p.Click(ideas.Nth(1))
	value, err := line.InputValue()
	p.ok(err, "read the line")
	require.Contains(t, value, "leaves a cart", "a suggestion is put into the line, and not sent")
	p.Focused(line)

	empty := w.Draft(id)
	revision := p.writes()
	p.Press("Enter")
	p.See(p.ID("review"))
	p.ok(p.expect.Locator(p.Role("button", "Publish to sandbox")).ToHaveAttribute("aria-disabled", "true"), "not publish while ghosts are open")
	p.Press("Control+Shift+P")
	p.Gone(p.ID("publish-dialog"))
	cards := p.ghosts()
	whole, err := cards.Count()
	p.ok(err, "count the ghosts")
	p.Click(p.in("review", "Make it shorter"))
	p.Reads(p.Locator(`output.visually-hidden`), "shorter by one message")
	fewer, err := cards.Count()
	p.ok(err, "count the ghosts")
	require.Less(t, fewer, whole, "make it shorter takes a message away")

	accept := p.ID("suggestions").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: regexp.MustCompile("^Accept: ")})
	reject := p.ID("suggestions").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: regexp.MustCompile("^Reject: ")})
	p.Click(accept.First())
	p.Count(p.Locator(`[data-canvas]`).GetByText("Accepted", playwright.LocatorGetByTextOptions{Exact: new(true)}), 1)
	before, err := reject.Count()
	p.ok(err, "count what can be rejected")
	p.Click(reject.Last())
	p.Count(reject, before-1)
	require.Zero(t, revision.Load(), "nothing of it is written before it is accepted")
	require.Equal(t, empty, w.Draft(id))

	p.Click(p.Role("button", "Accept all"))
	p.Saved()
	require.NotEqual(t, empty, w.Draft(id))
	p.Press("Control+z")
	p.Count(cards, 1)
	p.Saved()
	require.Equal(t, empty, w.Draft(id), "one undo takes all of it back")
}

// claimed is the edit of a model that says it did much and did nothing.
const claimed = `{"status":"ops","plan":"I have doubled every wait and rewritten all letters","questions":[],"reason":null,"ops":[{"update":"wait-1","fields":[{"name":"n","value":"2"},{"name":"wait","value":"days"}]}]}`

func TestP29_TheSummaryIsCountedFromTheChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.change("add an SMS at the end")
	p.Reads(p.ID("review"), "Adds 1 step")
	p.Click(p.Role("button", "Accept all"))
	p.change("remove the last message")
	p.Reads(p.ID("review"), "emoves 1 step")
	p.Click(p.Role("button", "Reject all"))
	p.Saved()
	before := w.Draft(id)

	t.Run("WhatWasAssumedStandsOnItsCard", func(*testing.T) {
		p.NewFunnel()
		p.Ask("When somebody has a birthday, congratulate them by e-mail and put them on a list")
		mark := p.Locator(`[data-canvas] [title*="New field: \"birthday\""]`)
		p.Reads(mark, "1 problem")
		p.Count(p.Locator(`[data-canvas] [title*="New list: \"list\""]`), 1)
		p.Reads(p.ID("problems-pill"), "2 problems")
		p.Reads(p.ID("review"), `New field: "birthday"`)
		p.Click(mark)
		p.Reads(p.Inspector(), `New field: "birthday"`)
		p.Click(p.Role("button", "Reject all"))
		p.Count(mark, 0)
	})
	t.Run("WhateverTheModelClaims", func(*testing.T) {
		model := aitest.Start(aitest.Says(claimed))
		t.Cleanup(model.Close)
		w.Drafts.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.asOwner(http.MethodPut, "/ai/endpoints/primary", object{"base_url": model.URL, "model": "house-model"}, nil)
		p.edit(id)
		p.change("double every wait and rewrite all letters")
		p.Reads(p.ID("prompt-nothing"), "Nothing would change")
		p.Count(p.GetByText("I have doubled"), 0)
		p.Gone(p.ID("review"))
		require.Equal(t, before, w.Draft(id))
	})
}
