package e2e

import (
	"regexp"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// NewFunnel makes a funnel from the page of funnels and answers its id; the editor is open.
func (p *Page) NewFunnel() string {
	p.t.Helper()
	p.Goto("/funnels")
	p.Click(p.Role("button", "New funnel").First())
	p.Click(p.Role("button", "Draw a funnel"))
	p.See(p.ID("step-start"))
	return p.FunnelID()
}

var funnelPath = regexp.MustCompile(`/funnels/([0-9a-f-]{36})/edit`)

// FunnelID is the funnel whose editor is open.
func (p *Page) FunnelID() string {
	p.t.Helper()
	found := funnelPath.FindStringSubmatch(p.URL())
	require.Len(p.t, found, 2, p.URL())
	return found[1]
}

// Inspector is the panel of the selected step.
func (p *Page) Inspector() playwright.Locator { return p.ID("inspector") }

// Field is a field of the inspector by its path in the config.
func (p *Page) Field(path string) playwright.Locator {
	return p.Inspector().Locator(`[data-field="` + path + `"]`)
}

// Input is what one types into in a field.
func (p *Page) Input(path string) playwright.Locator {
	return p.Field(path).Locator("input:not([type=hidden])").First()
}

// StartsOn makes an event of the customer's application the start of the funnel.
func (p *Page) StartsOn(event string) {
	p.t.Helper()
	p.Click(p.ID("step-start"))
	p.Click(p.Inspector().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Choose what starts this"}))
	p.Click(p.Role("menuitem", "An event arrives"))
	p.Choose(p.Input("triggers.0.name"), event, "Use the event “"+event+"”")
}

// Insert adds a step behind a way out by the '+' on it, found by typing; its inspector is open afterwards.
func (p *Page) Insert(from, port, search, step string) {
	p.t.Helper()
	p.Click(p.ID("insert-" + from + "-" + port))
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type(search)
	p.Press("Enter")
	p.Gone(p.ID("picker"))
	p.See(p.ID("step-" + step))
	p.See(p.Inspector())
}

// Mail writes subject and text into the open mail step.
func (p *Page) Mail(subject, text string) {
	p.t.Helper()
	p.Write(p.Subject(), subject)
	p.Write(p.Text(), text)
}

// Lasts sets how long the open wait takes.
func (p *Page) Lasts(amount, unit string) {
	p.t.Helper()
	p.Write(p.Input("for"), amount)
	p.Choose(p.Field("for").Locator(`input[aria-label$=": unit"]`), "", unit)
}

// Saved waits until the server has the draft.
func (p *Page) Saved() {
	p.t.Helper()
	p.See(p.Locator(`[data-testid="save-state"][data-state="saved"]`))
}

// Publish goes through the dialog up to the toast.
func (p *Page) Publish(version string) {
	p.t.Helper()
	p.Click(p.Role("button", "Publish to sandbox"))
	p.Click(p.ID("publish-confirm"))
	p.Reads(p.ID("badge-live"), "Live: version "+version)
}

// Condition asks about one property of the event in the open condition.
func (p *Page) Condition(search, option, comparison, value string) {
	p.t.Helper()
	p.Click(p.Inspector().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Add a condition"}))
	leaf := p.ID("rule-leaf").Last()
	p.Choose(leaf.GetByPlaceholder("Choose what to look at"), search, option)
	p.Choose(leaf.Locator(`input[aria-label="Comparison"]`), "", comparison)
	p.Write(leaf.Locator(`input[aria-label="Value"]`), value)
}

// Subject is where the open mail's subject is written.
func (p *Page) Subject() playwright.Locator { return p.Field("creative.subject").GetByRole("textbox") }

// Text is where the open mail's text is written.
func (p *Page) Text() playwright.Locator {
	return p.Inspector().GetByRole("textbox", playwright.LocatorGetByRoleOptions{Name: "Text of the message"})
}

// TwoMails draws a funnel of two letters with two days between them, and saves it.
func (p *Page) TwoMails(name, event string) {
	p.t.Helper()
	p.NewFunnel()
	p.Write(p.Role("textbox", "Name of the funnel"), name)
	p.StartsOn(event)
	p.Insert("start", "next", "e-mail", "mail-1")
	p.Mail("The first letter", "Words of the first letter.")
	p.Insert("mail-1", "next", "wait", "wait-1")
	p.Lasts("2", "days")
	p.Insert("wait-1", "next", "e-mail", "mail-2")
	p.Mail("The second letter", "Words of the second letter.")
	p.Saved()
}

// Ask gives the assistant a sentence and waits for its suggestion.
func (p *Page) Ask(sentence string) {
	p.t.Helper()
	p.Write(p.Role("textbox", "Describe a funnel"), sentence)
	p.Press("Enter")
	p.See(p.ID("review"))
}
