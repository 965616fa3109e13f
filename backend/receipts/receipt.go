package receipts

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// The kinds of facts. Whatever else a provider tells is no row.
const (
	Delivered    = "delivered"
	Opened       = "opened"
	Clicked      = "clicked"
	Bounced      = "bounced"
	Complained   = "complained"
	Unsubscribed = "unsubscribed"
	Replied      = "replied"
	Incoming     = "incoming" // a text somebody sent to us: an answer, or a word such as STOP
)

// Receipt is one fact about one message.
type Receipt struct {
	Key     string    `json:"-"` // the provider's, or made of what tells it from others
	Kind    string    `json:"-"`
	Message uuid.UUID `json:"message,omitzero"` // ours, where the provider hands it back
	Name    string    `json:"name,omitempty"`   // the provider's of the message
	Address string    `json:"address,omitempty"`
	Channel string    `json:"channel,omitempty"` // of an incoming text
	At      time.Time `json:"at"`
	Soft    bool      `json:"soft,omitempty"`    // a bounce that may pass
	Machine bool      `json:"machine,omitempty"` // an open the provider knows to be nobody's
	Agent   string    `json:"agent,omitempty"`
	URL     string    `json:"url,omitempty"`
	Text    string    `json:"text,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// Report is a request of a provider as it came.
type Report struct {
	URL    string // as the provider was told it, with its query: what Twilio signs
	Header http.Header
	Body   []byte
}

// Reasons to refuse a report.
var (
	ErrSignature = errors.New("the signature is missing or wrong")
	ErrTime      = errors.New("the report is too old, or from the future")
	ErrBody      = errors.New("the report cannot be read")
)

// tolerance is how far the time of a signed report may lie from ours. The provider tries again with a new time.
const tolerance = 5 * time.Minute

// fresh judges the time of a signature.
func fresh(at, now time.Time) error {
	if now.Sub(at).Abs() > tolerance {
		return ErrTime
	}
	return nil
}

// headerMessage is how providers hand back the id of our message: a header, tag, argument or variable of this name.
const headerMessage = "lejek_message"

// messageOf reads an id of ours, the zero one if it is none.
func messageOf(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

const (
	maxKey   = 300
	maxText  = 4000
	maxShort = 500
)

// tidy cuts what a provider says to what is kept.
func (r *Receipt) tidy() {
	r.Key, r.Name, r.Address = store.Text(r.Key, maxKey), store.Text(r.Name, maxShort), store.Text(r.Address, maxShort)
	r.Agent, r.URL, r.Text, r.Reason = store.Text(r.Agent, maxShort), store.Text(r.URL, maxText), store.Text(r.Text, maxText), store.Text(r.Reason, maxShort)
	r.At = r.At.UTC().Truncate(time.Microsecond)
}

// decode reads JSON; what is none is ErrBody.
func decode(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return ErrBody
	}
	return nil
}
