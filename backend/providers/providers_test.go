package providers_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/providers/providertest"
)

// account is one provider with everything a test needs of it.
type account struct {
	kind   string
	config map[string]string
	secret providers.Secrets
	parcel providers.Parcel
	fake   *providertest.Fake
}

func (a account) open(t *testing.T, secret providers.Secrets) providers.Adapter {
	t.Helper()
	kind, ok := providers.KindOf(a.kind)
	require.True(t, ok)
	raw, err := json.Marshal(a.config)
	require.NoError(t, err)
	adapter, err := kind.Open(providers.Settings{Config: raw, Secret: secret, Client: providertest.Client(), Now: clock.Machine{}.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, adapter.Close()) })
	return adapter
}

func header(pairs ...string) (list []mailwire.Header) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, mailwire.Header{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// accounts are all kinds over HTTPS, each with a fake of its own.
func accounts(t *testing.T) map[string]func(t *testing.T) account {
	t.Helper()
	mail := providers.Parcel{
		Message: uuid.New(), Channel: "email", From: "hello@acme.example", FromName: "Acme", To: "anna@example.com", Subject: "Hello", HTML: "<p>Hello</p>", Text: "Hello",
		Headers: header("From", "<hello@acme.example>", "To", "<anna@example.com>", "List-Unsubscribe", "<https://lejek.example/u/1>", "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
	}
	letter := providers.Parcel{Message: uuid.New(), Channel: "letter", Subject: "Hello", PDF: []byte("%PDF-1.4 ..."), Address: []string{"Anna Nowak", "ul. Długa 1", "00-001 Warszawa", "PL"}}
	text := providers.Parcel{Message: uuid.New(), Channel: "sms", To: "+48600100200", Text: "Hello"}
	private, public, err := providers.NewPushKey()
	require.NoError(t, err)
	return map[string]func(t *testing.T) account{
		"resend": func(t *testing.T) account {
			f := providertest.Resend(t, "re_right")
			return account{"resend", map[string]string{"base_url": f.URL}, providers.Secrets{"api_key": "re_right"}, mail, f}
		},
		"sendgrid": func(t *testing.T) account {
			f := providertest.SendGrid(t, "SG.right")
			return account{"sendgrid", map[string]string{"base_url": f.URL}, providers.Secrets{"api_key": "SG.right"}, mail, f}
		},
		"ses": func(t *testing.T) account {
			f := providertest.SES(t, "AKIA1", "right", "eu-central-1")
			return account{"ses", map[string]string{"base_url": f.URL, "region": "eu-central-1", "access_key_id": "AKIA1"}, providers.Secrets{"secret_access_key": "right"}, mail, f}
		},
		"twilio": func(t *testing.T) account {
			f := providertest.Twilio(t, "AC1", "right")
			return account{"twilio", map[string]string{"base_url": f.URL, "account_sid": "AC1", "from": "+48500500500"}, providers.Secrets{"auth_token": "right"}, text, f}
		},
		"twilio_whatsapp": func(t *testing.T) account {
			f := providertest.Twilio(t, "AC1", "right")
			return account{"twilio_whatsapp", map[string]string{"base_url": f.URL, "account_sid": "AC1", "from": "+48500500500"}, providers.Secrets{"auth_token": "right"}, text, f}
		},
		"webpush": func(t *testing.T) account {
			b := providertest.Push(t, public)
			push := providers.Parcel{Message: uuid.New(), Channel: "push", Subject: "Hello", Text: "Anna", Link: "https://acme.example", Devices: []providers.Device{{Platform: "web", Token: b.Token}}}
			return account{"webpush", map[string]string{"subject": "mailto:push@acme.example"}, providers.Secrets{"private_key": private}, push, b.Fake}
		},
		"lob": func(t *testing.T) account {
			f := providertest.Lob(t, "live_right")
			return account{"lob", map[string]string{"base_url": f.URL, "from": "adr_1"}, providers.Secrets{"api_key": "live_right"}, letter, f}
		},
		"pdf": func(t *testing.T) account {
			f := providertest.Receiver(t, "a secret of some length")
			return account{"pdf", map[string]string{"url": f.URL + "/drop"}, providers.Secrets{"secret": "a secret of some length"}, letter, f}
		},
		"http": func(t *testing.T) account {
			f := providertest.Receiver(t, "a secret of some length")
			return account{"http", map[string]string{"url": f.URL + "/messages"}, providers.Secrets{"secret": "a secret of some length"}, text, f}
		},
	}
}

// send hands one parcel over and checks that progress was told.
func send(t *testing.T, a providers.Adapter, p providers.Parcel) providers.Outcome {
	t.Helper()
	begun, ended := 0, 0
	out := a.Send(t.Context(), []providers.Parcel{p}, providers.Progress{Begun: func(int) { begun++ }, Ended: func(int, providers.Outcome) { ended++ }})
	require.Len(t, out, 1)
	require.Equal(t, begun, ended)
	return out[0]
}

func TestEveryKindIsTestedOverASocket(t *testing.T) {
	t.Parallel()
	tested := accounts(t)
	for _, kind := range providers.Kinds() {
		if kind.Name != providers.SMTP {
			require.Contains(t, tested, kind.Name)
		}
	}
}

func TestAProviderTakesAMessageOnce(t *testing.T) {
	t.Parallel()
	for name, make := range accounts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := make(t)
			adapter := a.open(t, a.secret)
			require.NoError(t, adapter.Check(t.Context()))
			out := send(t, adapter, a.parcel)
			require.Equal(t, mailwire.Accepted, out.Verdict, out.Detail)
			require.NotEmpty(t, out.ID)
			require.Len(t, a.fake.Ledger(), 1)
			if kind, _ := providers.KindOf(a.kind); kind.Idempotent > 0 {
				again := send(t, adapter, a.parcel)
				require.Equal(t, out.ID, again.ID, "the key is known")
				require.Len(t, a.fake.Ledger(), 1)
				changed := a.parcel
				changed.Subject += "!"
				require.Equal(t, mailwire.Refused, send(t, adapter, changed).Verdict, "the same key with other words")
			}
		})
	}
}

func TestAWrongSecretIsTheAccountsFaultAndNobodyElses(t *testing.T) {
	t.Parallel()
	for name, make := range accounts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := make(t)
			wrong := providers.Secrets{}
			for field := range a.secret {
				wrong[field] = "a wrong secret of some length"
			}
			if name == "webpush" {
				private, _, err := providers.NewPushKey()
				require.NoError(t, err)
				wrong["private_key"] = private
			}
			adapter := a.open(t, wrong)
			if name != "webpush" { // a push service can only be asked by sending
				require.Error(t, adapter.Check(t.Context()))
			}
			out := send(t, adapter, a.parcel)
			require.Equal(t, mailwire.Postponed, out.Verdict)
			require.True(t, out.Settings && out.Account, "the breaker opens until the settings change")
			require.Empty(t, a.fake.Ledger())
		})
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()
	for name, make := range accounts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for what, c := range map[string]struct {
				fault   providertest.Fault
				verdict mailwire.Verdict
				slow    bool
				after   time.Duration
				taken   int
			}{
				"too fast":              {providertest.Fault{Status: 429, RetryAfter: "120"}, mailwire.Postponed, true, 2 * time.Minute, 0},
				"broken":                {providertest.Fault{Status: 503}, mailwire.Uncertain, false, 0, 0},
				"accepted, then broken": {providertest.Fault{Late: 504}, mailwire.Uncertain, false, 0, 1},
				"accepted, then cut":    {providertest.Fault{Drop: true}, mailwire.Uncertain, false, 0, 1},
				"a request it refuses":  {providertest.Fault{Status: 400}, mailwire.Refused, false, 0, 0},
				"slow":                  {providertest.Fault{Delay: 50 * time.Millisecond}, mailwire.Accepted, false, 0, 1},
			} {
				a := make(t)
				a.fake.Faults = func(int) providertest.Fault { return c.fault }
				out := send(t, a.open(t, a.secret), a.parcel)
				require.Equal(t, c.verdict, out.Verdict, "%s: %s", what, out.Detail)
				require.Equal(t, c.slow, out.Slow, what)
				require.Equal(t, c.after, out.After, what)
				require.Len(t, a.fake.Ledger(), c.taken, what)
			}
			a := make(t)
			a.config["base_url"], a.config["url"] = "http://127.0.0.1:1", "http://127.0.0.1:1"
			if name == "webpush" {
				a.parcel.Devices[0].Token = `{"endpoint": "http://127.0.0.1:1/push/1", ` + a.parcel.Devices[0].Token[len(`{"endpoint":"`+a.fake.URL+`/push/1",`):]
			}
			out := send(t, a.open(t, a.secret), a.parcel)
			require.Equal(t, mailwire.Postponed, out.Verdict, "nothing was said to anybody: %s", out.Detail)
			require.True(t, out.Account)
		})
	}
}

func TestARefusedRecipientIsToldFromARefusedMessage(t *testing.T) {
	t.Parallel()
	a := accounts(t)["twilio"](t)
	a.parcel.To = "+48600000000"
	out := send(t, a.open(t, a.secret), a.parcel)
	require.Equal(t, mailwire.Refused, out.Verdict)
	require.True(t, out.Recipient)
	require.Equal(t, "21610", out.Code)
}

func TestABrowserThatIsNoMoreIsForgotten(t *testing.T) {
	t.Parallel()
	a := accounts(t)["webpush"](t)
	a.fake.Faults = func(int) providertest.Fault { return providertest.Fault{Status: 410} }
	out := send(t, a.open(t, a.secret), a.parcel)
	require.Equal(t, []string{a.parcel.Devices[0].Token}, out.Gone)
	require.Equal(t, mailwire.Refused, out.Verdict)
}

func TestFault_25_AnAbsurdRetryAfterIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "0.5": 500 * time.Millisecond, "315360000": 24 * time.Hour, "-1": 30 * time.Second, "soon": 30 * time.Second, "NaN": 30 * time.Second,
		"1e300": 24 * time.Hour, "Mon, 23 Mar 2026 09:10:00 GMT": 10 * time.Minute, "Mon, 23 Mar 2020 09:10:00 GMT": 0, "Mon, 23 Mar 2036 09:10:00 GMT": 24 * time.Hour,
	} {
		require.Equal(t, want, providers.RetryAfter(text, now), "%q", text)
	}
}

func TestAnAddressInsideOurNetworkIsNotReached(t *testing.T) {
	t.Parallel()
	a := accounts(t)["http"](t)
	kind, _ := providers.KindOf("http")
	raw, err := json.Marshal(a.config)
	require.NoError(t, err)
	adapter, err := kind.Open(providers.Settings{Config: raw, Secret: a.secret, Client: outgoing.New(outgoing.Options{}), Now: clock.Machine{}.Now})
	require.NoError(t, err)
	out := send(t, adapter, a.parcel)
	require.Equal(t, mailwire.Postponed, out.Verdict)
	require.True(t, out.Settings)
	require.Empty(t, a.fake.Ledger())
}
