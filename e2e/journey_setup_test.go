package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

func TestAnEmptyInstallationIsSetUpAndSpeaksThreeLanguages(t *testing.T) {
	t.Parallel()
	w := emptyWorld(t)
	p := w.Open(Screen{Stranger: true})
	p.tolerate("status of 401") // asking who one is before anybody is anyone

	p.Goto("/")
	p.Write(p.GetByLabel("Name of your business"), "Studio Aurora")
	p.Write(p.GetByLabel("Your name"), "Olga")
	p.Write(p.GetByLabel("E-mail"), owner)
	p.Write(p.GetByLabel("Password", playwright.PageGetByLabelOptions{Exact: new(true)}), password)
	p.Click(p.Role("button", "Start"))
	p.See(p.Role("heading", "What should happen when someone…?"))

	p.Rail("Settings")
	p.Click(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Account"}))
	p.Click(p.GetByText("Polski"))
	p.See(p.GetByRole("navigation").GetByText("Skrzynka testowa").First())
	p.Click(p.GetByText("Русский"))
	p.See(p.GetByRole("navigation").GetByText("Тестовый ящик").First())
	p.Click(p.GetByText("English"))
	p.See(p.GetByRole("navigation").GetByText("Test inbox").First())
}
