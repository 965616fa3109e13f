package receipts

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// sendgridEvent is one item of a batch of SendGrid.
type sendgridEvent struct {
	Event     string `json:"event"`
	Email     string `json:"email"`
	Timestamp int64  `json:"timestamp"`
	MessageID string `json:"sg_message_id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	URL       string `json:"url"`
	Agent     string `json:"useragent"`
	Machine   bool   `json:"sg_machine_open"`
	Message   string `json:"lejek_message"`
}

var sendgridKinds = map[string]string{
	"delivered": Delivered, "open": Opened, "click": Clicked, "bounce": Bounced, "dropped": Bounced, "spamreport": Complained,
	"unsubscribe": Unsubscribed, "group_unsubscribe": Unsubscribed,
}

// readSendGrid reads a batch of SendGrid, signed with ECDSA over time and body. Its own id of an item changes when it is sent again, so
// the key is made of what the item says.
func readSendGrid(source opened, report Report, now time.Time) ([]Receipt, error) {
	stamp := report.Header.Get("X-Twilio-Email-Event-Webhook-Timestamp")
	if err := verifyECDSA(source.secret, report.Header.Get("X-Twilio-Email-Event-Webhook-Signature"), append([]byte(stamp), report.Body...)); err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, ErrSignature
	}
	if err := fresh(time.Unix(seconds, 0), now); err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := decode(report.Body, &items); err != nil {
		return nil, err
	}
	var receipts []Receipt
	for _, raw := range items {
		var item sendgridEvent
		kind := ""
		if json.Unmarshal(raw, &item) == nil { // one that cannot be read stops no other
			kind = sendgridKinds[item.Event]
		}
		if kind == "" {
			continue
		}
		name, _, _ := strings.Cut(item.MessageID, ".") // what follows names the server it went through
		about := sha256.Sum256([]byte(item.MessageID + "\x00" + item.Event + "\x00" + strconv.FormatInt(item.Timestamp, 10) + "\x00" + item.Email + "\x00" + item.URL))
		receipts = append(receipts, Receipt{
			Key: hex.EncodeToString(about[:]), Kind: kind, Message: messageOf(item.Message), Name: name, Address: item.Email, At: time.Unix(item.Timestamp, 0),
			Soft: kind == Bounced && (item.Type == "blocked" || strings.HasPrefix(item.Status, "4")), Machine: item.Machine, Agent: item.Agent, URL: item.URL, Reason: item.Reason,
		})
	}
	return receipts, nil
}

// verifyECDSA checks an ASN.1 signature over SHA-256, both in base64, with a public key in base64 of its DER.
func verifyECDSA(key, signature string, signed []byte) error {
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return ErrSignature
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return ErrSignature
	}
	public, ok := parsed.(*ecdsa.PublicKey)
	given, err := base64.StdEncoding.DecodeString(signature)
	sum := sha256.Sum256(signed)
	if !ok || err != nil || !ecdsa.VerifyASN1(public, sum[:], given) {
		return ErrSignature
	}
	return nil
}

// readableKey tells whether a text is a public key of the right kind.
func readableKey(key string) bool {
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return false
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	_, ok := parsed.(*ecdsa.PublicKey)
	return err == nil && ok
}
