package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
)

// sampleGraph is a funnel that starts on an event or by hand and sends one message.
func sampleGraph() object {
	return object{
		"schema": 1,
		"nodes": []object{
			{"id": "entry", "kind": "entry", "name": "Start", "config": object{"triggers": []object{{"kind": "api_event", "name": "signup"}, {"kind": "manual"}}, "reentry": object{"rule": "after_exit"}}},
			{"id": "mail-1", "kind": "send_email", "name": "Welcome", "config": object{"creative": "creative:welcome", "class": "marketing"}},
		},
		"edges": []object{{"from": "entry", "port": "next", "to": "mail-1"}},
	}
}

func sampleCreatives() object {
	return object{"welcome": object{
		"channel": "email", "name": "Welcome", "subject": `Hello {{ first_name | default("there") }}`,
		"blocks": []object{
			{"id": "b1", "type": "heading", "text": "Welcome", "level": 1}, {"id": "b2", "type": "button", "text": "Shop", "url": "https://shop.example/"},
			{"id": "b3", "type": "footer"},
		},
	}}
}

// funnel publishes the sample funnel and answers its id.
func (b *testBundle) funnel(as caller) string {
	b.t.Helper()
	made := b.do(as, http.StatusCreated, "POST", "/funnels", object{"name": "Welcome", "graph": sampleGraph(), "creatives": sampleCreatives()})
	id := made.get(b.t, "funnel.id").(string)
	b.do(as, http.StatusOK, "POST", "/funnels/"+id+"/publish", object{"revision": made.get(b.t, "revision"), "accept_warnings": true})
	return id
}

// signup lets a person with consent start the sample funnel, and answers the outcome.
func (b *testBundle) signup(as caller, email string) answer {
	b.t.Helper()
	return b.do(as, http.StatusOK, "POST", "/events", object{
		"name": "signup", "properties": object{"plan": "pro"},
		"contact": object{"email": email, "fields": object{"first_name": "Jan"}, "consents": []object{{"channel": "email", "state": "granted"}}},
	})
}

// TestSecurity21_ForeignIdsAreNotFound tries every route of a workspace with the ids of another one.
func TestSecurity21_ForeignIdsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	funnel := b.funnel(b.admin)
	outcome := b.signup(b.admin, "jan@example.com")
	b.settle()
	contact := outcome.get(t, "results.0.contact_id").(string)
	message := b.do(b.admin, 200, "GET", "/messages", nil).get(t, "items.0.id").(string)
	run := b.do(b.admin, 200, "GET", "/runs", nil).get(t, "items.0.id").(string)
	draft := b.do(b.admin, 202, "POST", "/ai/drafts", object{"prompt": "welcome series of two mails"}).get(t, "id").(string)
	token := b.do(b.admin, 201, "POST", "/api-tokens", object{"name": "x", "kind": "pub"}).get(t, "token.id").(string)
	invitation := b.do(b.admin, 201, "POST", "/invitations", object{"email": "new@example.com", "role": "viewer"}).get(t, "invitation.id").(string)
	member := b.do(b.admin, 200, "GET", "/session", nil).get(t, "user.id").(string)
	b.do(b.admin, 201, "POST", "/senders", object{"slug": "second", "email": "second@example.com"})
	segment := b.do(b.admin, 201, "POST", "/segments", object{"name": "Buyers", "rule": object{"event": object{"name": "buy"}}}).get(t, "id").(string)
	campaign := b.do(b.admin, 201, "POST", "/campaigns", object{"name": "Sale"}).get(t, "campaign.id").(string)
	connection := b.do(b.admin, 201, "POST", "/connections", object{"kind": "http", "name": "Shop", "base_url": "https://shop.example"}).get(t, "id").(string)
	b.form(nil)
	b.do(b.admin, 201, "POST", "/resources", object{"slug": "call", "name": "Call", "hours": object{"mon": []object{{"from": "00:00", "to": "24:00"}}}, "slot_minutes": 60})
	slot := b.do(b.admin, 200, "GET", "/resources/call/slots", nil).get(t, "items.0.from").(string)
	booking := b.do(b.admin, 201, "POST", "/bookings", object{"resource": "call", "from": slot, "contact": object{"email": "jan@example.com"}}).get(t, "id").(string)
	payment := b.do(b.admin, 201, "POST", "/payments", object{"external_id": "1", "amount": 1, "currency": "EUR", "contact": object{"email": "jan@example.com"}}).get(t, "id").(string)
	comment := b.do(b.admin, 201, "POST", "/funnels/"+funnel+"/comments", object{"body": "Ours"}).get(t, "id").(string)
	kept := b.do(b.admin, 201, "POST", "/funnels/"+funnel+"/kept-drafts", object{"graph": sampleGraph()}).get(t, "id").(string)
	template := b.do(b.admin, 201, "POST", "/templates", object{"name": "Ours", "graph": sampleGraph(), "creatives": sampleCreatives()}).get(t, "slug").(string)
	hook := b.do(b.admin, 201, "POST", "/webhooks", object{"url": "https://shop.example/hook"}).get(t, "webhook.id").(string)
	source := b.do(b.admin, 201, "POST", "/report-sources", object{"kind": "twilio", "name": "Twilio", "secret": "a token of twilio"}).get(t, "id").(string)
	b.do(b.admin, 204, "POST", "/suppressions", object{"channel": "email", "address": "refused@example.com"})
	refusal := b.do(b.admin, 200, "GET", "/suppressions", nil).get(t, "items.0.id").(string)
	provider := b.do(b.admin, 201, "POST", "/providers", object{"kind": "smtp", "channel": "email", "name": "Ours", "role": "reserve",
		"config": object{"host": "smtp.example.com", "port": "587", "tls": "starttls"}}).get(t, "id").(string)
	ids := map[string]string{
		"/providers/": provider,
		"/webhooks/":  hook, "/report-sources/": source, "/suppressions/": refusal,
		"/forms/": "contact", "/resources/": "call", "/bookings/": booking, "/payments/": payment,
		"/segments/":    segment,
		"/templates/":   template,
		"/campaigns/":   campaign,
		"/connections/": connection,
		"/contacts/":    contact, "/funnels/": funnel, "/messages/": message, "/runs/": run, "/tasks/": draft, "/ai/drafts/": draft, "/api-tokens/": token,
		"/invitations/": invitation, "/members/": member, "/senders/": "second",
	}
	bodies := map[string]any{
		"liftSuppression": object{"reason": "they asked"}, "updateWebhook": object{"enabled": false}, "replayWebhook": object{},
		"updateForm":     object{"name": "Stolen", "fields": []object{{"key": "email", "type": "email", "label": "E-mail", "required": true}}},
		"updateResource": object{"name": "Stolen", "hours": object{}, "slot_minutes": 60}, "rebookBooking": object{"from": slot}, "refundPayment": object{},
		"updateContact": object{"first_name": "Eve"}, "putConsents": object{"items": []object{{"channel": "email", "state": "denied"}}},
		"addContactTag": object{"tag": "vip"}, "addContactToList": object{"list": "news"}, "renameFunnel": object{"name": "Stolen"},
		"saveDraft": object{"revision": 1, "graph": sampleGraph(), "creatives": object{}}, "publishFunnel": object{"revision": 1},
		"startFunnel": object{"contact_ids": []string{contact}}, "actOnMessage": object{"act": "unsubscribe"}, "updateMember": object{"role": "viewer"},
		"updateSender": object{"name": "Stolen"}, "updateConnection": object{"name": "Stolen"}, "updateSegment": object{"name": "Stolen"},
		"updateCampaign": object{"revision": 1, "name": "Stolen"}, "startCampaign": object{"revision": 1}, "scheduleCampaign": object{"revision": 1},
		"chooseCampaignWinner": object{"variant": "a"}, "duplicateCampaign": object{},
		"rehearseFunnel": object{"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"}, "putTests": object{"tests": []object{}}, "addContactDevice": object{"platform": "web", "token": "stolen"},
		"restoreDraft": object{"revision": 1, "version": 1}, "keepDraft": object{"graph": sampleGraph()}, "askApproval": object{"revision": 1},
		"decideApproval": object{"revision": 1, "approve": true}, "publishApproved": object{"revision": 1}, "addComment": object{"body": "Stolen"},
		"changeComment": object{"body": "Stolen"}, "selectAiDraft": object{"groups": []string{}}, "judgeFunnelText": object{"state": "approved"}, "updateProvider": object{"role": "active", "config": object{}}, "bePresent": object{"page": comment},
	}
	eve := b.other()
	b.do(eve, 201, "POST", "/lists", object{"slug": "news", "name": "News"})
	tried := 0
	for _, r := range api.Contract() {
		if r.Public || !strings.Contains(r.Path, ":") || strings.HasPrefix(r.Path, "/ai/endpoints/") { // each workspace has these two
			continue
		}
		path := r.Path
		for prefix, id := range ids {
			if strings.HasPrefix(path, prefix+":") {
				path = strings.Replace(path, ":id", id, 1)
				path = strings.Replace(path, prefix+":slug", prefix+id, 1)
			}
		}
		path = strings.NewReplacer(":funnel_id", funnel, ":device", member, ":comment", comment, ":draft", kept, ":slug", "vip", ":name", "example.com", ":number", "1", ":step", "ai", ":variant", "none").Replace(path)
		require.NotContains(t, path, ":", "the test knows no id for %s", r.Path)
		if r.Operation == "explainFunnel" {
			path += "?contact=" + contact
		}
		var body any
		if r.Body != "" {
			if body = bodies[r.Operation]; body == nil {
				body = "{}"
			}
		}
		got := b.call(eve, r.Method, api.Prefix+path, body)
		require.Equal(t, http.StatusNotFound, got.Code, "%s %s: %s", r.Method, r.Path, got.Body)
		tried++
	}
	require.Greater(t, tried, 40)

	t.Run("ListsShowNothingOfIt", func(t *testing.T) {
		for _, path := range []string{
			"/contacts", "/funnels", "/runs?funnel=" + funnel, "/runs?contact=" + contact, "/messages?funnel=" + funnel, "/messages?to=jan@example.com",
			"/events?contact=" + contact, "/tasks", "/api-tokens", "/invitations", "/senders", "/tags", "/event-names",
			"/forms", "/resources", "/bookings", "/payments", "/connections", "/campaigns", "/webhooks", "/report-sources", "/suppressions",
		} {
			require.Empty(t, b.do(eve, 200, "GET", path, nil).get(t, "items"), path)
		}
		for _, item := range b.do(eve, 200, "GET", "/templates", nil).get(t, "items").([]any) {
			require.Equal(t, false, item.(map[string]any)["own"])
		}
	})
	t.Run("BodiesMayNotNameItEither", func(t *testing.T) {
		mine := b.do(eve, 201, "POST", "/contacts", object{"email": "mine@example.com"}).get(t, "id").(string)
		b.do(eve, 404, "POST", "/contacts/merge", object{"winner_id": mine, "loser_id": contact})
		b.do(eve, 404, "POST", "/creatives/preview", object{"creative": object{"channel": "email", "subject": "x", "blocks": []object{}}, "contact_id": contact})
		got := b.do(eve, 422, "POST", "/events", object{"name": "signup", "contact": object{"id": contact}})
		require.Equal(t, "contact", got.get(t, "fields.0.field"))
	})
	t.Run("NothingOfItChanged", func(t *testing.T) {
		require.Equal(t, "Jan", b.do(b.admin, 200, "GET", "/contacts/"+contact, nil).get(t, "first_name"))
		require.Equal(t, "live", b.do(b.admin, 200, "GET", "/funnels/"+funnel, nil).get(t, "funnel.state"))
		require.Equal(t, "delivered", b.do(b.admin, 200, "GET", "/messages/"+message, nil).get(t, "message.state"))
	})
}

// TestSecurity21_ForeignKeysCarryTheWorkspace asks the catalogue of the database: a key between two tables of workspaces holds the workspace on
// both sides.
func TestSecurity21_ForeignKeysCarryTheWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, err := b.db.Query(t.Context(), `SELECT c.conname FROM pg_constraint c
		WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND c.confrelid NOT IN ('workspaces'::regclass, 'users'::regclass)
		AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.confrelid AND a.attname = 'workspace_id')
		AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attname = 'workspace_id' AND a.attnum = ANY (c.conkey))`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		require.Fail(t, "a foreign key without the workspace", name)
	}
	require.NoError(t, rows.Err())
}
