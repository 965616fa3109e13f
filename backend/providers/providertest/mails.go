package providertest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lejek/lejek/backend/clock"
)

func post(path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == path }
}

// Resend takes mails under a key.
func Resend(t testing.TB, key string) *Fake {
	t.Helper()
	return start(t, &Fake{
		Keys: true, sends: post("/emails"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if r.Header.Get("Authorization") != "Bearer "+key {
				return Entry{}, &Refusal{Status: http.StatusUnauthorized, Body: map[string]string{"name": "invalid_api_key", "message": "API key is invalid"}}
			}
			if body == nil {
				return Entry{}, nil
			}
			var m struct {
				From, Subject, HTML, Text string
				To                        []string
				Headers                   map[string]string
			}
			if json.Unmarshal(body, &m) != nil || m.Subject == "" || m.HTML == "" && m.Text == "" || len(m.To) == 0 || len(m.To) > 50 {
				return Entry{}, invalid("from, to, subject and html or text are required")
			}
			if _, err := mail.ParseAddress(m.From); err != nil {
				return Entry{}, invalid("from is no address")
			}
			if k := r.Header.Get("Idempotency-Key"); len(k) > 256 {
				return Entry{}, &Refusal{Status: http.StatusBadRequest, Body: map[string]string{"name": "invalid_idempotency_key", "message": "too long"}}
			}
			return Entry{To: m.To[0], Text: m.Text}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) { reply(w, http.StatusOK, map[string]string{"id": e.ID}) },
	})
}

// SendGrid takes mails under a key.
func SendGrid(t testing.TB, key string) *Fake {
	t.Helper()
	return start(t, &Fake{
		sends: post("/v3/mail/send"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if r.Header.Get("Authorization") != "Bearer "+key {
				return Entry{}, unauthorized()
			}
			if body == nil {
				return Entry{}, nil
			}
			var m struct {
				Personalizations []struct {
					To         []struct{ Email string }
					CustomArgs map[string]string `json:"custom_args"`
				}
				From    struct{ Email string }
				Subject string
				Content []struct{ Type, Value string }
				Headers map[string]string
			}
			switch {
			case json.Unmarshal(body, &m) != nil || len(m.Personalizations) != 1 || len(m.Personalizations[0].To) != 1 || m.From.Email == "" || m.Subject == "":
				return Entry{}, invalid("personalizations, from and subject are required")
			case len(m.Content) == 0 || m.Content[0].Value == "" || len(m.Content) > 1 && m.Content[0].Type != "text/plain":
				return Entry{}, invalid("content: text/plain has to come first")
			}
			for name := range m.Headers {
				if slices.Contains([]string{"x-sg-id", "x-sg-eid", "received", "dkim-signature", "content-type", "content-transfer-encoding", "to", "from", "subject", "reply-to", "cc", "bcc"}, strings.ToLower(name)) {
					return Entry{}, invalid("headers: " + name + " is reserved")
				}
			}
			return Entry{To: m.Personalizations[0].To[0].Email, Text: m.Content[0].Value}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) {
			w.Header().Set("X-Message-Id", e.ID)
			w.WriteHeader(http.StatusAccepted)
		},
	})
}

// SES takes mails whose requests are signed with a secret.
func SES(t testing.TB, accessKey, secret, region string) *Fake {
	t.Helper()
	return start(t, &Fake{
		sends: post("/v2/email/outbound-emails"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if !awsSigned(r, body, accessKey, secret, region) {
				return Entry{}, &Refusal{Status: http.StatusForbidden, Header: http.Header{"X-Amzn-Errortype": {"SignatureDoesNotMatchException"}}, Body: map[string]string{"message": "The request signature we calculated does not match"}}
			}
			if body == nil {
				return Entry{}, nil
			}
			var m struct {
				FromEmailAddress string
				Destination      struct{ ToAddresses []string }
				Content          struct{ Raw struct{ Data []byte } }
			}
			if json.Unmarshal(body, &m) != nil || m.FromEmailAddress == "" || len(m.Destination.ToAddresses) == 0 {
				return Entry{}, &Refusal{Status: http.StatusBadRequest, Header: http.Header{"X-Amzn-Errortype": {"BadRequestException"}}, Body: map[string]string{"message": "missing"}}
			}
			if _, err := mail.ReadMessage(bytes.NewReader(m.Content.Raw.Data)); err != nil {
				return Entry{}, &Refusal{Status: http.StatusBadRequest, Body: map[string]string{"message": "no mail: " + err.Error()}}
			}
			return Entry{To: m.Destination.ToAddresses[0], Text: string(m.Content.Raw.Data)}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) { reply(w, http.StatusOK, map[string]string{"MessageId": e.ID}) },
	})
}

// awsSigned checks a Signature Version 4, from what arrived alone.
func awsSigned(r *http.Request, body []byte, accessKey, secret, region string) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return false
	}
	parts := map[string]string{}
	for part := range strings.SplitSeq(rest, ", ") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	stamp := r.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	if err != nil || (clock.Machine{}).Now().Sub(at).Abs() > 5*time.Minute {
		return false
	}
	scope := stamp[:8] + "/" + region + "/ses/aws4_request"
	if parts["Credential"] != accessKey+"/"+scope {
		return false
	}
	names := strings.Split(parts["SignedHeaders"], ";")
	if !slices.Contains(names, "host") || !slices.Contains(names, "x-amz-date") || !slices.IsSorted(names) {
		return false
	}
	hash := sha256.Sum256(body)
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + r.URL.RawQuery + "\n"
	for _, name := range names {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical += name + ":" + strings.TrimSpace(value) + "\n"
	}
	canonical += "\n" + parts["SignedHeaders"] + "\n" + hex.EncodeToString(hash[:])
	digest := sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + secret)
	for _, part := range []string{stamp[:8], region, "ses", "aws4_request", "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(digest[:])} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hmac.Equal([]byte(parts["Signature"]), []byte(hex.EncodeToString(key)))
}

func webhookSigned(r *http.Request, body []byte, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(r.Header.Get("Webhook-Id") + "." + r.Header.Get("Webhook-Timestamp") + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(r.Header.Get("Webhook-Signature")), []byte(want))
}
