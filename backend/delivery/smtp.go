package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	// sendTimeout bounds every step of a hand-over; a lease outlives it by half a minute.
	sendTimeout = 30 * time.Second
	// idle is how long a connection may have rested before it is asked whether it still lives.
	idle = 5 * time.Second
	// connections one process keeps to one account.
	connections = 8
)

// SMTPConfig is how to reach a mail server. TLS is `starttls` (required), `implicit` or `none`.
type SMTPConfig struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	User string `json:"user,omitempty"`
	TLS  string `json:"tls"`
}

// account hands mails to one SMTP server over a few connections it keeps open.
type account struct {
	client *gomail.Client
	now    func() time.Time // machine
	free   chan *connection // of capacity connections; nil means none has been opened in this place
}

type connection struct {
	*smtp.Client
	used time.Time
}

func newAccount(config SMTPConfig, password string, dialer Dialer, now func() time.Time) (*account, error) {
	options := []gomail.Option{
		gomail.WithPort(config.Port), gomail.WithTimeout(sendTimeout), gomail.WithDialContextFunc(dialer.DialContext), gomail.WithoutNoop(), gomail.WithoutRset(),
	}
	switch config.TLS {
	case "none":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case "implicit":
		options = append(options, gomail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialTLS(ctx, dialer, network, address, config.Host)
		}), gomail.WithTLSPolicy(gomail.NoTLS))
	case "starttls":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		return nil, fmt.Errorf("the encryption %q is not known; choose starttls, implicit or none", config.TLS)
	}
	if config.User != "" {
		auth := gomail.SMTPAuthAutoDiscover
		if config.TLS == "implicit" {
			auth = gomail.SMTPAuthPlain // the client does not know that our own dialer encrypts
		}
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(config.User), gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(config.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("set up the mail server: %w", err)
	}
	a := &account{client: client, now: now, free: make(chan *connection, connections)}
	for range connections {
		a.free <- nil
	}
	return a, nil
}

// send hands over the mails, several at a time, and answers for each in its place. A mail that is not begun before ctx ends is
// postponed.
func (a *account) send(ctx context.Context, mails []Mail) []result {
	results := make([]result, len(mails))
	next := make(chan int)
	var senders sync.WaitGroup
	for range min(connections, len(mails)) {
		senders.Go(func() {
			for i := range next {
				results[i] = a.one(ctx, mails[i])
			}
		})
	}
	for i := range mails {
		next <- i
	}
	close(next)
	senders.Wait()
	return results
}

func (a *account) one(ctx context.Context, m Mail) result {
	msg, err := m.message()
	if err != nil {
		return result{verdict: rejected, code: "address", detail: err.Error()}
	}
	if ctx.Err() != nil {
		return result{verdict: postponed, code: "stopping", detail: "the worker was stopping"}
	}
	conn := <-a.free
	if conn, err = a.open(ctx, conn); err != nil {
		a.free <- nil
		return result{verdict: postponed, code: "connection", detail: err.Error(), broken: true, account: true}
	}
	answer := classify(msg, a.client.SendWithSMTPClient(conn.Client, msg))
	conn.used = a.now()
	if answer.broken {
		_ = conn.Close() // it is given up either way
		conn = nil
	}
	a.free <- conn
	return answer
}

// open returns a living connection: the given one, or a new one.
func (a *account) open(ctx context.Context, conn *connection) (*connection, error) {
	if conn != nil {
		if a.now().Sub(conn.used) < idle || conn.Noop() == nil {
			return conn, nil
		}
		_ = conn.Close() // it is dead
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	client, err := a.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Client: client, used: a.now()}, nil
}

// close ends the connections nobody uses.
func (a *account) close() error {
	var errs []error
	for range connections {
		if conn := <-a.free; conn != nil {
			errs = append(errs, conn.Quit())
		}
	}
	return errors.Join(errs...)
}

func dialTLS(ctx context.Context, dialer Dialer, network, address, host string) (net.Conn, error) {
	plain, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(plain, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, err
	}
	return conn, nil
}
