package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-msgauth/dkim"

	"github.com/lejek/lejek/backend/clock"
)

// verifyEvery is how many mails have one signature checked.
const verifyEvery = 100

// SinkReport is what a sink has taken since it was last asked to forget.
type SinkReport struct {
	Mails    int            `json:"mails"`
	First    time.Time      `json:"first"`
	Last     time.Time      `json:"last"`
	Verified int            `json:"verified"` // signatures that were checked and are good
	Bad      string         `json:"bad"`      // what was wrong with one, "" if nothing was
	Seconds  map[int64]int  `json:"seconds"`  // mails by second since 1970
	To       map[string]int `json:"to"`       // mails by recipient, if asked for
}

// mailSink is a mail server that takes everything as fast as it comes. It knows pipelining, as the servers people use do.
type mailSink struct {
	mu     sync.Mutex
	report SinkReport
	key    string // of DNS, for the signatures
}

// RunSink is the process of a mail server: it prints its port and then answers the lines it reads: `key TEXT`, `forget`, `report`, `ledger`.
func RunSink(ctx context.Context, in io.Reader, out io.Writer) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open a mail server: %w", err)
	}
	s := &mailSink{}
	s.forget()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	if _, err := fmt.Fprintln(out, listener.Addr().(*net.TCPAddr).Port); err != nil { //nolint:forcetypeassert // of a TCP listener
		return err
	}
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		if err := s.answer(word, rest, answers); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), listener.Close())
}

func (s *mailSink) answer(word, rest string, answers *json.Encoder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch word {
	case "key":
		s.key = rest
	case "forget":
		s.forget()
	case "ledger":
		return answers.Encode(s.report)
	default:
		short := s.report
		short.To = nil
		return answers.Encode(short)
	}
	return answers.Encode(SinkReport{})
}

func (s *mailSink) forget() { s.report = SinkReport{To: map[string]int{}, Seconds: map[int64]int{}} }

// take counts a mail and tells whether its signature is to be looked at.
func (s *mailSink) take(to string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report.Mails == 0 {
		s.report.First = at
	}
	s.report.Mails++
	s.report.Last = at
	s.report.Seconds[at.Unix()]++
	s.report.To[to]++
}

func (s *mailSink) judge(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.report.Bad = err.Error()
		return
	}
	s.report.Verified++
}

const sinkGreeting = "250-sink.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES\r\n"

func (s *mailSink) serve(conn net.Conn) {
	defer conn.Close() //nolint:errcheck // it is over
	in, out := bufio.NewReaderSize(conn, 64<<10), bufio.NewWriterSize(conn, 4096)
	reply := func(text string) { _, _ = out.WriteString(text) }
	reply("220 sink.example\r\n")
	to, n := "", 0
	for {
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		switch {
		case bytes.HasPrefix(line, []byte("MAIL")):
			reply("250 2.1.0 ok\r\n")
		case bytes.HasPrefix(line, []byte("RCPT TO:<")):
			to, _, _ = strings.Cut(string(line[9:]), ">")
			reply("250 2.1.5 ok\r\n")
		case bytes.HasPrefix(line, []byte("DATA")):
			reply("354 go on\r\n")
			if out.Flush() != nil {
				return
			}
			n++
			if !s.content(in, to, n%verifyEvery == 0) {
				return
			}
			reply("250 2.0.0 taken\r\n")
		case bytes.HasPrefix(line, []byte("EHLO")):
			reply(sinkGreeting)
		case bytes.HasPrefix(line, []byte("QUIT")):
			reply("221 2.0.0 bye\r\n")
			_ = out.Flush()
			return
		default:
			reply("250 2.0.0 ok\r\n")
		}
	}
}

// content reads a mail to its final dot. It counts from the moment it has arrived.
func (s *mailSink) content(in *bufio.Reader, to string, look bool) bool {
	var kept []byte
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return false
		}
		if len(line) <= 3 && bytes.Equal(bytes.TrimRight(line, "\r\n"), []byte(".")) {
			break
		}
		if look {
			kept = append(kept, bytes.TrimPrefix(line, []byte("."))...)
		}
	}
	s.take(to, clock.Machine{}.Now())
	if look {
		s.look(kept)
	}
	return true
}

// look checks the signature of a mail, and that it covers the ways out.
func (s *mailSink) look(mail []byte) {
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	if key == "" {
		return
	}
	found, err := dkim.VerifyWithOptions(bytes.NewReader(mail), &dkim.VerifyOptions{LookupTXT: func(string) ([]string, error) { return []string{key}, nil }})
	switch {
	case err != nil:
		s.judge(err)
	case len(found) != 1:
		s.judge(fmt.Errorf("%d signatures", len(found)))
	case found[0].Err != nil:
		s.judge(found[0].Err)
	default:
		covered := strings.ToLower(strings.Join(found[0].HeaderKeys, " "))
		if !strings.Contains(covered, "list-unsubscribe ") || !strings.Contains(covered, "list-unsubscribe-post") {
			s.judge(fmt.Errorf("the signature covers only %s", covered))
			return
		}
		s.judge(nil)
	}
}
