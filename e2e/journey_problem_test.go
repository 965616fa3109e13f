package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

func TestAProblemIsFoundByClickMendedAndThenPublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	p.NewFunnel()
	p.StartsOn("signed_up")
	p.Insert("start", "next", "e-mail", "mail-1")
	p.Write(p.Text(), "Good that you are here.")
	tag := p.Locator(`[data-canvas]`).GetByTestId("problem-SUBJECT_EMPTY")
	p.Saved()
	p.Gone(tag) // nobody is blamed for what they are still doing

	p.Click(p.ID("step-start"))
	p.See(tag)
	p.Click(p.Role("button", "Publish to sandbox"))
	p.See(p.ID("publish-dialog"))
	p.ok(p.expect.Locator(p.ID("publish-confirm")).ToBeDisabled(), "not be let through")
	p.Click(p.Role("button", "Go and mend it"))

	p.Reads(p.ID("problems-pill"), "1 problem")
	p.Click(p.ID("problems-pill"))
	p.Click(p.ID("problem-row-SUBJECT_EMPTY"))
	p.Focused(p.Subject())
	p.See(p.Field("creative.subject").GetByTestId("problem-SUBJECT_EMPTY"))
	p.Type("Welcome to us")
	p.Reads(p.ID("problems-pill"), "Ready")
	p.Gone(tag)
	p.Publish("1")

	w.Event("signed_up", "anna@shop.example", nil)
	letter := p.Read("anna@shop.example", "Welcome to us")
	p.See(letter.GetByText("Good that you are here.", playwright.FrameLocatorGetByTextOptions{Exact: new(true)}))
}
