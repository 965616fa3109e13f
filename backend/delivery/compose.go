package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/engine"
)

// Headers of messages that are no e-mail.
const (
	HeaderFrom     = "From"
	HeaderTo       = "To"
	HeaderTemplate = "Template" // that WhatsApp approved
	HeaderLink     = "Link"     // where a tap on a push notification leads
	HeaderIcon     = "Icon"
	HeaderAddress  = "Address" // one line of a letter's address each
	HeaderPages    = "Pages"
)

// compose fills one letter for its channel.
func (d *Deliverer) compose(r *round, l *letter, template Template) {
	h := r.houses[l.workspace]
	content, err := d.render(r, l, h, template)
	if err != nil {
		var fault *engine.MergeError
		if errors.As(err, &fault) && fault.Fault == engine.MergeMissing {
			l.stop(failed, "variable: "+fault.Variable)
			return
		}
		l.stop(failed, clip(unwritable+": "+err.Error()))
		return
	}
	l.links = content.Links
	switch l.channel {
	case engine.ChannelEmail:
		l.mail = d.mailOf(h, l, content)
	case engine.ChannelSMS:
		l.mail = Mail{Text: content.Text, Headers: []Header{{HeaderFrom, cmp.Or(l.sender, h.name)}, {HeaderTo, l.to}}}
	case engine.ChannelWhatsApp:
		l.mail = Mail{Text: content.Text, Headers: present(Header{HeaderFrom, h.name}, Header{HeaderTo, l.to}, Header{HeaderTemplate, content.Template})}
	case engine.ChannelPush:
		l.mail = Mail{Subject: cmp.Or(content.Title, h.name), Text: content.Text,
			Headers: present(Header{HeaderTo, l.to}, Header{HeaderLink, content.URL}, Header{HeaderIcon, content.Icon})}
	case engine.ChannelLetter:
		l.mail = Mail{Subject: clean(content.Subject), Text: content.Text, PDF: content.PDF, Headers: present(Header{HeaderFrom, h.name}, Header{HeaderPages, strconv.Itoa(content.Pages)})}
		for _, line := range content.Address {
			l.mail.Headers = append(l.mail.Headers, Header{HeaderAddress, line})
		}
	default:
		l.stop(failed, noProvider)
	}
}

// present are the headers that say something.
func present(headers ...Header) []Header {
	var some []Header
	for _, h := range headers {
		if h.Value != "" {
			some = append(some, h)
		}
	}
	return some
}

// mailOf makes the e-mail of a letter.
func (d *Deliverer) mailOf(h *house, l *letter, content Content) Mail {
	from, ok := h.senders[l.sender]
	if !ok {
		from, ok = h.senders[""]
	}
	if !ok {
		from = sender{name: h.name, email: "sandbox@lejek.invalid"}
	}
	env := envelope{
		workspace: l.workspace, message: l.id, fromName: from.name, from: from.email, to: l.to, replyTo: from.replyTo, date: l.due,
		marketing: l.marketing(),
	}
	if h.replies != "" {
		env.replyTo = d.replies.Address(h.replies, l.workspace, l.id)
	}
	if content.ReplyTo != "" {
		env.replyTo = content.ReplyTo
	}
	if l.marketing() {
		env.unsubscribe = d.UnsubscribeURL(l.workspace, l.id)
	}
	html := content.HTML
	if h.tracking {
		at, watch := d.links.On(h.base).Watcher(l.workspace, l.id, html)
		html = html[:at] + watch + html[at:]
		if content.HTMLParts != nil {
			content.HTMLParts = splice.Insert(content.HTMLParts, at, watch)
		}
	}
	if content.HTMLParts != nil {
		l.spliced = splice.Encode(content.HTMLParts, content.TextParts)
	}
	return Mail{Headers: env.headers(), Subject: clean(content.Subject), HTML: html, Text: content.Text}
}

// render fills the creative; a panic of it concerns this letter only.
func (d *Deliverer) render(r *round, l *letter, h *house, template Template) (content Content, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the creative broke: %v", p)
		}
	}()
	scope := &engine.MergeScope{
		Fields: l.person.Fields, Workspace: map[string]any{"name": h.name, "address": h.address},
		UnsubscribeURL: d.UnsubscribeURL(l.workspace, l.id), ViewURL: d.ViewURL(l.workspace, l.id),
		Zone: engine.ZoneOf(l.person.Zone, h.zone), Language: l.person.Language, Currency: h.currency,
	}
	if scope.Language == "" {
		scope.Language = h.language
	}
	if l.vars != nil {
		scope.Vars, scope.Event = l.vars, l.vars
	}
	if l.run != nil {
		if e := r.errands[runKey{l.workspace, *l.run}]; e != nil {
			scope.Event, scope.Vars = e.event, e.vars
		}
	}
	return template.Render(scope, d.tracker(h, l))
}
