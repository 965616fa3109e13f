package receipts

import (
	"crypto/hmac"
	"encoding/json"
	"strconv"
	"time"
)

// genericEvent is one item of a provider we have no file for: its own program translates.
type genericEvent struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Message   string    `json:"message_id"`          // ours
	Name      string    `json:"provider_message_id"` // the provider's
	Recipient string    `json:"recipient"`
	At        time.Time `json:"at"`
	Soft      bool      `json:"soft"`
	URL       string    `json:"url"`
	Agent     string    `json:"user_agent"`
	Text      string    `json:"text"`
	Reason    string    `json:"reason"`
	Channel   string    `json:"channel"`
}

var genericKinds = map[string]string{
	"delivered": Delivered, "opened": Opened, "clicked": Clicked, "bounced": Bounced, "complained": Complained, "unsubscribed": Unsubscribed,
	"replied": Replied, "incoming": Incoming,
}

// SignGeneric is what X-Lejek-Signature holds behind "sha256=": the HMAC-SHA256 of time, dot and body, in hex.
func SignGeneric(secret string, at time.Time, body []byte) string {
	return hexHMAC(secret, strconv.FormatInt(at.Unix(), 10)+"."+string(body))
}

// readGeneric reads {"events": [...]} signed by X-Lejek-Timestamp and X-Lejek-Signature.
func readGeneric(source opened, report Report, now time.Time) ([]Receipt, error) {
	seconds, err := strconv.ParseInt(report.Header.Get("X-Lejek-Timestamp"), 10, 64)
	if err != nil || source.secret == "" {
		return nil, ErrSignature
	}
	at := time.Unix(seconds, 0)
	if !hmac.Equal([]byte(report.Header.Get("X-Lejek-Signature")), []byte("sha256="+SignGeneric(source.secret, at, report.Body))) {
		return nil, ErrSignature
	}
	if err := fresh(at, now); err != nil {
		return nil, err
	}
	var batch struct{ Events []json.RawMessage }
	if err := decode(report.Body, &batch); err != nil {
		return nil, err
	}
	var receipts []Receipt
	for _, raw := range batch.Events {
		var item genericEvent
		if json.Unmarshal(raw, &item) != nil || genericKinds[item.Type] == "" || item.ID == "" {
			continue
		}
		if item.At.IsZero() {
			item.At = at
		}
		receipts = append(receipts, Receipt{
			Key: item.ID, Kind: genericKinds[item.Type], Message: messageOf(item.Message), Name: item.Name, Address: item.Recipient, At: item.At, Soft: item.Soft,
			URL: item.URL, Agent: item.Agent, Text: item.Text, Reason: item.Reason, Channel: item.Channel,
		})
	}
	return receipts, nil
}
