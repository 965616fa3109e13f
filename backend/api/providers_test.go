package api_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery/dnstest"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/providers/providertest"
)

func TestProviders_AreConnectedTestedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.worker.Deliverer.Client = providertest.Client()
	resend := providertest.Resend(t, "re_canary")
	sink := smtptest.New(t)
	mail := func(role string) object {
		return object{"kind": "smtp", "channel": "email", "name": "Our server", "role": role, "config": object{"host": sink.Host, "port": strconv.Itoa(sink.Port), "tls": "none"}, "per_second": 5}
	}
	b.play(t, []scenario{
		{name: "NoneYetButWhatThereIs", method: "GET", path: "/providers", status: 200, has: []string{`"items":[]`, `"name":"twilio_whatsapp"`, `"name":"webpush"`, `"name":"gmail"`}},
		{name: "AnUnknownKind", method: "POST", path: "/providers", body: `{"kind":"fax","channel":"email","role":"active","config":{}}`, status: 422, has: []string{`"field":"kind"`}},
		{name: "OfAnotherChannel", method: "POST", path: "/providers", body: `{"kind":"twilio","channel":"email","role":"active","config":{}}`, status: 422, has: []string{`"field":"kind"`}},
		{name: "WhatIsNeededIsNamed", method: "POST", path: "/providers", body: `{"kind":"resend","channel":"email","role":"active","config":{}}`, status: 422, has: []string{`"field":"api_key"`}},
		{name: "APortIsANumber", method: "POST", path: "/providers", body: `{"kind":"smtp","channel":"email","role":"active","config":{"host":"smtp.example.com","port":"x","tls":"none"}}`, status: 422, has: []string{`"field":"port"`}},
		{name: "AMailServer", method: "POST", path: "/providers", body: mail("active"), status: 201, has: []string{`"role":"active"`, `"per_second":5`, `"secrets":[]`}, keep: map[string]string{"smtp": "id"}},
		{name: "LetsUsIn", method: "POST", path: "/providers/{smtp}/check", status: 200, has: []string{`"ok":true`}},
		{name: "AWrongKeyIsSaved", method: "POST", path: "/providers", body: object{"kind": "resend", "channel": "email", "name": "Resend", "role": "reserve", "config": object{"base_url": resend.URL}, "secrets": object{"api_key": "re_another_canary"}, "preset": "gmail"}, status: 201, has: []string{`"secrets":["api_key"]`, `"per_day":500`, `"role":"reserve"`}, hasNot: []string{"canary"}, keep: map[string]string{"resend": "id"}},
		{name: "AndRefused", method: "POST", path: "/providers/{resend}/check", status: 200, has: []string{`"ok":false`}, hasNot: []string{"canary"}},
		{name: "WhichIsRemembered", method: "GET", path: "/providers", status: 200, has: []string{`"check_said":""`, `"checked_at"`}, hasNot: []string{"canary"}},
		{name: "TheRightKey", method: "PUT", path: "/providers/{resend}", body: object{"name": "Resend", "role": "reserve", "config": object{"base_url": resend.URL}, "secrets": object{"api_key": "re_canary"}, "per_hour": 100, "warm_up": true}, status: 200, has: []string{`"per_hour":100`, `"warm_up":true`, `"warming_at"`}, hasNot: []string{"canary", `"per_day"`}},
		{name: "LetsUsInToo", method: "POST", path: "/providers/{resend}/check", status: 200, has: []string{`"ok":true`}},
		{name: "AKeyLeftOutStays", method: "PUT", path: "/providers/{resend}", body: object{"name": "Resend", "role": "active", "config": object{"base_url": resend.URL}}, status: 200, has: []string{`"secrets":["api_key"]`, `"role":"active"`, `"warm_up":false`}},
		{name: "AndStillWorks", method: "POST", path: "/providers/{resend}/check", status: 200, has: []string{`"ok":true`}},
		{name: "ButGoesToNoOtherHost", method: "PUT", path: "/providers/{resend}", body: `{"name":"Resend","role":"active","config":{"base_url":"https://evil.example"}}`, status: 422, has: []string{`"field":"api_key"`}},
		{name: "OneIsActive", method: "GET", path: "/providers", status: 200, has: []string{`"role":"off"`, `"role":"active"`}},
		{name: "Remove", method: "DELETE", path: "/providers/{smtp}", status: 204},
		{name: "Gone", method: "POST", path: "/providers/{smtp}/check", status: 404},
		{name: "NorToChange", method: "PUT", path: "/providers/{smtp}", body: mail("off"), status: 404},
	})
	var row string
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT p::text FROM providers p").Scan(&row))
	require.NotContains(t, row, "canary", "keys are sealed")
	require.Empty(t, sink.Ledger(), "a test sends nothing")
	require.Empty(t, resend.Ledger())
}

func TestProviders_ForPushMakeTheirKey(t *testing.T) {
	t.Parallel()
	setup(t).play(t, []scenario{
		{name: "Create", method: "POST", path: "/providers", body: `{"kind":"webpush","channel":"push","role":"active","config":{"subject":"mailto:push@acme.example"}}`, status: 201, has: []string{`"public_key":"`, `"secrets":["private_key"]`}, keep: map[string]string{"push": "id", "key": "config.public_key"}},
		{name: "WhichStays", method: "PUT", path: "/providers/{push}", body: `{"role":"reserve","config":{"subject":"mailto:other@acme.example"}}`, status: 200, has: []string{`"{key}"`, "other@acme"}},
	})
}

func TestProviders_AreSavedByAdmins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.member("marketer"), 403, "POST", "/providers", object{"kind": "resend", "channel": "email", "role": "active", "config": object{}, "secrets": object{"api_key": "re_x"}})
}

func TestSendingEstimate_SaysDays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.play(t, []scenario{
		{name: "TheSandboxHasNoLimit", method: "GET", path: "/sending/estimate?count=1500", status: 200, has: []string{`"provider":""`, `"days":0`}},
		{name: "Gmail", method: "POST", path: "/providers", body: `{"kind":"smtp","channel":"email","name":"Gmail","role":"active","config":{"host":"smtp.gmail.com","port":"587","tls":"starttls"},"preset":"gmail"}`, status: 201, keep: map[string]string{"gmail": "id"}},
	})
	_, err := b.db.Exec(t.Context(), "UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", b.workspace)
	require.NoError(t, err)
	b.play(t, []scenario{
		{name: "ThreeDays", method: "GET", path: "/sending/estimate?count=1500", status: 200, has: []string{`"days":3`, `"per_day":500`, `"provider":"Gmail"`, `"warming":false`}},
		{name: "WithinADay", method: "GET", path: "/sending/estimate?count=60", status: 200, has: []string{`"days":1`, `"seconds":60`}},
		{name: "AnotherChannel", method: "GET", path: "/sending/estimate?channel=sms&count=1500", status: 200, has: []string{`"provider":""`}},
	})
}

func TestDomains_SayWhatToPublish(t *testing.T) {
	t.Parallel()
	b := setup(t)
	zone, resolver := dnstest.Serve(t)
	b.worker.Deliverer.Resolver = resolver
	kept := b.play(t, []scenario{
		{name: "ThatOfTheFirstSender", method: "GET", path: "/domains", status: 200, has: []string{`"name":"example.com"`}, hasNot: []string{"acme.example"}},
		{name: "OnlyThoseOfSenders", method: "POST", path: "/domains/acme.example/check", status: 404},
		{name: "ASender", method: "POST", path: "/senders", body: `{"email":"hello@acme.example","is_default":false}`, status: 201},
		{name: "NotLookedAt", method: "GET", path: "/domains", status: 200, has: []string{`"name":"acme.example"`, `"checks":[]`, `"signing":false`}},
		{name: "NothingPublished", method: "POST", path: "/domains/acme.example/check", status: 200, has: []string{`"state":"missing"`, `"host":"lejek._domainkey.acme.example"`, `"host":"_dmarc.acme.example"`}, hasNot: []string{`"state":"good"`}, keep: map[string]string{"spf": "checks.0.want", "key": "checks.1.want", "dmarc": "checks.2.want"}},
	})
	zone.Set("acme.example", kept["spf"])
	zone.Set("lejek._domainkey.acme.example", kept["key"])
	zone.Set("_dmarc.acme.example", kept["dmarc"])
	b.play(t, []scenario{
		{name: "WhatWeSaidIsGood", method: "POST", path: "/domains/acme.example/check", status: 200, has: []string{`"signing":true`}, hasNot: []string{"missing", "wrong", "unreachable"}},
		{name: "AndKept", method: "GET", path: "/domains", status: 200, has: []string{`"signing":true`, `"checked_at"`}},
	})
}
