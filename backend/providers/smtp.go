package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lejek/lejek/backend/mailwire"
)

// SMTP is a mail server.
const SMTP = "smtp"

// smtpConnections is how many connections one process keeps to one server.
const smtpConnections = 8

// SMTPConfig is how to reach a mail server. TLS is `starttls` (required), `implicit` or `none`.
type SMTPConfig struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	User string `json:"user,omitempty"`
	TLS  string `json:"tls"`
}

var _ = register(Kind{
	Name: SMTP, Channels: []string{"email"}, Mailer: true, open: openSMTP,
	Fields: []Field{
		{Name: "host", Required: true, Example: "smtp.example.com"}, {Name: "port", Required: true, Example: "587"}, {Name: "user"},
		{Name: "tls", Required: true, Example: "starttls"}, {Name: "password", Secret: true},
	},
})

type smtpAdapter struct {
	pool    *mailwire.Pool
	signers map[string]*mailwire.Signer
}

func openSMTP(s Settings) (Adapter, error) {
	var config SMTPConfig
	if err := json.Unmarshal(s.Config, &config); err != nil {
		return nil, fmt.Errorf("read the settings of a mail server: %w", err)
	}
	pool, err := mailwire.NewPool(mailwire.Server{
		Host: config.Host, Port: config.Port, User: config.User, Password: s.Secret["password"], TLS: config.TLS, Name: s.Name, Dial: s.Dial, Now: s.Now,
	}, smtpConnections)
	if err != nil {
		return nil, fmt.Errorf("set up the mail server: %w", err)
	}
	return &smtpAdapter{pool: pool, signers: s.Signers}, nil
}

// Send implements Adapter.
func (a *smtpAdapter) Send(ctx context.Context, parcels []Parcel, progress Progress) []Outcome {
	mails, outcomes := make([]mailwire.Envelope, len(parcels)), make([]Outcome, len(parcels))
	errs := a.write(parcels, mails)
	var good []mailwire.Envelope
	var places []int
	for i := range parcels {
		if errs[i] != nil {
			outcomes[i].Answer = mailwire.Answer{Verdict: mailwire.Refused, Code: "mail", Detail: errs[i].Error()}
			continue
		}
		good, places = append(good, mails[i]), append(places, i)
	}
	answers := a.pool.Send(ctx, good, mailwire.Progress{
		Begun: func(n int) { progress.Begun(places[n]) },
		Ended: func(n int, answer mailwire.Answer) { progress.Ended(places[n], Outcome{Answer: answer}) },
	})
	for n, answer := range answers {
		outcomes[places[n]].Answer = answer
	}
	return outcomes
}

// write encodes and signs the mails, on all processors.
func (a *smtpAdapter) write(parcels []Parcel, mails []mailwire.Envelope) []error {
	errs := make([]error, len(parcels))
	var taken atomic.Int64
	var writers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parcels)) {
		writers.Go(func() {
			for i := int(taken.Add(1)) - 1; i < len(parcels); i = int(taken.Add(1)) - 1 {
				mails[i], errs[i] = a.envelope(parcels[i])
			}
		})
	}
	writers.Wait()
	return errs
}

func (a *smtpAdapter) envelope(p Parcel) (mailwire.Envelope, error) {
	for _, address := range []string{p.From, p.To} {
		if address == "" || strings.ContainsAny(address, "<>\r\n ") {
			return mailwire.Envelope{}, fmt.Errorf("%q is not an e-mail address", address)
		}
	}
	raw := mailwire.Message{Headers: p.Headers, Subject: p.Subject, HTML: p.HTML, Text: p.Text}.Encode()
	if _, domain, _ := strings.Cut(p.From, "@"); a.signers[strings.ToLower(domain)] != nil {
		var err error
		if raw, err = a.signers[strings.ToLower(domain)].Sign(raw); err != nil {
			return mailwire.Envelope{}, err
		}
	}
	return mailwire.Envelope{From: p.From, To: p.To, Mail: raw}, nil
}

// Check implements Adapter.
func (a *smtpAdapter) Check(ctx context.Context) error { return a.pool.Check(ctx) }

// Close implements Adapter.
func (a *smtpAdapter) Close() error { return a.pool.Close() }
