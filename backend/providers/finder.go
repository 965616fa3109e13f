package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/outgoing"
)

// Finder is an Adapter that can tell whether its provider has a message whose hand-over got no answer.
type Finder interface {
	// Find is what the provider calls the message, "" if it has none like it. began is when the hand-over began.
	Find(ctx context.Context, parcel Parcel, began time.Time) (id string, err error)
}

// Finders are the kinds whose adapters are a Finder.
func Finders() []string { return slices.Clone(finders) }

var finders = []string{"twilio", "twilio_whatsapp"}

// twilio is an adapter that looks into Twilio's list of messages: it has no keys, so that is the only way to know.
type twilio struct {
	*web

	prefix string
	list   func(query url.Values) outgoing.Request
}

// clockSlack is by how much Twilio's clock may be behind ours.
const clockSlack = time.Minute

// Find implements Finder: a message to the same number with the same words that was made since.
func (t *twilio) Find(ctx context.Context, parcel Parcel, began time.Time) (string, error) {
	since := began.Add(-clockSlack)
	answer, err := t.settings.Client.Do(ctx, t.list(url.Values{"To": {t.prefix + parcel.To}, "DateSent>": {since.UTC().Format(time.DateOnly)}, "PageSize": {"100"}}))
	if err != nil {
		return "", err
	}
	if answer.Status != http.StatusOK {
		return "", fmt.Errorf("Twilio answered %d%s", answer.Status, said(answer.Body)) //nolint:staticcheck // a name
	}
	var page struct {
		Messages []struct {
			SID       string `json:"sid"`
			Body      string `json:"body"`
			To        string `json:"to"`
			Direction string `json:"direction"`
			Created   string `json:"date_created"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(answer.Body, &page); err != nil {
		return "", fmt.Errorf("read Twilio's list: %w", err)
	}
	for _, m := range page.Messages {
		made, err := time.Parse(time.RFC1123Z, m.Created)
		if err == nil && !made.Before(since.Truncate(time.Second)) && m.To == t.prefix+parcel.To && m.Body == parcel.Text && strings.HasPrefix(m.Direction, "outbound") {
			return m.SID, nil
		}
	}
	return "", nil
}
