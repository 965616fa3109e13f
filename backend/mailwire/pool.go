package mailwire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// idle is how long a connection may have rested before it is asked whether it still lives.
const idle = 5 * time.Second

// Envelope is one mail and who it goes from and to.
type Envelope struct {
	From, To string
	Mail     []byte // as Encode and Sign give it
}

// Pool keeps a few connections to one server open. It is safe for use by many goroutines.
type Pool struct {
	server Server
	free   chan *conversation // of fixed capacity; nil means none has been opened in this place
	size   int
}

// NewPool makes a pool of that many connections. Nothing is dialled yet.
func NewPool(server Server, connections int) (*Pool, error) {
	switch server.TLS {
	case "none", "implicit", "starttls":
	default:
		return nil, fmt.Errorf("the encryption %q is not known; choose starttls, implicit or none", server.TLS)
	}
	if server.Name == "" {
		server.Name = "localhost"
	}
	p := &Pool{server: server, free: make(chan *conversation, connections), size: connections}
	for range connections {
		p.free <- nil
	}
	return p, nil
}

// Progress is told of each mail, by any goroutine: right before its content is written, and what became of it then.
type Progress struct {
	Begun func(i int)
	Ended func(i int, answer Answer)
}

// Send hands over the mails, several at a time, and answers for each in its place. What is not begun when ctx ends, or when the server cannot
// be reached, stays so.
func (p *Pool) Send(ctx context.Context, mails []Envelope, progress Progress) []Answer {
	answers := make([]Answer, len(mails))
	var taken atomic.Int64
	var down atomic.Pointer[Answer] // why nobody should go on
	unbegun := func(i int) {
		answers[i] = Answer{Verdict: Unbegun, Code: "stopping", Detail: "it was not begun"}
		if why := down.Load(); why != nil {
			answers[i] = *why
		}
	}
	next := func() int {
		i := int(taken.Add(1)) - 1
		switch {
		case i >= len(mails):
			return -1
		case ctx.Err() != nil || down.Load() != nil:
			unbegun(i)
			return -1
		}
		return i
	}
	var senders sync.WaitGroup
	for range min(p.size, (len(mails)+1)/2, len(mails)) {
		senders.Go(func() { p.work(ctx, mails, answers, next, progress, &down) })
	}
	senders.Wait()
	for i := int(taken.Load()); i < len(mails); i++ { // nobody came that far
		unbegun(i)
	}
	return answers
}

// work hands over mails on one connection until there are none left. A mail whose connection broke before its content was begun goes over a
// new one, once.
func (p *Pool) work(ctx context.Context, mails []Envelope, answers []Answer, next func() int, progress Progress, down *atomic.Pointer[Answer]) {
	conn := <-p.free
	defer func() { p.free <- conn }()
	second := -1 // the mail that is on its second connection
	for i := next(); i >= 0; {
		var err error
		if conn, err = p.open(ctx, conn); err != nil {
			answers[i] = broken(err)
			var settings settingsError
			answers[i].Settings = errors.As(err, &settings)
			down.Store(&answers[i])
			return
		}
		i, err = conn.deliver(mails, answers, i, next, progress)
		conn.used = p.server.Now()
		if err != nil {
			_ = conn.conn.Close() // it is given up either way
			conn = nil
		}
		if i >= 0 && answers[i].Account {
			if answers[i].Code != "connection" || second == i {
				down.Store(&answers[i])
				return
			}
			second = i
		}
	}
}

func (p *Pool) open(ctx context.Context, conn *conversation) (*conversation, error) {
	if conn != nil {
		if p.server.Now().Sub(conn.used) < idle || conn.alive() {
			return conn, nil
		}
		_ = conn.conn.Close() // it is dead
	}
	return p.server.converse(ctx)
}

// Check opens a connection, signs in and leaves. The error is what the server said.
func (p *Pool) Check(ctx context.Context) error {
	conn, err := p.server.converse(ctx)
	if err != nil {
		return err
	}
	return conn.quit()
}

// Close ends the connections, after those who use them.
func (p *Pool) Close() error {
	var errs []error
	for range p.size {
		if conn := <-p.free; conn != nil {
			errs = append(errs, conn.quit())
		}
	}
	return errors.Join(errs...)
}

// deliver hands over mail i and those next gives, as long as the connection lives. It answers which mail is still to do, -1 for none, and why
// the connection cannot be used any more. An answer of the account's stands with the mail that is still to do.
func (c *conversation) deliver(mails []Envelope, answers []Answer, i int, next func() int, progress Progress) (int, error) {
	_, pipelining := c.extensions["PIPELINING"]
	var content []byte
	announced := false // the envelope of mail i went out with the content before it
	for i >= 0 {
		c.limit()
		ready, err := c.announce(mails[i], &answers[i], pipelining, announced)
		announced = false
		switch {
		case answers[i].Account:
			return i, err
		case err != nil && answers[i].Code != "":
			return next(), err
		case err != nil:
			answers[i] = broken(err)
			return i, err
		case !ready:
			i = next()
			continue
		}
		content = AppendDots(content[:0], mails[i].Mail)
		progress.Begun(i)
		_, _ = c.out.Write(content) // an error stays in the writer
		following := -1
		if pipelining {
			if following = next(); following >= 0 {
				c.envelope(mails[following])
				announced = true
			}
		}
		r, err := c.flushed()
		if err != nil {
			answers[i] = lost(err)
			progress.Ended(i, answers[i])
			return c.giveUp(following, next), err
		}
		answers[i] = taken(r)
		progress.Ended(i, answers[i])
		if r.code == 421 {
			return c.giveUp(following, next), errEnded
		}
		if !pipelining {
			following = next()
		}
		i = following
	}
	return -1, nil
}

func (c *conversation) flushed() (reply, error) {
	if err := c.out.Flush(); err != nil {
		return reply{}, err
	}
	return c.read()
}

// giveUp is the mail to go on with on another connection: the one that was only announced, or the next.
func (c *conversation) giveUp(following int, next func() int) int {
	if following >= 0 {
		return following
	}
	return next()
}

func (c *conversation) envelope(m Envelope) {
	c.say("MAIL FROM:<", m.From, ">")
	c.say("RCPT TO:<", m.To, ">")
	c.say("DATA")
}

// announce brings the server to the point where it waits for the content. ready is false when it refused, which is in the answer then.
func (c *conversation) announce(m Envelope, answer *Answer, pipelining, announced bool) (ready bool, err error) {
	*answer = Answer{}
	if !pipelining {
		return c.announceSlowly(m, answer)
	}
	if !announced {
		c.envelope(m)
		if err := c.out.Flush(); err != nil {
			return false, err
		}
	}
	var replies [3]reply
	for n := range replies {
		if replies[n], err = c.read(); err != nil {
			return false, err
		}
	}
	from, to, data := replies[0], replies[1], replies[2]
	switch {
	case from.good() && to.good() && data.code == 354:
		return true, nil
	case !from.good():
		*answer = from.refusal()
	case !to.good():
		*answer = to.refusal()
		answer.Recipient = answer.Verdict == Refused && !answer.Settings
	default:
		*answer = data.refusal()
	}
	if data.code == 354 { // it waits for a content nobody is to get
		if r, err := c.ask("."); err != nil || r.code == 421 {
			return false, errors.Join(err, errEnded)
		}
	}
	return false, c.reset(from, to, data)
}

var errEnded = errors.New("the server ended the connection")

// reset makes the connection fit for the next mail.
func (c *conversation) reset(replies ...reply) error {
	for _, r := range replies {
		if r.code == 421 {
			return errEnded
		}
	}
	r, err := c.ask("RSET")
	if err == nil && !r.good() {
		err = errEnded
	}
	return err
}

func (c *conversation) announceSlowly(m Envelope, answer *Answer) (ready bool, err error) {
	for n, command := range []string{"MAIL FROM:<" + m.From + ">", "RCPT TO:<" + m.To + ">", "DATA"} {
		r, err := c.ask(command)
		if err != nil {
			return false, err
		}
		if r.good() && (n < 2 || r.code == 354) {
			continue
		}
		*answer = r.refusal()
		answer.Recipient = n == 1 && answer.Verdict == Refused && !answer.Settings
		return false, c.reset(r)
	}
	return true, nil
}
