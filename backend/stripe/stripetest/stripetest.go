// Package stripetest is a Stripe for tests, over a real socket. It refuses what Stripe refuses: a wrong key, missing or unknown
// parameters, prices that do not exist, an idempotency key used for another request. To a key it answers what it answered first, failures
// of its own included, and says that it replays.
package stripetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/stripe"
)

// Account is a Stripe with one account.
type Account struct {
	URL     string
	Key     string
	Signing string

	mu      sync.Mutex
	made    int
	prices  map[string]url.Values
	links   map[string]url.Values
	replies map[string]reply // by idempotency key
	failing int              // new requests that will fail
	dropped int              // new requests that will be done and not answered
	ledger  []Asked
}

// Asked is one request, in order.
type Asked struct {
	Path     string
	Key      string // idempotency
	Form     url.Values
	Replayed bool
}

type reply struct {
	request string
	status  int
	body    []byte
}

// New starts an account and ends it with the test.
func New(tb testing.TB) *Account {
	tb.Helper()
	a := &Account{
		Key: "sk_test_51CanaryCanaryCanary", Signing: "whsec_CanaryCanaryCanary", prices: map[string]url.Values{}, links: map[string]url.Values{}, replies: map[string]reply{},
	}
	server := httptest.NewServer(http.HandlerFunc(a.serve))
	tb.Cleanup(server.Close)
	a.URL = server.URL
	return a
}

// Fail lets the next n new requests fail with 500, which is kept under their keys.
func (a *Account) Fail(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = n
}

// Drop does the next n new requests and cuts the connection instead of answering.
func (a *Account) Drop(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropped = n
}

// Ledger lists the requests that were authorised, in order.
func (a *Account) Ledger() []Asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.ledger)
}

// Links counts the pages there are.
func (a *Account) Links() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.links)
}

func (a *Account) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+a.Key {
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "Invalid API Key provided.")
		return
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write([]byte(`{"object":"list","data":[]}`))
		return
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/x-www-form-urlencoded" {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "Invalid content type "+kind+".")
		return
	}
	if r.ParseForm() != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "Invalid form.")
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if len(key) > 255 {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "Idempotency-Key is longer than 255 characters.")
		return
	}
	request := r.URL.Path + "?" + r.PostForm.Encode()
	kept, known := a.replies[key]
	a.ledger = append(a.ledger, Asked{Path: r.URL.Path, Key: key, Form: r.PostForm, Replayed: known})
	switch {
	case known && kept.request != request:
		refuse(w, http.StatusBadRequest, "idempotency_error", "Keys for idempotent requests can only be used with the same parameters they were first used with.")
		return
	case known:
		w.Header().Set("Idempotent-Replayed", "true")
		w.WriteHeader(kept.status)
		_, _ = w.Write(kept.body)
		return
	}
	status, body := a.do(r.URL.Path, r.PostForm)
	if key != "" && (status < 400 || status >= 500) {
		a.replies[key] = reply{request, status, body}
	}
	if a.dropped > 0 {
		a.dropped--
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.WriteHeader(status)
	_, _ = w.Write(problem(kind, message))
}

func problem(kind, message string) []byte {
	return encode(map[string]any{"error": map[string]string{"type": kind, "message": message}})
}

// encode writes what is known to be writable.
func encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

func invalid(format string, args ...any) (int, []byte) {
	return http.StatusBadRequest, problem("invalid_request_error", fmt.Sprintf(format, args...))
}

var (
	currency = regexp.MustCompile(`^[a-z]{3}$`)
	metadata = regexp.MustCompile(`^(payment_intent_data\[metadata\]|metadata)\[[^\]]{1,40}\]$`)
)

func (a *Account) do(path string, form url.Values) (int, []byte) {
	if a.failing > 0 {
		a.failing--
		return http.StatusInternalServerError, problem("api_error", "An unknown error occurred.")
	}
	switch path {
	case "/v1/prices":
		return a.price(form)
	case "/v1/payment_links":
		return a.link(form)
	default:
		return http.StatusNotFound, problem("invalid_request_error", "Unrecognized request URL.")
	}
}

func (a *Account) id(prefix string) string {
	a.made++
	return prefix + "_" + strconv.Itoa(a.made)
}

func (a *Account) price(form url.Values) (int, []byte) {
	if status, body := only(form, "currency", "unit_amount", "product", "product_data[name]"); status != 0 {
		return status, body
	}
	amount, err := strconv.ParseInt(form.Get("unit_amount"), 10, 64)
	switch {
	case !currency.MatchString(form.Get("currency")):
		return invalid("Invalid currency: %s", form.Get("currency"))
	case err != nil || amount < 0 || amount > 99999999:
		return invalid("Invalid integer: %s", form.Get("unit_amount"))
	case form.Get("product") == "" && form.Get("product_data[name]") == "":
		return invalid("You must specify either `product` or `product_data`.")
	}
	id := a.id("price")
	a.prices[id] = form
	return answer(map[string]any{"id": id, "object": "price", "currency": form.Get("currency"), "unit_amount": amount})
}

func (a *Account) link(form url.Values) (int, []byte) {
	if status, body := only(form, "line_items[0][price]", "line_items[0][quantity]", "restrictions[completed_sessions][limit]"); status != 0 {
		return status, body
	}
	if quantity, err := strconv.Atoi(form.Get("line_items[0][quantity]")); err != nil || quantity < 1 {
		return invalid("Missing required param: line_items[0][quantity].")
	}
	if a.prices[form.Get("line_items[0][price]")] == nil {
		return invalid("No such price: '%s'", form.Get("line_items[0][price]"))
	}
	id := a.id("plink")
	a.links[id] = form
	return answer(map[string]any{"id": id, "object": "payment_link", "active": true, "url": "https://buy.stripe.example/" + id})
}

func only(form url.Values, known ...string) (int, []byte) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if metadata.MatchString(name) {
			if len(form.Get(name)) > 500 {
				return invalid("Metadata values can have up to 500 characters.")
			}
			continue
		}
		if !slices.Contains(known, name) {
			return invalid("Received unknown parameter: %s", name)
		}
	}
	return 0, nil
}

func answer(value any) (int, []byte) {
	raw, err := json.Marshal(value)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	return http.StatusOK, raw
}

// Sent is one report on its way to us.
type Sent struct {
	Body      []byte
	Signature string
}

// Report signs a report now.
func (a *Account) Report(id, kind string, at time.Time, object map[string]any) Sent {
	return a.Signed(encode(map[string]any{
		"id": id, "object": "event", "type": kind, "created": at.Unix(), "livemode": false, "data": map[string]any{"object": object},
	}))
}

// Signed signs a body now.
func (a *Account) Signed(body []byte) Sent {
	now := clock.Machine{}.Now() // Stripe signs by its own clock
	return Sent{Body: body, Signature: "t=" + strconv.FormatInt(now.Unix(), 10) + ",v1=" + stripe.Sign(body, a.Signing, now)}
}

// Pay is somebody paying on a page: the two reports Stripe sends of it.
func (a *Account) Pay(link, email string, at time.Time) (session, intent Sent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	form := a.links[link]
	price := a.prices[form.Get("line_items[0][price]")]
	amount, _ := strconv.ParseInt(price.Get("unit_amount"), 10, 64)
	about := map[string]string{}
	for name := range form {
		if inner, found := strings.CutPrefix(name, "metadata["); found {
			about[strings.TrimSuffix(inner, "]")] = form.Get(name)
		}
	}
	session = a.Report("evt_session_"+link, "checkout.session.completed", at, map[string]any{
		"id": "cs_" + link, "object": "checkout.session", "payment_intent": "pi_" + link, "payment_link": link, "payment_status": "paid", "amount_total": amount,
		"currency": price.Get("currency"), "metadata": about, "customer_details": map[string]any{"email": email},
	})
	intent = a.Report("evt_intent_"+link, "payment_intent.succeeded", at, map[string]any{
		"id": "pi_" + link, "object": "payment_intent", "status": "succeeded", "amount": amount, "amount_received": amount, "currency": price.Get("currency"),
		"metadata": about, "receipt_email": email,
	})
	return session, intent
}

// Refund is the money going back, as much as sum in all so far.
func (a *Account) Refund(link string, sum int64, at time.Time) Sent {
	a.mu.Lock()
	defer a.mu.Unlock()
	form := a.links[link]
	price := a.prices[form.Get("line_items[0][price]")]
	amount, _ := strconv.ParseInt(price.Get("unit_amount"), 10, 64)
	return a.Report(fmt.Sprintf("evt_refund_%s_%d", link, sum), "charge.refunded", at, map[string]any{
		"id": "ch_" + link, "object": "charge", "payment_intent": "pi_" + link, "amount": amount, "amount_refunded": sum, "currency": price.Get("currency"),
		"metadata": map[string]string{}, "billing_details": map[string]any{"email": nil},
	})
}
