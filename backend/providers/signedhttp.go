package providers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/backend/outgoing"
)

var (
	_ = register(Kind{Name: "http", Channels: []string{"email", "sms", "whatsapp", "push", "letter"}, Fields: signedFields, open: openHTTP})
	_ = register(Kind{Name: "pdf", Channels: []string{"letter"}, Fields: signedFields, open: openPDF})
)

var signedFields = []Field{{Name: "url", Required: true, Example: "https://gateway.example.com/messages"}, {Name: "secret", Secret: true, Required: true}}

type signedConfig struct {
	URL string `json:"url"`
}

// openHTTP makes a request of JSON a message, signed as Standard Webhooks are, to whatever the workspace runs. It may answer with an "id".
func openHTTP(s Settings) (Adapter, error) {
	return openSigned(s, func(p Parcel, at string, header http.Header) (outgoing.Request, error) {
		body := map[string]any{
			"id": p.Key(), "channel": p.Channel, "from": p.From, "from_name": p.FromName, "to": p.To, "reply_to": p.ReplyTo, "subject": p.Subject, "html": p.HTML,
			"text": p.Text, "link": p.Link, "template": p.Template, "address": p.Address, "pdf": p.PDF, "headers": extra(p), "devices": p.Devices,
		}
		maps.DeleteFunc(body, func(_ string, v any) bool { return empty(v) })
		return jsonRequest(at, body, header)
	})
}

// openPDF drops each letter as a file, for a printing house.
func openPDF(s Settings) (Adapter, error) {
	return openSigned(s, func(p Parcel, at string, header http.Header) (outgoing.Request, error) {
		return multipartPDF(at, map[string]string{"id": p.Key(), "subject": p.Subject, "address": strings.Join(p.Address, "\n")}, p, header)
	})
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	case []byte:
		return len(v) == 0
	case []Device:
		return len(v) == 0
	}
	return false
}

func openSigned(s Settings, request func(Parcel, string, http.Header) (outgoing.Request, error)) (Adapter, error) {
	var c signedConfig
	if err := config(s, &c, "secret"); err != nil {
		return nil, err
	}
	if _, err := outgoing.Target(c.URL); err != nil {
		return nil, err
	}
	if len(s.Secret["secret"]) < 16 {
		return nil, errors.New("secret is too short: at least 16 characters, the same at your receiver")
	}
	sign := func(r outgoing.Request, id string) outgoing.Request {
		stamp := strconv.FormatInt(s.Now().Unix(), 10)
		r.Header.Set("Webhook-Id", id)
		r.Header.Set("Webhook-Timestamp", stamp)
		r.Header.Set("Webhook-Signature", SignWebhook(s.Secret["secret"], id, stamp, r.Body))
		r.Header.Set("Idempotency-Key", id)
		return r
	}
	return &web{
		settings: s, name: "The receiver",
		request: func(p Parcel) (outgoing.Request, error) {
			r, err := request(p, c.URL, http.Header{})
			if err != nil {
				return r, err
			}
			return sign(r, p.Key()), nil
		},
		taken: idIn("id"),
		checkup: func() (outgoing.Request, error) {
			r, err := jsonRequest(c.URL, map[string]any{"id": "check", "channel": "check"}, nil)
			if err != nil {
				return r, err
			}
			return sign(r, "check"), nil
		},
	}, nil
}

// SignWebhook is the signature of a request as Standard Webhooks define it.
func SignWebhook(secret, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
