package e2e

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

func TestAFunnelWithAWaitIsTriedInTheSandboxWithoutWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.EventOf("seen", map[string]any{"email": "ola@shop.example"}, nil)
	p := w.Open(Screen{})

	id := p.NewFunnel()
	p.Write(p.Role("textbox", "Name of the funnel"), "Welcome")
	p.StartsOn("signed_up")
	p.Insert("start", "next", "wait", "wait-1")
	p.Lasts("1", "hours")
	p.Insert("wait-1", "next", "e-mail", "mail-1")
	p.Write(p.Text(), "Good to have you.")

	// What is typed goes after a variable, and a click into the empty room goes to the end.
	p.Click(p.Subject())
	p.Type("Hi {")
	p.See(p.ID("variables"))
	p.Press("Enter")
	p.Type(", you")
	chip := p.Subject().Locator("[data-chip]")
	p.Count(chip, 1)
	p.Click(chip)
	p.Press("Escape")
	p.Type("!")
	box, err := p.Subject().BoundingBox()
	require.NoError(t, err)
	require.NoError(t, p.Mouse().Click(box.X+box.Width-4, box.Y+box.Height/2))
	p.Type(" there")
	p.Count(chip, 1)
	p.Reads(p.Subject(), "Hi First name!, you there")
	p.Saved()
	require.Regexp(t, `Hi \{\{ first_name[^}]*\}\}!, you there`, w.Draft(id))

	// Somebody without a first name can be followed.
	p.Click(p.Role("button", "Simulate").First())
	p.Click(p.ID("simulation").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Simulate"}))
	p.Reads(p.ID("timeline"), "day 0")

	p.Click(p.Role("button", "Publish to sandbox"))
	p.Reads(p.ID("expected-first-sends"), "The first message leaves 1 hour after somebody starts.")
	p.Click(p.Role("checkbox", "I know, publish anyway"))
	p.Click(p.ID("publish-confirm"))
	p.Click(p.Role("button", "Send a test event"))
	p.See(p.GetByText("agrees to get e-mail"))
	p.Write(p.Role("textbox", "Whose it is, by e-mail"), "ola@shop.example")
	agrees := p.Role("checkbox", "ola@shop.example agrees to get e-mail")
	p.ok(p.expect.Locator(agrees).Not().ToBeChecked(), "agree for nobody else")
	p.Click(p.Role("button", "Send the event"))
	p.See(p.ID("outcome").GetByText("At “Wait 1 hour” until"))
	p.Click(p.ID("skip-wait"))
	p.Gone(p.ID("skip-wait"))
	p.Press("Escape")
	p.Gone(p.ID("outcome"))
	p.See(p.Locator("[data-canvas] [data-testid^='step-']").First())

	// Nobody asked Ola, so the letter does not reach her; Why says so.
	var people struct{ Items []struct{ ID string } }
	w.call(http.MethodGet, "/contacts?q=ola@shop.example", nil, &people)
	p.Goto("/people/" + people.Items[0].ID)
	p.Click(p.ID("run-done").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Why?"}))
	p.Reads(p.ID("why-barred"), "consent to marketing by this channel (e-mail) is “Not asked”")
}
