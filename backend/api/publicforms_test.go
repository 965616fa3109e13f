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
			require.NotContains(t, page.Body.String(), "Contact us", "the form's name is for the workspace only")
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

	t.Run("ActingOnTheLinkInTheTestInboxConfirms", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := b.form(object{"double_opt_in": true})
		b.send(path, object{"email": "jan@example.com", "first_name": "Jan", "_consent": true, "_token": b.shown(path)})
		b.settle()
		mails := b.do(b.admin, 200, "GET", "/messages?to=jan@example.com", nil)
		act := "/messages/" + mails.get(t, "items.0.id").(string) + "/act"
		link := mails.get(t, "items.0.links.0.url").(string)
		b.do(b.admin, 422, "POST", act, object{"act": "click", "url": link + "A"})
		require.Zero(t, b.count("SELECT count(*) FROM consents"))
		for range 2 {
			b.do(b.admin, 200, "POST", act, object{"act": "click", "url": link})
		}
		b.settle()
		require.Equal(t, 1, b.count(`SELECT count(*) FROM consents WHERE state = 'granted' AND (proof->>'double_opt_in')::bool`))
		require.Equal(t, 1, b.count("SELECT count(*) FROM events WHERE name = 'form_submitted'"))
		require.Zero(t, b.count("SELECT count(*) FROM events WHERE name = 'link_clicked'"), "nobody watches that link outside")
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
	// flood is how many of n posts, from so many addresses of the network, were taken.
	flood := func(n, from int, body string) (taken int) {
		for i := range n {
			request := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json")
			request.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i%250)) // nobody said that it is to be believed
			request.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i%from)
			recorder := httptest.NewRecorder()
			b.server.ServeHTTP(recorder, request)
			switch recorder.Code {
			case 200:
				taken++
			default:
				require.Equal(t, 429, recorder.Code, recorder.Body)
				require.NotEmpty(t, recorder.Header().Get("Retry-After"))
			}
		}
		return taken
	}
	victims := func() int {
		b.settle()
		return b.count("SELECT count(*) FROM messages m JOIN contacts c ON c.id = m.contact_id WHERE c.email = 'victim@example.com'")
	}
	body := `{"email":"victim@example.com","_consent":true,"_token":"` + token + `"}`
	const slow = 4 // what a machine that takes half a minute for it lets through besides
	require.InDelta(t, 10, flood(1000, 1, body), slow, "one address of the network has its limit")
	require.InDelta(t, 20, flood(60, 3, body), slow, "so has each; the first has had its share")
	require.Equal(t, 1, victims(), "however many type it in, one mail is sent")
	require.Zero(t, b.count("SELECT count(*) FROM consents"), "and nobody agreed to anything")
	b.machine.ahead += 23 * time.Hour
	token = b.shown(path)
	body = `{"email":"victim@example.com","_consent":true,"_token":"` + token + `"}`
	require.InDelta(t, 10, flood(40, 1, body), slow)
	require.Equal(t, 1, victims(), "nor another within the day")
	b.machine.ahead += 2 * time.Hour
	flood(1, 1, body)
	require.Equal(t, 2, victims())

	t.Run("HoneypotAndTimeTrapStandBeforeTheMail", func(t *testing.T) {
		bot := b.send(path, object{"email": "bot@example.com", "_website": "x", "_token": b.shown(path)})
		require.Equal(t, "received", bot.get(t, "state"), "it learns nothing")
		hasty := b.call(caller{}, "GET", path, nil, "Accept", "application/json").get(t, "token").(string)
		require.Equal(t, 422, b.send(path, object{"email": "bot@example.com", "_token": hasty}).Code)
		b.settle()
		require.Zero(t, b.count("SELECT count(*) FROM messages m JOIN contacts c ON c.id = m.contact_id WHERE c.email = 'bot@example.com'"))
	})
	t.Run("NeitherAFileNorAPageOfAnotherSiteGetsIn", func(t *testing.T) {
		for _, kind := range []string{"multipart/form-data; boundary=x", "text/plain", ""} {
			got := b.call(caller{}, "POST", path, "--x\r\nContent-Disposition: form-data; name=\"email\"; filename=\"a.exe\"\r\n\r\nMZ\r\n--x--\r\n", "Accept", "application/json", "Content-Type", kind)
			require.Equal(t, 422, got.Code, kind)
		}
		for origin, allowed := range map[string]bool{"https://shop.example": true, "https://evil.example": false, "https://shop.example.evil.example": false, "http://shop.example": false, "null": false} {
			got := b.send(path, object{"email": "site@example.com", "_token": b.shown(path)}, "Origin", origin, "Sec-Fetch-Site", "cross-site")
			require.Equal(t, allowed, got.Code == 200, origin)
			require.Equal(t, allowed, got.Header().Get("Access-Control-Allow-Origin") == origin, origin)
			require.Empty(t, got.Header().Get("Access-Control-Allow-Credentials"), origin)
		}
	})
	known := b.send(path, object{"email": "known@example.com", "_consent": true, "_token": b.shown(path)})
	stranger := b.send(path, object{"email": "stranger@example.com", "_consent": true, "_token": b.shown(path)})
	require.Equal(t, known.Code, stranger.Code)
	require.Equal(t, known.Body.String(), stranger.Body.String())
	require.Equal(t, len(known.Header()), len(stranger.Header()))
}
