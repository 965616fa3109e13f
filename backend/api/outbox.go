package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/outbox"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

// ListOutbox answers what waits, by step and campaign.
func (h *handlers) ListOutbox(ctx context.Context, _ ListOutboxRequestObject) (ListOutboxResponseObject, error) {
	groups, err := h.Outbox.Groups(ctx, workspace(ctx))
	return ListOutbox200JSONResponse{Items: each(groups, func(g outbox.Group) OutboxGroup {
		return OutboxGroup{
			CampaignId: g.Campaign, FunnelId: g.Funnel, Node: optional(g.Node), Name: g.Name, Step: optional(g.Step), Channel: g.Channel, Subject: optional(g.Subject),
			Waiting: g.Waiting, Held: g.Held, LeavesAt: g.LeavesAt, MessageId: g.Sample,
		}
	})}, err
}

// ListOutboxMessages answers the people of a group.
func (h *handlers) ListOutboxMessages(ctx context.Context, request ListOutboxMessagesRequestObject) (ListOutboxMessagesResponseObject, error) {
	in := request.Params
	after, err := cursorID(in.Cursor)
	if err != nil {
		return nil, err
	}
	limit := max(1, min(or(in.Limit, 50), maxPage))
	list, err := h.Outbox.Messages(ctx, workspace(ctx), outbox.Selection{Campaign: orZero(in.Campaign), Funnel: orZero(in.Funnel), Node: orZero(in.Node)}, after, limit+1)
	if err != nil {
		return nil, err
	}
	answer := ListOutboxMessages200JSONResponse{}
	if len(list) > limit {
		list = list[:limit]
		answer.Next = new(list[limit-1].ID.String())
	}
	answer.Items = each(list, func(m outbox.Message) OutboxMessage {
		return OutboxMessage{Id: m.ID, ContactId: m.Contact, Name: m.Name, Address: optional(m.Address), Channel: m.Channel, Held: m.Held, LeavesAt: m.LeavesAt}
	})
	return answer, nil
}

func selection(s *OutboxSelection) outbox.Selection {
	return outbox.Selection{IDs: orZero(s.Ids), Campaign: orZero(s.CampaignId), Funnel: orZero(s.FunnelId), Node: orZero(s.Node)}
}

// HoldOutbox keeps messages back.
func (h *handlers) HoldOutbox(ctx context.Context, request HoldOutboxRequestObject) (HoldOutboxResponseObject, error) {
	n, err := h.Outbox.Hold(ctx, workspace(ctx), selection(request.Body))
	return HoldOutbox200JSONResponse{Changed: n}, err
}

// ReleaseOutbox lets messages go.
func (h *handlers) ReleaseOutbox(ctx context.Context, request ReleaseOutboxRequestObject) (ReleaseOutboxResponseObject, error) {
	n, err := h.Outbox.Release(ctx, workspace(ctx), selection(request.Body))
	return ReleaseOutbox200JSONResponse{Changed: n}, err
}

// DropOutbox takes messages out.
func (h *handlers) DropOutbox(ctx context.Context, request DropOutboxRequestObject) (DropOutboxResponseObject, error) {
	n, err := h.Outbox.Drop(ctx, workspace(ctx), selection(request.Body))
	return DropOutbox200JSONResponse{Changed: n}, err
}

// GetOutboxCreative answers what a waiting message says.
func (h *handlers) GetOutboxCreative(ctx context.Context, request GetOutboxCreativeRequestObject) (GetOutboxCreativeResponseObject, error) {
	creative, err := h.Outbox.Creative(ctx, workspace(ctx), request.Params.Message)
	return GetOutboxCreative200JSONResponse(creative), err
}

// CorrectOutbox has waiting messages say something else.
func (h *handlers) CorrectOutbox(ctx context.Context, request CorrectOutboxRequestObject) (CorrectOutboxResponseObject, error) {
	n, err := h.Outbox.Correct(ctx, workspace(ctx), selection(&request.Body.Selection), request.Body.Creative, by(ctx))
	return CorrectOutbox200JSONResponse{Changed: n}, err
}

// GetLiveChecklist tells what is missing before anything leaves.
func (h *handlers) GetLiveChecklist(ctx context.Context, _ GetLiveChecklistRequestObject) (GetLiveChecklistResponseObject, error) {
	checks, err := workspaces.Checklist(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, err
	}
	row, err := workspaces.Get(ctx, h.DB, workspace(ctx))
	return GetLiveChecklist200JSONResponse{Live: row.SendingMode == "live", Items: each(checks, func(c workspaces.Check) LiveCheck {
		return LiveCheck{Key: LiveCheckKey(c.Key), Ok: c.OK}
	})}, err
}

// GoLive lets messages leave.
func (h *handlers) GoLive(ctx context.Context, request GoLiveRequestObject) (GoLiveResponseObject, error) {
	row, err := h.turn(ctx, func(tx store.Tx, id uuid.UUID) error {
		return workspaces.GoLive(ctx, tx, id, string(orZero(request.Body.Warmup)), by(ctx))
	})
	return GoLive200JSONResponse(row), err
}

// GoSandbox keeps messages inside.
func (h *handlers) GoSandbox(ctx context.Context, _ GoSandboxRequestObject) (GoSandboxResponseObject, error) {
	row, err := h.turn(ctx, func(tx store.Tx, id uuid.UUID) error { return workspaces.GoSandbox(ctx, tx, id) })
	return GoSandbox200JSONResponse(row), err
}

// turn changes whether messages leave, and has those that wait go the new way.
func (h *handlers) turn(ctx context.Context, to func(tx store.Tx, id uuid.UUID) error) (Workspace, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Workspace, error) {
		id := workspace(ctx)
		if err := to(tx, id); err != nil {
			return store.Workspace{}, err
		}
		if err := delivery.Reroute(ctx, tx, id); err != nil {
			return store.Workspace{}, err
		}
		return workspaces.Get(ctx, tx, id)
	})
	h.nudge("deliver")
	return h.toWorkspace(row), err
}
