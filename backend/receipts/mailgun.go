package receipts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// mailgunEvent is what Mailgun tells, with its signature beside.
type mailgunEvent struct {
	Signature struct {
		Timestamp string `json:"timestamp"`
		Token     string `json:"token"`
		Signature string `json:"signature"`
	} `json:"signature"`
	Data struct {
		Event     string  `json:"event"`
		ID        string  `json:"id"`
		Timestamp float64 `json:"timestamp"`
		Recipient string  `json:"recipient"`
		Severity  string  `json:"severity"`
		Reason    string  `json:"reason"`
		URL       string  `json:"url"`
		Message   struct {
			Headers struct {
				MessageID string `json:"message-id"`
			} `json:"headers"`
		} `json:"message"`
		Client struct {
			Agent string `json:"user-agent"`
			Type  string `json:"client-type"`
		} `json:"client-info"`
		Variables map[string]any `json:"user-variables"`
		Status    struct {
			Description string `json:"description"`
		} `json:"delivery-status"`
	} `json:"event-data"`
}

var mailgunKinds = map[string]string{
	"delivered": Delivered, "opened": Opened, "clicked": Clicked, "complained": Complained, "unsubscribed": Unsubscribed, "failed": Bounced,
}

// readMailgun reads a report of Mailgun, which signs time and token. A temporary failure is tried again there, so it is no fact yet. The
// body is not covered by the signature, so the token may stand for one report only: it is the key.
func readMailgun(source opened, report Report, now time.Time) ([]Receipt, error) {
	var event mailgunEvent
	if err := decode(report.Body, &event); err != nil {
		return nil, err
	}
	stamp := event.Signature
	if source.secret == "" || stamp.Token == "" || !hmac.Equal([]byte(stamp.Signature), []byte(hexHMAC(source.secret, stamp.Timestamp+stamp.Token))) {
		return nil, ErrSignature
	}
	seconds, err := strconv.ParseInt(stamp.Timestamp, 10, 64)
	if err != nil {
		return nil, ErrSignature
	}
	if err := fresh(time.Unix(seconds, 0), now); err != nil {
		return nil, err
	}
	data := event.Data
	kind, known := mailgunKinds[data.Event]
	if !known || data.Event == "failed" && data.Severity != "permanent" {
		return nil, nil
	}
	receipt := Receipt{
		Key: "token:" + stamp.Token, Kind: kind, Name: strings.Trim(data.Message.Headers.MessageID, "<>"), Address: data.Recipient,
		At: time.UnixMicro(int64(data.Timestamp * 1e6)), Soft: kind == Bounced && data.Reason != "bounce" && data.Reason != "suppress-bounce",
		Machine: data.Client.Type == "robot", Agent: data.Client.Agent, URL: data.URL, Reason: data.Status.Description,
	}
	if id, ok := data.Variables[headerMessage].(string); ok {
		receipt.Message = messageOf(id)
	}
	return []Receipt{receipt}, nil
}

// hexHMAC is the HMAC-SHA256 of a text.
func hexHMAC(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
