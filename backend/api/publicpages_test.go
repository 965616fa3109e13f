package api_test

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

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
