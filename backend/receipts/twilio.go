package receipts

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the algorithm is Twilio's; HMAC does not need collision resistance
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/lejek/lejek/engine"
)

// SignTwilio is Twilio's signature of a request: its address as Twilio knows it, and the parameters in order.
func SignTwilio(token, address string, params url.Values) string {
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address))
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		mac.Write([]byte(name + params.Get(name)))
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// softCodes are refusals that may pass: a phone that is off, a queue that is full. Others concern the number for good.
var softCodes = []string{"30001", "30002", "30003", "30008", "30009", "30010", "30017", "30022", "30023"}

// readTwilio reads what Twilio tells about a text, and texts people send us. A parameter that comes twice is refused: which of them counts
// is not signed for.
func readTwilio(source opened, report Report, now time.Time) ([]Receipt, error) {
	params, err := url.ParseQuery(string(report.Body))
	if err != nil {
		return nil, ErrBody
	}
	for _, values := range params {
		if len(values) != 1 {
			return nil, ErrBody
		}
	}
	if source.secret == "" || !hmac.Equal([]byte(report.Header.Get("X-Twilio-Signature")), []byte(SignTwilio(source.secret, report.URL, params))) {
		return nil, ErrSignature
	}
	id := params.Get("MessageSid")
	if id == "" {
		return nil, ErrBody
	}
	receipt := Receipt{Name: id, At: now, Reason: params.Get("ErrorCode")}
	if target, err := url.Parse(report.URL); err == nil {
		receipt.Message = messageOf(target.Query().Get("m"))
	}
	status := params.Get("MessageStatus")
	switch status {
	case "delivered", "read":
		receipt.Kind, status = Delivered, "delivered"
	case "undelivered", "failed":
		receipt.Kind, receipt.Soft = Bounced, slices.Contains(softCodes, receipt.Reason)
	case "":
		receipt.Kind, receipt.Message, receipt.Name, receipt.Text = Incoming, messageOf(""), "", params.Get("Body")
		receipt.Channel, receipt.Address = engine.ChannelSMS, params.Get("From")
		if phone, whatsApp := strings.CutPrefix(receipt.Address, "whatsapp:"); whatsApp {
			receipt.Channel, receipt.Address = engine.ChannelWhatsApp, phone
		}
	default:
		return nil, nil
	}
	receipt.Key = id + " " + status
	return []Receipt{receipt}, nil
}
