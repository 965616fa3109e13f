package e2e

import (
	"net/http"
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
