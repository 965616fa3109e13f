package api_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	setup(t).play(t, []scenario{
		{name: "NoneYet", method: "GET", path: "/connections", status: 200, has: []string{`"items":[]`}},
		{name: "AnUnknownKind", method: "POST", path: "/connections", body: `{"kind":"fax","name":"Fax"}`, status: 422},
		{name: "AWebServiceNeedsAnAddress", method: "POST", path: "/connections", body: `{"kind":"http","name":"Shop"}`, status: 422, has: []string{`"field":"base_url"`}},
		{name: "APasswordDoesNotBelongIntoTheAddress", method: "POST", path: "/connections", body: `{"kind":"http","name":"Shop","base_url":"https://u:p@shop.example"}`, status: 422, has: []string{`"field":"base_url"`}},
		{name: "OtherSchemesAreNoAddress", method: "POST", path: "/connections", body: `{"kind":"http","name":"Shop","base_url":"file:///etc"}`, status: 422, has: []string{`"field":"base_url"`}},
		{name: "OurHeadersAreOurs", method: "POST", path: "/connections", body: `{"kind":"http","name":"Shop","base_url":"https://shop.example","headers":[{"name":"Host","value":"x"}]}`, status: 422, has: []string{`"field":"headers.0.name"`}},
		{name: "AHeaderIsOneLine", method: "POST", path: "/connections", body: `{"kind":"http","name":"Shop","base_url":"https://shop.example","headers":[{"name":"X-Key","value":"a\nb: c"}]}`, status: 422, has: []string{`"field":"headers.0.value"`}},
		{name: "Create", method: "POST", path: "/connections", body: `{"kind":"http","name":"Mój sklep","base_url":"https://shop.example/v1/","headers":[{"name":"X-Key","value":"canary-1"}]}`, status: 201, has: []string{`"slug":"moj-sklep"`, `"headers":["X-Key"]`, `"base_url":"https://shop.example/v1"`}, hasNot: []string{"canary"}, keep: map[string]string{"id": "id"}},
		{name: "TheSameNameGetsANumber", method: "POST", path: "/connections", body: `{"kind":"http","name":"Mój sklep","base_url":"https://shop.example"}`, status: 201, has: []string{`"slug":"moj-sklep-2"`}, keep: map[string]string{"second": "id"}},
		{name: "TheSameSlugDoesNot", method: "POST", path: "/connections", body: `{"kind":"http","slug":"moj-sklep","name":"Other","base_url":"https://shop.example"}`, status: 409},
		{name: "AValueLeftOutStays", method: "PATCH", path: "/connections/{id}", body: `{"name":"Sklep","headers":[{"name":"X-Key"},{"name":"X-Shop","value":"7"}]}`, status: 200, has: []string{`"name":"Sklep"`, `"headers":["X-Key","X-Shop"]`}},
		{name: "ANewHeaderNeedsAValue", method: "PATCH", path: "/connections/{id}", body: `{"headers":[{"name":"X-New"}]}`, status: 422, has: []string{`"field":"headers.0.value"`}},
		{name: "AnotherHostNeedsTheSecretsAnew", method: "PATCH", path: "/connections/{id}", body: `{"base_url":"https://evil.example"}`, status: 422, has: []string{`"field":"headers"`}},
		{name: "NotKeptUnderAnotherHostEither", method: "PATCH", path: "/connections/{id}", body: `{"base_url":"https://evil.example","headers":[{"name":"X-Key"}]}`, status: 422, has: []string{`"field":"headers.0.value"`}},
		{name: "AnotherPathDoesNot", method: "PATCH", path: "/connections/{id}", body: `{"base_url":"https://shop.example/v2"}`, status: 200},
		{name: "ATelegramBot", method: "POST", path: "/connections", body: `{"kind":"telegram","name":"Team","token":"123456:canaryCanaryCanaryCanary2","chat":"-100200300"}`, status: 201, has: []string{`"has_token":true`, `"chat":"-100200300"`}, hasNot: []string{"canary"}, keep: map[string]string{"bot": "id"}},
		{name: "ItsTokenGoesToNoOtherHost", method: "PATCH", path: "/connections/{bot}", body: `{"base_url":"https://evil.example"}`, status: 422, has: []string{`"field":"token"`}},
		{name: "AKeyThatIsNone", method: "POST", path: "/connections", body: `{"kind":"stripe","name":"Stripe","token":"pk_live_1234567890"}`, status: 422, has: []string{`"field":"token"`}, hasNot: []string{"pk_live"}},
		{name: "AStripeAccount", method: "POST", path: "/connections", body: `{"kind":"stripe","name":"Stripe","token":"rk_test_canary12345678","signing_secret":"whsec_canary12345678"}`, status: 201, has: []string{`"has_signing_secret":true`, `"report_url":"http://lejek.test/hooks/stripe/`}, hasNot: []string{"canary"}},
		{name: "AllOfThem", method: "GET", path: "/connections", status: 200, has: []string{"{id}", "{second}", "{bot}"}, hasNot: []string{"canary"}},
		{name: "APrivateAddressIsNotAsked", method: "POST", path: "/connections", body: `{"kind":"http","name":"Inner","base_url":"http://127.0.0.1:1"}`, status: 201, keep: map[string]string{"inner": "id"}},
		{name: "AndTheTestSaysSo", method: "POST", path: "/connections/{inner}/test", status: 200, has: []string{`"ok":false`, "not public"}},
		{name: "Remove", method: "DELETE", path: "/connections/{second}", status: 204},
		{name: "Gone", method: "PATCH", path: "/connections/{second}", body: `{"name":"x"}`, status: 404},
	})
}

func TestSecrets_OfConnectionsStayInTheDatabaseSealed(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := setup(t, func(d *api.Deps) {
		d.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b.do(b.admin, 201, "POST", "/connections", object{"kind": "http", "name": "Shop", "base_url": "https://shop.example", "headers": []object{{"name": "X-Key", "value": "canary-1"}}})
	b.do(b.admin, 422, "POST", "/connections", object{"kind": "telegram", "name": "Bot", "token": "123456:canaryCanaryCanaryCanary2"})
	require.NotContains(t, log.String(), "canary")
	var row string
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT c::text FROM connections c").Scan(&row))
	require.NotContains(t, row, "canary")
	require.Len(t, b.do(b.admin, 200, "GET", "/connections", nil).get(t, "items").([]any), 1)
	var audited int
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE action = 'createConnection'").Scan(&audited))
	require.Equal(t, 1, audited)
}

func TestConnections_AreChosenByWhoMakesFunnelsAndSavedByAdmins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	marketer := b.member("marketer")
	b.do(marketer, 200, "GET", "/connections", nil)
	b.do(marketer, 403, "POST", "/connections", object{"kind": "http", "name": "Shop", "base_url": "https://shop.example"})
}
