package api

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/engine"
)

// SimulateFunnel walks a graph with a person, in virtual time.
func (h *handlers) SimulateFunnel(ctx context.Context, request SimulateFunnelRequestObject) (SimulateFunnelResponseObject, error) {
	in := *request.Body
	current, err := h.Funnels.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	document := sentAlong(current.Document, in.Graph, in.Creatives)
	references, err := funnels.References(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, err
	}
	references.Self = current.Head.Slug
	bundle := document.Bundle(references)
	input, person, err := h.simulated(ctx, in, bundle)
	if err != nil {
		return nil, walkable(err)
	}
	if input.House, err = rehearse.House(ctx, h.DB, workspace(ctx)); err != nil {
		return nil, err
	}
	timeline, err := engine.Simulate(bundle, input)
	if err != nil {
		return nil, walkable(err)
	}
	h.took(ctx, stepSimulated)
	answer, err := toSimulation(timeline)
	if err != nil {
		return nil, err
	}
	plain := input
	plain.House = engine.House{} // a test says what the funnel does, whatever the workspace's hours and caps
	if timeline, err = engine.Simulate(bundle, plain); err != nil {
		return nil, err
	}
	answer.Test = new(engine.Keep("-", person, bundle.Workspace, plain, timeline))
	return SimulateFunnel200JSONResponse(answer), nil
}

// sentAlong is the document a request sent, or else the stored one.
func sentAlong(stored funnels.Document, graph *engine.Graph, creatives *Creatives) funnels.Document {
	if graph == nil {
		return stored
	}
	return funnels.Document{Graph: *graph, Creatives: orZero(creatives)}
}

// walkable says for people why a funnel cannot be walked.
func walkable(err error) error {
	if unsound, ok := errors.AsType[*engine.UnsoundError](err); ok {
		return fault.New(fault.Invalid, "This funnel cannot be walked yet. Mend what is marked in it.").WithDetails(funnels.Refusal{Problems: unsound.Problems})
	}
	return err
}

// simulated is whom a simulation follows, and of which kind they are: somebody of the workspace, the sample with what the caller says of
// them, or nobody.
func (h *handlers) simulated(ctx context.Context, in SimulationInput, bundle engine.Bundle) (input engine.SimInput, person string, err error) {
	for field, at := range map[string]*time.Time{"start": in.Start, "until": in.Until} {
		if at != nil && (at.Year() < 1900 || at.Year() > 2200) {
			return input, "", fault.InvalidField(field, "The year %d is too far away. Take one from 1900 to 2200.", at.Year())
		}
	}
	input = engine.SimInput{Start: or(in.Start, h.Clock.Now()), Until: orZero(in.Until), Assume: orZero(in.Assume)}
	for _, event := range orZero(in.Events) {
		input.Events = append(input.Events, engine.Event{Name: event.Name, At: event.At, Props: orZero(event.Properties)})
	}
	person = engine.PersonSample
	switch {
	case in.ContactId != nil:
		person = engine.PersonReal
		input.Contact, err = h.known(ctx, *in.ContactId, bundle)
	case in.Contact != nil:
		input.Contact = engine.Nobody()
		input.Contact.Fields = *in.Contact
	case orZero(in.Person) == SimulationInputPersonNobody:
		person, input.Contact = engine.PersonNobody, engine.Nobody()
	default:
		input.Contact = engine.Sample(bundle.Workspace)
	}
	if err != nil {
		return input, person, err
	}
	event, err := engine.UsualEvent(bundle, person == engine.PersonSample)
	if in.Event != nil {
		event = engine.Event{Props: *in.Event, Name: orZero(in.EventName)}
	}
	input.Event = &event
	return input, person, err
}

// known is somebody of the workspace with all a bundle asks about them.
func (h *handlers) known(ctx context.Context, contact Id, bundle engine.Bundle) (engine.Contact, error) {
	plan, err := engine.Compile(bundle)
	if err != nil {
		return engine.Contact{}, err
	}
	key := facts.Key{Workspace: workspace(ctx), Contact: contact}
	found, err := facts.Contacts(ctx, h.DB, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return engine.Contact{}, err
	}
	person := found[key]
	if person == nil || person.Gone {
		return engine.Contact{}, fault.New(fault.NotFound, "There is no such contact.")
	}
	err = facts.Fill(ctx, h.DB, found, facts.Needs{Events: plan.EventNames(), Rollups: true, Consents: true})
	return person.Contact, err
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
