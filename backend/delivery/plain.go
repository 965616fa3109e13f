package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Plain sends mails of the installation itself, such as invitations, through the operator's mail server. They are no messages of a
// workspace: nothing keeps them.
type Plain struct {
	adapter providers.Adapter
	from    string
	machine clock.Clock
}

// NewPlain reads smtp://user:password@host:port, or smtps:// for TLS from the first byte. Encryption is used where the server offers it on port
// 587; another port of smtp:// is taken as plain. The sender is the query parameter from, else noreply at the host of baseURL.
func NewPlain(smtpURL, baseURL string) (*Plain, error) {
	parsed, err := url.Parse(smtpURL)
	if err != nil {
		return nil, errors.New("it is not a URL") // the cause may hold the password
	}
	config := SMTPConfig{Host: parsed.Hostname(), Port: 25, User: parsed.User.Username(), TLS: "none"}
	if parsed.Scheme == "smtps" {
		config.Port, config.TLS = 465, "implicit"
	}
	if parsed.Port() != "" {
		if config.Port, err = strconv.Atoi(parsed.Port()); err != nil {
			return nil, fmt.Errorf("%q is not a port", parsed.Port())
		}
	}
	if config.Port == 587 {
		config.TLS = "starttls"
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("set up the mail server: %w", err)
	}
	password, _ := parsed.User.Password()
	machine := clock.Machine{}
	kind, _ := providers.KindOf(providers.SMTP)
	adapter, err := kind.Open(providers.Settings{
		Config: raw, Secret: providers.Secrets{"password": password}, Dial: Dialer{Private: true}.DialContext, Now: machine.Now, Name: hostOf(baseURL), // the operator named the server
	})
	if err != nil {
		return nil, err
	}
	from := parsed.Query().Get("from")
	if from == "" {
		from = "noreply@" + hostOf(baseURL)
	}
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("the sender %q is not an address", from)
	}
	return &Plain{adapter: adapter, from: from, machine: machine}, nil
}

func hostOf(baseURL string) string {
	parsed, err := url.Parse(baseURL)
	if err != nil || parsed.Hostname() == "" {
		return "localhost"
	}
	return parsed.Hostname()
}

// SendPlain hands one mail over.
func (p *Plain) SendPlain(ctx context.Context, to, subject, text string) error {
	env := envelope{message: store.NewID(), fromName: "Lejek", from: p.from, to: to, date: p.machine.Now()}
	_, err := deliver(ctx, p.adapter, mailParcel(providers.Parcel{Message: env.message, Channel: engine.ChannelEmail}, plainMail(env, subject, text)))
	return err
}

func plainMail(env envelope, subject, text string) Mail {
	body := "<!doctype html><meta charset=\"utf-8\"><pre style=\"font-family:sans-serif;white-space:pre-wrap\">" + html.EscapeString(text) + "</pre>"
	return Mail{Headers: env.headers(), Subject: clean(subject), HTML: body, Text: text}
}

// deliver hands one parcel over and says what the provider answered where it did not take it.
func deliver(ctx context.Context, adapter providers.Adapter, p providers.Parcel) (providers.Outcome, error) {
	outcome := adapter.Send(ctx, []providers.Parcel{p}, providers.Progress{Begun: func(int) {}, Ended: func(int, providers.Outcome) {}})[0]
	if outcome.Verdict != mailwire.Accepted {
		return outcome, fmt.Errorf("%s %s", outcome.Code, outcome.Detail)
	}
	return outcome, nil
}

// Try sends one line to an address through the workspace's mail server, whether it is active or not. The error is what the server answered.
func (d *Deliverer) Try(ctx context.Context, workspace uuid.UUID, to string) error {
	if parsed, err := mail.ParseAddress(to); err != nil || parsed.Address != to {
		return fault.InvalidField("to", "This is not an e-mail address. Expected something like anna@example.com.")
	}
	account, err := d.find(ctx, "p.workspace_id = $1 AND p.kind = 'smtp' ORDER BY p.active DESC, p.created_at LIMIT 1", workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.Conflict, "No mail server is set up. Save one first.")
	}
	if err != nil {
		return fmt.Errorf("read the mail server: %w", err)
	}
	open, err := d.open(ctx, account)
	if err != nil {
		return Refused{err}
	}
	from, err := d.senderOf(ctx, workspace, "")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	env := envelope{workspace: workspace, message: store.NewID(), fromName: from.Name, from: from.Email, to: to, date: d.Machine.Now()}
	m := plainMail(env, "A test from Lejek", "This mail server works. Messages of your funnels can leave through it.")
	if _, err := deliver(ctx, open.adapter, mailParcel(providers.Parcel{Workspace: workspace, Message: env.message, Channel: engine.ChannelEmail}, m)); err != nil {
		return Refused{err}
	}
	return nil
}

// Refused is what a mail server answered, or why it could not be reached. It is meant for the person who set it up.
type Refused struct{ Err error }

func (r Refused) Error() string { return r.Err.Error() }

// Unwrap is the answer itself.
func (r Refused) Unwrap() error { return r.Err }

const tryLimit = 20 * time.Second

// senderOf is the sender of a slug, or the default one.
func (d *Deliverer) senderOf(ctx context.Context, workspace uuid.UUID, slug string) (store.Sender, error) {
	all, err := store.Q.Senders(ctx, d.DB, workspace) // the default one first
	if err != nil {
		return store.Sender{}, fmt.Errorf("read senders: %w", err)
	}
	for _, one := range all {
		if slug == "" || one.Slug == slug {
			return one, nil
		}
	}
	return store.Sender{}, fault.New(fault.Conflict, "There is no sender %q in this workspace. Add one in Settings.", slug)
}
