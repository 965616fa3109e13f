package providers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

var _ = register(Kind{
	Name: "ses", Channels: []string{"email"}, open: openSES,
	Fields: []Field{
		{Name: "region", Required: true, Example: "eu-central-1"}, {Name: "access_key_id", Required: true, Example: "AKIA..."},
		{Name: "secret_access_key", Secret: true, Required: true}, {Name: "configuration_set"}, {Name: "mail_from", Example: "mail.example.com"}, {Name: "base_url", Example: "https://email.eu-central-1.amazonaws.com"},
	},
})

type sesConfig struct {
	webConfig

	Region           string `json:"region"`
	AccessKeyID      string `json:"access_key_id"`
	ConfigurationSet string `json:"configuration_set"`
}

var region = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d$`)

func openSES(s Settings) (Adapter, error) {
	var c sesConfig
	if err := config(s, &c, "secret_access_key"); err != nil {
		return nil, err
	}
	if !region.MatchString(c.Region) || c.AccessKeyID == "" {
		return nil, errors.New("region and access_key_id are needed, such as eu-central-1 and AKIA")
	}
	base := func(path string) string { return address(c.BaseURL, "https://email."+c.Region+".amazonaws.com", path) }
	signed := func(r outgoing.Request) (outgoing.Request, error) {
		return signAWS(r, c.AccessKeyID, s.Secret["secret_access_key"], c.Region, "ses", s.Now())
	}
	return &web{
		settings: s, name: "Amazon SES",
		request: func(p Parcel) (outgoing.Request, error) {
			raw := mailwire.Message{Headers: p.Headers, Subject: p.Subject, HTML: p.HTML, Text: p.Text}.Encode()
			body := map[string]any{
				"FromEmailAddress": p.From, "Destination": map[string]any{"ToAddresses": []string{p.To}},
				"Content":   map[string]any{"Raw": map[string]string{"Data": base64.StdEncoding.EncodeToString(raw)}},
				"EmailTags": []map[string]string{{"Name": "lejek_message", "Value": p.Key()}},
			}
			if c.ConfigurationSet != "" {
				body["ConfigurationSetName"] = c.ConfigurationSet
			}
			r, err := jsonRequest(base("/v2/email/outbound-emails"), body, nil)
			if err != nil {
				return r, err
			}
			return signed(r)
		},
		taken: idIn("MessageId"),
		refused: func(a outgoing.Answer) Outcome {
			kind, _, _ := strings.Cut(a.Header.Get("X-Amzn-Errortype"), ":")
			switch kind {
			case "TooManyRequestsException", "LimitExceededException", "Throttling", "ThrottlingException":
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: kind}, Slow: true}
			case "AccountSuspendedException", "SendingPausedException", "MailFromDomainNotVerifiedException", "NotFoundException":
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: kind, Account: true, Settings: true}}
			}
			return Outcome{}
		},
		checkup: func() (outgoing.Request, error) {
			return signed(outgoing.Request{Method: http.MethodGet, URL: base("/v2/email/account"), Header: http.Header{}})
		},
	}, nil
}

// signAWS signs a request by AWS Signature Version 4.
func signAWS(r outgoing.Request, id, secret, region, service string, now time.Time) (outgoing.Request, error) {
	target, err := url.Parse(r.URL)
	if err != nil {
		return r, errors.New("the address cannot be read")
	}
	now = now.UTC()
	stamp, day := now.Format("20060102T150405Z"), now.Format("20060102")
	payload := hex.EncodeToString(sum256(r.Body))
	r.Header.Set("X-Amz-Date", stamp)
	r.Header.Set("X-Amz-Content-Sha256", payload)
	names := "host;x-amz-content-sha256;x-amz-date"
	canonical := strings.Join([]string{
		r.Method, target.EscapedPath(), "", "host:" + target.Host, "x-amz-content-sha256:" + payload, "x-amz-date:" + stamp, "", names, payload,
	}, "\n")
	scope := day + "/" + region + "/" + service + "/aws4_request"
	text := strings.Join([]string{"AWS4-HMAC-SHA256", stamp, scope, hex.EncodeToString(sum256([]byte(canonical)))}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range []string{day, region, service, "aws4_request"} {
		key = mac256(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+id+"/"+scope+", SignedHeaders="+names+", Signature="+hex.EncodeToString(mac256(key, text)))
	return r, nil
}

func sum256(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

func mac256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
