package e2e

import (
	"net/http"
	"os"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pagesToLookAt are the pages one gets to by an address alone, each with a text that is there once it is drawn.
var pagesToLookAt = []struct{ path, shows string }{
	{"/", "Live funnels"}, {"/funnels", "New funnel"}, {"/funnels/new", "Because you decided"}, {"/campaigns", "New campaign"}, {"/segments", "New segment"},
	{"/segments/new", "Segments"}, {"/forms", "Make a form"}, {"/bookings", "Add what can be booked"}, {"/messages", "Messages"}, {"/outbox", "Outbox"}, {"/reports", "30 days"},
	{"/settings/workspace", "Time zone"}, {"/settings/team", "Invite"}, {"/settings/senders", "Add a sender"}, {"/settings/sending", "Accounts that send"},
	{"/settings/connections", "Add a connection"}, {"/settings/consent", "Topics"}, {"/settings/replies", "Mailbox for replies"}, {"/settings/webhooks", "Add a webhook"},
	{"/settings/ai", "Budget"}, {"/settings/api", "Send"}, {"/settings/account", "Language"},
}

// A card on the canvas is one button whose name says what it is, where it stands and what is wrong with it, and leaves out the numbers it
// shows: the rule that a name holds all text inside does not fit it.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	w := sampleWorld(t)
	p := w.Open(Screen{})
	check := p.accessible
	for _, page := range pagesToLookAt {
		p.Goto(page.path)
		p.See(p.GetByText(page.shows).Locator("visible=true").First())
		check(page.path)
	}
	p.Goto("/people")
	p.See(p.Locator(`[data-testid^="person-"]`).First())
	check("/people")
	p.aPerson()
	check("/people/$id")
	p.aMail()
	check("/inbox")
	p.Goto("/campaigns")
	p.Click(p.Role("link", "Winter workshop"))
	p.See(p.GetByText("Recipients"))
	check("/campaigns/$id, sent")
	p.Goto("/campaigns")
	p.Click(p.Role("link", "Gift cards for December"))
	for _, part := range []struct{ name, shows string }{{"Audience", "Who receives it?"}, {"Message", "Preview"}, {"When", "When"}, {"Review and send", "Audience"}} {
		p.Click(p.Locator("nav[aria-label='Parts of the campaign'] button").Filter(playwright.LocatorFilterOptions{HasText: part.name}))
		p.See(p.Locator("main").GetByText(part.shows).Last())
		check("/campaigns/$id, " + part.name)
	}
	made := struct{ ID string }{}
	w.asOwner(http.MethodPost, "/segments", object{"name": "From Kraków", "rule": object{"all": []object{{"field": "city", "op": "is", "value": "Kraków"}}}}, &made)
	p.Goto("/segments/" + made.ID)
	p.See(p.GetByText("Members"))
	check("/segments/$id")
	w.asOwner(http.MethodPost, "/forms", object{"name": "Newsletter", "slug": "newsletter", "fields": []object{{"key": "email", "label": "E-mail", "type": "email", "required": true}}}, nil)
	p.Goto("/forms/newsletter")
	p.See(p.GetByText("Put it on your page"))
	check("/forms/$slug")
	p.Click(p.Role("button", "Change the form"))
	p.See(p.Role("button", "Save the form"))
	check("/forms/$slug, changing it")
	p.Goto("/funnels?state=live")
	p.Click(p.Role("link", "Welcome and first booking").First())
	p.See(p.Locator(`[data-testid^="step-"]`).First())
	check("/funnels/$id/edit")
	p.ok(p.expect.Locator(p.Locator(`[data-testid^="count-"] [data-testid^="open-"]`).First()).ToBeVisible(), "show numbers")
	require.Empty(t, p.String(`() => [...document.querySelectorAll('[data-testid^="count-"] [data-testid^="open-"]')].filter((n) => {
		const inner = n.getBoundingClientRect(), outer = n.closest('[data-testid^="count-"]').getBoundingClientRect();
		return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
	}).map((n) => n.dataset.testid).join(" ")`), "numbers that stick out of their labels")
	p.Click(p.Locator(`[aria-label^="Sends an e-mail"]`).First())
	p.See(p.ID("preview-subject"))
	check("/funnels/$id/edit, a mail")
	p.Click(p.ID("open-palette"))
	p.See(p.ID("picker"))
	check("/funnels/$id/edit, the picker")
	p.Press("Escape")
	p.Click(p.GetByText("Outline"))
	p.See(p.GetByRole("tree"))
	check("/funnels/$id/edit, the outline")
	p.Click(p.GetByText("Canvas").First())
	p.Click(p.ID("comments"))
	p.See(p.ID("comments-panel"))
	check("/funnels/$id/edit, the comments")
	p.Click(p.Role("button", "Publish to sandbox"))
	p.See(p.ID("expected"))
	check("/funnels/$id/edit, publishing")
	p.Goto("/funnels/" + p.FunnelID() + "/versions")
	p.See(p.ID("look-draft"))
	p.See(p.Locator(`[data-testid^="step-"]`).First())
	check("/funnels/$id/versions")
}

// Whoever is not signed in looks at these first.
func TestDoorsAreAccessible(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t)
	p := w.Open(Screen{Stranger: true})
	p.tolerate("401")
	p.Goto("/setup")
	p.See(p.Locator("form button[type=submit]"))
	p.accessible("/setup")
	w.setUp()
	for _, page := range []string{"/login", "/reset"} {
		p.Goto(page)
		p.See(p.Locator("form button[type=submit]"))
		p.accessible(page)
	}
}

// accessible runs axe over the page as it is, in light and in dark colours.
func (p *Page) accessible(name string) {
	p.t.Helper()
	axe, err := os.ReadFile("../frontend/node_modules/axe-core/axe.min.js")
	p.ok(err, "npm ci in frontend/ brings it")
	p.Count(p.Locator("main [aria-busy=true]"), 0) // what is on its way is pale
	_, err = p.Evaluate(string(axe))
	p.ok(err, "load axe")
	find := func(scheme *playwright.ColorScheme, rules string) {
		p.t.Helper()
		p.ok(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}), "change the colours")
		p.See(p.Locator(`html[data-mantine-color-scheme="` + string(*scheme) + `"]`))
		found, err := p.Evaluate(`async () => (await axe.run(document, { resultTypes: ["violations"], iframes: false, ` + rules + ` })).violations
			.filter((v) => v.impact === "serious" || v.impact === "critical")
			.map((v) => v.id + ": " + v.help + "\n    " + v.nodes.slice(0, 4).map((n) => n.target.join(" ") + "  " + n.html.slice(0, 160)).join("\n    "))`)
		p.ok(err, "run axe")
		for _, violation := range found.([]any) {
			p.t.Errorf("%s, %s: %s", name, *scheme, violation)
		}
	}
	find(playwright.ColorSchemeLight, `rules: { "label-content-name-mismatch": { enabled: false } }`)
	find(playwright.ColorSchemeDark, `runOnly: ["color-contrast"]`) // colours are all that differs
}

// On a phone no page is wider than its window and nothing has to be pulled sideways to be read: tables stand as cards. Rows of tabs and
// printed code alone may scroll. Russian has the longest words.
func TestPagesFitAPhone(t *testing.T) {
	t.Parallel()
	w := sampleWorld(t)
	p := w.Open(Screen{Width: 390, Height: 844, Touch: true, Language: "ru-RU"})
	w.asOwner(http.MethodPut, "/me", object{"language": "ru"}, nil)
	check := func(name string) {
		t.Helper()
		p.See(p.Locator("main h1").First())
		p.Gone(p.Locator("main [aria-busy=true], main .mantine-Skeleton-root").First())
		assert.Empty(t, p.String(`() => {
			const may = "pre, nav, [role=tablist], [role=radiogroup]", out = [];
			if (document.documentElement.scrollWidth > innerWidth) out.push("the page is " + document.documentElement.scrollWidth + " wide");
			for (const e of document.querySelectorAll("main *")) {
				if (e.closest(may) || e.querySelector(":scope > " + may.replaceAll(", ", ", :scope > "))) continue;
				const box = e.getBoundingClientRect(), heads = e.closest("thead");
				if (heads && getComputedStyle(heads).position === "absolute") continue; // for screen readers
				if (box.width > 1 && box.right > innerWidth + 1) out.push(e.className + " ends at " + Math.round(box.right));
				if (/auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1) out.push(e.className + " scrolls sideways");
			}
			return out.slice(0, 5).join("\n");
		}`), name)
	}
	for _, page := range append(pagesToLookAt, struct{ path, shows string }{"/people", ""}) {
		p.Goto(page.path)
		check(page.path)
	}
	p.Goto("/messages")
	row := p.Locator(`[data-testid^="message-"]`).First()
	p.See(row.Locator(".mantine-Badge-root")) // its state
	box, err := row.Locator(".mantine-Badge-root").BoundingBox()
	p.ok(err, "measure")
	require.Less(t, box.X+box.Width, 390.0)
}

// aPerson opens the first person of the sample.
func (p *Page) aPerson() {
	p.t.Helper()
	p.Goto("/people")
	p.Click(p.Locator(`[data-testid^="person-"]`).First().GetByRole("link").First())
	p.See(p.GetByText("What happened"))
}

// aMail opens the newest mail in the Test inbox that was sent.
func (p *Page) aMail() {
	p.t.Helper()
	p.Goto("/inbox")
	p.Click(p.Locator(`[data-testid^="message-"]`).Filter(playwright.LocatorFilterOptions{HasNotText: "Not sent"}).First())
	p.See(p.FrameLocator(`[data-testid="mail"]`).Locator("body"))
}
