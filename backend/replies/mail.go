package replies

import (
	"bufio"
	"bytes"
	"io"
	"net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // other alphabets than UTF-8
	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// The kinds of mails.
const (
	Reply  = "reply"
	Auto   = "auto"   // a machine answered
	Bounce = "bounce" // a mail server gave our message back
	Other  = "other"  // nothing we can do anything with
)

// Mail is what was read.
type Mail struct {
	ID     string // its Message-ID, "" if it has none
	Kind   string
	Reason string // why it is no reply
	To     []string
	Refers []uuid.UUID // messages of ours it refers to
	Text   string      // of a reply, without what it quotes
	At     time.Time

	Soft   bool // of a bounce: it may pass
	Status string
}

const maxText = 4000

// ours is a Message-ID that we gave.
var ours = regexp.MustCompile(`(?i)<([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@`)

// Parse reads a mail. What cannot be read at all is of the kind Other.
func Parse(raw []byte) Mail {
	m := Mail{Kind: Reply}
	entity, err := message.Read(bytes.NewReader(raw))
	if entity == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return Mail{Kind: Other, Reason: "it is no mail"}
	}
	head := entity.Header
	m.ID = store.Text(strings.Trim(strings.TrimSpace(head.Get("Message-Id")), "<>"), 250)
	if at, err := mail.ParseDate(head.Get("Date")); err == nil {
		m.At = at.UTC()
	}
	for _, name := range []string{"To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"} {
		for fields := head.FieldsByKey(name); fields.Next(); {
			m.To = append(m.To, addresses(fields.Value())...)
		}
	}
	m.Refers = refers(head.Get("In-Reply-To") + " " + head.Get("References"))
	kind, params, _ := head.ContentType()
	if kind == "multipart/report" && strings.EqualFold(params["report-type"], "delivery-status") {
		m.bounce(entity, raw)
		return m
	}
	if reason := machine(head); reason != "" {
		m.Kind, m.Reason = Auto, reason
		return m
	}
	m.Text = store.Text(answer(textOf(entity, 0)), maxText)
	return m
}

func addresses(field string) []string {
	list, err := mail.ParseAddressList(field)
	if err != nil {
		return []string{strings.Trim(strings.TrimSpace(field), "<>")}
	}
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = one.Address
	}
	return all
}

func refers(text string) []uuid.UUID {
	var all []uuid.UUID
	for _, found := range ours.FindAllStringSubmatch(text, 50) {
		if id, err := uuid.Parse(found[1]); err == nil {
			all = append(all, id)
		}
	}
	return all
}

// status is a line of a delivery report.
var status = regexp.MustCompile(`(?im)^status:\s*([245]\.\d{1,3}\.\d{1,3})`)

// bounce reads a delivery report: which message came back, and whether it is for good.
func (m *Mail) bounce(entity *message.Entity, raw []byte) {
	m.Kind, m.Reason = Other, "a report without a failure"
	m.Refers = append(m.Refers, refers(string(raw[:min(len(raw), 200<<10)]))...)
	parts := entity.MultipartReader()
	if parts == nil {
		return
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return
		}
		if kind, _, _ := part.Header.ContentType(); kind != "message/delivery-status" && kind != "message/global-delivery-status" {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(part.Body, 64<<10))
		found := status.FindStringSubmatch(string(text))
		if found == nil || !strings.Contains(strings.ToLower(string(text)), "action: failed") {
			return
		}
		m.Kind, m.Status, m.Reason = Bounce, found[1], "status "+found[1]
		// A full mailbox, a message too large and a refusal for what it says are not the address's fault.
		m.Soft = found[1][0] != '5' || found[1] == "5.2.2" || found[1] == "5.2.3" || strings.HasPrefix(found[1], "5.7.") || strings.HasPrefix(found[1], "5.3.")
		return
	}
}

// textOf is the plain text of a mail; of one that has only HTML what is left without its tags.
func textOf(entity *message.Entity, depth int) string {
	kind, _, _ := entity.Header.ContentType()
	if parts := entity.MultipartReader(); parts != nil {
		best := ""
		for depth < 5 {
			part, err := parts.NextPart()
			if err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) || part == nil {
				break
			}
			text := textOf(part, depth+1)
			if partKind, _, _ := part.Header.ContentType(); text != "" && (best == "" || partKind == "text/plain") {
				best = text
				if partKind == "text/plain" || partKind == "" {
					return best
				}
			}
		}
		return best
	}
	switch kind {
	case "", "text/plain", "text/html":
	default:
		return ""
	}
	if disposition, _, _ := entity.Header.ContentDisposition(); disposition == "attachment" {
		return ""
	}
	raw, _ := io.ReadAll(io.LimitReader(entity.Body, 128<<10))
	if kind == "text/html" {
		return strip(string(raw))
	}
	return string(raw)
}

var (
	tags   = regexp.MustCompile(`(?is)<(style|script|head|blockquote)\b.*?</(style|script|head|blockquote)>|<[^>]*>`)
	breaks = regexp.MustCompile(`(?i)<(br|/p|/div|/li)\b[^>]*>`)
)

func strip(html string) string { return tags.ReplaceAllString(breaks.ReplaceAllString(html, "\n"), "") }

// quotes are the lines after which people's programs quote what is answered.
var quotes = regexp.MustCompile(`(?i)^(>|-{2,}\s*(original message|wiadomość oryginalna|исходное сообщение|forwarded message)|_{10,}$|(on|w dniu|dnia|le|am|el) .{5,200}(wrote|pisze|napisał|napisała|napisał\(a\)|a écrit|schrieb|escribió):?\s*$|.{5,200}(пишет|писал|писала|написал|написала):\s*$|(from|od|от|von):\s.+@)`)

// answer is a text up to what it quotes and without the signature.
func answer(text string) string {
	var lines []string
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 256<<10)
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), " \t\r")
		if quotes.MatchString(strings.TrimSpace(line)) || scanner.Text() == "-- " {
			break
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
