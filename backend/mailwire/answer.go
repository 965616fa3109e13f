package mailwire

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Verdict is what an answer says about one message.
type Verdict int

// The verdicts.
const (
	Accepted  Verdict = iota // it was taken: never send it again
	Refused                  // it was certainly not taken, and a second try would be refused too
	Postponed                // it was certainly not taken; try again later
	Uncertain                // it may have been taken
	Unbegun                  // nothing of it was said to anybody
)

// Answer is what became of one message.
type Answer struct {
	Verdict   Verdict
	Code      string // the server's, such as "550 5.1.1", or ours for a failure before it answered
	Detail    string
	ID        string // what the server calls the message
	Recipient bool   // the refusal is about the recipient
	Account   bool   // the failure is not this message's: all that go this way wait
	Settings  bool   // and nothing helps but other settings, such as another password
}

// reply is one reply of a mail server.
type reply struct {
	code int
	text string
}

func (r reply) good() bool { return r.code >= 200 && r.code < 400 }

var enhanced = regexp.MustCompile(`^([245]\.\d{1,3}\.\d{1,3})\s`)

// status is the code with the enhanced one, if there is one.
func (r reply) status() string {
	if match := enhanced.FindStringSubmatch(r.text + " "); match != nil {
		return strconv.Itoa(r.code) + " " + match[1]
	}
	return strconv.Itoa(r.code)
}

// refusal reads a reply that is not good.
func (r reply) refusal() Answer {
	a := Answer{Verdict: Postponed, Code: r.status(), Detail: fmt.Sprintf("%d %s", r.code, r.text)}
	if r.code >= 500 {
		a.Verdict = Refused
	}
	if r.code == 421 || r.code == 454 {
		a.Account = true
	}
	if r.code == 530 || r.code == 535 || r.code == 534 {
		a.Verdict, a.Account, a.Settings = Postponed, true, true
	}
	return a
}

// taken reads the reply to a content.
func taken(r reply) Answer {
	if !r.good() {
		return r.refusal()
	}
	id := r.text
	if _, after, found := strings.Cut(r.text, "queued as "); found {
		id, _, _ = strings.Cut(strings.TrimSpace(after), " ")
	}
	return Answer{Verdict: Accepted, Code: r.status(), ID: id}
}

// broken is the answer for a message whose content was not begun when the connection failed.
func broken(err error) Answer {
	return Answer{Verdict: Postponed, Code: "connection", Detail: err.Error(), Account: true}
}

// lost is the answer for a message whose content may have arrived.
func lost(err error) Answer {
	return Answer{Verdict: Uncertain, Code: "no_answer", Detail: err.Error()}
}
