package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/lejek/lejek/backend/outgoing"
)

// Version is the version of Stripe's API that requests are written in.
const Version = "2024-06-20"

// Client asks Stripe on one account.
type Client struct {
	HTTP *outgoing.Client
	Base string // https://api.stripe.com
	Key  string // secret or restricted
}

// Page is what to make a page for.
type Page struct {
	Minor    int64 // smallest units
	Currency string
	Title    string
	Key      string            // idempotency: the same for every attempt
	Metadata map[string]string // comes back with every report
}

// Link is a page that was made.
type Link struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// Error is a request Stripe refused. Message is Stripe's own and may be shown.
type Error struct {
	Status  int
	Header  http.Header
	Type    string
	Code    string
	Message string
}

// Error says what Stripe said.
func (e *Error) Error() string {
	return fmt.Sprintf("Stripe answered %d: %s", e.Status, e.Message)
}

// Pay makes a page to pay on.
func (c Client) Pay(ctx context.Context, page Page) (Link, error) {
	var price struct {
		ID string `json:"id"`
	}
	err := c.post(ctx, "/v1/prices", page.Key+"-price", url.Values{
		"currency": {strings.ToLower(page.Currency)}, "unit_amount": {strconv.FormatInt(page.Minor, 10)}, "product_data[name]": {page.Title},
	}, &price)
	if err != nil {
		return Link{}, err
	}
	form := url.Values{
		"line_items[0][price]": {price.ID}, "line_items[0][quantity]": {"1"}, "restrictions[completed_sessions][limit]": {"1"},
	}
	for name, value := range page.Metadata {
		form.Set("metadata["+name+"]", value)
		form.Set("payment_intent_data[metadata]["+name+"]", value)
	}
	var link Link
	if err := c.post(ctx, "/v1/payment_links", page.Key+"-link", form, &link); err != nil {
		return Link{}, err
	}
	if link.ID == "" || link.URL == "" {
		return Link{}, errors.New("Stripe answered without a page") //nolint:staticcheck // a name
	}
	return link, nil
}

// Check asks something harmless, to see whether the key works.
func (c Client) Check(ctx context.Context) error {
	answer, err := c.HTTP.Do(ctx, outgoing.Request{Method: "GET", URL: c.Base + "/v1/payment_links?limit=1", Header: c.header()})
	if err != nil {
		return err
	}
	return read(answer, &struct{}{})
}

func (c Client) header() http.Header {
	return http.Header{"Authorization": {"Bearer " + c.Key}, "Stripe-Version": {Version}}
}

// maxReplays is how many failures Stripe may have kept under a key before we give up.
const maxReplays = 3

// post sends a form under an idempotency key. Stripe keeps what it answered to a key, a failure of its own too, and would answer with that
// failure for ever; then the next key of a fixed row is taken. What may have been made under the first one is a page nobody is told of.
func (c Client) post(ctx context.Context, path, key string, form url.Values, into any) error {
	for n := 1; ; n++ {
		err := c.postOnce(ctx, path, key, form, into)
		refused, ok := errors.AsType[*Error](err)
		if !ok || refused.Status < http.StatusInternalServerError || refused.Header.Get("Idempotent-Replayed") != "true" || n > maxReplays {
			return err
		}
		key = strings.TrimSuffix(key, "-"+strconv.Itoa(n)) + "-" + strconv.Itoa(n+1)
	}
}

func (c Client) postOnce(ctx context.Context, path, key string, form url.Values, into any) error {
	header := c.header()
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	header.Set("Idempotency-Key", key)
	answer, err := c.HTTP.Do(ctx, outgoing.Request{Method: "POST", URL: c.Base + path, Header: header, Body: []byte(form.Encode())})
	if err != nil {
		return err
	}
	return read(answer, into)
}

func read(answer outgoing.Answer, into any) error {
	if answer.Status >= 200 && answer.Status < 300 {
		if json.Unmarshal(answer.Body, into) != nil {
			return errors.New("the answer of Stripe cannot be read")
		}
		return nil
	}
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(answer.Body, &body) // another body is none of Stripe's
	e := &Error{Status: answer.Status, Header: answer.Header, Type: body.Error.Type, Code: body.Error.Code, Message: body.Error.Message}
	if e.Message == "" {
		e.Message = http.StatusText(answer.Status)
	}
	return e
}
