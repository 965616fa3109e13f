package mailwire

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // CRAM-MD5 is what some servers have
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// stepTimeout bounds every step of a hand-over.
	stepTimeout = 30 * time.Second
	dialTimeout = 10 * time.Second
	maxLines    = 100 // of one reply
	bufferSize  = 64 << 10
)

// Server is how to reach a mail server. TLS is `starttls` (required), `implicit` or `none`.
type Server struct {
	Host     string
	Port     int
	User     string
	Password string
	TLS      string
	Name     string // that we introduce ourselves by
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
	Now      func() time.Time // machine
}

// conversation is one connection to a server.
type conversation struct {
	conn       net.Conn
	in         *bufio.Reader
	out        *bufio.Writer
	now        func() time.Time
	used       time.Time
	extensions map[string]string
}

// settingsError says that the server does not let us in as we are.
type settingsError struct{ error }

func (e settingsError) Unwrap() error { return e.error }

// converse opens a connection and signs in.
func (s Server) converse(ctx context.Context) (*conversation, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := s.Dial(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	if err != nil {
		return nil, err
	}
	if s.TLS == "implicit" {
		secure := tls.Client(conn, &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		conn = secure
	}
	c := &conversation{now: s.Now}
	c.over(conn)
	if err := c.greet(s); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c.used = s.Now()
	return c, nil
}

func (c *conversation) over(conn net.Conn) {
	c.conn, c.in, c.out = conn, bufio.NewReaderSize(conn, 4096), bufio.NewWriterSize(conn, bufferSize)
}

func (c *conversation) greet(s Server) error {
	c.limit()
	if hello, err := c.read(); err != nil || !hello.good() {
		return refusedAs("the server did not greet", hello, err)
	}
	if err := c.introduce(s.Name); err != nil {
		return err
	}
	if s.TLS == "starttls" {
		if _, offered := c.extensions["STARTTLS"]; !offered {
			return settingsError{errors.New("the server does not offer STARTTLS on this port")}
		}
		if r, err := c.ask("STARTTLS"); err != nil || !r.good() {
			return refusedAs("STARTTLS was refused", r, err)
		}
		secure := tls.Client(c.conn, &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12})
		c.over(secure)
		if err := secure.Handshake(); err != nil {
			return fmt.Errorf("encrypt the connection: %w", err)
		}
		if err := c.introduce(s.Name); err != nil {
			return err
		}
	}
	if s.User == "" {
		return nil
	}
	return c.signIn(s.User, s.Password)
}

func refusedAs(what string, r reply, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %d %s", what, r.code, r.text)
}

func (c *conversation) introduce(name string) error {
	r, err := c.ask("EHLO " + name)
	if err != nil {
		return fmt.Errorf("introduce ourselves: %w", err)
	}
	c.extensions = map[string]string{}
	if !r.good() {
		r, err = c.ask("HELO " + name)
		if err != nil || !r.good() {
			return refusedAs("the server does not talk to us", r, err)
		}
		return nil
	}
	for _, line := range strings.Split(r.text, "\n")[1:] {
		word, rest, _ := strings.Cut(line, " ")
		c.extensions[strings.ToUpper(word)] = rest
	}
	return nil
}

// signIn proves who we are by the best way the server offers.
func (c *conversation) signIn(user, password string) error {
	ways := strings.Fields(strings.ToUpper(c.extensions["AUTH"]))
	var r reply
	var err error
	switch {
	case slices.Contains(ways, "PLAIN"):
		r, err = c.ask("AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00"+user+"\x00"+password)))
	case slices.Contains(ways, "LOGIN"):
		r, err = c.dialogue("AUTH LOGIN", user, password)
	case slices.Contains(ways, "CRAM-MD5"):
		r, err = c.cram(user, password)
	default:
		return settingsError{errors.New("the server offers no way to sign in that we know (PLAIN, LOGIN, CRAM-MD5)")}
	}
	if err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	if !r.good() {
		if r.code >= 500 {
			return settingsError{fmt.Errorf("the server did not accept user and password: %d %s", r.code, r.text)}
		}
		return fmt.Errorf("the server cannot let us in now: %d %s", r.code, r.text)
	}
	return nil
}

func (c *conversation) dialogue(command string, lines ...string) (reply, error) {
	r, err := c.ask(command)
	for _, line := range lines {
		if err != nil || r.code != 334 {
			return r, err
		}
		r, err = c.ask(base64.StdEncoding.EncodeToString([]byte(line)))
	}
	return r, err
}

func (c *conversation) cram(user, password string) (reply, error) {
	r, err := c.ask("AUTH CRAM-MD5")
	if err != nil || r.code != 334 {
		return r, err
	}
	challenge, err := base64.StdEncoding.DecodeString(r.text)
	if err != nil {
		return r, fmt.Errorf("read the challenge: %w", err)
	}
	sum := hmac.New(md5.New, []byte(password))
	sum.Write(challenge)
	return c.ask(base64.StdEncoding.EncodeToString([]byte(user + " " + hex.EncodeToString(sum.Sum(nil)))))
}

func (c *conversation) limit() { _ = c.conn.SetDeadline(c.now().Add(stepTimeout)) }

// ask sends one command and reads its reply.
func (c *conversation) ask(command string) (reply, error) {
	c.limit()
	c.say(command)
	if err := c.out.Flush(); err != nil {
		return reply{}, err
	}
	return c.read()
}

func (c *conversation) say(parts ...string) {
	for _, part := range parts {
		_, _ = c.out.WriteString(part) // an error stays in the writer until it is flushed
	}
	_, _ = c.out.WriteString("\r\n")
}

// read reads one reply; the lines of a long one are joined by line breaks.
func (c *conversation) read() (reply, error) {
	var r reply
	for range maxLines {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return r, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if len(text) < 3 {
			return r, fmt.Errorf("the server talks no SMTP: %.40q", text)
		}
		code, err := strconv.Atoi(text[:3])
		if err != nil {
			return r, fmt.Errorf("the server talks no SMTP: %.40q", text)
		}
		r.code = code
		rest := ""
		if len(text) > 4 {
			rest = text[4:]
		}
		if r.text != "" {
			r.text += "\n"
		}
		r.text += rest
		if len(text) == 3 || text[3] != '-' {
			return r, nil
		}
	}
	return r, errors.New("the server's reply does not end")
}

// alive asks a connection that has rested whether it still lives.
func (c *conversation) alive() bool {
	r, err := c.ask("NOOP")
	return err == nil && r.good()
}

func (c *conversation) quit() error {
	_, _ = c.ask("QUIT") // it is closed either way
	return c.conn.Close()
}
