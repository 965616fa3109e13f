package receipts

import (
	"crypto/hmac"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/signed"
)

// verifyStandard checks headers such as svix-id, svix-timestamp and svix-signature. During a change of secrets there are several
// signatures, one is enough.
func verifyStandard(header http.Header, prefix, secret string, body []byte, now time.Time) (id string, err error) {
	id = header.Get(prefix + "-id")
	seconds, err := strconv.ParseInt(header.Get(prefix+"-timestamp"), 10, 64)
	if id == "" || err != nil {
		return "", ErrSignature
	}
	at := time.Unix(seconds, 0)
	want, err := signed.Standard(secret, id, at, body)
	if err != nil {
		return "", ErrSignature
	}
	ok := false
	for given := range strings.FieldsSeq(header.Get(prefix + "-signature")) {
		ok = hmac.Equal([]byte(given), []byte(want)) || ok
	}
	if !ok {
		return "", ErrSignature
	}
	return id, fresh(at, now)
}

// resendEvent is what Resend tells.
type resendEvent struct {
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Data      struct {
		EmailID string         `json:"email_id"`
		To      []string       `json:"to"`
		Tags    map[string]any `json:"tags"`
		Bounce  struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"bounce"`
		Click struct {
			Link      string    `json:"link"`
			Agent     string    `json:"userAgent"`
			Timestamp time.Time `json:"timestamp"`
		} `json:"click"`
		Open struct {
			Agent string `json:"userAgent"`
		} `json:"open"`
	} `json:"data"`
}

var resendKinds = map[string]string{
	"email.delivered": Delivered, "email.opened": Opened, "email.clicked": Clicked, "email.bounced": Bounced, "email.complained": Complained,
	"email.suppressed": Bounced,
}

// readResend reads a report of Resend, which Svix signs. The id of Svix stays the same when it is sent again.
func readResend(source opened, report Report, now time.Time) ([]Receipt, error) {
	id, err := verifyStandard(report.Header, "svix", source.secret, report.Body, now)
	if err != nil {
		return nil, err
	}
	var event resendEvent
	if err := decode(report.Body, &event); err != nil {
		return nil, err
	}
	kind, known := resendKinds[event.Type]
	if !known {
		return nil, nil
	}
	data := event.Data
	receipt := Receipt{
		Key: id, Kind: kind, Name: data.EmailID, At: event.CreatedAt, URL: data.Click.Link, Agent: data.Click.Agent, Reason: data.Bounce.Message,
		Soft: kind == Bounced && !strings.EqualFold(data.Bounce.Type, "Permanent"),
	}
	if tag, ok := data.Tags[headerMessage].(string); ok {
		receipt.Message = messageOf(tag)
	}
	if kind == Opened {
		receipt.Agent = data.Open.Agent
	}
	if len(data.To) > 0 {
		receipt.Address = data.To[0]
	}
	return []Receipt{receipt}, nil
}
