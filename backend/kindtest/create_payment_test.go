package kindtest

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/stripe/stripetest"
)

// pay is a funnel that asks for money. Who comes through has the link in the field city.
func pay(config object) object {
	return branch("create_payment", config, setCity(`{{ vars.payment_url | default("none") }}`), setCity("failed"))
}

func payWorld(t *testing.T) (w *World, account *stripetest.Account, connection object, anna string) {
	t.Helper()
	w = New(t)
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	account = stripetest.New(t)
	made := w.Call(201, "POST", "/connections", object{
		"kind": "stripe", "name": "Stripe", "base_url": account.URL, "token": account.Key, "signing_secret": account.Signing,
	})
	return w, account, object{"id": made.Get("id"), "report_url": made.Get("report_url")}, w.Contact("anna@example.com", object{"first_name": "Anna"})
}

// deliver hands one report of Stripe over to us, as Stripe does.
func (w *World) deliver(connection object, sent stripetest.Sent) int {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodPost, connection["report_url"].(string), bytes.NewReader(sent.Body))
	require.NoError(w, err)
	request.Header.Set("Stripe-Signature", sent.Signature)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(w, err)
	require.NoError(w, response.Body.Close())
	return response.StatusCode
}

func (w *World) report(connection object, sent ...stripetest.Sent) {
	w.Helper()
	for _, one := range sent {
		require.Equal(w, http.StatusOK, w.deliver(connection, one), string(one.Body))
	}
	w.Settle()
}

// events counts somebody's events of a name.
func (w *World) events(contact, name string) int {
	w.Helper()
	return w.DBCount("SELECT count(*) FROM events WHERE contact_id = $1 AND name = $2", contact, name)
}

func TestKind_create_payment_Works(t *testing.T) {
	t.Parallel()
	w, account, connection, anna := payWorld(t)
	funnel := w.Funnel("Checkout", pay(object{"amount": "{{ 10 + 9.9 }}", "currency": "pln", "title": "Course for {{ first_name }}"}))
	w.begin(funnel, anna)
	require.Equal(t, "start:next ask:ok good:next", w.way(funnel, anna))
	asked := account.Ledger()
	require.Len(t, asked, 2)
	require.Equal(t, "/v1/prices", asked[0].Path)
	require.Equal(t, "1990", asked[0].Form.Get("unit_amount"))
	require.Equal(t, "pln", asked[0].Form.Get("currency"))
	require.Equal(t, "Course for Anna", asked[0].Form.Get("product_data[name]"))
	require.Equal(t, "/v1/payment_links", asked[1].Path)
	require.Equal(t, anna, asked[1].Form.Get("metadata[lejek_contact]"))
	require.NotEqual(t, asked[0].Key, asked[1].Key)
	run := w.Run(funnel, anna)
	link := run.Text("vars.payment_id")
	require.Equal(t, "https://buy.stripe.example/"+link, run.Text("vars.payment_url"))
	require.Equal(t, "https://buy.stripe.example/"+link, w.Call(200, "GET", "/contacts/"+anna, nil).Text("fields.city"))

	session, intent := account.Pay(link, "somebody-else@example.com", w.Clock.Now())
	w.report(connection, session, intent)
	require.Equal(t, 1, w.events(anna, "payment_made"), "two reports of one payment, and it is Anna's whoever typed the address")
	var props string
	require.NoError(t, w.DB.QueryRow(t.Context(), "SELECT props::text FROM events WHERE name = 'payment_made'").Scan(&props))
	require.Contains(t, props, `"amount": 19.9`)
	require.Contains(t, props, `"currency": "PLN"`)
	w.Audit()
}

func TestKind_create_payment_Fails(t *testing.T) {
	t.Parallel()
	w, account, _, anna := payWorld(t)
	t.Run("AnAmountThatIsNone", func(t *testing.T) {
		funnel := w.Funnel("Nothing", pay(object{"amount": "{{ first_name }}", "currency": "EUR", "title": "Course"}))
		w.begin(funnel, anna)
		require.Equal(t, "start:next ask:error bad:next", w.way(funnel, anna))
		require.Empty(t, account.Ledger())
	})
	t.Run("WhatStripeRefuses", func(t *testing.T) {
		funnel := w.Funnel("Dear", pay(object{"amount": "1000000", "currency": "EUR", "title": "Moon"}))
		w.begin(funnel, anna)
		require.Equal(t, "start:next ask:error bad:next", w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["failed"], "Invalid integer")
	})
	t.Run("TheAnswerIsLostAndOnePageIsMade", func(t *testing.T) {
		account.Drop(2)
		funnel := w.Funnel("Lost", pay(object{"amount": "5", "currency": "EUR", "title": "Course"}))
		w.begin(funnel, anna)
		w.After(time.Hour)
		require.Equal(t, "start:next ask:ok good:next", w.way(funnel, anna))
		require.Equal(t, 1, account.Links())
	})
	t.Run("AFailureThatStripeKeepsUnderTheKey", func(t *testing.T) {
		account.Fail(1)
		funnel := w.Funnel("Kept", pay(object{"amount": "6", "currency": "EUR", "title": "Course"}))
		w.begin(funnel, anna)
		w.After(time.Hour)
		require.Equal(t, "start:next ask:ok good:next", w.way(funnel, anna))
	})
	w.Audit()
}

func TestKind_create_payment_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Refused(pay(object{"amount": "5", "currency": "EUR", "title": "Course"}), "REF_MISSING", "ask")
	account := stripetest.New(t)
	w.Call(201, "POST", "/connections", object{"kind": "stripe", "name": "Stripe", "base_url": account.URL, "token": account.Key})
	w.Refused(pay(object{"amount": "five", "currency": "EUR", "title": "Course"}), "FIELD_INVALID", "ask")
	w.Refused(pay(object{"amount": "5", "currency": "zł", "title": "Course"}), "FIELD_INVALID", "ask")
}

func TestSecurity_06_AReportOfAnotherAccountModeOrTimeIsNobodysMoney(t *testing.T) {
	t.Parallel()
	w, account, connection, anna := payWorld(t)
	other := stripetest.New(t)
	other.Signing = "whsec_of_somebody_else"
	w.Call(201, "POST", "/connections", object{"kind": "stripe", "name": "Other", "base_url": other.URL, "token": other.Key, "signing_secret": other.Signing})
	paid := func(from *stripetest.Account, event string, at time.Time) stripetest.Sent {
		return from.Report(event, "payment_intent.succeeded", at, object{"id": "pi_1", "status": "succeeded", "amount_received": 100, "currency": "eur", "receipt_email": "anna@example.com"})
	}
	now := w.Clock.Now()
	require.Equal(t, http.StatusBadRequest, w.deliver(connection, paid(other, "evt_1", now)), "signed by another account of the same workspace")
	unsigned := paid(account, "evt_1", now)
	unsigned.Signature = ""
	require.Equal(t, http.StatusBadRequest, w.deliver(connection, unsigned))
	require.Zero(t, w.DBCount("SELECT count(*) FROM reports"))

	live := account.Signed(bytes.Replace(paid(account, "evt_live", now).Body, []byte(`"livemode":false`), []byte(`"livemode":true`), 1))
	w.report(connection, live)
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM reports WHERE status = 'ignored'"))
	require.Zero(t, w.DBCount("SELECT count(*) FROM payments"))

	good := paid(account, "evt_1", now)
	w.report(connection, good, good)
	w.report(connection, good)
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM reports WHERE external_id = 'evt_1'"))
	require.Equal(t, 1, w.events(anna, "payment_made"), "a replay is no second payment")
}

// TestFault_35_ReportsOfStripeInAnyOrder: reversed, doubled, refunded while somebody waits.
func TestFault_35_ReportsOfStripeInAnyOrder(t *testing.T) {
	t.Parallel()
	w, account, connection, anna := payWorld(t)
	manual := object{"triggers": []object{{"kind": "manual"}}, "reentry": object{"rule": "after_exit"}}
	waiting := w.Funnel("Waiting", object{
		"graph": object{"schema": 1, "nodes": []object{
			{"id": "start", "kind": "entry", "name": "", "config": manual},
			{"id": "ask", "kind": "create_payment", "name": "", "config": object{"amount": "20", "currency": "EUR", "title": "Course"}},
			{"id": "paid", "kind": "wait", "name": "", "config": object{"mode": "until_event", "event": object{"name": "payment_made"}, "timeout": object{"amount": 3, "unit": "days"}}},
			{"id": "back", "kind": "wait", "name": "", "config": object{"mode": "until_event", "event": object{"name": "payment_refunded"}, "timeout": object{"amount": 3, "unit": "days"}}},
			{"id": "gone", "kind": "set_field", "name": "", "config": object{"field": "field:city", "value": "refunded"}},
		}, "edges": []object{
			{"from": "start", "port": "next", "to": "ask"}, {"from": "ask", "port": "ok", "to": "paid"}, {"from": "paid", "port": "next", "to": "back"},
			{"from": "back", "port": "next", "to": "gone"},
		}}, "creatives": object{},
	})
	w.begin(waiting, anna)
	link := w.Run(waiting, anna).Text("vars.payment_id")
	session, intent := account.Pay(link, "anna@example.com", w.Clock.Now())

	t.Run("ForgedOnesAreRefused", func(t *testing.T) {
		forged := session
		forged.Body = bytes.Replace(session.Body, []byte("2000"), []byte("2001"), 1)
		require.NotEqual(t, string(session.Body), string(forged.Body))
		require.Equal(t, http.StatusBadRequest, w.deliver(connection, forged))
		require.Equal(t, http.StatusBadRequest, w.deliver(connection, stripetest.Sent{Body: session.Body}))
		old := session
		old.Signature = strings.Replace(session.Signature, "t=1", "t=0", 1)
		require.Equal(t, http.StatusBadRequest, w.deliver(connection, old))
		elsewhere := object{"report_url": strings.Replace(connection["report_url"].(string), connection["id"].(string), w.Workspace.String(), 1)}
		require.Equal(t, http.StatusNotFound, w.deliver(elsewhere, session))
		require.Zero(t, w.DBCount("SELECT count(*) FROM reports"))
	})
	t.Run("DoubledAndReversed", func(t *testing.T) {
		w.report(connection, intent, intent, session, session, intent)
		require.Equal(t, 1, w.events(anna, "payment_made"))
		require.Equal(t, 2, w.DBCount("SELECT count(*) FROM reports WHERE status = 'done'"))
		require.Equal(t, "start:next ask:ok paid:next back", w.way(waiting, anna))
	})
	t.Run("ARefundWhileSomebodyWaits", func(t *testing.T) {
		w.report(connection, account.Refund(link, 500, w.Clock.Now()))
		require.Equal(t, "start:next ask:ok paid:next back:next gone:next", w.way(waiting, anna))
		w.report(connection, account.Refund(link, 2000, w.Clock.Now()), account.Refund(link, 500, w.Clock.Now()), session)
		require.Equal(t, 1, w.events(anna, "payment_made"))
		require.Equal(t, 1, w.DBCount("SELECT count(*) FROM payments WHERE state = 'refunded' AND refunded = 20000"))
	})
	t.Run("ARefundBeforeThePayment", func(t *testing.T) {
		w.begin(waiting, anna)
		second := w.Run(waiting, anna).Text("vars.payment_id")
		require.NotEqual(t, link, second)
		session, intent := account.Pay(second, "anna@example.com", w.Clock.Now())
		w.report(connection, account.Refund(second, 2000, w.Clock.Now()))
		w.report(connection, session, intent)
		require.Equal(t, 2, w.DBCount("SELECT count(*) FROM payments"))
		require.Equal(t, 2, w.DBCount("SELECT count(*) FROM payments WHERE state = 'refunded'"), "what came back does not turn into paid again")
	})
	t.Run("OfTheOtherModeOrNothingPaid", func(t *testing.T) {
		live := account.Report("evt_live", "payment_intent.succeeded", w.Clock.Now(), object{"id": "pi_live", "status": "succeeded", "amount_received": 100, "currency": "eur"})
		live = account.Signed(bytes.Replace(live.Body, []byte(`"livemode":false`), []byte(`"livemode":true`), 1))
		unpaid := account.Report("evt_unpaid", "checkout.session.completed", w.Clock.Now(), object{"id": "cs_1", "payment_intent": "pi_1", "payment_status": "unpaid", "amount_total": 100, "currency": "eur"})
		w.report(connection, live, unpaid, account.Report("evt_other", "customer.created", w.Clock.Now(), object{"id": "cus_1"}))
		require.Equal(t, 2, w.DBCount("SELECT count(*) FROM reports WHERE status = 'ignored'"))
		require.Equal(t, 2, w.DBCount("SELECT count(*) FROM payments"))
	})
	w.Audit()
}
