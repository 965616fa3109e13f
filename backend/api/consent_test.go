package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/receipts"
)

// preferencePage is the page of a person, and a way to send it.
func (b *testBundle) preferencePage(contact string) string {
	b.t.Helper()
	return strings.TrimPrefix(b.do(b.admin, 200, "POST", "/contacts/"+contact+"/preference-link", nil).get(b.t, "url").(string), baseURL)
}

func (b *testBundle) sendPage(path string, values url.Values) answer {
	return b.call(caller{}, "POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
}

func TestPeopleChooseThemselvesWhatTheyGet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.admin, 201, "POST", "/topics", object{"slug": "news", "name": "News"})
	b.do(b.admin, 201, "POST", "/topics", object{"slug": "offers", "name": `Offers <script>alert(1)</script>`})
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com", "phone": "+48601234567", "consents": []object{{"channel": "email", "state": "granted"}}}).get(t, "id").(string)
	path := b.preferencePage(contact)

	page := b.call(caller{}, "GET", path+"?lang=pl", nil, "Accept", "text/html")
	require.Equal(t, 200, page.Code)
	text := page.Body.String()
	require.Contains(t, text, "Co chcesz od nas otrzymywać?")
	require.Contains(t, text, "j***@example.com")
	require.Contains(t, text, `name="channel" value="email" checked`)
	require.Contains(t, text, `name="topic.email" value="news" checked`)
	require.NotContains(t, text, "jan@example.com", "a forwarded message must not give the address away")
	require.NotContains(t, text, "<script>")
	require.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, b.call(caller{}, "GET", path+"?lang=ru", nil).Body.String(), "Что вы хотите от нас получать?")
	b.call(caller{}, "HEAD", path, nil)
	require.Equal(t, "granted", b.do(b.admin, 200, "GET", "/contacts/"+contact+"/consents", nil).get(t, "items.0.state"), "opening it changes nothing")

	saved := b.sendPage(path+"?lang=pl", url.Values{"do": {"save"}, "channel": {"email", "sms"}, "topic.email": {"news"}, "topic.sms": {"news", "offers"}})
	require.Equal(t, 200, saved.Code)
	require.Contains(t, saved.Body.String(), "Zapisano")
	states := func() map[string]string {
		var got struct {
			Items []struct{ Channel, Topic, State string }
		}
		b.do(b.admin, 200, "GET", "/contacts/"+contact+"/consents", nil).into(t, &got)
		all := map[string]string{}
		for _, one := range got.Items {
			all[one.Channel+" "+one.Topic] = one.State
		}
		return all
	}
	require.Equal(t, map[string]string{"email ": "granted", "email offers": "denied", "sms ": "granted"}, states(), "only what changed is recorded")

	t.Run("TheProofIsKeptAndHandedOver", func(t *testing.T) {
		records := b.do(b.admin, 200, "GET", "/contacts/"+contact+"/consent-records", nil)
		var got struct {
			Items []struct {
				Channel, Topic, State, Source string
				Proof                         map[string]any
			}
		}
		records.into(t, &got)
		require.Len(t, got.Items, 3)
		for _, one := range got.Items[:2] {
			require.Equal(t, "preferences", one.Source)
			require.NotEmpty(t, one.Proof["text"])
			require.NotEmpty(t, one.Proof["ip_hash"])
			require.Equal(t, "pl", one.Proof["language"])
		}
		require.NotContains(t, records.Body.String(), "192.0.2.1", "the address of the network is hashed")
		file := b.call(b.admin, "GET", "/api/v1/contacts/"+contact+"/consent-records.csv", nil)
		require.Equal(t, 200, file.Code)
		require.Contains(t, file.Header().Get("Content-Type"), "text/csv")
		require.Equal(t, "nosniff", file.Header().Get("X-Content-Type-Options"))
		require.Contains(t, file.Header().Get("Content-Disposition"), "attachment")
		require.Contains(t, file.Body.String(), "jan@example.com")
	})
	t.Run("NothingAtAllLeavesEverything", func(t *testing.T) {
		require.Equal(t, 200, b.sendPage(path, url.Values{"do": {"nothing"}, "channel": {"email"}}).Code)
		require.Equal(t, "denied", states()["email "])
		require.Equal(t, "denied", states()["sms "])
		b.settle()
		require.Contains(t, b.do(b.admin, 200, "GET", "/suppressions?q=JAN@example.com", nil).Body.String(), `"reason":"unsubscribed"`)
	})
	t.Run("AndMayComeBack", func(t *testing.T) {
		require.Equal(t, 200, b.sendPage(path, url.Values{"do": {"save"}, "channel": {"email"}, "topic.email": {"news"}}).Code)
		require.Equal(t, "granted", states()["email "])
		require.NotContains(t, b.do(b.admin, 200, "GET", "/contacts/"+contact, nil).Body.String(), "suppressed")
	})
	t.Run("Security_09_AForgedLinkOpensNothing", func(t *testing.T) {
		for _, forged := range []string{path[:len(path)-2], path + "A", "/p/x", strings.Replace(path, "/p/", "/f/confirm/", 1)} {
			require.Equal(t, 404, b.call(caller{}, "GET", forged, nil, "Accept", "text/html").Code, forged)
		}
	})
	t.Run("WhoIsErasedHasNoPage", func(t *testing.T) {
		b.do(b.admin, 204, "DELETE", "/contacts/"+contact, nil)
		require.Equal(t, 404, b.call(caller{}, "GET", path, nil, "Accept", "text/html").Code)
	})
}

func TestSuppressionsAreFoundImportedAndLiftedWithAReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "bounced@example.com"}).get(t, "id").(string)
	csv := "email,reason\nbounced@example.com,hard bounce\nspam@example.com,complaint\nleft@example.com,unsubscribed\nplain@example.com,\nnot an address,\n"
	task := b.do(b.admin, 202, "POST", "/suppressions/import", csv, "Content-Type", "text/csv").get(t, "id").(string)
	_, err := b.tasks.Settle(t.Context())
	require.NoError(t, err)
	report := b.do(b.admin, 200, "GET", "/tasks/"+task, nil)
	require.EqualValues(t, 4, report.get(t, "result.added"))
	require.EqualValues(t, 6, report.get(t, "result.errors.0.line"))
	counts := b.do(b.admin, 200, "GET", "/suppressions", nil).get(t, "counts")
	require.Equal(t, object{"bounced": 1.0, "complained": 1.0, "unsubscribed": 1.0, "manual": 1.0}, counts)
	require.Contains(t, b.do(b.admin, 200, "GET", "/contacts/"+contact, nil).Body.String(), `"suppressed":"suppressed"`)

	found := b.do(b.admin, 200, "GET", "/suppressions?q=Spam@Example.com", nil)
	require.Equal(t, "s***@example.com", found.get(t, "items.0.hint"))
	require.Len(t, found.get(t, "items"), 1)
	b.do(b.admin, 422, "GET", "/suppressions?q=spam", nil)
	require.Len(t, b.do(b.admin, 200, "GET", "/suppressions?reason=bounced", nil).get(t, "items"), 1)
	page := b.do(b.admin, 200, "GET", "/suppressions?limit=3", nil)
	require.Len(t, b.do(b.admin, 200, "GET", "/suppressions?limit=3&cursor="+page.get(t, "next").(string), nil).get(t, "items"), 1)

	id := found.get(t, "items.0.id").(string)
	b.do(b.member(auth.Marketer), 403, "POST", "/suppressions/"+id+"/lift", object{"reason": "they called us"})
	b.do(b.admin, 204, "POST", "/suppressions/"+id+"/lift", object{"reason": "they called us"})
	b.do(b.admin, 404, "POST", "/suppressions/"+id+"/lift", object{"reason": "they called us"})
	require.Equal(t, 1, b.count("SELECT count(*) FROM audit_log WHERE action = 'suppressionLifted' AND target LIKE '%s***@example.com (complained): they called us'"))
	left := b.do(b.admin, 200, "GET", "/suppressions?q=left@example.com", nil).get(t, "items.0.id").(string)
	b.do(b.admin, 409, "POST", "/suppressions/"+left+"/lift", object{"reason": "we would like them back"})
}

func TestDevelopersSendSingleMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	program := b.token(auth.ScopeWrite)
	letter := object{"channel": "email", "subject": "Your order {{ vars.order }}", "blocks": []object{{"id": "t", "type": "heading", "level": 1, "text": "Hello {{ vars.name }}"}}}
	body := object{"to": object{"email": "jan@example.com"}, "creative": letter, "variables": object{"order": "A-7", "name": "<b>Jan</b>"}}

	first := b.do(program, 202, "POST", "/messages", body, "Idempotency-Key", "order-7")
	b.machine.ahead = 48 * time.Hour // what the answer cache forgets, the message remembers
	again := b.do(program, 202, "POST", "/messages", body, "Idempotency-Key", "order-7")
	require.Equal(t, first.get(t, "message_id"), again.get(t, "message_id"))
	require.Equal(t, true, again.get(t, "repeated"))
	b.machine.ahead = 0
	b.settle()
	detail := b.do(b.tokenReading(), 200, "GET", "/messages/"+first.get(t, "message_id").(string), nil)
	require.Equal(t, "delivered", detail.get(t, "message.state"))
	require.Equal(t, "Your order A-7", detail.get(t, "message.subject"))
	require.Contains(t, detail.get(t, "html"), "&lt;b&gt;Jan")

	t.Run("AMissingVariableIsNamed", func(t *testing.T) {
		got := b.do(program, 422, "POST", "/messages", object{"to": object{"email": "jan@example.com"}, "creative": letter, "variables": object{"order": "1"}})
		require.Equal(t, "variables", got.get(t, "fields.0.field"))
		require.Contains(t, got.get(t, "fields.0.message"), "vars.name")
	})
	t.Run("LaterMeansLater", func(t *testing.T) {
		later := object{"to": object{"email": "eva@example.com"}, "creative": letter, "variables": object{"order": "2", "name": "Eva"}, "send_at": b.clock.Now().Add(2 * time.Hour).Format(time.RFC3339)}
		id := b.do(program, 202, "POST", "/messages", later).get(t, "message_id").(string)
		b.settle()
		require.Equal(t, "queued", b.do(b.tokenReading(), 200, "GET", "/messages/"+id, nil).get(t, "message.state"))
		require.NoError(t, b.clock.SetNow(t.Context(), b.clock.Now().Add(3*time.Hour)))
		require.NoError(t, b.clock.SetDue(t.Context(), b.clock.Now()))
		b.settle()
		require.Equal(t, "delivered", b.do(b.tokenReading(), 200, "GET", "/messages/"+id, nil).get(t, "message.state"))
	})
	t.Run("WhoUnsubscribedStillGetsTheReceiptAndWhoBouncedNothing", func(t *testing.T) {
		contact := first.get(t, "contact_id").(string)
		b.do(b.admin, 200, "PUT", "/contacts/"+contact+"/consents", object{"items": []object{{"channel": "email", "state": "denied"}}})
		b.do(program, 202, "POST", "/messages", body)
		b.do(b.admin, 204, "POST", "/suppressions", object{"channel": "email", "address": "jan@example.com"})
		b.do(program, 409, "POST", "/messages", body)
	})
	t.Run("OneOfTemplateAndCreative", func(t *testing.T) {
		b.do(program, 422, "POST", "/messages", object{"to": object{"email": "a@example.com"}})
		got := b.do(program, 422, "POST", "/messages", object{"to": object{"email": "a@example.com"}, "template": object{"funnel": "none", "message": "none"}})
		require.Equal(t, "template", got.get(t, "fields.0.field"))
		b.do(program, 422, "POST", "/messages", object{"to": object{}, "creative": letter})
	})
	t.Run("AKeyOfAnotherMessageIsRefused", func(t *testing.T) {
		other := object{"to": object{"email": "other@example.com"}, "creative": letter, "variables": object{"order": "9", "name": "O"}}
		b.do(program, 422, "POST", "/messages", other, "Idempotency-Key", "order-7")
	})
}

// tokenReading is a program that may look.
func (b *testBundle) tokenReading() caller { return b.token(auth.ScopeRead) }

func TestSecurity_07_AReportOfAStrangerIsNotFoundOrRefusedAndSaysNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	source := b.do(b.admin, 201, "POST", "/report-sources", object{"kind": "generic", "name": "Own", "secret": "a secret of our own"})
	path := strings.TrimPrefix(source.get(t, "url").(string), baseURL)
	require.NotContains(t, source.Body.String(), "a secret of our own")
	body := `{"events":[{"id":"1","type":"delivered","provider_message_id":"x"}]}`
	now := b.machine.Now()
	require.Equal(t, 401, b.call(caller{}, "POST", path, body, "X-Lejek-Timestamp", strconv.FormatInt(now.Unix(), 10), "X-Lejek-Signature", "sha256=00").Code)
	require.Equal(t, 401, b.call(caller{}, "POST", path, body).Code)
	require.Equal(t, 404, b.call(caller{}, "POST", strings.Replace(path, b.workspace.String(), "0193a1b2-0000-7000-8000-000000000001", 1), body).Code)
	require.Equal(t, 404, b.call(caller{}, "POST", "/hooks/messages/x/y", body).Code)
	require.Equal(t, http.StatusRequestEntityTooLarge, b.call(caller{}, "POST", path, strings.Repeat("x", receipts.MaxReport+1)).Code)
	good := b.call(caller{}, "POST", path, body, "X-Lejek-Timestamp", strconv.FormatInt(now.Unix(), 10), "X-Lejek-Signature", "sha256="+receipts.SignGeneric("a secret of our own", now, []byte(body)))
	require.Equal(t, 200, good.Code, good.Body)
	require.Equal(t, 1, b.count("SELECT count(*) FROM receipts"))
}

func TestSecurity_05_TwilioSignsTheAddressItWasToldNotTheOneAProxyAsksBy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	source := b.do(b.admin, 201, "POST", "/report-sources", object{"kind": "twilio", "name": "Twilio", "secret": "the token of the account"})
	address := source.get(t, "url").(string)
	params := url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"delivered"}}
	behind := func(signed string) int {
		request := httptest.NewRequestWithContext(t.Context(), "POST", "http://10.0.0.1:8080"+strings.TrimPrefix(address, baseURL)+"?m=1", strings.NewReader(params.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-Forwarded-Host", "evil.example")
		request.Header.Set("X-Forwarded-Proto", "https")
		request.Header.Set("X-Twilio-Signature", receipts.SignTwilio("the token of the account", signed, params))
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		return recorder.Code
	}
	for _, forged := range []string{"http://10.0.0.1:8080", "https://evil.example", "https://lejek.test"} {
		require.Equal(t, 401, behind(strings.Replace(address, baseURL, forged, 1)+"?m=1"), forged)
	}
	require.Equal(t, 401, behind(address), "without what follows the question mark")
	require.Equal(t, 200, behind(address+"?m=1"))
}

func TestSecurity_08_LinksLeadOnlyWhereTheMessageLed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const shop = "https://shop.example/cart?id=7"
	good := strings.TrimPrefix(b.worker.Tracker.Links.Click(b.workspace, uuid.New(), 0, shop), baseURL)
	for _, more := range []string{"", "?url=https://evil.example", "?redirect=//evil.example&next=%5Cevil"} {
		got := b.call(caller{}, "GET", good+more, nil)
		require.Equal(t, []any{302, shop, "no-referrer"}, []any{got.Code, got.Header().Get("Location"), got.Header().Get("Referrer-Policy")}, more)
	}
	middle := len(good) / 2
	for _, path := range []string{
		"/c/x?url=https://evil.example", "/c/?url=https://evil.example", "/c//evil.example", `/c/\evil.example`, "/c/javascript:alert(1)", "/s/aaaaaaaaaa?url=//evil.example",
		"/c/" + strings.Repeat("A", 80), good + "A", good[:len(good)-1], good[:middle] + "AAAA" + good[middle+4:], strings.Replace(good, "/c/", "/s/", 1),
	} {
		got := b.call(caller{}, "GET", path, nil)
		require.Empty(t, got.Header().Get("Location"), path)
		require.Equal(t, 404, got.Code, path)
	}
	picture := b.call(caller{}, "GET", "/o/https:evil.example", nil)
	require.Equal(t, []any{200, "", "image/gif"}, []any{picture.Code, picture.Header().Get("Location"), picture.Header().Get("Content-Type")})
}

func TestTheDomainOfLinksAnswersForItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.admin, 422, "PUT", "/tracking-domain", object{"domain": "169.254.169.254"})
	b.do(b.admin, 422, "PUT", "/tracking-domain", object{"domain": "localhost"})
	set := b.do(b.admin, 200, "PUT", "/tracking-domain", object{"domain": "Links.Acme.Example."})
	require.Equal(t, "links.acme.example", set.get(t, "domain"))
	require.Equal(t, false, set.get(t, "verified"))
	require.Equal(t, "lejek.test", set.get(t, "target"))
	require.Equal(t, 200, b.call(caller{}, "GET", "/.well-known/lejek-links", nil).Code)
}

func TestWhoWantsNothingIsNotBroughtBackByAFileAlsoIfNobodyHadAskedThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com"}).get(t, "id").(string)
	require.Equal(t, 200, b.sendPage(b.preferencePage(contact), url.Values{"do": {"nothing"}}).Code)
	state := func() any { return b.do(b.admin, 200, "GET", "/contacts/"+contact+"/consents", nil).get(t, "items.0.state") }
	require.Equal(t, "denied", state())
	b.do(b.admin, 200, "POST", "/contacts", object{"email": "jan@example.com", "consents": []object{{"channel": "email", "state": "granted"}}})
	require.Equal(t, "denied", state())
}
