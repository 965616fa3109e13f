package e2e

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestP24_VersionsAreReadComparedAndRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.Click(p.Role("button", "Publish to sandbox"))
	p.Write(p.Role("textbox", "Name of the version"), "The first one")
	p.Write(p.Role("textbox", "Note"), "As agreed with Anna")
	p.Click(p.ID("publish-confirm"))
	p.Reads(p.ID("badge-live"), "Live: version 1")

	p.Click(p.ID("step-mail-2"))
	p.Write(p.Subject(), "Another second letter")
	p.Insert("mail-2", "next", "add a tag", "tag-1")
	p.Click(p.ID("step-wait-1"))
	p.Press("Escape")
	p.Press("Delete")
	p.Gone(p.ID("step-wait-1"))
	p.Saved()
	before := w.Draft(id)

	p.Goto("/funnels/" + id + "/versions")
	p.Reads(p.ID("look-1"), "Version 1: The first one")
	p.Reads(p.ID("look-1"), "Olga")
	p.Reads(p.ID("look-1"), "As agreed with Anna")
	for step, mark := range map[string]string{"wait-1": "Removed", "tag-1": "Added", "mail-2": "Changed"} {
		p.Reads(p.Marks(step), mark)
	}
	p.Count(p.Marks("mail-1").Locator(`[data-testid^="mark-"]`), 0)
	p.Reads(p.ID("diff-mail-2").First(), "“The second letter” → “Another second letter”")
	p.Reads(p.ID("diff-wait-1"), "Removed")
	icons, err := p.ID("mark-added").Locator("svg").Count()
	p.ok(err, "look for the icon")
	require.Equal(t, 1, icons, "never by the colour alone")
	p.Count(p.ID("insert-start-next"), 0) // only to read

	p.Click(p.ID("look-1"))
	p.See(p.ID("step-wait-1"))
	p.Gone(p.ID("step-tag-1"))
	require.Equal(t, before, w.Draft(id), "looking changes nothing")
	p.Click(p.ID("restore"))
	p.See(p.ID("save-state"))
	p.See(p.ID("step-wait-1"))
	p.Reads(p.ID("badge-live"), "Live: version 1")
	p.Gone(p.ID("step-tag-1"))

	kept := struct{ Items []struct{ ID string } }{}
	w.call(http.MethodGet, "/funnels/"+id+"/kept-drafts", nil, &kept)
	require.Len(t, kept.Items, 1, "the draft it replaced is kept")
	p.Goto("/funnels/" + id + "/versions")
	p.Click(p.ID("look-" + kept.Items[0].ID))
	p.See(p.ID("step-tag-1"))
	p.Click(p.ID("restore"))
	p.See(p.ID("save-state"))
	p.Gone(p.ID("step-wait-1"))
	require.Equal(t, before, w.Draft(id))
}

func TestP25_P26_AProblemIsQuietAndLeadsToItsField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.Reads(p.ID("problems-pill"), "Ready")
	p.Insert("mail-2", "next", "add a tag", "tag-1")
	p.Reads(p.Marks("tag-1"), "Not set up yet")
	p.Saved()
	p.Count(p.Marks("tag-1").Locator(`[data-testid^="problem-"]`), 0) // a new card is not wrong
	p.Click(p.ID("step-start"))
	p.Reads(p.ID("problems-pill"), "1 problem")
	p.Reads(p.Marks("tag-1"), "1 problem")
	p.Click(p.ID("problems-pill"))
	p.Click(p.Locator(`[data-testid^="problem-row-"]`).First())
	p.Focused(p.Input("tag"))
	p.Reads(p.Field("tag"), "Fill it in") // the field says what to do

	t.Run("PressingPublishEndsTheGrace", func(*testing.T) {
		p.Insert("tag-1", "next", "remove a tag", "untag-1")
		p.Reads(p.Marks("untag-1"), "Not set up yet")
		p.Saved()
		p.Click(p.Role("button", "Publish to sandbox"))
		p.Reads(p.ID("publish-dialog"), "2 problems stand in the way")
		p.Click(p.Role("button", "Go and mend it"))
		p.Reads(p.Marks("untag-1"), "1 problem")
	})
}

func TestP27_PublishingSaysWhatItMeansAndAsksWhoMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	w.Event("signed_up", "anna@shop.example", nil)
	w.Event("signed_up", "piotr@shop.example", nil)
	w.EventOf("signed_up", map[string]any{"email": "silent@shop.example"}, nil)
	w.join("marketer", "Marek", "marek@studio.example")
	owner, marketer := w.Open(Screen{}), w.as("marek@studio.example")

	marketer.edit(id)
	marketer.Click(marketer.Role("button", "Ask for approval"))
	marketer.Reads(marketer.ID("expected-per-day"), "About 1 person a week starts it")
	marketer.Reads(marketer.ID("expected-per-day"), "3 events of the last 28 days")
	marketer.Reads(marketer.ID("expected-first-sends"), "as soon as somebody starts")
	marketer.Reads(marketer.ID("expected-consent-email"), "2 of 3 people agreed")
	marketer.Reads(marketer.ID("expected-quiet"), "No quiet hours")
	marketer.Count(marketer.ID("publish-confirm"), 0)
	filled, err := marketer.ID("publish-dialog").Locator(`button[data-variant="filled"]`).Count()
	marketer.ok(err, "count the filled buttons")
	require.Equal(t, 1, filled, "one primary button")
	marketer.Write(marketer.Role("textbox", "What should they know?"), "For the spring")
	marketer.Click(marketer.ID("approval-ask"))
	marketer.Reads(marketer.ID("approval"), "Waiting for approval")

	owner.edit(id)
	owner.Click(owner.ID("approval"))
	owner.Reads(owner.ID("approval-section"), "For the spring")
	owner.Write(owner.Role("textbox", "Your answer"), "Go ahead")
	owner.Click(owner.ID("approval-approve"))
	owner.Reads(owner.ID("approval"), "Approved: Olga")

	marketer.Reads(marketer.ID("approval"), "Approved: Olga")
	marketer.rename("mail-1", "Changed afterwards")
	marketer.Saved()
	marketer.Reads(marketer.ID("approval"), "Changed since approval")
	marketer.Press("Escape")
	marketer.Press("Control+z")
	marketer.Saved()
	marketer.Reads(marketer.ID("approval"), "Approved: Olga") // exactly that draft again
	marketer.Click(marketer.Role("button", "Publish to sandbox"))
	marketer.Click(marketer.ID("publish-confirm"))
	marketer.ok(marketer.expect.Locator(marketer.ID("badge-live")).ToContainText(regexp.MustCompile(`^Live: version 1`)), "be live")
	marketer.Count(marketer.ID("approval"), 0)
}
