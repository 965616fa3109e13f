package api

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/facts"
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
	return PreviewCreative200JSONResponse{
		Subject: shown.Subject, Preheader: shown.Preheader, Html: shown.HTML, Text: shown.Text, Problems: orEmpty(shown.Problems),
	}, err
}

// SendTestCreative sends a message once to an address.
func (h *handlers) SendTestCreative(ctx context.Context, request SendTestCreativeRequestObject) (SendTestCreativeResponseObject, error) {
	in := request.Body
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

// SimulateFunnel walks a graph with a person, in virtual time.
func (h *handlers) SimulateFunnel(ctx context.Context, request SimulateFunnelRequestObject) (SimulateFunnelResponseObject, error) {
	in := *request.Body
	current, err := h.Funnels.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	document := current.Document
	if in.Graph != nil {
		document = funnels.Document{Graph: *in.Graph, Creatives: orZero(in.Creatives)}
	}
	references, err := funnels.References(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, err
	}
	input, err := h.simulated(ctx, in)
	if err != nil {
		return nil, err
	}
	timeline, err := engine.Simulate(document.Bundle(references), input)
	if unsound, ok := errors.AsType[*engine.UnsoundError](err); ok {
		return nil, fault.New(fault.Invalid, "This funnel cannot be walked yet. Mend what is marked in it.").WithDetails(funnels.Refusal{Problems: unsound.Problems})
	}
	if err != nil {
		return nil, err
	}
	answer, err := toSimulation(timeline)
	return SimulateFunnel200JSONResponse(answer), err
}

// simulated is whom a simulation follows: a real person, or one the caller invents.
func (h *handlers) simulated(ctx context.Context, in SimulationInput) (engine.SimInput, error) {
	if in.Start != nil && (in.Start.Year() < 1900 || in.Start.Year() > 2200) {
		return engine.SimInput{}, fault.InvalidField("start", "The year %d is too far away. Take one from 1900 to 2200.", in.Start.Year())
	}
	input := engine.SimInput{Start: or(in.Start, h.Clock.Now()), Contact: engine.Contact{Fields: orZero(in.Contact)}}
	if in.Event != nil {
		input.Event = &engine.Event{Props: *in.Event, Name: orZero(in.EventName)}
	}
	for _, event := range orZero(in.Events) {
		input.Events = append(input.Events, engine.Event{Name: event.Name, At: event.At, Props: orZero(event.Properties)})
	}
	if in.ContactId == nil {
		if input.Contact.Fields == nil {
			input.Contact.Fields = map[string]any{"first_name": "Anna", "email": "anna@example.com"}
		}
		input.Contact.Consents = []engine.Consent{{Channel: engine.ChannelEmail, State: people.Granted}}
		return input, nil
	}
	key := facts.Key{Workspace: workspace(ctx), Contact: *in.ContactId}
	found, err := facts.Contacts(ctx, h.DB, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return input, err
	}
	person := found[key]
	if person == nil || person.Gone {
		return input, fault.New(fault.NotFound, "There is no such contact.")
	}
	if err := facts.Fill(ctx, h.DB, found, facts.Needs{Rollups: true, Consents: true}); err != nil {
		return input, err
	}
	input.Contact = person.Contact
	return input, nil
}

func toSimulation(timeline engine.Timeline) (Simulation, error) {
	raw, err := json.Marshal(timeline)
	if err != nil {
		return Simulation{}, err
	}
	var out Simulation
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, err
	}
	return out, nil
}
