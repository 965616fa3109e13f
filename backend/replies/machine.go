package replies

import (
	"regexp"
	"strings"

	"github.com/emersion/go-message"
)

// absent are subjects of programs that answer for people who are away and do not say so in a header.
var absent = regexp.MustCompile(`(?i)^((re|odp|aw|sv|отв|ответ):\s*)*(out of (the )?office|auto(matic)?([- ]?(reply|response|matic))|autoreply|automatische antwort|abwesenheit|` +
	`automatyczna odpowiedź|autoodpowiedź|poza biurem|jestem na urlopie|nieobecno|автоматический ответ|автоответ|нет на месте|в отпуске|réponse automatique|absence|respuesta automática)`)

// robots are senders nobody is behind.
var robots = regexp.MustCompile(`(?i)(^|<|")(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|autoreply)(\+[^@]*)?@`)

// machine says why a mail is no person's answer, "" if it may be.
func machine(head message.Header) string {
	get := func(name string) string { return strings.ToLower(strings.TrimSpace(head.Get(name))) }
	subject, err := head.Text("Subject")
	if err != nil {
		subject = head.Get("Subject")
	}
	precedence := get("Precedence")
	switch auto := get("Auto-Submitted"); {
	case auto != "" && auto != "no":
		return "it says that it was sent by a program"
	case head.Has("X-Autoreply"), head.Has("X-Autorespond"), head.Has("X-Auto-Response-Suppress") && absent.MatchString(subject):
		return "it says that it is an automatic reply"
	case precedence == "bulk", precedence == "junk", precedence == "list", precedence == "auto_reply":
		return "it says that it was sent to many"
	case head.Has("List-Id"), head.Has("List-Unsubscribe"):
		return "it comes from a mailing list"
	case get("Return-Path") == "<>":
		return "nobody is to answer it"
	case robots.MatchString(head.Get("From")):
		return "its sender is a program"
	case absent.MatchString(strings.TrimSpace(subject)):
		return "its subject is that of an automatic reply"
	}
	return ""
}
