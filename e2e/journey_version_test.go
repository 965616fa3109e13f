package e2e

import (
	"testing"
	"time"
)

func TestPeopleInsideFinishOnTheirVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	p.TwoMails("Two letters", "signed_up")
	p.Publish("1")
	w.Event("signed_up", "anna@shop.example", nil)

	p.Click(p.ID("step-mail-2"))
	p.Write(p.Subject(), "The new second letter")
	p.Insert("mail-2", "next", "add a tag", "tag-1")
	p.Choose(p.Input("tag"), "regular", "Create “regular”")
	p.Click(p.Role("button", "Publish to sandbox"))
	p.Reads(p.ID("people-inside"), "1 person is inside and finishes on their version")
	p.Click(p.ID("publish-confirm"))
	p.Reads(p.ID("badge-live"), "Live: version 2")
	w.Event("signed_up", "piotr@shop.example", nil)

	w.Advance(48 * time.Hour)
	p.See(p.Read("anna@shop.example", "The second letter").GetByText("Words of the second letter."))
	p.See(p.Read("piotr@shop.example", "The new second letter").GetByText("Words of the second letter."))
	p.Person("anna@shop.example")
	p.Reads(p.ID("run-done"), "Version 1")
	p.Count(p.GetByText("Got a tag"), 0)
	p.Person("piotr@shop.example")
	p.Reads(p.ID("run-done"), "Version 2")
	p.Count(p.GetByText("Got a tag"), 1)
}
