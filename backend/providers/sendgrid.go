package providers

import (
	"net/http"

	"github.com/lejek/lejek/backend/outgoing"
)

var _ = register(Kind{
	Name: "sendgrid", Channels: []string{"email"}, open: openSendGrid,
	Fields: []Field{{Name: "api_key", Secret: true, Required: true, Example: "SG...."}, {Name: "base_url", Example: "https://api.sendgrid.com"}},
})

func openSendGrid(s Settings) (Adapter, error) {
	var c webConfig
	if err := config(s, &c, "api_key"); err != nil {
		return nil, err
	}
	base := func(path string) string { return address(c.BaseURL, "https://api.sendgrid.com", path) }
	type person struct {
		Email string `json:"email"`
		Name  string `json:"name,omitempty"`
	}
	return &web{
		settings: s, name: "SendGrid",
		request: func(p Parcel) (outgoing.Request, error) {
			var content []map[string]string
			if p.Text != "" { // plain text has to come first
				content = append(content, map[string]string{"type": "text/plain", "value": p.Text})
			}
			if p.HTML != "" {
				content = append(content, map[string]string{"type": "text/html", "value": p.HTML})
			}
			headers := extra(p)
			delete(headers, "Message-ID") // it makes its own
			body := map[string]any{
				"personalizations": []any{map[string]any{"to": []person{{Email: p.To}}, "custom_args": map[string]string{"lejek_message": p.Key()}}},
				"from":             person{p.From, p.FromName}, "subject": p.Subject, "content": content, "headers": headers,
				"tracking_settings": map[string]any{"click_tracking": map[string]bool{"enable": false}, "open_tracking": map[string]bool{"enable": false}},
			}
			if p.ReplyTo != "" {
				body["reply_to"] = person{Email: p.ReplyTo}
			}
			return jsonRequest(base("/v3/mail/send"), body, bearer(s.Secret["api_key"]))
		},
		taken: func(a outgoing.Answer) string { return a.Header.Get("X-Message-Id") },
		checkup: func() (outgoing.Request, error) {
			return outgoing.Request{Method: http.MethodGet, URL: base("/v3/scopes"), Header: bearer(s.Secret["api_key"])}, nil
		},
	}, nil
}
