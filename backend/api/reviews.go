package api

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/reviews"
	"github.com/lejek/lejek/backend/store"
)

// GetApproval answers the latest request to publish a draft.
func (h *handlers) GetApproval(ctx context.Context, request GetApprovalRequestObject) (GetApprovalResponseObject, error) {
	answer, err := h.approval(ctx)(reviews.Latest(ctx, h.DB, workspace(ctx), request.Id))
	return GetApproval200JSONResponse{answer}, err
}

// AskApproval asks somebody who may publish.
func (h *handlers) AskApproval(ctx context.Context, request AskApprovalRequestObject) (AskApprovalResponseObject, error) {
	in := request.Body
	answer, err := h.approval(ctx)(change(ctx, h, func(tx store.Tx) (*reviews.Approval, error) {
		return reviews.Ask(ctx, tx, workspace(ctx), request.Id, in.Revision, orZero(in.Note), by(ctx))
	}))
	return AskApproval200JSONResponse{answer}, err
}

// WithdrawApproval ends a request.
func (h *handlers) WithdrawApproval(ctx context.Context, request WithdrawApprovalRequestObject) (WithdrawApprovalResponseObject, error) {
	answer, err := h.approval(ctx)(change(ctx, h, func(tx store.Tx) (*reviews.Approval, error) {
		return reviews.Withdraw(ctx, tx, workspace(ctx), request.Id)
	}))
	return WithdrawApproval200JSONResponse{answer}, err
}

// DecideApproval approves a draft or sends it back.
func (h *handlers) DecideApproval(ctx context.Context, request DecideApprovalRequestObject) (DecideApprovalResponseObject, error) {
	in := request.Body
	answer, err := h.approval(ctx)(change(ctx, h, func(tx store.Tx) (*reviews.Approval, error) {
		return reviews.Decide(ctx, tx, workspace(ctx), request.Id, reviews.Decision{
			Revision: in.Revision, Approve: in.Approve, Answer: orZero(in.Answer), By: by(ctx),
		})
	}))
	return DecideApproval200JSONResponse{answer}, err
}

// PublishApproved publishes the draft that was approved.
func (h *handlers) PublishApproved(ctx context.Context, request PublishApprovedRequestObject) (PublishApprovedResponseObject, error) {
	if request.Body.Version != nil {
		return nil, fault.InvalidField("version", "Only the draft can be approved. Publish an earlier version as an approver, or restore it first.")
	}
	if err := reviews.NeedApproved(ctx, h.DB, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	// The revision is compared again under the funnel's lock, so what is published is what was approved.
	published, err := h.publish(ctx, request.Id, request.Body)
	return PublishApproved200JSONResponse(published), err
}

// approval maps what a call of reviews answers.
func (h *handlers) approval(ctx context.Context) func(*reviews.Approval, error) (ApprovalAnswerJSONResponse, error) {
	return func(found *reviews.Approval, err error) (ApprovalAnswerJSONResponse, error) {
		if err != nil || found == nil {
			return ApprovalAnswerJSONResponse{}, err
		}
		names, err := h.memberNames(ctx)
		me := by(ctx)
		return ApprovalAnswerJSONResponse{Approval: &Approval{
			Id: found.ID, State: ApprovalState(found.State), Revision: found.Revision, Note: found.Note, AskedBy: optional(names[orZero(found.AskedBy)]),
			AskedAt: found.AskedAt, Mine: same(me, found.AskedBy), Lapsed: found.Lapsed, Answer: optional(found.Answer),
			DecidedBy: optional(names[orZero(found.DecidedBy)]), DecidedAt: found.DecidedAt,
		}}, err
	}
}

func same(a, b *uuid.UUID) bool { return a != nil && b != nil && *a == *b }

// ListComments lists what is said about a funnel.
func (h *handlers) ListComments(ctx context.Context, request ListCommentsRequestObject) (ListCommentsResponseObject, error) {
	rows, err := reviews.Comments(ctx, h.DB, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	names, err := h.memberNames(ctx)
	return ListComments200JSONResponse{Items: each(rows, toComment(names, by(ctx)))}, err
}

// AddComment says something. Who is mentioned but not a member is left out.
func (h *handlers) AddComment(ctx context.Context, request AddCommentRequestObject) (AddCommentResponseObject, error) {
	in := request.Body
	names, err := h.memberNames(ctx)
	if err != nil {
		return nil, err
	}
	mentions := slices.DeleteFunc(slices.Clone(orZero(in.Mentions)), func(id uuid.UUID) bool { return names[id] == "" })
	made, err := change(ctx, h, func(tx store.Tx) (store.FunnelComment, error) {
		return reviews.Comment(ctx, tx, workspace(ctx), request.Id, reviews.Words{
			Node: orZero(in.Node), Body: in.Body, Answers: in.Answers, Mentions: mentions, By: by(ctx),
		})
	})
	return AddComment201JSONResponse(toComment(names, by(ctx))(made)), err
}

// ChangeComment rewords, resolves or opens again.
func (h *handlers) ChangeComment(ctx context.Context, request ChangeCommentRequestObject) (ChangeCommentResponseObject, error) {
	in := request.Body
	if in.Body == nil && in.Resolved == nil {
		return nil, fault.New(fault.Invalid, "Say what to change: the body, or whether it is resolved.")
	}
	made, err := change(ctx, h, func(tx store.Tx) (row store.FunnelComment, err error) {
		if in.Body != nil {
			row, err = reviews.Reword(ctx, tx, workspace(ctx), request.Id, request.Comment, *in.Body, by(ctx))
		}
		if err == nil && in.Resolved != nil {
			row, err = reviews.Resolve(ctx, tx, workspace(ctx), request.Id, request.Comment, *in.Resolved, by(ctx))
		}
		return row, err
	})
	if err != nil {
		return nil, err
	}
	names, err := h.memberNames(ctx)
	return ChangeComment200JSONResponse(toComment(names, by(ctx))(made)), err
}

// DeleteComment takes one's own comment away.
func (h *handlers) DeleteComment(ctx context.Context, request DeleteCommentRequestObject) (DeleteCommentResponseObject, error) {
	return DeleteComment204Response{}, h.inTx(ctx, func(tx store.Tx) error {
		return reviews.Delete(ctx, tx, workspace(ctx), request.Id, request.Comment, by(ctx))
	})
}

func toComment(names map[uuid.UUID]string, me *uuid.UUID) func(store.FunnelComment) Comment {
	return func(c store.FunnelComment) Comment {
		return Comment{
			Id: c.ID, Node: c.Node, Answers: c.Answers, Body: c.Body, Mentions: orEmpty(c.Mentions), WrittenBy: optional(names[orZero(c.WrittenBy)]),
			WrittenAt: c.WrittenAt, EditedAt: c.EditedAt, ResolvedBy: optional(names[orZero(c.ResolvedBy)]), ResolvedAt: c.ResolvedAt,
			Mine: same(me, c.WrittenBy),
		}
	}
}

// BePresent notes that somebody looks at a funnel. A program is nobody to be seen: it only hears who is.
func (h *handlers) BePresent(ctx context.Context, request BePresentRequestObject) (BePresentResponseObject, error) {
	in, me := request.Body, by(ctx)
	var page *reviews.Page
	if me != nil {
		page = &reviews.Page{ID: in.Page, User: *me, Node: orZero(in.Node)}
	}
	others, revision, err := reviews.Beat(ctx, h.DB, workspace(ctx), request.Id, page, orZero(in.Leave), h.Machine.Now())
	return BePresent200JSONResponse{Revision: revision, People: each(others, func(p store.PresentRow) Presence {
		return Presence{Page: p.Page, UserId: p.UserID, Name: p.Name, Node: p.Node, Me: me != nil && *me == p.UserID}
	})}, err
}

// ListWaiting lists what waits for the person who asks.
func (h *handlers) ListWaiting(ctx context.Context, _ ListWaitingRequestObject) (ListWaitingResponseObject, error) {
	out := Waiting{}
	names, err := h.memberNames(ctx)
	if err != nil {
		return nil, err
	}
	actor := auth.From(ctx)
	var asked []store.OpenApprovalsRow
	if actor.May(auth.FunnelsPublish) {
		if asked, err = reviews.Waiting(ctx, h.DB, workspace(ctx), actor.By()); err != nil {
			return nil, err
		}
	}
	var mentions []store.OpenMentionsRow
	if me := actor.By(); me != nil {
		if mentions, err = reviews.Mentions(ctx, h.DB, workspace(ctx), *me); err != nil {
			return nil, err
		}
	}
	out.Approvals = each(asked, func(a store.OpenApprovalsRow) WaitingApproval {
		return WaitingApproval{FunnelId: a.FunnelID, Funnel: a.Funnel, Note: a.Note, AskedBy: optional(names[orZero(a.AskedBy)]), AskedAt: a.AskedAt}
	})
	out.Mentions = each(mentions, func(m store.OpenMentionsRow) WaitingMention {
		return WaitingMention{
			FunnelId: m.FunnelID, Funnel: m.Funnel, Node: m.Node, Body: m.Body, WrittenBy: optional(names[orZero(m.WrittenBy)]), WrittenAt: m.WrittenAt,
		}
	})
	return ListWaiting200JSONResponse(out), nil
}
