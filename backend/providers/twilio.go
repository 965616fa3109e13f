package providers

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

var twilioFields = []Field{
	{Name: "account_sid", Required: true, Example: "AC..."}, {Name: "auth_token", Secret: true, Required: true},
	{Name: "from", Required: true, Example: "+48123456789"}, {Name: "base_url", Example: "https://api.twilio.com"},
}

var (
	_ = register(Kind{Name: "twilio", Channels: []string{"sms"}, Fields: twilioFields, open: func(s Settings) (Adapter, error) { return openTwilio(s, "") }})
	_ = register(Kind{Name: "twilio_whatsapp", Channels: []string{"whatsapp"}, Fields: twilioFields, open: func(s Settings) (Adapter, error) { return openTwilio(s, "whatsapp:") }})
)

type twilioConfig struct {
	webConfig

	AccountSID string `json:"account_sid"`
	From       string `json:"from"` // a number, a name, or the SID of a messaging service
}

// What Twilio says about a recipient: not a number, not reachable, has said STOP.
var twilioRecipient = []int{21211, 21214, 21217, 21408, 21610, 21612, 21614, 63024}

const maxValidity = 4 * time.Hour // in which Twilio may still send; it takes no longer one

func openTwilio(s Settings, prefix string) (Adapter, error) {
	var c twilioConfig
	if err := config(s, &c, "auth_token"); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(c.AccountSID, "AC") || c.From == "" {
		return nil, errors.New("account_sid (it begins with AC) and from are needed")
	}
	account := address(c.BaseURL, "https://api.twilio.com", "/2010-04-01/Accounts/"+c.AccountSID)
	header := func() http.Header { return basic(c.AccountSID, s.Secret["auth_token"]) }
	list := func(query url.Values) outgoing.Request {
		return outgoing.Request{Method: http.MethodGet, URL: account + "/Messages.json?" + query.Encode(), Header: header()}
	}
	return &twilio{prefix: prefix, list: list, web: &web{
		settings: s, name: "Twilio",
		request: func(p Parcel) (outgoing.Request, error) {
			if !strings.HasPrefix(p.To, "+") {
				return outgoing.Request{}, errors.New("the phone number is not in the international form")
			}
			values := map[string]string{"To": prefix + p.To, "Body": p.Text}
			if strings.HasPrefix(c.From, "MG") {
				values["MessagingServiceSid"] = c.From
			} else {
				values["From"] = prefix + c.From
			}
			if strings.HasPrefix(p.Template, "HX") {
				values["ContentSid"] = p.Template
				delete(values, "Body")
			}
			if left := p.Expires.Sub(s.Now()); prefix == "" && !p.Expires.IsZero() && left > time.Second && left < maxValidity {
				values["ValidityPeriod"] = strconv.Itoa(int(left.Seconds()))
			}
			h := header()
			h.Set("Content-Type", "application/x-www-form-urlencoded")
			return outgoing.Request{Method: http.MethodPost, URL: account + "/Messages.json", Header: h, Body: form(values)}, nil
		},
		taken: idIn("sid"),
		refused: func(a outgoing.Answer) Outcome {
			var word struct {
				Code int `json:"code"`
			}
			_ = json.Unmarshal(a.Body, &word)
			for _, code := range twilioRecipient {
				if word.Code == code {
					return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Refused, Code: strconv.Itoa(code), Recipient: true}}
				}
			}
			if word.Code == 20003 || word.Code == 21606 || word.Code == 21659 { // the key, the number we send from
				return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: strconv.Itoa(word.Code), Account: true, Settings: true}}
			}
			return Outcome{}
		},
		checkup: func() (outgoing.Request, error) {
			return outgoing.Request{Method: http.MethodGet, URL: account + ".json", Header: header()}, nil
		},
	}}, nil
}
