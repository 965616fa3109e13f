package api

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/views"
	"github.com/lejek/lejek/engine"
)

// ListMessages lists messages, the newest first.
func (h *handlers) ListMessages(ctx context.Context, request ListMessagesRequestObject) (ListMessagesResponseObject, error) {
	in := request.Params
	filter := views.MessageFilter{
		To: orZero(in.To), Funnel: orZero(in.Funnel), Contact: orZero(in.Contact), Campaign: orZero(in.Campaign), State: string(orZero(in.State)), Channel: orZero(in.Channel),
		Paging: paging(in.Cursor, in.Limit),
	}
	if filter.To != "" {
		address, folded, err := people.Email(filter.To)
		if phone, notPhone := people.Phone(filter.To); err != nil && notPhone == nil {
			address, folded, err = phone, phone, nil
		}
		if err != nil {
			return nil, fault.InvalidField("to", "%s", err.Error())
		}
		filter.To, filter.ToFolded = address, folded
	}
	page, err := views.Messages(ctx, h.DB, workspace(ctx), filter)
	return ListMessages200JSONResponse{Items: each(page.Items, toMessage), Next: optional(page.Next)}, err
}

// GetMessage answers one message with what left and what became of it.
func (h *handlers) GetMessage(ctx context.Context, request GetMessageRequestObject) (GetMessageResponseObject, error) {
	detail, err := h.messageDetail(ctx, request.Id)
	if err == nil {
		h.took(ctx, stepLooked)
	}
	return GetMessage200JSONResponse(detail), err
}

func (h *handlers) messageDetail(ctx context.Context, id uuid.UUID) (MessageDetail, error) {
	message, err := views.GetMessage(ctx, h.DB, workspace(ctx), id)
	if err != nil {
		return MessageDetail{}, err
	}
	detail := MessageDetail{Message: toMessage(message), Headers: map[string]string{}, Events: fates(message), Values: Properties{}}
	if message.RunID != nil {
		memory, err := views.RunMemory(ctx, h.DB, workspace(ctx), *message.RunID)
		if err != nil {
			return detail, err
		}
		event, err := properties(memory.Event)
		if err != nil {
			return detail, err
		}
		detail.Values["event"] = event
	}
	closed, err := h.Delivery.ReserveClosed(ctx, workspace(ctx), id)
	if err != nil {
		return detail, err
	}
	detail.ReserveClosed = optional(closed)
	body, err := views.MessageBody(ctx, h.DB, workspace(ctx), id)
	if fault.CodeOf(err) == fault.NotFound {
		return detail, nil
	}
	if err != nil {
		return detail, err
	}
	detail.Html, detail.Text = body.HTML, body.Text
	if err := addHeaders(&detail, body.Headers); err != nil {
		return detail, err
	}
	if err := addFrame(&detail, body); err != nil {
		return detail, err
	}
	hits, err := views.Hits(ctx, h.DB, workspace(ctx), id)
	if len(hits) > 0 {
		detail.Hits = new(each(hits, toHit))
	}
	return detail, err
}

// addFrame adds what a phone, a device or an envelope shows around the text.
func addFrame(detail *MessageDetail, body views.Body) error {
	switch detail.Message.Channel {
	case engine.ChannelSMS:
		detail.Sms = new(toParts(body.Text))
	case engine.ChannelPush:
		detail.Push = &PushFrame{Title: body.Subject, Text: body.Text, Url: optional(detail.Headers[delivery.HeaderLink]), Icon: optional(detail.Headers[delivery.HeaderIcon])}
	case engine.ChannelLetter:
		var headers []delivery.Header
		if err := json.Unmarshal(body.Headers, &headers); err != nil {
			return fault.Wrap(err, "read a letter's address")
		}
		pages, _ := strconv.Atoi(detail.Headers[delivery.HeaderPages])
		detail.Letter = &LetterPage{Address: []string{}, Pages: pages}
		for _, header := range headers {
			if header.Name == delivery.HeaderAddress {
				detail.Letter.Address = append(detail.Letter.Address, header.Value)
			}
		}
	}
	return nil
}

func toParts(text string) TextParts {
	parts := creative.PartsOf(text)
	return TextParts{Encoding: TextPartsEncoding(parts.Encoding), Units: parts.Units, PerPart: parts.PerPart, Parts: parts.Parts}
}

func toHit(hit views.Hit) Hit {
	return Hit{Kind: HitKind(hit.Kind), Url: optional(hit.URL), At: hit.At, Agent: hit.Agent, Class: (*HitClass)(hit.Class), Reason: hit.Reason}
}

// GetMessageLetter answers the page of a letter.
func (h *handlers) GetMessageLetter(ctx context.Context, request GetMessageLetterRequestObject) (GetMessageLetterResponseObject, error) {
	page, err := views.LetterPDF(ctx, h.DB, workspace(ctx), request.Id)
	return GetMessageLetter200ApplicationpdfResponse{Body: bytes.NewReader(page), ContentLength: int64(len(page))}, err
}

func addHeaders(detail *MessageDetail, raw json.RawMessage) error {
	var headers []delivery.Header
	if err := json.Unmarshal(raw, &headers); err != nil {
		return fault.Wrap(err, "read a message's headers")
	}
	for _, header := range headers {
		detail.Headers[header.Name] = header.Value
		switch header.Name {
		case "From":
			detail.From = new(header.Value)
		case "Reply-To":
			detail.ReplyTo = new(header.Value)
		}
	}
	return nil
}

// fates are what became of a message, in the order it usually happens.
func fates(m views.Message) []MessageFate {
	all := []MessageFate{}
	for _, fate := range []struct {
		name string
		at   *time.Time
	}{
		{"sent", m.SentAt},
		{"delivered", m.DeliveredAt},
		{"opened", m.OpenedAt},
		{"clicked", m.ClickedAt},
		{"replied", m.RepliedAt},
		{"bounced", m.BouncedAt},
		{"unsubscribed", m.UnsubscribedAt},
	} {
		if fate.at != nil {
			all = append(all, MessageFate{Name: MessageFateName(fate.name), At: *fate.at})
		}
	}
	return all
}

func toMessage(m views.Message) Message {
	out := Message{
		Id: m.ID, Channel: m.Channel, Class: MessageClass(m.Class), To: orZero(m.ToAddress), Subject: orZero(m.Subject), State: stateOf(m),
		Reason: m.Reason, Test: new(sourceOf(m) == MessageSourceTest), Source: new(sourceOf(m)), SourceName: sourceName(m), CampaignId: m.CampaignID, Contact: new(toRef(m.Person)), FunnelId: m.FunnelID, FunnelName: m.FunnelName, RunId: m.RunID,
		Node: optional(m.Node), NodeName: m.NodeName, CreatedAt: m.CreatedAt, DueAt: &m.DueAt, SentAt: m.SentAt,
		Opened: new(m.OpenedAt != nil), Clicked: new(m.ClickedAt != nil), Links: []Link{},
	}
	if m.Status != "queued" || m.Attempts > 0 {
		out.Provider = providerOf(m.ProviderID)
	}
	var links []delivery.Link
	if len(m.Links) > 0 && json.Unmarshal(m.Links, &links) == nil {
		for _, link := range links {
			out.Links = append(out.Links, Link{Url: link.URL, Label: link.Label})
		}
	}
	return out
}

// sourceOf is what sent a message. One of before this was kept, that nothing names, was a test.
func sourceOf(m views.Message) MessageSource {
	switch {
	case m.RunID != nil:
		return MessageSourceFunnel
	case m.CampaignID != nil:
		return MessageSourceCampaign
	case strings.HasPrefix(m.Origin, delivery.OriginForm):
		return MessageSourceForm
	case m.Origin == "":
		return MessageSourceTest
	default:
		return MessageSource(m.Origin)
	}
}

// sourceName is what the funnel, campaign or form is called that sent a message.
func sourceName(m views.Message) *string {
	switch {
	case m.CampaignID != nil:
		return m.Campaign
	case m.Form != nil:
		return m.Form
	default:
		return m.FunnelName
	}
}

func providerOf(id uuid.UUID) string {
	if id == uuid.Nil {
		return "sandbox"
	}
	return "smtp"
}

// stateOf is the status, or what the world said after it.
func stateOf(m views.Message) MessageState {
	switch {
	case m.BouncedAt != nil:
		return MessageStateBounced
	case m.Status == "sent" && m.DeliveredAt != nil:
		return MessageStateDelivered
	default:
		return MessageState(m.Status)
	}
}
