package delivery

import (
	"errors"
	"fmt"

	"github.com/wneessen/go-mail"
)

// verdict is what an answer of a provider says about one message.
type verdict int

const (
	accepted  verdict = iota // it was taken: never send it again
	rejected                 // it was certainly not taken, and a second try would be refused too
	postponed                // it was certainly not taken; try again later
	ambiguous                // it may have been taken
)

// result is the outcome of one hand-over.
type result struct {
	verdict   verdict
	code      string // the provider's, or ours for a failure before it answered
	detail    string
	provider  string // the provider's name for the message
	broken    bool   // the connection cannot be used again
	recipient bool   // the refusal is about the recipient
	account   bool   // the failure is the account's, not the message's: all its messages wait
}

// classify reads the answer of an SMTP hand-over. Only what happened before the final dot could have left is certain: after it, a
// missing answer means the message may be on its way.
func classify(message *mail.Msg, err error) result {
	if message.IsDelivered() {
		return result{verdict: accepted, code: "250", provider: message.ServerResponse(), broken: err != nil}
	}
	var sent *mail.SendError
	if !errors.As(err, &sent) {
		return result{verdict: postponed, code: "connection", detail: err.Error(), broken: true, account: true}
	}
	answer := result{detail: sent.Error(), code: code(sent)}
	switch sent.Reason {
	case mail.ErrGetSender, mail.ErrGetRcpts, mail.ErrNoUnencoded:
		answer.verdict = rejected
	case mail.ErrConnCheck:
		answer.verdict, answer.broken, answer.account = postponed, true, true
	case mail.ErrSMTPMailFrom, mail.ErrSMTPRcptTo, mail.ErrSMTPData:
		answer.verdict, answer.broken = refusal(sent)
		answer.recipient = sent.Reason == mail.ErrSMTPRcptTo
		answer.account = !answer.recipient && answer.verdict == postponed
	case mail.ErrSMTPDataClose:
		if sent.ErrorCode() < 400 {
			answer.verdict, answer.broken = ambiguous, true
			break
		}
		answer.verdict, answer.broken = refusal(sent)
	default:
		answer.verdict, answer.broken = ambiguous, true
	}
	return answer
}

// refusal reads a refusal before or at the final dot. Without a code the connection broke, which is certain as long as no
// content could have been taken.
func refusal(sent *mail.SendError) (verdict, bool) {
	switch code := sent.ErrorCode(); {
	case code >= 500:
		return rejected, false
	case code == 421:
		return postponed, true
	case code >= 400:
		return postponed, false
	default:
		return postponed, true
	}
}

func code(sent *mail.SendError) string {
	switch {
	case sent.EnhancedStatusCode() != "":
		return fmt.Sprintf("%d %s", sent.ErrorCode(), sent.EnhancedStatusCode())
	case sent.ErrorCode() != 0:
		return fmt.Sprint(sent.ErrorCode())
	default:
		return sent.Reason.String()
	}
}
