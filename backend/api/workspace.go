package api

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/agenda"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

// ListWorkspaces lists the workspaces I belong to.
func (h *handlers) ListWorkspaces(ctx context.Context, _ ListWorkspacesRequestObject) (ListWorkspacesResponseObject, error) {
	all, err := h.Auth.Memberships(ctx, auth.From(ctx).ID())
	return ListWorkspaces200JSONResponse{Items: each(all, toMembership)}, err
}

// CreateWorkspace makes a workspace of mine.
func (h *handlers) CreateWorkspace(ctx context.Context, request CreateWorkspaceRequestObject) (CreateWorkspaceResponseObject, error) {
	in := request.Body
	made, err := h.Auth.CreateWorkspace(ctx, h.Clock, *auth.From(ctx).User, workspaces.Input{
		Name: in.Name, Zone: orZero(in.Zone), Language: string(orZero(in.Language)),
	})
	return CreateWorkspace201JSONResponse(h.toWorkspace(made)), err
}

// GetWorkspace answers the settings.
func (h *handlers) GetWorkspace(ctx context.Context, _ GetWorkspaceRequestObject) (GetWorkspaceResponseObject, error) {
	row, err := workspaces.Get(ctx, h.DB, workspace(ctx))
	return GetWorkspace200JSONResponse(h.toWorkspace(row)), err
}

// UpdateWorkspace changes settings.
func (h *handlers) UpdateWorkspace(ctx context.Context, request UpdateWorkspaceRequestObject) (UpdateWorkspaceResponseObject, error) {
	in := request.Body
	row, err := change(ctx, h, func(tx store.Tx) (store.Workspace, error) {
		before, err := store.Q.Workspace(ctx, tx, workspace(ctx))
		if err != nil {
			return before, err
		}
		after, err := workspaces.Update(ctx, tx, workspace(ctx), workspaces.Patch{
			Name: in.Name, Zone: in.Zone, Language: (*string)(in.Language), Currency: in.Currency, Address: in.Address,
			AllowUnknownConsent: in.AllowUnknownConsent, RespectDoNotTrack: in.RespectDoNotTrack, Tracking: in.Tracking, ShortLinks: in.ShortLinks,
			OutboxMinutes: toInt32(in.OutboxMinutes), QuietHours: fromQuietHours(in.QuietHours), FrequencyCaps: fromCaps(in.FrequencyCaps),
		})
		if err == nil && (in.QuietHours != nil || in.FrequencyCaps != nil) {
			err = delivery.Reconsider(ctx, tx, workspace(ctx))
		}
		if err == nil && after.Zone != before.Zone {
			err = errors.Join(segments.Rebuild(ctx, tx, workspace(ctx)), agenda.Rebuild(ctx, tx, workspace(ctx), before.Zone, after.Zone))
		}
		return after, err
	})
	return UpdateWorkspace200JSONResponse(h.toWorkspace(row)), err
}

// PauseSending holds everything back.
func (h *handlers) PauseSending(ctx context.Context, _ PauseSendingRequestObject) (PauseSendingResponseObject, error) {
	row, err := h.switchSending(ctx, workspaces.Pause)
	return PauseSending200JSONResponse(row), err
}

// ResumeSending lets messages leave again: what waited is due now.
func (h *handlers) ResumeSending(ctx context.Context, _ ResumeSendingRequestObject) (ResumeSendingResponseObject, error) {
	row, err := h.switchSending(ctx, func(ctx context.Context, tx store.Tx, id uuid.UUID) (store.Workspace, error) {
		row, err := workspaces.Resume(ctx, tx, id)
		if err != nil {
			return row, err
		}
		return row, delivery.Resume(ctx, tx, id)
	})
	h.nudge("deliver")
	return ResumeSending200JSONResponse(row), err
}

func (h *handlers) switchSending(ctx context.Context, to func(context.Context, store.Tx, uuid.UUID) (store.Workspace, error)) (Workspace, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Workspace, error) { return to(ctx, tx, workspace(ctx)) })
	return h.toWorkspace(row), err
}

// toInt32 narrows a number that the contract bounds.
func toInt32(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(int32(*n))
}

func (h *handlers) toWorkspace(w store.Workspace) Workspace {
	out := Workspace{
		Id: w.ID, Name: w.Name, Zone: w.Zone, Language: Language(w.Language), Currency: w.Currency, Address: w.PostalAddress,
		SendingPaused: w.PausedAt != nil, AllowUnknownConsent: w.AllowUnknownConsent, RespectDoNotTrack: &w.RespectDoNotTrack, Delivery: WorkspaceDeliverySandbox,
		Clock: new(WorkspaceClockSystem), Ai: new(h.aiName()), Tracking: w.Tracking, ShortLinks: w.ShortLinks,
	}
	minutes := int(w.OutboxMinutes)
	out.OutboxMinutes = &minutes
	out.QuietHours, out.FrequencyCaps = toQuietHours(w.QuietHours), toCaps(w.FrequencyCaps)
	if w.SendingMode == "live" {
		out.Delivery = WorkspaceDeliverySmtp
	}
	if h.manual() != nil {
		out.Clock = new(WorkspaceClockManual)
	}
	return out
}

// ListSenders lists senders, the default one first.
func (h *handlers) ListSenders(ctx context.Context, _ ListSendersRequestObject) (ListSendersResponseObject, error) {
	rows, err := store.Q.Senders(ctx, h.DB, workspace(ctx))
	return ListSenders200JSONResponse{Items: each(rows, toSender)}, err
}

// CreateSender makes a sender.
func (h *handlers) CreateSender(ctx context.Context, request CreateSenderRequestObject) (CreateSenderResponseObject, error) {
	in := request.Body
	row, err := h.putSender(ctx, workspaces.Sender{
		Slug: orZero(in.Slug), Name: orZero(in.Name), Email: in.Email, ReplyTo: orZero(in.ReplyTo), Default: orZero(in.IsDefault),
	})
	return CreateSender201JSONResponse(toSender(row)), err
}

// UpdateSender changes a sender.
func (h *handlers) UpdateSender(ctx context.Context, request UpdateSenderRequestObject) (UpdateSenderResponseObject, error) {
	in := request.Body
	row, err := change(ctx, h, func(tx store.Tx) (store.Sender, error) {
		now, err := workspaces.GetSender(ctx, tx, workspace(ctx), request.Slug)
		if err != nil {
			return now, err
		}
		return workspaces.PutSender(ctx, tx, workspace(ctx), workspaces.Sender{
			Slug: now.Slug, Name: or(in.Name, now.Name), Email: or(in.Email, now.Email), ReplyTo: or(in.ReplyTo, now.ReplyTo),
			Default: now.IsDefault || orZero(in.IsDefault),
		})
	})
	return UpdateSender200JSONResponse(toSender(row)), err
}

// DeleteSender takes a sender away.
func (h *handlers) DeleteSender(ctx context.Context, request DeleteSenderRequestObject) (DeleteSenderResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error { return workspaces.DeleteSender(ctx, tx, workspace(ctx), request.Slug) })
	return DeleteSender204Response{}, err
}

func (h *handlers) putSender(ctx context.Context, in workspaces.Sender) (store.Sender, error) {
	return change(ctx, h, func(tx store.Tx) (store.Sender, error) { return workspaces.PutSender(ctx, tx, workspace(ctx), in) })
}

func toSender(s store.Sender) Sender {
	return Sender{Slug: s.Slug, Email: s.Email, Name: s.Name, ReplyTo: optional(s.ReplyTo), Verified: s.VerifiedAt != nil, IsDefault: s.IsDefault}
}

// or is what a pointer points to, or else another value.
func or[T any](value *T, other T) T {
	if value == nil {
		return other
	}
	return *value
}
