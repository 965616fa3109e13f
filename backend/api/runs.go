package api

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/views"
)

// ListRuns lists runs, the newest first.
func (h *handlers) ListRuns(ctx context.Context, request ListRunsRequestObject) (ListRunsResponseObject, error) {
	in := request.Params
	page, err := views.Runs(ctx, h.DB, workspace(ctx), views.RunFilter{
		Funnel: orZero(in.Funnel), Contact: orZero(in.Contact), State: string(orZero(in.State)), Node: orZero(in.Node),
		Paging: paging(in.Cursor, in.Limit),
	})
	return ListRuns200JSONResponse{Items: each(page.Items, toRun), Next: optional(page.Next)}, err
}

// GetRun answers one run with its journal and its messages.
func (h *handlers) GetRun(ctx context.Context, request GetRunRequestObject) (GetRunResponseObject, error) {
	run, err := views.GetRun(ctx, h.DB, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	journal, err := views.Journal(ctx, h.DB, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	memory, err := views.RunMemory(ctx, h.DB, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	messages, err := views.Messages(ctx, h.DB, workspace(ctx), views.MessageFilter{Run: request.Id, Paging: views.Paging{Limit: maxPage}})
	if err != nil {
		return nil, err
	}
	detail := RunDetail{Run: toRun(run), Journal: make([]Visit, len(journal)), Messages: each(messages.Items, toMessage)}
	for i, visit := range journal {
		at := Visit{Seq: visit.Seq, Node: visit.Node, Kind: visit.Kind, At: visit.At, Port: visit.Port}
		if at.Detail, err = properties(visit.Detail); err != nil {
			return nil, err
		}
		detail.Journal[i] = at
	}
	event, err := properties(memory.Event)
	if err != nil {
		return nil, err
	}
	vars, err := properties(memory.Vars)
	detail.Event, detail.Vars = &event, &vars
	return GetRun200JSONResponse(detail), err
}

// maxPage is the largest page of a list.
const maxPage = 200

func paging(cursor *string, limit *int) views.Paging {
	return views.Paging{Cursor: orZero(cursor), Limit: orZero(limit)}
}

func toRun(r views.Run) Run {
	return Run{
		Id: r.ID, FunnelId: r.FunnelID, FunnelName: r.FunnelName, Version: r.Version, Contact: toRef(r.Person), State: RunState(r.State),
		Node: r.Node, NodeName: r.NodeName, NodeTitle: toTexts(r.Title().Texts()), Skippable: &r.Skippable, Seq: r.Seq, StartedAt: r.StartedAt, WakeAt: r.WakeAt, EndedAt: r.EndedAt, Reason: r.EndReason,
		Error: r.LastError, Attempts: optional(r.Attempts),
	}
}

func toRef(p views.Person) ContactRef {
	name := strings.TrimSpace(p.ContactFirstName + " " + p.ContactLastName)
	return ContactRef{Id: p.ContactID, Name: optional(name), Email: p.ContactEmail, ExternalId: p.ContactExternalID}
}

// properties reads an object the database keeps; null is an empty one.
func properties(raw json.RawMessage) (Properties, error) {
	object := Properties{}
	if len(raw) == 0 {
		return object, nil
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return object, fault.Wrap(err, "read properties")
	}
	if object == nil {
		object = Properties{}
	}
	return object, nil
}
