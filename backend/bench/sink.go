package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/lejek/lejek/backend/clock"
)

// sink is a mail server on loopback that takes everything and notes when.
type sink struct {
	port   int
	server *smtp.Server
	ended  chan error

	mu    sync.Mutex
	taken map[string]time.Time // by recipient; the first time
	extra int                  // mails to somebody who had got one
}

func openSink(ctx context.Context) (*sink, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a mail server: %w", err)
	}
	s := &sink{port: listener.Addr().(*net.TCPAddr).Port, ended: make(chan error, 1), taken: map[string]time.Time{}} //nolint:forcetypeassert // of a TCP listener
	s.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &sinkSession{sink: s}, nil }))
	s.server.Domain = "sink.example"
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

func (s *sink) close() error {
	err := s.server.Close()
	if ended := <-s.ended; !errors.Is(ended, smtp.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// take notes the instant at which a mail was accepted.
func (s *sink) take(to string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, before := s.taken[to]; before {
		s.extra++
		return
	}
	s.taken[to] = at
}

// has tells whether somebody got their mail.
func (s *sink) has(to string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, got := s.taken[to]
	return got
}

// got is how many people got a mail.
func (s *sink) got() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.taken)
}

type sinkSession struct {
	sink *sink
	to   string
}

func (s *sinkSession) Reset()        { s.to = "" }
func (s *sinkSession) Logout() error { return nil }

func (s *sinkSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *sinkSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *sinkSession) Data(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	s.sink.take(s.to, clock.Machine{}.Now())
	return nil
}
