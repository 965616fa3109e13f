package delivery

import (
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/engine"
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

// parcel is the letter as those who carry it take it.
func (l *letter) parcel() providers.Parcel {
	p := providers.Parcel{
		Workspace: l.workspace, Message: l.id, Channel: l.channel, To: l.to, Subject: l.mail.Subject, HTML: l.mail.HTML, Text: l.mail.Text, PDF: l.mail.PDF,
		Link: l.mail.Get(HeaderLink), Icon: l.mail.Get(HeaderIcon), Template: l.mail.Get(HeaderTemplate), Devices: l.devices,
	}
	if l.expires != nil {
		p.Expires = *l.expires
	}
	if l.channel != engine.ChannelEmail {
		p.FromName = l.mail.Get(HeaderFrom)
		for _, h := range l.mail.Headers {
			if h.Name == HeaderAddress {
				p.Address = append(p.Address, h.Value)
			}
		}
		return p
	}
	return mailParcel(p, l.mail)
}

// mailParcel fills in what an e-mail says and has in its head.
func mailParcel(p providers.Parcel, m Mail) providers.Parcel {
	p.Subject, p.HTML, p.Text = m.Subject, m.HTML, m.Text
	if from, err := mail.ParseAddress(m.Get("From")); err == nil {
		p.From, p.FromName = from.Address, from.Name
	}
	if to, err := mail.ParseAddress(m.Get("To")); err == nil {
		p.To = to.Address
	}
	if reply, err := mail.ParseAddress(m.Get("Reply-To")); err == nil {
		p.ReplyTo = reply.Address
	}
	p.Headers = make([]mailwire.Header, len(m.Headers))
	for i, h := range m.Headers {
		p.Headers[i] = mailwire.Header(h)
	}
	return p
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
