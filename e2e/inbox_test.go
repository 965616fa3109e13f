package e2e

import "github.com/playwright-community/playwright-go"

// Letters opens the Test inbox by the rail and answers the messages to one address.
func (p *Page) Letters(to string) playwright.Locator {
	p.t.Helper()
	p.Rail("Test inbox")
	p.See(p.Role("heading", "Test inbox"))
	return p.ID("message-" + to)
}

// Read opens the newest message to an address, waits for its subject, and answers the letter itself.
func (p *Page) Read(to, subject string) playwright.FrameLocator {
	p.t.Helper()
	letter := p.Letters(to).Filter(playwright.LocatorFilterOptions{HasText: subject})
	p.Click(letter.First())
	p.See(p.Role("heading", subject))
	return p.FrameLocator(`[data-testid="mail"]`)
}

// Rail goes to a part of the product by the navigation.
func (p *Page) Rail(name string) {
	p.t.Helper()
	p.Click(p.GetByRole("navigation").GetByRole("link", playwright.LocatorGetByRoleOptions{Name: name}))
}

// Person opens the page of a person from the list of people.
func (p *Page) Person(email string) {
	p.t.Helper()
	p.Rail("People")
	p.Click(p.ID("person-" + email).GetByRole("link"))
	p.See(p.GetByText("What happened"))
}
