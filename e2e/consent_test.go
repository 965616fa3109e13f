package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// letters makes a live funnel that answers an event with one marketing mail about a topic.
func (w *World) letters() {
	w.t.Helper()
	token := w.token
	w.token = "" // the owner prepares the workspace
	defer func() { w.token = token }()
	w.call(http.MethodPost, "/topics", map[string]any{"slug": "news", "name": "News"}, nil)
	w.call(http.MethodPost, "/topics", map[string]any{"slug": "offers", "name": "Offers"}, nil)
	var made struct {
		Revision int
		Funnel   struct{ ID string }
	}
	w.call(http.MethodPost, "/funnels", map[string]any{
		"name": "Letters",
		"graph": map[string]any{
			"schema": 1,
			"nodes": []map[string]any{
				{"id": "entry", "kind": "entry", "name": "Start", "config": map[string]any{"triggers": []map[string]any{{"kind": "api_event", "name": "asked"}}, "reentry": map[string]any{"rule": "after_exit"}}},
				{"id": "mail-1", "kind": "send_email", "name": "Letter", "config": map[string]any{"creative": "creative:letter", "class": "marketing", "topic": "topic:offers"}},
			},
			"edges": []map[string]any{{"from": "entry", "port": "next", "to": "mail-1"}},
		},
		"creatives": map[string]any{"letter": map[string]any{"channel": "email", "name": "Letter", "subject": "An offer", "blocks": []map[string]any{
			{"id": "b1", "type": "heading", "text": "Hello", "level": 1}, {"id": "b2", "type": "footer"},
		}}},
	}, &made)
	w.call(http.MethodPost, "/funnels/"+made.Funnel.ID+"/publish", map[string]any{"revision": made.Revision, "accept_warnings": true}, nil)
}

func TestPeopleLeaveByLinkByOneClickAndChooseWhatTheyGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.letters()
	p := w.Open(Screen{})
	w.Event("asked", "anna@shop.example", nil)
	w.Event("asked", "piotr@shop.example", nil)
	p.Goto("/inbox")

	// Anna opens the link of her mail, leaves nothing yet and chooses instead.
	letter := p.Read("anna@shop.example", "An offer")
	farewell, err := p.context.ExpectPage(func() error {
		return letter.GetByRole("link", playwright.FrameLocatorGetByRoleOptions{Name: "Unsubscribe"}).Click()
	})
	p.ok(err, "open the unsubscribe link")
	p.ok(farewell.GetByTestId("unsubscribe-choose").Click(), "choose instead")
	p.ok(farewell.GetByTestId("topic-email-offers").Uncheck(), "want no offers")
	p.ok(farewell.GetByTestId("preferences-save").Click(), "save")
	p.ok(p.expect.Locator(farewell.GetByTestId("preferences-saved")).ToBeVisible(), "be told that it is saved")
	p.ok(p.expect.Locator(farewell.GetByTestId("topic-email-offers")).Not().ToBeChecked(), "see the choice")
	p.ok(p.expect.Locator(farewell.GetByTestId("channel-email")).ToBeChecked(), "still get mails")
	p.ok(farewell.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Polski"}).Click(), "read it in Polish")
	p.ok(p.expect.Locator(farewell.GetByRole("heading", playwright.PageGetByRoleOptions{Name: "Co chcesz od nas otrzymywać?"})).ToBeVisible(), "read it in Polish")
	p.ok(farewell.GetByTestId("preferences-nothing").Press("Enter"), "want nothing, by keyboard")
	p.ok(p.expect.Locator(farewell.GetByTestId("channel-email")).Not().ToBeChecked(), "get nothing")
	p.ok(farewell.Close(), "close the page")

	// Piotr's mail program leaves for him, by the headers alone.
	var found struct{ Items []struct{ ID string } }
	w.call(http.MethodGet, "/messages?to=piotr@shop.example", nil, &found)
	var message struct{ Headers map[string]string }
	w.call(http.MethodGet, "/messages/"+found.Items[0].ID, nil, &message)
	require.Equal(t, "List-Unsubscribe=One-Click", message.Headers["List-Unsubscribe-Post"])
	address := message.Headers["List-Unsubscribe"]
	address = address[strings.Index(address, "<http")+1:]
	address = address[:strings.Index(address, ">")]
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("List-Unsubscribe=One-Click"))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(request) // it follows nothing and brings no cookie
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)

	// Neither gets anything any more, and the workspace sees what they said and its proof.
	w.To(w.Now())
	w.Event("asked", "anna@shop.example", nil)
	w.Event("asked", "piotr@shop.example", nil)
	p.Count(p.Letters("piotr@shop.example").Filter(playwright.LocatorFilterOptions{HasText: "An offer"}), 1)
	p.Person("anna@shop.example")
	p.Click(p.Role("button", "Proof"))
	p.Reads(p.ID("consent-proof"), "Tak, przysyłajcie mi e-maile")
	p.Reads(p.ID("consent-proof"), "preferences")
	p.Press("Escape")
	p.Goto("/settings/consent")
	p.Count(p.ID("suppression"), 2)
}

func TestSecurity_12_WhatIsStoredRunsNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.letters()
	p := w.Open(Screen{})
	p.OnDialog(func(dialog playwright.Dialog) {
		p.note("a dialog opened: " + dialog.Message())
		_ = dialog.Dismiss()
	})
	evil := `"><img src=x onerror=alert(1)><script>alert(2)</script>`
	w.EventOf("asked", map[string]any{
		"email": "eve@shop.example", "fields": map[string]any{"first_name": evil, "last_name": evil}, "tags": []string{"vip"},
		"consents": []map[string]string{{"channel": "email", "state": "granted", "source": evil}},
	}, map[string]any{"note": evil})
	p.Goto("/people")
	p.See(p.ID("person-eve@shop.example"))
	p.Person("eve@shop.example")
	p.Click(p.Role("button", "Proof"))
	p.See(p.ID("consent-proof"))
	p.Press("Escape")
	p.Read("eve@shop.example", "An offer")
	p.Goto("/settings/api")
	p.See(p.GetByText("asked").First())
	require.Empty(t, p.complaints())
}
