package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
)

// form makes a form and answers its public path. more overrides members.
func (b *testBundle) form(more object) string {
	b.t.Helper()
	in := object{
		"slug": "contact", "name": "Contact us", "consent_text": "Write to me <b>often</b>", "allowed_origins": []string{"https://shop.example"},
		"fields": []object{
			{"key": "email", "type": "email", "label": "E-mail", "required": true},
			{"key": "first_name", "type": "text", "label": "First name", "maps_to": "first_name"},
			{"key": "budget", "type": "select", "label": "Budget", "options": []string{"small", "large"}},
		},
	}
	maps.Copy(in, more)
	made := b.do(b.admin, http.StatusCreated, "POST", "/forms", in)
	return "/f/" + made.get(b.t, "id").(string)
}

// shown is a token of a form that was shown long enough ago.
func (b *testBundle) shown(path string) string {
	b.t.Helper()
	token := b.call(caller{}, "GET", path, nil, "Accept", "application/json").get(b.t, "token").(string)
	b.machine.ahead += 10 * time.Second
	return token
}

func (b *testBundle) send(path string, body object, headers ...string) answer {
	b.t.Helper()
	return b.call(caller{}, "POST", path, body, append([]string{"Accept", "application/json"}, headers...)...)
}

func (b *testBundle) count(sql string, args ...any) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.db.QueryRow(b.t.Context(), sql, args...).Scan(&n))
	return n
}

func TestForms(t *testing.T) {
	t.Parallel()

	t.Run("AnswersCountAtOnceWithoutDoubleOptIn", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(nil)
		got := b.send(path, object{"email": "jan@example.com", "first_name": "Jan", "budget": "large", "_consent": true, "_token": b.shown(path)})
		require.Equal(t, 200, got.Code, got.Body)
		require.Equal(t, "confirmed", got.get(t, "state"))
		b.settle()
		person := b.do(b.admin, 200, "GET", "/contacts?q=jan@example.com", nil)
		require.Equal(t, "Jan", person.get(t, "items.0.first_name"))
		consents := b.do(b.admin, 200, "GET", "/contacts/"+person.get(t, "items.0.id").(string)+"/consents", nil)
		require.Equal(t, "granted", consents.get(t, "items.0.state"))
		require.Equal(t, 1, b.count(`SELECT count(*) FROM consents WHERE proof->>'text' = 'Write to me <b>often</b>' AND proof->>'ip_hash' <> ''`))
		require.Equal(t, 1, b.count(`SELECT count(*) FROM events WHERE name = 'form_submitted' AND props->>'form' = 'contact' AND props->>'budget' = 'large'`))
		sent := b.do(b.admin, 200, "GET", "/forms/contact/submissions", nil)
		require.Equal(t, "large", sent.get(t, "items.0.answers.budget"))
	})

	t.Run("WithDoubleOptInNothingHappensBeforeTheButton", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(object{"double_opt_in": true})
		got := b.send(path, object{"email": "jan@example.com", "first_name": "Jan", "_consent": true, "_token": b.shown(path)})
		require.Equal(t, "received", got.get(t, "state"))
		b.settle()
		require.Zero(t, b.count("SELECT count(*) FROM consents"))
		require.Zero(t, b.count("SELECT count(*) FROM events WHERE name IN ('form_submitted', 'contact_created')"))
		mails := b.do(b.admin, 200, "GET", "/messages?to=jan@example.com", nil)
		require.Equal(t, "delivered", mails.get(t, "items.0.state"))
		require.Equal(t, "form", mails.get(t, "items.0.source"))
		link, err := url.Parse(mails.get(t, "items.0.links.0.url").(string))
		require.NoError(t, err)
		for range 2 {
			page := b.call(caller{}, "GET", link.Path, nil, "Accept", "text/html")
			require.Equal(t, 200, page.Code)
			require.Contains(t, page.Body.String(), `data-testid="confirm"`)
			require.Zero(t, b.count("SELECT count(*) FROM consents"), "opening the link is no word of the person")
		}
		for range 2 {
			require.Equal(t, 200, b.call(caller{}, "POST", link.Path, "", "Accept", "text/html").Code)
		}
		b.settle()
		require.Equal(t, 1, b.count(`SELECT count(*) FROM consents WHERE state = 'granted' AND (proof->>'double_opt_in')::bool AND proof->>'confirmed_at' <> ''`))
		require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'form_submitted'"))
		require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'contact_created'"))
		require.Equal(t, 404, b.call(caller{}, "POST", link.Path+"A", "").Code)
	})

	t.Run("AStrangersAddressIsWrittenToOnceADay", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(object{"double_opt_in": true})
		for range 5 {
			require.Equal(t, 200, b.send(path, object{"email": "victim@example.com", "_token": b.shown(path)}).Code)
		}
		b.settle()
		require.Equal(t, 1, b.count("SELECT count(*) FROM messages"))
		require.Equal(t, 5, b.count("SELECT count(*) FROM form_submissions"))
	})

	t.Run("WhoTypesAnAddressIsNotItsPerson", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		known := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com", "first_name": "Jan", "consents": []object{{"channel": "email", "state": "denied"}}})
		path, visitor := b.form(nil), uuid.NewString()
		require.Equal(t, 200, b.send(path, object{"email": "jan@example.com", "first_name": "Eve", "_consent": true, "_visitor": visitor, "_token": b.shown(path)}).Code)
		b.settle()
		id := known.get(t, "id").(string)
		require.Equal(t, "Jan", b.do(b.admin, 200, "GET", "/contacts/"+id, nil).get(t, "first_name"), "what is filled stays")
		require.Equal(t, "denied", b.do(b.admin, 200, "GET", "/contacts/"+id+"/consents", nil).get(t, "items.0.state"), "a refusal stays")
		require.Zero(t, b.count("SELECT count(*) FROM visitors WHERE contact_id IS NOT NULL"), "the browser is nobody's")
	})

	t.Run("RobotsLearnNothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(nil)
		got := b.send(path, object{"email": "bot@example.com", "_website": "https://spam.example", "_token": b.shown(path)})
		require.Equal(t, "confirmed", got.get(t, "state"))
		require.Equal(t, 1, b.count("SELECT count(*) FROM form_submissions WHERE state = 'spam'"))
		require.Zero(t, b.count("SELECT count(*) FROM contacts WHERE email = 'bot@example.com'"))
		fresh := b.call(caller{}, "GET", path, nil, "Accept", "application/json").get(t, "token").(string)
		require.Equal(t, "_token", b.send(path, object{"email": "bot@example.com", "_token": fresh}).get(t, "fields.0.field"), "nobody fills in a form in no time")
		require.Equal(t, "_token", b.send(path, object{"email": "bot@example.com"}).get(t, "fields.0.field"))
	})

	t.Run("WrongAnswersAreNamed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(object{"consent_required": true})
		got := b.send(path, object{"email": "jan", "budget": "huge", "colour": "red", "_token": b.shown(path)})
		require.Equal(t, 422, got.Code)
		fields := []string{}
		for _, f := range got.get(t, "fields").([]any) {
			fields = append(fields, f.(map[string]any)["field"].(string))
		}
		require.Equal(t, []string{"_consent", "budget", "colour", "email"}, fields)
	})

	t.Run("ARepeatIsTheSameSubmission", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(nil)
		for range 3 {
			got := b.send(path, object{"email": "jan@example.com", "_token": b.shown(path)}, "Idempotency-Key", "abc")
			require.Equal(t, 200, got.Code, got.Body)
		}
		b.settle()
		require.Equal(t, 1, b.count("SELECT count(*) FROM form_submissions"))
		require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'form_submitted'"))
	})

	t.Run("OneAddressCannotFloodIt", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path, key := b.form(nil), b.token()
		limited := 0
		for range 30 {
			got := b.call(key, "POST", path, object{"email": "jan@example.com"}, "Accept", "application/json")
			if got.Code == 429 {
				require.NotEmpty(t, got.Header().Get("Retry-After"))
				limited++
			}
		}
		require.Greater(t, limited, 15)
	})

	t.Run("PagesOfOtherSitesNeedLeave", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(nil)
		token := b.shown(path)
		good := b.send(path, object{"email": "jan@example.com", "_token": token}, "Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site")
		require.Equal(t, 200, good.Code, good.Body)
		require.Equal(t, "https://shop.example", good.Header().Get("Access-Control-Allow-Origin"))
		evil := b.send(path, object{"email": "jan@example.com", "_token": token}, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
		require.Equal(t, 403, evil.Code)
		require.Empty(t, evil.Header().Get("Access-Control-Allow-Origin"))
		require.Equal(t, 204, b.call(caller{}, "OPTIONS", path, nil, "Origin", "https://shop.example", "Access-Control-Request-Method", "POST").Code)
	})

	t.Run("TheHostedPageSpeaksTheirLanguageAndRunsNothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(object{"redirect": "https://shop.example/thanks", "title": `<script>alert(1)</script>`})
		page := b.call(caller{}, "GET", path, nil, "Accept", "text/html", "Accept-Language", "pl-PL,pl;q=0.9")
		require.Contains(t, page.Body.String(), "Wyślij")
		require.NotContains(t, page.Body.String(), "<script>")
		require.NotContains(t, page.Body.String(), "<b>often</b>")
		require.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'")
		token := regexp.MustCompile(`name="_token" value="([^"]+)"`).FindStringSubmatch(page.Body.String())[1]
		b.machine.ahead += 10 * time.Second
		post := func(values url.Values) answer {
			return b.call(caller{}, "POST", path, values.Encode(), "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded", "Accept-Language", "pl")
		}
		wrong := post(url.Values{"email": {`"><img src=x>`}, "_token": {token}})
		require.Equal(t, 422, wrong.Code)
		require.NotContains(t, wrong.Body.String(), "<img")
		require.Contains(t, wrong.Body.String(), `aria-invalid="true"`)
		done := post(url.Values{"email": {"jan@example.com"}, "first_name": {""}, "_token": {token}, "redirect": {"https://evil.example"}})
		require.Equal(t, 422, done.Code, "nobody may add where it leads")
		done = post(url.Values{"email": {"jan@example.com"}, "_token": {token}})
		require.Equal(t, 303, done.Code)
		require.Equal(t, "https://shop.example/thanks", done.Header().Get("Location"))
	})

	t.Run("AnotherWorkspacesKeyOpensNothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(nil)
		other := b.other()
		secret := b.do(other, 201, "POST", "/api-tokens", object{"name": "x", "kind": "pub"}).get(t, "secret").(string)
		require.Equal(t, 404, b.call(caller{token: secret}, "POST", path, object{"email": "jan@example.com"}, "Accept", "application/json").Code)
		require.Equal(t, 404, b.call(other, "GET", api.Prefix+"/forms/contact", nil).Code)
		require.Equal(t, 404, b.send("/f/"+uuid.NewString(), object{"email": "jan@example.com"}).Code)
		require.Equal(t, 404, b.send("/f/nonsense", object{}).Code)
	})

	t.Run("AFormThatCannotWorkIsRefused", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		field := object{"key": "email", "type": "email", "label": "E-mail", "required": true}
		for name, c := range map[string]struct {
			change object
			field  string
		}{
			"NobodyCouldBeKnown": {object{"fields": []object{{"key": "name", "type": "text", "label": "Name"}}}, "fields"},
			"AReservedKey":       {object{"fields": []object{field, {"key": "form", "type": "text", "label": "x"}}}, "fields.1.key"},
			"AnUnknownField":     {object{"fields": []object{field, {"key": "shoe", "type": "text", "label": "x", "maps_to": "shoe_size"}}}, "fields.1.maps_to"},
			"AnotherScheme":      {object{"redirect": "javascript:alert(1)"}, "redirect"},
			"NoSite":             {object{"allowed_origins": []string{"shop.example/path"}}, "allowed_origins.0"},
			"NoSuchList":         {object{"list": "nowhere"}, "list"},
		} {
			in := object{"name": "x", "fields": []object{field}}
			maps.Copy(in, c.change)
			got := b.do(b.admin, 422, "POST", "/forms", in)
			require.Equal(t, c.field, got.get(t, "fields.0.field"), name)
		}
	})
}

func TestSecurity_23_AFormFloodsNobodysMailboxAndTellsNobodyWhoIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.form(object{"double_opt_in": true})
	b.do(b.admin, 201, "POST", "/contacts", object{"email": "known@example.com"})
	token := b.shown(path)
	limited := 0
	for i := range 60 {
		request := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(`{"email":"victim@example.com","_consent":true,"_token":"`+token+`"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
		request.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i%3) // three attackers at once
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		if recorder.Code == 429 {
			limited++
		}
	}
	require.GreaterOrEqual(t, limited, 25, "each address of the network has its limit")
	b.settle()
	require.LessOrEqual(t, b.count("SELECT count(*) FROM messages m JOIN contacts c ON c.id = m.contact_id WHERE c.email = 'victim@example.com'"), 1)
	known := b.send(path, object{"email": "known@example.com", "_consent": true, "_token": b.shown(path)})
	stranger := b.send(path, object{"email": "stranger@example.com", "_consent": true, "_token": b.shown(path)})
	require.Equal(t, known.Code, stranger.Code)
	require.Equal(t, known.Body.String(), stranger.Body.String())
}

func TestVisits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.do(b.admin, 201, "POST", "/api-tokens", object{"name": "site", "kind": "pub"}).get(t, "secret").(string)
	jan := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com"}).get(t, "id").(string)
	visit := func(visitor, page string, more object, headers ...string) answer {
		body := object{"key": key, "visitor": visitor, "url": page}
		maps.Copy(body, more)
		return b.call(caller{}, "POST", "/t", body, append([]string{"Content-Type", "text/plain", "Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site"}, headers...)...)
	}
	browser := uuid.NewString()
	got := visit(browser, "https://shop.example/pricing?x=1#secret", nil)
	require.Equal(t, 204, got.Code, got.Body)
	require.Equal(t, "*", got.Header().Get("Access-Control-Allow-Origin"))
	require.Zero(t, b.count("SELECT count(*) FROM events WHERE name = 'page_visited'"), "nobody is known")

	require.Equal(t, 204, visit(browser, "https://shop.example/a", object{"identity": "forged"}).Code)
	require.Zero(t, b.count("SELECT count(*) FROM visitors WHERE contact_id IS NOT NULL"))

	token := b.do(b.admin, 201, "POST", "/contacts/"+jan+"/identity-token", nil).get(t, "token").(string)
	require.Equal(t, 204, visit(browser, "https://shop.example/cart", object{"identity": token}).Code)
	require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'page_visited' AND contact_id = $1 AND NOT imported", jan))
	require.Equal(t, 2, b.count("SELECT count(*) FROM events WHERE name = 'page_visited' AND contact_id = $1 AND imported", jan), "what was seen before is history")
	require.Zero(t, b.count("SELECT count(*) FROM events WHERE props->>'url' LIKE '%#%'"))
	require.Zero(t, b.count("SELECT count(*) FROM visitor_events"))

	for name, more := range map[string]object{
		"NoKey": {"key": ""}, "NoVisitor": {"visitor": "x"}, "NoAddress": {"url": "/pricing"}, "AnotherScheme": {"url": "javascript:alert(1)"},
	} {
		require.Equal(t, 422, visit(browser, "https://shop.example/", more).Code, name)
	}
	require.Equal(t, 401, visit(browser, "https://shop.example/", object{"key": "lk_pub_wrong"}).Code)
	require.Equal(t, 204, visit(uuid.NewString(), "https://shop.example/", nil, "Sec-GPC", "1").Code)
	require.Equal(t, 1, b.count("SELECT count(*) FROM visitors"), "who asks not to be tracked is not")
	b.do(b.admin, 200, "PATCH", "/workspace", object{"respect_do_not_track": false})
	require.Equal(t, 204, visit(uuid.NewString(), "https://shop.example/", nil, "DNT", "1").Code)
	require.Equal(t, 2, b.count("SELECT count(*) FROM visitors"))

	other := b.other()
	stranger := b.do(other, 201, "POST", "/contacts", object{"email": "olga@example.com"}).get(t, "id").(string)
	foreign := b.do(other, 201, "POST", "/contacts/"+stranger+"/identity-token", nil).get(t, "token").(string)
	require.Equal(t, 204, visit(uuid.NewString(), "https://shop.example/", object{"identity": foreign}).Code)
	require.Zero(t, b.count("SELECT count(*) FROM visitors WHERE contact_id = $1", stranger), "a token is of its workspace")
	limited := false
	for range 150 {
		limited = limited || visit(browser, "https://shop.example/", nil).Code == 429
	}
	require.True(t, limited)
}

func TestBookingPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hours := []object{{"from": "00:00", "to": "24:00"}}
	week := object{"mon": hours, "tue": hours, "wed": hours, "thu": hours, "fri": hours, "sat": hours, "sun": hours}
	made := b.do(b.admin, 201, "POST", "/resources", object{"slug": "call", "name": "A call <b>now</b>", "hours": week, "slot_minutes": 60, "zone": "Europe/Warsaw"})
	slots := b.do(b.admin, 200, "GET", "/resources/call/slots", nil)
	first := slots.get(t, "items.0.from").(string)
	booked := b.do(b.admin, 201, "POST", "/bookings", object{"resource": "call", "from": first, "contact": object{"email": "jan@example.com"}, "key": "k"})
	b.do(b.admin, 200, "POST", "/bookings", object{"resource": "call", "from": first, "contact": object{"email": "jan@example.com"}, "key": "k"})
	taken := b.do(b.admin, 409, "POST", "/bookings", object{"resource": "call", "from": first, "contact": object{"email": "eve@example.com"}})
	require.Len(t, taken.get(t, "alternatives"), 3)
	second := taken.get(t, "alternatives.0.from").(string)
	id := booked.get(t, "id").(string)
	require.Equal(t, second, b.do(b.admin, 200, "POST", "/bookings/"+id+"/rebook", object{"from": second}).get(t, "from"))
	require.Equal(t, "cancelled", b.do(b.admin, 200, "DELETE", "/bookings/"+id, nil).get(t, "state"))
	require.Equal(t, "jan@example.com", b.do(b.admin, 200, "GET", "/bookings", nil).get(t, "items.0.contact_name"))

	path := "/book/" + made.get(t, "id").(string)
	page := b.call(caller{}, "GET", path, nil, "Accept", "text/html", "Accept-Language", "ru")
	require.Equal(t, 200, page.Code)
	require.Contains(t, page.Body.String(), "Записаться")
	require.NotContains(t, page.Body.String(), "<b>now</b>")
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page.Body.String())[1]
	post := func(path string, values url.Values, headers ...string) answer {
		return b.call(caller{}, "POST", path, values.Encode(), append([]string{"Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
	}
	form := url.Values{"token": {token}, "from": {first}, "email": {"ola@example.com"}, "name": {"Ola"}}
	require.Equal(t, 403, post(path, form, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").Code)
	require.Equal(t, 403, post(path, url.Values{"from": {first}, "email": {"ola@example.com"}}).Code, "without what our page carries")
	require.Equal(t, 422, post(path, url.Values{"token": {token}, "from": {first}, "email": {"ola"}}).Code)
	done := post(path, form)
	require.Equal(t, 303, done.Code, done.Body)
	manage := done.Header().Get("Location")
	require.True(t, strings.HasPrefix(manage, "/book/manage/"))
	require.Equal(t, manage, post(path, form).Header().Get("Location"), "a second click is the same booking")

	seen := b.call(caller{}, "GET", manage, nil, "Accept", "text/html")
	require.Contains(t, seen.Body.String(), `data-testid="cancel-booking"`)
	require.Equal(t, 403, post(manage, url.Values{}).Code)
	token = regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(seen.Body.String())[1]
	require.Equal(t, 200, post(manage, url.Values{"token": {token}}).Code)
	require.Zero(t, b.count("SELECT count(*) FROM bookings WHERE state = 'booked'"))
	require.Equal(t, 404, b.call(caller{}, "GET", manage+"A", nil).Code)
	b.settle()
	require.Equal(t, 3, b.count("SELECT count(*) FROM events WHERE name = 'booking_made'"))
	other := b.other()
	b.do(other, 404, "GET", "/resources/call/slots", nil)
	b.do(other, 404, "DELETE", "/bookings/"+id, nil)
}

func TestPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pay := object{"external_id": "order-1", "amount": 49.99, "currency": "EUR", "contact": object{"email": "jan@example.com"}}
	made := b.do(b.admin, 201, "POST", "/payments", pay)
	require.InDelta(t, 49.99, made.get(t, "amount"), 0)
	again := b.do(b.admin, 200, "POST", "/payments", pay)
	require.Equal(t, made.get(t, "id"), again.get(t, "id"))
	pay["amount"] = 50
	b.do(b.admin, 409, "POST", "/payments", pay)
	pay["amount"], pay["contact"] = 49.99, object{"email": "jan"}
	require.Equal(t, "contact.email", b.do(b.admin, 422, "POST", "/payments", pay).get(t, "fields.0.field"))
	id := made.get(t, "id").(string)
	require.InDelta(t, 10, b.do(b.admin, 200, "POST", "/payments/"+id+"/refund", object{"amount": 10}).get(t, "refunded"), 0)
	b.do(b.admin, 422, "POST", "/payments/"+id+"/refund", object{"amount": 100})
	require.Equal(t, "refunded", b.do(b.admin, 200, "GET", "/payments?state=refunded", nil).get(t, "items.0.state"))
	b.settle()
	require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'payment_made'"))
	require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'payment_refunded'"))
	b.do(b.other(), 404, "GET", "/payments/"+id, nil)
}
