package e2e

import (
	"regexp"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

func TestWhoUnsubscribesBetweenTwoMailsHearsNothingMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	p.TwoMails("Two letters", "signed_up")
	p.Publish("1")

	w.Event("signed_up", "anna@shop.example", nil)
	w.Event("signed_up", "piotr@shop.example", nil)
	letter := p.Read("anna@shop.example", "The first letter")
	farewell, err := p.context.ExpectPage(func() error {
		return letter.GetByRole("link", playwright.FrameLocatorGetByRoleOptions{Name: regexp.MustCompile("(?i)unsubscribe")}).Click()
	})
	p.ok(err, "open the unsubscribe link")
	p.ok(farewell.GetByTestId("unsubscribe-all").Click(), "unsubscribe")
	p.ok(p.expect.Locator(farewell.GetByTestId("unsubscribe-done")).ToBeVisible(), "be told that it is done")
	p.ok(farewell.Close(), "close the page")

	w.Advance(48 * time.Hour)
	p.Count(p.Letters("piotr@shop.example"), 2)
	p.Count(p.Letters("anna@shop.example"), 1)
	p.Person("anna@shop.example")
	timeline := p.GetByRole("listitem").Filter(playwright.LocatorFilterOptions{HasText: "Left “Two letters”"})
	p.Reads(timeline, "unsubscribed")
	p.Reads(p.ID("run-exited"), "unsubscribed")
}
