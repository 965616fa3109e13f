package kindtest

import (
	"io"
	"maps"
	"mime/quotedprintable"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// pub is a write-only key of the workspace, as a header.
func (w *World) pub() []string {
	w.Helper()
	secret := w.Call(201, "POST", "/api-tokens", object{"name": "site", "kind": "pub"}).Text("secret")
	return []string{"Authorization", "Bearer " + secret, "Accept", "application/json"}
}

// form makes a form with an address and a company, and answers its public path.
func (w *World) form(more object) string {
	w.Helper()
	in := object{"slug": "contact", "name": "Contact us", "consent_text": "Write to me", "fields": []object{
		{"key": "email", "type": "email", "label": "E-mail", "required": true}, {"key": "company", "type": "text", "label": "Company"},
	}}
	maps.Copy(in, more)
	return "/f/" + w.Call(201, "POST", "/forms", in).Text("id")
}

// idOf is the contact of an address.
func (w *World) idOf(email string) string {
	w.Helper()
	return w.Call(200, "GET", "/contacts?q="+url.QueryEscape(email), nil).Text("items.0.id")
}

func TestKind_form_submit_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	path, key := w.form(object{"double_opt_in": true}), w.pub()
	tag := w.Tag("lead")
	trigger := object{"kind": "form_submit", "form": "form:contact", "where": object{"field": "company", "op": "is_set"}}
	w.Funnel("Leads", Line(trigger, tag))
	got := w.Request("POST", path, object{"email": "anna@example.com", "company": "Aurora", "_consent": true}, key...)
	require.Equal(t, "received", got.Get("state"), got.Body)
	w.Settle()
	anna := w.idOf("anna@example.com")
	require.Empty(t, w.Tags(anna), "the address is not confirmed")
	mails := sink.Ledger()
	require.Len(t, mails, 1)
	require.Equal(t, "anna@example.com", mails[0].To)
	link := regexp.MustCompile(`/f/confirm/[\w-]+`).FindString(plainText(t, mails[0].Raw))
	require.NotEmpty(t, link, mails[0].Raw)
	require.Equal(t, 200, w.Request("GET", link, nil, "Accept", "text/html").Status)
	w.Settle()
	require.Empty(t, w.Tags(anna), "opening the link is no confirmation")
	require.Equal(t, 200, w.Request("POST", link, "", "Accept", "text/html").Status)
	w.Settle()
	require.Equal(t, []string{"lead"}, w.Tags(anna))
	require.Equal(t, "granted", w.Call(200, "GET", "/contacts/"+anna+"/consents", nil).Get("items.0.state"))
	w.Audit()
}

func TestKind_form_submit_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	path, key := w.form(nil), w.pub()
	tag := w.Tag("lead")
	trigger := object{"kind": "form_submit", "form": "form:contact", "where": object{"field": "company", "op": "is", "value": "Aurora"}}
	w.Funnel("Leads", Line(trigger, tag))
	wrong := w.Request("POST", path, object{"email": "anna"}, key...)
	require.Equal(t, 422, wrong.Status)
	require.Equal(t, "email", wrong.Get("fields.0.field"))
	require.Equal(t, 200, w.Request("POST", path, object{"email": "bot@example.com", "company": "Aurora", "_website": "x"}, key...).Status)
	require.Equal(t, 200, w.Request("POST", path, object{"email": "jan@example.com", "company": "Other"}, key...).Status)
	for range 2 {
		require.Equal(t, 200, w.Request("POST", path, object{"email": "ewa@example.com", "company": "Aurora"}, append(key, "Idempotency-Key", "1")...).Status)
	}
	w.Settle()
	require.Empty(t, w.Tags(w.idOf("jan@example.com")), "the answers do not fit")
	require.Equal(t, []string{"lead"}, w.Tags(w.idOf("ewa@example.com")))
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM runs"), "a repeat and a robot start nothing")
	w.Audit()
}

func TestKind_form_submit_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.form(nil)
	tag := w.Tag("lead")
	w.Refused(Line(object{"kind": "form_submit"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "form_submit", "form": "form:contakt"}, tag), "REF_MISSING", "entry")
	w.Refused(Line(object{"kind": "form_submit", "form": "form:contact", "where": object{"field": "colour", "op": "is", "value": "red"}}, tag), "FIELD_UNKNOWN", "entry")
}

// plainText is a mail with its quoted-printable read.
func plainText(t testing.TB, raw string) string {
	t.Helper()
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(raw)))
	require.NoError(t, err)
	return string(text)
}

// visit sends one visit of a browser.
func (w *World) visit(key []string, visitor, page, identity string) Answer {
	w.Helper()
	return w.Request("POST", "/t", object{"visitor": visitor, "url": page, "identity": identity}, key...)
}

// identity is the token with which a page says that its visitor is the contact.
func (w *World) identity(contact string) string {
	w.Helper()
	return w.Call(201, "POST", "/contacts/"+contact+"/identity-token", nil).Text("token")
}

func TestKind_page_visit_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna, key, browser := w.Contact("anna@example.com"), w.pub(), uuid.NewString()
	tag := w.Tag("keen")
	w.Funnel("Keen", Line(object{"kind": "page_visit", "url": "/pricing*", "times": 3, "within": object{"amount": 1, "unit": "days"}}, tag))
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/pricing", "").Status, "nobody is known yet")
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/pricing/teams", w.identity(anna)).Status)
	w.Settle()
	require.Empty(t, w.Tags(anna), "two visits, the anonymous one included")
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/pricing?plan=pro#x", "").Status)
	w.Settle()
	require.Equal(t, []string{"keen"}, w.Tags(anna))
	w.Audit()
}

func TestKind_page_visit_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna, key, browser := w.Contact("anna@example.com"), w.pub(), uuid.NewString()
	tag := w.Tag("keen")
	w.Funnel("Keen", Line(object{"kind": "page_visit", "url": "/pricing", "times": 2, "within": object{"amount": 1, "unit": "hours"}}, tag))
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/pricing", w.identity(anna)).Status)
	w.After(2 * time.Hour)
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/pricing", "").Status)
	require.Equal(t, 204, w.visit(key, browser, "https://shop.example/blog", "").Status)
	require.Equal(t, 204, w.visit(key, uuid.NewString(), "https://shop.example/pricing", "forged").Status)
	require.Equal(t, 422, w.visit(key, browser, "pricing", "").Status)
	w.Settle()
	require.Empty(t, w.Tags(anna), "too far apart, another page, another browser")
	require.Zero(t, w.DBCount("SELECT count(*) FROM runs"))
	w.Audit()
}

func TestKind_page_visit_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("keen")
	w.Refused(Line(object{"kind": "page_visit"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "page_visit", "url": "/a page"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "page_visit", "url": "/", "times": 1.5}, tag), "FIELD_INVALID", "entry")
}

// desk makes something to book on weekdays from nine to eleven, an hour each.
func (w *World) desk() {
	w.Helper()
	hours, week := []object{{"from": "09:00", "to": "11:00"}}, object{}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri"} {
		week[day] = hours
	}
	w.Call(201, "POST", "/resources", object{"slug": "call", "name": "A call", "zone": "UTC", "hours": week, "slot_minutes": 60})
}

// book books a free slot by its place, and answers the booking.
func (w *World) book(email string, place int) Answer {
	w.Helper()
	slots, _ := w.Call(200, "GET", "/resources/call/slots", nil).Get("items").([]any)
	from := slots[place].(object)["from"]
	return w.Call(201, "POST", "/bookings", object{"resource": "call", "from": from, "contact": object{"email": email}})
}

func TestKind_booking_made_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.desk()
	tag := w.Tag("booked")
	w.Funnel("Booked", Line(object{"kind": "booking_made", "resource": "resource:call"}, tag))
	booking := w.book("anna@example.com", 0)
	w.Settle()
	require.Equal(t, []string{"booked"}, w.Tags(w.idOf("anna@example.com")))
	require.Equal(t, 200, w.Request("GET", strings.TrimPrefix(booking.Text("manage_url"), w.URL), nil, "Accept", "text/html").Status)
	w.Audit()
}

func TestKind_booking_made_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.desk()
	w.Call(201, "POST", "/resources", object{"slug": "room", "name": "A room", "hours": object{}, "slot_minutes": 60})
	tag := w.Tag("booked")
	w.Funnel("Booked", Line(object{"kind": "booking_made", "resource": "resource:room"}, tag))
	first := w.book("anna@example.com", 0)
	taken := w.Request("POST", "/api/v1/bookings", object{"resource": "call", "from": first.Get("from"), "contact": object{"email": "jan@example.com"}}, w.Admin()...)
	require.Equal(t, 409, taken.Status)
	require.NotNil(t, taken.Get("alternatives.2.from"), "what is free instead")
	w.Settle()
	require.Empty(t, w.Tags(w.idOf("anna@example.com")), "something else was booked")
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM bookings"))
	w.Audit()
}

func TestKind_booking_made_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(object{"kind": "booking_made", "resource": "resource:nothing"}, w.Tag("booked")), "REF_MISSING", "entry")
}

func TestKind_payment_made_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	tag := w.Tag("payer")
	w.Funnel("Payers", Line(object{"kind": "payment_made", "amount": object{"op": "gte", "value": 100}, "currency": "PLN"}, tag))
	pay := func(id, email, currency string, amount float64) {
		w.Call(201, "POST", "/payments", object{"external_id": id, "amount": amount, "currency": currency, "contact": object{"email": email}})
	}
	pay("1", "anna@example.com", "PLN", 100)
	pay("2", "jan@example.com", "PLN", 99.99)
	pay("3", "jan@example.com", "EUR", 500)
	w.Settle()
	require.Equal(t, []string{"payer"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan), "too little, or other money")
	w.Audit()
}

func TestKind_payment_made_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna := w.Contact("anna@example.com")
	tag := w.Tag("payer")
	w.Funnel("Payers", Line(object{"kind": "payment_made"}, tag))
	report := object{"external_id": "1", "amount": 10, "currency": "PLN", "state": "created", "contact": object{"email": "anna@example.com"}}
	w.Call(201, "POST", "/payments", report)
	w.Settle()
	require.Empty(t, w.Tags(anna), "it is not paid")
	report["state"] = "refunded"
	w.Call(200, "POST", "/payments", report)
	report["state"] = "paid"
	w.Call(200, "POST", "/payments", report)
	w.Settle()
	require.Empty(t, w.Tags(anna), "the money has gone back: the payment is history")
	report["amount"] = 11
	w.Call(409, "POST", "/payments", report)
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM events WHERE name = 'payment_made'"))
	w.Audit()
}

func TestKind_payment_made_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("payer")
	w.Refused(Line(object{"kind": "payment_made", "currency": "zł1"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "payment_made", "amount": object{"op": "about", "value": 1}}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "payment_made", "amount": object{"op": "gte"}}, tag), "FIELD_REQUIRED", "entry")
}

func bookFirst() object {
	return Step("book_slot", object{"resource": "resource:call", "rule": "first", "within": object{"amount": 2, "unit": "days"}})
}

func TestKind_book_slot_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.desk()
	sink := w.SMTP()
	anna := w.Contact("anna@example.com")
	step := bookFirst()
	step["leave"] = "booked"
	bundle := Line(On("wish"), step, Step("send_email", object{"creative": "creative:when", "class": "transactional"}))
	bundle["creatives"] = object{"when": Email(`Your call on {{ vars.booking_at | default("?") | date("2006-01-02 15:04") }}`, `See {{ vars.booking_url | default("?") }}`)}
	funnel := w.Funnel("Calls", bundle)
	w.Event("anna@example.com", "wish", nil)
	w.Settle()
	mails := sink.Ledger()
	require.Len(t, mails, 1)
	booking := w.Call(200, "GET", "/bookings?contact="+anna, nil)
	require.Equal(t, "funnel", booking.Get("items.0.source"))
	require.Equal(t, "2026-03-23T10:00:00Z", booking.Get("items.0.from"), "the first after now, which is nine")
	require.Equal(t, "Your call on 2026-03-23 10:00", decodeHeader(t, mails[0].Header.Get("Subject")))
	require.Contains(t, plainText(t, mails[0].Raw), "/book/manage/")
	require.Equal(t, "done", w.Run(funnel, anna).Get("run.state"))
	w.Audit()
}

func TestKind_book_slot_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.desk()
	for { // somebody else has all of it
		free, _ := w.Call(200, "GET", "/resources/call/slots", nil).Get("items").([]any)
		if len(free) == 0 {
			break
		}
		w.book("busy@example.com", 0)
	}
	step := bookFirst()
	step["leave"] = "full"
	tag := w.Tag("later")
	anna := w.Contact("anna@example.com")
	w.Funnel("Calls", Line(On("wish"), step, tag))
	from := Step("book_slot", object{"resource": "resource:call", "rule": "from_event", "property": "when"})
	from["leave"] = "full"
	w.Funnel("Exact", Line(On("exact"), from, w.Tag("no-time")))
	w.Event("anna@example.com", "wish", nil)
	w.Event("anna@example.com", "exact", object{"when": "soon"})
	w.Settle()
	require.Equal(t, []string{"later", "no-time"}, w.Tags(anna))
	require.Zero(t, w.DBCount("SELECT count(*) FROM bookings WHERE source = 'funnel'"))
	w.Audit()
}

func TestKind_book_slot_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.desk()
	w.Refused(Line(On("wish"), Step("book_slot", object{"rule": "first", "within": object{"amount": 1, "unit": "days"}})), "FIELD_REQUIRED", "book-slot-1")
	w.Refused(Line(On("wish"), Step("book_slot", object{"resource": "resource:room", "rule": "first", "within": object{"amount": 1, "unit": "days"}})), "REF_MISSING", "book-slot-1")
	w.Refused(Line(On("wish"), Step("book_slot", object{"resource": "resource:call", "rule": "never"})), "FIELD_INVALID", "book-slot-1")
}
