package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scenario is one request and what has to come of it. Paths and bodies may name what earlier rows kept, as {name}.
type scenario struct {
	name   string
	method string
	path   string
	body   any
	status int
	has    []string          // parts of the answer
	hasNot []string          // what it must not hold
	keep   map[string]string // name -> path in the answer
}

// play runs rows in order, as the administrator.
func (b *testBundle) play(t *testing.T, rows []scenario) map[string]string {
	t.Helper()
	kept := map[string]string{}
	fill := func(text string) string {
		for name, value := range kept {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	for _, row := range rows {
		body := row.body
		if text, ok := body.(string); ok {
			body = fill(text)
		}
		got := b.call(b.admin, row.method, "/api/v1"+fill(row.path), body)
		require.Equal(t, row.status, got.Code, "%s: %s", row.name, got.Body)
		requireContract(t, row.method, fill(row.path), got)
		for _, part := range row.has {
			require.Contains(t, got.Body.String(), fill(part), row.name)
		}
		for _, part := range row.hasNot {
			require.NotContains(t, got.Body.String(), fill(part), row.name)
		}
		for name, path := range row.keep {
			kept[name] = fmt.Sprint(got.get(t, path))
		}
	}
	return kept
}

func TestARefusedClockStandsStill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.do(b.admin, 200, "GET", "/dev/clock", nil)
	at := func(ahead time.Duration) time.Time { return b.clock.Now().Add(ahead) }
	b.do(b.admin, 422, "POST", "/dev/clock", object{"now": at(time.Hour), "due": at(2 * time.Hour)})
	b.do(b.admin, 422, "POST", "/dev/clock", object{"now": at(time.Hour), "due": at(-time.Hour)})
	require.JSONEq(t, before.Body.String(), b.do(b.admin, 200, "GET", "/dev/clock", nil).Body.String())
	b.do(b.admin, 200, "POST", "/dev/clock", object{"now": at(time.Hour), "due": at(time.Minute)})
}

func TestContacts(t *testing.T) {
	t.Parallel()
	setup(t).play(t, []scenario{
		{name: "NobodyWithoutIdentity", method: "POST", path: "/contacts", body: `{"first_name":"Ola"}`, status: 422},
		{name: "ABadAddressIsNamed", method: "POST", path: "/contacts", body: `{"email":"ola"}`, status: 422, has: []string{`"field":"email"`}},
		{name: "Create", method: "POST", path: "/contacts", body: `{"email":"Ola@Example.com","first_name":"Ola","tags":["vip"]}`, status: 201, has: []string{`"vip"`}, keep: map[string]string{"ola": "id"}},
		{name: "TheSamePersonAgain", method: "POST", path: "/contacts", body: `{"email":"ola@example.com","last_name":"Nowak"}`, status: 200, has: []string{"{ola}", "Nowak", "Ola"}},
		{name: "Another", method: "POST", path: "/contacts", body: `{"email":"ewa@example.com","phone":"+48601234567"}`, status: 201, keep: map[string]string{"ewa": "id"}},
		{name: "TwoPeopleClash", method: "PATCH", path: "/contacts/{ola}", body: `{"email":"ewa@example.com"}`, status: 409, has: []string{`"code":"conflict"`, `"contact_id"`}},
		{name: "NullEmptiesOne", method: "PATCH", path: "/contacts/{ola}", body: `{"last_name":null}`, status: 200, hasNot: []string{"Nowak"}},
		{name: "AnUnknownFieldIsNamed", method: "PATCH", path: "/contacts/{ola}", body: `{"fields":{"shoe":42}}`, status: 422, has: []string{"shoe"}},
		{name: "AField", method: "POST", path: "/fields", body: `{"key":"shoe","type":"number","label":"Shoe size"}`, status: 201},
		{name: "NowItIsKnown", method: "PATCH", path: "/contacts/{ola}", body: `{"fields":{"shoe":42}}`, status: 200, has: []string{`"shoe":42`}},
		{name: "AnUnknownZone", method: "PATCH", path: "/contacts/{ola}", body: `{"zone":"Mars/Base"}`, status: 422, has: []string{"Mars/Base"}},
		{name: "AList", method: "POST", path: "/lists", body: `{"name":"Wiadomości"}`, status: 201, has: []string{`"slug":"wiadomosci"`}},
		{name: "Join", method: "POST", path: "/contacts/{ola}/lists", body: `{"list":"wiadomosci"}`, status: 200, has: []string{`"wiadomosci"`}},
		{name: "Counted", method: "GET", path: "/lists", status: 200, has: []string{`"count":1`}},
		{name: "Leave", method: "DELETE", path: "/contacts/{ola}/lists/wiadomosci", status: 200, hasNot: []string{`"wiadomosci"`}},
		{name: "Untag", method: "DELETE", path: "/contacts/{ola}/tags/vip", status: 200, hasNot: []string{`"vip"`}},
		{name: "Consent", method: "PUT", path: "/contacts/{ola}/consents", body: `{"items":[{"channel":"email","state":"granted","source":"checkout"}]}`, status: 200, has: []string{"checkout"}},
		{name: "FoundByName", method: "GET", path: "/contacts?q=ol", status: 200, has: []string{"{ola}", `"total":1`}, hasNot: []string{"{ewa}"}},
		{name: "PageOne", method: "GET", path: "/contacts?limit=1", status: 200, has: []string{"{ewa}"}, hasNot: []string{"{ola}"}, keep: map[string]string{"next": "next"}},
		{name: "PageTwo", method: "GET", path: "/contacts?limit=1&cursor={next}", status: 200, has: []string{"{ola}"}, hasNot: []string{`"next"`}},
		{name: "AForeignCursor", method: "GET", path: "/contacts?cursor=zzz", status: 422},
		{name: "Merge", method: "POST", path: "/contacts/merge", body: `{"winner_id":"{ola}","loser_id":"{ewa}"}`, status: 200, has: []string{"+48601234567"}},
		{name: "Erase", method: "DELETE", path: "/contacts/{ola}", status: 204},
		{name: "Gone", method: "GET", path: "/contacts", status: 200, hasNot: []string{"{ola}"}},
	})
}

func TestFunnels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	graph := `"graph":{"schema":1,"nodes":[{"id":"entry","kind":"entry","name":"Start","config":{"triggers":[{"kind":"api_event","name":"signup"}],"reentry":{"rule":"once"}}}],"edges":[]},"creatives":{}`
	broken := strings.Replace(graph, `"edges":[]`, `"edges":[{"from":"entry","port":"next","to":"nowhere"}]`, 1)
	b.play(t, []scenario{
		{name: "Create", method: "POST", path: "/funnels", body: `{"name":"Welcome"}`, status: 201, keep: map[string]string{"id": "funnel.id", "r": "revision"}},
		{name: "NeverPublishedIsEmpty", method: "GET", path: "/funnels/{id}/versions", status: 200, has: []string{`"items":[]`}},
		{name: "SavingNeverRefuses", method: "PUT", path: "/funnels/{id}/draft", body: `{"revision":{r},` + broken + `}`, status: 200, has: []string{"EDGE_BROKEN"}, keep: map[string]string{"r2": "revision"}},
		{name: "AStaleSaveGetsTheCurrentDocument", method: "PUT", path: "/funnels/{id}/draft", body: `{"revision":{r},` + graph + `}`, status: 409, has: []string{`"current":{`, "nowhere"}},
		{name: "PublishingRefuses", method: "POST", path: "/funnels/{id}/publish", body: `{"revision":{r2},"accept_warnings":true}`, status: 422, has: []string{`"problems":[`, "EDGE_BROKEN"}},
		{name: "Mended", method: "PUT", path: "/funnels/{id}/draft", body: `{"revision":{r2},` + graph + `}`, status: 200, keep: map[string]string{"r3": "revision"}},
		{name: "Preview", method: "GET", path: "/funnels/{id}/publish-preview", status: 200, has: []string{`"version":1`, `"code":"step_added"`}},
		{name: "Publish", method: "POST", path: "/funnels/{id}/publish", body: `{"revision":{r3},"accept_warnings":true,"note":"first"}`, status: 200, has: []string{`"state":"live"`, `"version":1`, `"changed":false`}},
		{name: "PublishedOnesAreNotDeleted", method: "DELETE", path: "/funnels/{id}", status: 409},
		{name: "Pause", method: "POST", path: "/funnels/{id}/pause", status: 200, has: []string{`"state":"paused"`}},
		{name: "Resume", method: "POST", path: "/funnels/{id}/resume", status: 200, has: []string{`"state":"live"`}},
		{name: "Version", method: "GET", path: "/funnels/{id}/versions/1", status: 200, has: []string{`"note":"first"`, `"published_by":"Anna"`}},
		{name: "NoSuchVersion", method: "GET", path: "/funnels/{id}/versions/9", status: 404},
		{name: "Copy", method: "POST", path: "/funnels/{id}/duplicate", status: 201, keep: map[string]string{"copy": "funnel.id"}},
		{name: "ACopyCanBeDeleted", method: "DELETE", path: "/funnels/{copy}", status: 204},
		{name: "Simulate", method: "POST", path: "/funnels/{id}/simulate", body: `{}`, status: 200, has: []string{`"status":"done"`}},
		{name: "Counts", method: "GET", path: "/funnels/{id}/counts", status: 200, has: []string{`"runs":{`}},
		{name: "Stop", method: "POST", path: "/funnels/{id}/stop", status: 200, has: []string{`"state":"stopped"`}},
		{name: "Archive", method: "POST", path: "/funnels/{id}/archive", status: 200, has: []string{`"state":"archived"`}},
		{name: "ListedOnlyWhenAsked", method: "GET", path: "/funnels", status: 200, hasNot: []string{"{id}"}},
		{name: "AskedFor", method: "GET", path: "/funnels?state=archived", status: 200, has: []string{"{id}"}},
		{name: "Catalogue", method: "GET", path: "/catalogue", status: 200, has: []string{`"send_email"`, `"api_event"`}},
	})
}

func TestEventsToMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	funnel := b.funnel(b.admin)

	got := b.signup(b.admin, "jan@example.com")
	require.Equal(t, funnel, got.get(t, "results.0.started.0.funnel_id"))
	b.settle()
	again := b.do(b.admin, 200, "POST", "/events", object{"name": "signup", "id": "e-1", "contact": object{"email": "jan@example.com"}})
	require.Equal(t, "accepted", again.get(t, "results.0.status"))
	require.Equal(t, "duplicate", b.do(b.admin, 200, "POST", "/events", object{"name": "signup", "id": "e-1", "contact": object{"email": "jan@example.com"}}).get(t, "results.0.status"))
	b.settle()

	messages := b.do(b.admin, 200, "GET", "/messages?to=JAN@example.com", nil)
	require.Len(t, messages.get(t, "items"), 2)
	require.Contains(t, messages.Body.String(), "https://shop.example/")
	id := messages.get(t, "items.0.id").(string)
	detail := b.do(b.admin, 200, "GET", "/messages/"+id, nil)
	require.Equal(t, "Hello Jan", detail.get(t, "message.subject"))
	require.Contains(t, detail.get(t, "html"), "Shop")
	for _, act := range []string{"open", "click", "reply"} {
		b.do(b.admin, 200, "POST", "/messages/"+id+"/act", object{"act": act, "url": "https://shop.example/"})
	}
	b.do(b.admin, 422, "POST", "/messages/"+id+"/act", object{"act": "dance"})
	b.settle()
	log := b.do(b.admin, 200, "GET", "/events", nil).Body.String()
	for _, name := range []string{"signup", "message_sent", "message_opened", "link_clicked", "message_replied"} {
		require.Contains(t, log, name)
	}
	run := b.do(b.admin, 200, "GET", "/runs?funnel="+funnel, nil).get(t, "items.1.id").(string) // the first one
	require.Contains(t, b.do(b.admin, 200, "GET", "/runs/"+run, nil).Body.String(), `"plan":"pro"`)
	b.do(b.admin, 409, "POST", "/runs/"+run+"/retry", nil)
	contact := got.get(t, "results.0.contact_id").(string)
	require.Contains(t, b.do(b.admin, 200, "GET", "/contacts/"+contact+"/timeline", nil).Body.String(), "message_sent")
	started := b.do(b.admin, 200, "POST", "/contacts/"+contact+"/start/"+funnel, nil)
	require.EqualValues(t, 1, started.get(t, "started"))
	b.settle()
	require.EqualValues(t, 3, b.do(b.admin, 200, "GET", "/funnels/"+funnel+"/counts", nil).get(t, "nodes.mail-1.passed"))

	t.Run("PausedSendingHoldsAndResumes", func(t *testing.T) {
		require.Equal(t, true, b.do(b.admin, 200, "POST", "/workspace/pause-sending", nil).get(t, "sending_paused"))
		b.signup(b.admin, "late@example.com")
		b.settle()
		require.Equal(t, "queued", b.do(b.admin, 200, "GET", "/messages?to=late@example.com", nil).get(t, "items.0.state"))
		require.Equal(t, false, b.do(b.admin, 200, "POST", "/workspace/resume-sending", nil).get(t, "sending_paused"))
		b.settle()
		require.Equal(t, "delivered", b.do(b.admin, 200, "GET", "/messages?to=late@example.com", nil).get(t, "items.0.state"))
	})
	t.Run("APreviewMarksWhatIsMissing", func(t *testing.T) {
		creative := object{"channel": "email", "subject": "Order {{ event.total }}", "blocks": []object{{"id": "b", "type": "footer"}}}
		shown := b.do(b.admin, 200, "POST", "/creatives/preview", object{"creative": creative, "contact_id": contact})
		require.Contains(t, shown.get(t, "subject"), "[event.total]")
		require.Equal(t, "VAR_NO_FALLBACK", shown.get(t, "problems.0.code"))
	})
	t.Run("ATestGoesToTheTestInbox", func(t *testing.T) {
		creative := object{"channel": "email", "subject": "Hi", "blocks": []object{{"id": "b", "type": "heading", "text": "x", "level": 1}, {"id": "f", "type": "footer"}}}
		id := b.do(b.admin, 202, "POST", "/creatives/send-test", object{"creative": creative, "to": "me@example.com"}).get(t, "message_id").(string)
		require.Equal(t, "[Test] Hi", b.do(b.admin, 200, "GET", "/messages/"+id, nil).get(t, "message.subject"))
	})
}

func TestSecurity_26_UnsubscribeByLinkAndByOneClick(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	id := b.do(b.admin, 200, "GET", "/messages", nil).get(t, "items.0.id").(string)
	header := b.do(b.admin, 200, "GET", "/messages/"+id, nil).get(t, "headers").(map[string]any)
	require.Equal(t, "List-Unsubscribe=One-Click", header["List-Unsubscribe-Post"])
	path := strings.TrimPrefix(strings.Trim(header["List-Unsubscribe"].(string), "<>"), baseURL)
	left := func() bool {
		return strings.Contains(b.do(b.admin, 200, "GET", "/contacts?q=jan@example.com", nil).Body.String(), `"suppressed":"unsubscribed"`)
	}

	page := b.call(caller{}, "GET", path, nil)
	require.Equal(t, 200, page.Code)
	require.Contains(t, page.Body.String(), "j***@example.com")
	require.NotContains(t, page.Body.String(), "jan@")
	for _, name := range []string{"Purpose", "Sec-Purpose"} {
		b.call(caller{}, "GET", path, nil, name, "prefetch")
	}
	b.call(caller{}, "HEAD", path, nil)
	b.call(caller{}, "GET", path+"?List-Unsubscribe=One-Click&what=all", nil)
	require.False(t, left(), "opening the page changes nothing: scanners open links too")

	view := b.call(caller{}, "GET", strings.Replace(b.do(b.admin, 200, "GET", "/messages/"+id, nil).get(t, "message.links.2.url").(string), baseURL, "", 1), nil)
	require.Equal(t, 200, view.Code)
	require.Contains(t, view.Header().Get("Content-Security-Policy"), "; sandbox ")
	require.NotContains(t, view.Header().Get("Content-Security-Policy"), "allow-scripts")

	for range 2 { // a mail program may ask twice
		clicked := b.call(caller{}, "POST", path, "List-Unsubscribe=One-Click", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site")
		require.Equal(t, 200, clicked.Code, "neither a session nor a step in between")
		require.Empty(t, clicked.Header().Get("Location"))
		require.Empty(t, clicked.Header().Get("Set-Cookie"))
		require.True(t, left(), "at once")
	}
	b.settle()
	require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'unsubscribed'"), "asking twice is leaving once")
	b.signup(b.admin, "jan@example.com")
	b.settle()
	require.Zero(t, b.count("SELECT count(*) FROM messages WHERE class = 'marketing' AND status = 'sent' AND id <> $1", id), "nothing follows")
	for _, forged := range []string{path[:len(path)-2], path + "A", "/u/x", strings.Replace(path, "/u/", "/v/", 1)} {
		require.Equal(t, 404, b.call(caller{}, "GET", forged, nil).Code, forged)
	}
	require.Equal(t, http.StatusNotFound, b.call(caller{}, "POST", "/u/forged", "x", "Content-Type", "application/x-www-form-urlencoded").Code)
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := object{"name": "Once"}
	first := b.do(b.admin, 201, "POST", "/funnels", body, "Idempotency-Key", "k1")
	second := b.do(b.admin, 201, "POST", "/funnels", body, "Idempotency-Key", "k1")
	require.Equal(t, first.Body.String(), second.Body.String())
	require.Equal(t, "true", second.Header().Get("Idempotent-Replayed"))
	require.Empty(t, first.Header().Get("Idempotent-Replayed"))
	b.do(b.admin, 422, "POST", "/funnels", object{"name": "Other"}, "Idempotency-Key", "k1")
	b.do(b.admin, 422, "POST", "/funnels", object{"name": ""}, "Idempotency-Key", strings.Repeat("k", 256))
	b.do(b.token(), 200, "POST", "/events", object{"name": "x", "contact": object{"email": "a@example.com"}}, "Idempotency-Key", "k1")
	b.machine.ahead = 25 * time.Hour
	b.admin.session = sessionIn(b.do(caller{}, 201, "POST", "/session", object{"email": adminEmail, "password": adminPassword}))
	third := b.do(b.admin, 201, "POST", "/funnels", body, "Idempotency-Key", "k1")
	require.NotEqual(t, first.Body.String(), third.Body.String(), "after a day the key is free")
}

func TestABigBatchIsAnsweredInItsOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, id := range map[string]func(i int) string{
		"WithIds":    func(i int) string { return fmt.Sprintf("order-%d", i%240) }, // the last ten are there twice, in different portions
		"WithoutIds": func(int) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			batch := make([]object, 250)
			for i := range batch {
				batch[i] = object{"name": "bought", "id": id(i), "contact": object{"email": fmt.Sprintf("p%d@example.com", i%7)}}
				if i == 150 {
					batch[i]["contact"] = object{"email": "nobody"}
				}
			}
			got := b.do(b.admin, 200, "POST", "/events", object{"events": batch})
			for i := range batch {
				want := "accepted"
				switch {
				case i == 150:
					want = "rejected"
				case i >= 240 && name == "WithIds":
					want = "duplicate"
				}
				require.Equal(t, want, got.get(t, fmt.Sprintf("results.%d.status", i)), i)
			}
		})
	}
}
