package providers

import (
	"encoding/json"
	"net/http"
	"net/mail"
	"time"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

// keyDay is how long Resend and Lob know a key.
const keyDay = 24 * time.Hour

type webConfig struct {
	BaseURL string `json:"base_url"`
}

var _ = register(Kind{
	Name: "resend", Channels: []string{"email"}, Idempotent: keyDay, open: openResend,
	Fields: []Field{{Name: "api_key", Secret: true, Required: true, Example: "re_..."}, {Name: "base_url", Example: "https://api.resend.com"}},
})

func openResend(s Settings) (Adapter, error) {
	var c webConfig
	if err := config(s, &c, "api_key"); err != nil {
		return nil, err
	}
	base := func(path string) string { return address(c.BaseURL, "https://api.resend.com", path) }
	return &web{
		settings: s, name: "Resend",
		request: func(p Parcel) (outgoing.Request, error) {
			header := bearer(s.Secret["api_key"])
			header.Set("Idempotency-Key", p.Key())
			body := map[string]any{
				"from": (&mail.Address{Name: p.FromName, Address: p.From}).String(), "to": []string{p.To}, "subject": p.Subject, "html": p.HTML, "text": p.Text,
				"headers": extra(p), "tags": []map[string]string{{"name": "lejek_message", "value": p.Key()}},
			}
			if p.ReplyTo != "" {
				body["reply_to"] = p.ReplyTo
			}
			return jsonRequest(base("/emails"), body, header)
		},
		taken: idIn("id"),
		refused: func(a outgoing.Answer) Outcome {
			var word struct {
				Name string `json:"name"`
			}
			_ = json.Unmarshal(a.Body, &word)
			switch word.Name {
			case "concurrent_idempotent_requests": // the first one is still under way
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Uncertain, Code: word.Name}}
			case "missing_api_key", "invalid_api_key", "restricted_api_key", "invalid_from_address":
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: word.Name, Account: true, Settings: true}}
			case "daily_quota_exceeded", "monthly_quota_exceeded", "rate_limit_exceeded":
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: word.Name}, Slow: true}
			}
			return Outcome{}
		},
		checkup: func() (outgoing.Request, error) {
			return outgoing.Request{Method: http.MethodGet, URL: base("/domains"), Header: bearer(s.Secret["api_key"])}, nil
		},
	}, nil
}

// idIn reads the provider's name for a message out of a member of its answer.
func idIn(member string) func(outgoing.Answer) string {
	return func(a outgoing.Answer) string {
		var found map[string]any
		_ = json.Unmarshal(a.Body, &found)
		id, _ := found[member].(string)
		return id
	}
}
