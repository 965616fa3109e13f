package delivery

import (
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

// Mail is one message exactly as it leaves, and as message_bodies keeps it. What is no e-mail keeps what its channel knows beside the
// text in Headers: see compose.
type Mail struct {
	Headers []Header
	Subject string
	HTML    string
	Text    string
	PDF     []byte // of a letter
}

// Header is one line of a mail's head, in order.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Get returns the first header of that name, or "".
func (m Mail) Get(name string) string {
	for _, h := range m.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// envelope is what the head of a mail is made from.
type envelope struct {
	workspace, message uuid.UUID
	fromName, from     string
	to                 string
	replyTo            string
	date               time.Time
	marketing          bool
	unsubscribe        string // absolute URL
}

// headers makes the head of a mail. The Message-ID depends on nothing but the message, so that every attempt carries the same.
func (e envelope) headers() []Header {
	from := mail.Address{Name: clean(e.fromName), Address: e.from}
	list := []Header{
		{"From", from.String()},
		{"To", (&mail.Address{Address: e.to}).String()},
	}
	if e.replyTo != "" {
		list = append(list, Header{"Reply-To", (&mail.Address{Address: e.replyTo}).String()})
	}
	list = append(list,
		Header{"Date", e.date.UTC().Format(time.RFC1123Z)},
		Header{"Message-ID", fmt.Sprintf("<%s@%s>", e.message, domain(e.from))})
	if e.unsubscribe != "" {
		list = append(list, Header{"List-Unsubscribe", "<" + e.unsubscribe + ">"}, Header{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"})
	}
	if e.marketing {
		list = append(list, Header{"Precedence", "bulk"})
	}
	return list
}

// message turns a Mail into what the SMTP client sends.
func (m Mail) message() (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.From(m.Get("From")); err != nil {
		return nil, fmt.Errorf("the sender %q is not an address: %w", m.Get("From"), err)
	}
	if err := msg.To(m.Get("To")); err != nil {
		return nil, fmt.Errorf("the recipient is not an address: %w", err)
	}
	for _, h := range m.Headers {
		switch h.Name {
		case "From", "To":
		case "Reply-To":
			if err := msg.ReplyTo(h.Value); err != nil {
				return nil, fmt.Errorf("the reply address %q is not an address: %w", h.Value, err)
			}
		case "Message-ID":
			msg.SetMessageIDWithValue(strings.Trim(h.Value, "<>"))
		case "List-Unsubscribe":
			msg.SetGenHeaderPreformatted(gomail.Header(h.Name), h.Value)
		default:
			msg.SetGenHeader(gomail.Header(h.Name), h.Value)
		}
	}
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

// clean takes what could break a header line out of a name or a subject.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, s))
}

func domain(address string) string {
	if _, after, ok := strings.Cut(address, "@"); ok && after != "" {
		return after
	}
	return "lejek.invalid"
}
