// Package smtptest is a mail server for tests: it keeps a ledger of what it took and answers as the test says.
package smtptest

import (
	"io"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// Letter is one message the server took, or was about to take when it broke.
type Letter struct {
	From, To string
	Header   mail.Header
	Raw      string
}

// Sink is a running server. Set its answers before anything is sent.
type Sink struct {
	Host string
	Port int

	// OnRcpt and OnData may refuse; a nil answer accepts. With Break the connection is cut after the content was read, without an
	// answer: the sender cannot know. Broken letters are in the ledger.
	OnRcpt func(to string) error
	OnData func(l Letter) error
	Break  func(l Letter) bool

	mu     sync.Mutex
	ledger []Letter
}

// New starts a server on loopback and ends it with the test.
func New(t testing.TB) *Sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := listener.Addr().(*net.TCPAddr)
	s := &Sink{Host: "127.0.0.1", Port: at.Port}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{sink: s, conn: c}, nil }))
	server.Domain = "sink.example"
	server.AllowInsecureAuth = true
	server.ErrorLog = discard{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // it ends by Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return s
}

// Ledger lists what was taken, in order.
func (s *Sink) Ledger() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Letter(nil), s.ledger...)
}

type session struct {
	sink     *Sink
	conn     *smtp.Conn
	from, to string
}

func (s *session) Reset()        { s.from, s.to = "", "" }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	if s.sink.OnRcpt != nil {
		return s.sink.OnRcpt(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	letter := Letter{From: s.from, To: s.to, Raw: string(raw)}
	parsed, err := mail.ReadMessage(strings.NewReader(letter.Raw))
	if err != nil {
		return err
	}
	letter.Header = parsed.Header
	if s.sink.OnData != nil {
		if err := s.sink.OnData(letter); err != nil {
			return err
		}
	}
	s.sink.mu.Lock()
	s.sink.ledger = append(s.sink.ledger, letter)
	s.sink.mu.Unlock()
	if s.sink.Break != nil && s.sink.Break(letter) {
		return s.conn.Conn().Close()
	}
	return nil
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}
