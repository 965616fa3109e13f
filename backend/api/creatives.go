package api

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/proof"
	"github.com/lejek/lejek/backend/workspaces"
	"github.com/lejek/lejek/engine"
)

// PreviewCreative shows a message as a person would get it.
func (h *handlers) PreviewCreative(ctx context.Context, request PreviewCreativeRequestObject) (PreviewCreativeResponseObject, error) {
	shown, err := h.show(ctx, request.Body.Creative, orZero(request.Body.ContactId))
	out := Preview{Subject: shown.Subject, Preheader: shown.Preheader, Html: shown.HTML, Text: shown.Text, Problems: orEmpty(shown.Problems)}
	switch request.Body.Creative.Channel {
	case engine.ChannelSMS:
		out.Sms = new(toParts(shown.Text))
	case engine.ChannelPush:
		out.Push = &PushFrame{Title: shown.Title, Text: shown.Text, Url: optional(shown.URL), Icon: optional(shown.Icon)}
	case engine.ChannelLetter:
		out.Pdf = optional(base64.StdEncoding.EncodeToString(shown.PDF))
	}
	return PreviewCreative200JSONResponse(out), err
}

// SendTestCreative sends a message once to an address.
func (h *handlers) SendTestCreative(ctx context.Context, request SendTestCreativeRequestObject) (SendTestCreativeResponseObject, error) {
	in := request.Body
	if in.Creative.Channel != engine.ChannelEmail {
		return nil, fault.New(fault.Invalid, "Only e-mails can be sent as a test. Look at the preview, or start the funnel for a person of your own in the sandbox.")
	}
	to, _, err := people.Email(in.To)
	if err != nil {
		return nil, fault.InvalidField("to", "%s", err.Error())
	}
	shown, err := h.show(ctx, in.Creative, orZero(in.ContactId))
	if err != nil {
		return nil, err
	}
	if !engine.Publishable(shown.Problems) {
		return nil, fault.New(fault.Invalid, "This message cannot be sent yet. Mend what is marked in it.").WithDetails(funnels.Refusal{Problems: shown.Problems})
	}
	content := delivery.Content{Subject: shown.Subject, HTML: shown.HTML, Text: shown.Text, ReplyTo: shown.ReplyTo}
	for _, link := range shown.Links {
		content.Links = append(content.Links, delivery.Link{URL: link.URL, Label: link.Text})
	}
	id, err := h.Delivery.SendProof(ctx, workspace(ctx), delivery.Proof{To: to, Sender: orZero(in.Sender), Content: content})
	if refused, ok := errors.AsType[delivery.Refused](err); ok {
		return nil, fault.New(fault.Unavailable, "The mail server did not take the message: %s", refused.Error())
	}
	return SendTestCreative202JSONResponse{MessageId: id}, err
}

func (h *handlers) show(ctx context.Context, creative engine.Creative, contact uuid.UUID) (proof.Shown, error) {
	row, err := workspaces.Get(ctx, h.DB, workspace(ctx))
	if err != nil {
		return proof.Shown{}, err
	}
	return proof.Show(ctx, h.DB, proof.Request{Workspace: row, Creative: creative, Contact: contact, BaseURL: h.BaseURL})
}

// TestSmtp sends one line through the saved mail server.
func (h *handlers) TestSmtp(ctx context.Context, request TestSmtpRequestObject) (TestSmtpResponseObject, error) {
	err := h.Delivery.Try(ctx, workspace(ctx), request.Body.To)
	var refused delivery.Refused
	switch {
	case err == nil:
		return TestSmtp200JSONResponse{Ok: true, Detail: "The server took the message."}, nil
	case errors.As(err, &refused):
		return TestSmtp200JSONResponse{Ok: false, Detail: refused.Error()}, nil
	default:
		return nil, err
	}
}
