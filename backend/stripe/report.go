package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far a report's time may lie from ours.
const tolerance = 5 * time.Minute

// ErrSignature says that a report is not signed with the secret, or was signed at another time.
var ErrSignature = errors.New("the signature is missing, wrong or too old")

// Verify checks the header Stripe-Signature against a body. During a change of secrets there are several signatures; one is enough.
func Verify(body []byte, header, secret string, now time.Time) error {
	var at int64
	var signatures []string
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			at, _ = strconv.ParseInt(value, 10, 64)
		case "v1":
			signatures = append(signatures, value)
		}
	}
	if secret == "" || at == 0 || now.Sub(time.Unix(at, 0)).Abs() > tolerance {
		return ErrSignature
	}
	want := Sign(body, secret, time.Unix(at, 0))
	ok := false
	for _, signature := range signatures {
		ok = hmac.Equal([]byte(signature), []byte(want)) || ok
	}
	if !ok {
		return ErrSignature
	}
	return nil
}

// Sign is the v1 signature of a body at an instant.
func Sign(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strconv.FormatInt(at.Unix(), 10)))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// The reports that are understood.
const (
	sessionCompleted = "checkout.session.completed"
	sessionSucceeded = "checkout.session.async_payment_succeeded"
	intentSucceeded  = "payment_intent.succeeded"
	chargeRefunded   = "charge.refunded"
)

// Event is a report: what happened to which object.
type Event struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Created int64  `json:"created"`
	Live    bool   `json:"livemode"`
	Data    struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

// Payment is what a report says about a payment. Several reports speak of one payment: they have one ID.
type Payment struct {
	ID       string // of the payment intent
	Paid     bool
	Minor    int64 // what was paid
	Refunded int64 // the whole sum so far
	Currency string
	At       time.Time
	Email    string
	Metadata map[string]string
}

// object is any of the objects that are understood.
type object struct {
	ID             string            `json:"id"`
	PaymentIntent  string            `json:"payment_intent"`
	PaymentStatus  string            `json:"payment_status"`
	Status         string            `json:"status"`
	AmountTotal    int64             `json:"amount_total"`
	AmountReceived int64             `json:"amount_received"`
	Amount         int64             `json:"amount"`
	AmountRefunded int64             `json:"amount_refunded"`
	Currency       string            `json:"currency"`
	Metadata       map[string]string `json:"metadata"`
	ReceiptEmail   string            `json:"receipt_email"`
	Customer       struct {
		Email string `json:"email"`
	} `json:"customer_details"`
	Billing struct {
		Email string `json:"email"`
	} `json:"billing_details"`
}

// Payment reads the payment out of a report; ok is false when the report says nothing about a payment that was made.
func (e Event) Payment() (p Payment, ok bool, err error) {
	var o object
	if err := json.Unmarshal(e.Data.Object, &o); err != nil {
		return p, false, errors.New("the report cannot be read")
	}
	p = Payment{ID: o.PaymentIntent, Paid: true, Currency: strings.ToUpper(o.Currency), At: time.Unix(e.Created, 0).UTC(), Metadata: o.Metadata}
	switch e.Type {
	case sessionCompleted, sessionSucceeded:
		p.Minor, p.Email = o.AmountTotal, o.Customer.Email
		ok = o.PaymentStatus == "paid"
	case intentSucceeded:
		p.ID, p.Minor, p.Email = o.ID, o.AmountReceived, o.ReceiptEmail
		ok = o.Status == "succeeded"
	case chargeRefunded:
		p.Minor, p.Refunded, p.Email = o.Amount, o.AmountRefunded, o.Billing.Email
		ok = o.AmountRefunded > 0
	}
	return p, ok && p.ID != "" && p.Minor > 0, nil
}
