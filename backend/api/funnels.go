package api

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/watch"
	"github.com/lejek/lejek/engine"
)

// ListFunnels lists funnels, the newest first.
func (h *handlers) ListFunnels(ctx context.Context, request ListFunnelsRequestObject) (ListFunnelsResponseObject, error) {
	in := request.Params
	filter := funnels.Filter{State: string(orZero(in.State)), Query: orZero(in.Q), Limit: max(1, min(or(in.Limit, 50), maxPage))}
	if in.Cursor != nil {
		after, err := uuid.Parse(*in.Cursor)
		if err != nil {
			return nil, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
		}
		filter.After = after
	}
	heads, more, err := h.Funnels.List(ctx, workspace(ctx), filter)
	if err != nil {
		return nil, err
	}
	answer := ListFunnels200JSONResponse{Items: each(heads, toFunnel)}
	found, err := watch.Counts(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, err
	}
	for i := range answer.Items {
		if n := found[answer.Items[i].Id]; n > 0 {
			answer.Items[i].Findings = &n
		}
	}
	if more {
		answer.Next = new(heads[len(heads)-1].ID.String())
	}
	return answer, nil
}

// CreateFunnel makes a funnel with a draft.
func (h *handlers) CreateFunnel(ctx context.Context, request CreateFunnelRequestObject) (CreateFunnelResponseObject, error) {
	in, document := request.Body, funnels.Blank()
	if in.Template != nil {
		made, err := h.fromTemplate(ctx, in)
		return CreateFunnel201JSONResponse(made), err
	}
	if in.Graph != nil {
		document.Graph = *in.Graph
	}
	if in.Creatives != nil {
		document.Creatives = *in.Creatives
	}
	document.Layout = orZero(in.Layout)
	made, err := h.document(ctx)(h.Funnels.Create(ctx, workspace(ctx), in.Name, document, by(ctx)))
	return CreateFunnel201JSONResponse(made), err
}

// GetFunnel answers the draft with its problems.
func (h *handlers) GetFunnel(ctx context.Context, request GetFunnelRequestObject) (GetFunnelResponseObject, error) {
	document, err := h.document(ctx)(h.Funnels.Get(ctx, workspace(ctx), request.Id))
	return GetFunnel200JSONResponse(document), err
}

// RenameFunnel gives another name.
func (h *handlers) RenameFunnel(ctx context.Context, request RenameFunnelRequestObject) (RenameFunnelResponseObject, error) {
	current, err := h.Funnels.Rename(ctx, workspace(ctx), request.Id, request.Body.Name, by(ctx))
	return RenameFunnel200JSONResponse(toFunnel(current.Head)), err
}

// DeleteFunnel removes a funnel that was never published.
func (h *handlers) DeleteFunnel(ctx context.Context, request DeleteFunnelRequestObject) (DeleteFunnelResponseObject, error) {
	return DeleteFunnel204Response{}, h.Funnels.Delete(ctx, workspace(ctx), request.Id)
}

// SaveDraft replaces the draft and judges it.
func (h *handlers) SaveDraft(ctx context.Context, request SaveDraftRequestObject) (SaveDraftResponseObject, error) {
	in := request.Body
	document := funnels.Document{Graph: in.Graph, Creatives: in.Creatives, Layout: orZero(in.Layout)}
	saved, err := h.Funnels.SaveDraft(ctx, workspace(ctx), request.Id, funnels.Save{
		Revision: in.Revision, Name: orZero(in.Name), Document: document, By: by(ctx),
	})
	if err != nil {
		return nil, err
	}
	h.took(ctx, stepWritten)
	problems, err := h.Funnels.Judge(ctx, workspace(ctx), document)
	return SaveDraft200JSONResponse{Revision: saved.Revision, SavedAt: saved.SavedAt, Problems: orEmpty(problems)}, err
}

// ValidateFunnel judges the draft.
func (h *handlers) ValidateFunnel(ctx context.Context, request ValidateFunnelRequestObject) (ValidateFunnelResponseObject, error) {
	problems, err := h.Funnels.Validate(ctx, workspace(ctx), request.Id)
	return ValidateFunnel200JSONResponse{ProblemsAnswerJSONResponse{Problems: orEmpty(problems)}}, err
}

// ValidateBundle judges a document that is not saved.
func (h *handlers) ValidateBundle(ctx context.Context, request ValidateBundleRequestObject) (ValidateBundleResponseObject, error) {
	document := funnels.Document{Graph: request.Body.Graph, Creatives: orZero(request.Body.Creatives)}
	problems, err := h.Funnels.Judge(ctx, workspace(ctx), document)
	return ValidateBundle200JSONResponse{ProblemsAnswerJSONResponse{Problems: orEmpty(problems)}}, err
}

// PreviewPublish says what publishing would change.
func (h *handlers) PreviewPublish(ctx context.Context, request PreviewPublishRequestObject) (PreviewPublishResponseObject, error) {
	preview, err := h.previewPublish(ctx, request.Id, 0, nil)
	return PreviewPublish200JSONResponse(preview), err
}

// PublishFunnel freezes the draft, or what a version held, and makes it live.
func (h *handlers) PublishFunnel(ctx context.Context, request PublishFunnelRequestObject) (PublishFunnelResponseObject, error) {
	published, err := h.publish(ctx, request.Id, request.Body)
	return PublishFunnel200JSONResponse(published), err
}

func (h *handlers) publish(ctx context.Context, id uuid.UUID, in *PublishInput) (Funnel, error) {
	source, err := h.Funnels.Source(ctx, workspace(ctx), id, orZero(in.Version))
	if err != nil {
		return Funnel{}, err
	}
	plan, err := h.movePlan(ctx, id, source, orZero(in.Plan))
	if err != nil {
		return Funnel{}, err
	}
	var task *uuid.UUID
	published, err := h.Funnels.Publish(ctx, workspace(ctx), id, funnels.Publish{
		Revision: in.Revision, AcceptWarnings: orZero(in.AcceptWarnings), Name: orZero(in.Name), Note: orZero(in.Note), By: by(ctx), From: orZero(in.Version),
		Then: h.afterPublish(ctx, id, in, plan, &task),
	})
	if err != nil {
		return Funnel{}, err
	}
	h.took(ctx, stepPublished)
	out := toFunnel(published.Current.Head)
	out.MoveTask = task
	return out, h.noteOverridden(ctx, id, published)
}

// PauseFunnel keeps everybody where they are.
func (h *handlers) PauseFunnel(ctx context.Context, request PauseFunnelRequestObject) (PauseFunnelResponseObject, error) {
	current, err := h.Funnels.Pause(ctx, workspace(ctx), request.Id, by(ctx))
	return PauseFunnel200JSONResponse{FunnelAnswerJSONResponse(toFunnel(current.Head))}, err
}

// ResumeFunnel lets them go on.
func (h *handlers) ResumeFunnel(ctx context.Context, request ResumeFunnelRequestObject) (ResumeFunnelResponseObject, error) {
	current, err := h.Funnels.Resume(ctx, workspace(ctx), request.Id, by(ctx))
	return ResumeFunnel200JSONResponse{FunnelAnswerJSONResponse(toFunnel(current.Head))}, err
}

// StopFunnel ends all runs.
func (h *handlers) StopFunnel(ctx context.Context, request StopFunnelRequestObject) (StopFunnelResponseObject, error) {
	current, err := h.Funnels.Stop(ctx, workspace(ctx), request.Id, by(ctx))
	return StopFunnel200JSONResponse{FunnelAnswerJSONResponse(toFunnel(current.Head))}, err
}

// ArchiveFunnel takes a funnel out of the lists.
func (h *handlers) ArchiveFunnel(ctx context.Context, request ArchiveFunnelRequestObject) (ArchiveFunnelResponseObject, error) {
	current, err := h.Funnels.Archive(ctx, workspace(ctx), request.Id, by(ctx))
	return ArchiveFunnel200JSONResponse{FunnelAnswerJSONResponse(toFunnel(current.Head))}, err
}

// DuplicateFunnel makes a new funnel with the same draft.
func (h *handlers) DuplicateFunnel(ctx context.Context, request DuplicateFunnelRequestObject) (DuplicateFunnelResponseObject, error) {
	made, err := h.document(ctx)(h.Funnels.Duplicate(ctx, workspace(ctx), request.Id, "", by(ctx)))
	return DuplicateFunnel201JSONResponse(made), err
}

// document maps what a call of funnels answers, and adds what is wrong with it.
func (h *handlers) document(ctx context.Context) func(funnels.Current, error) (FunnelDocument, error) {
	return func(current funnels.Current, err error) (FunnelDocument, error) {
		if err != nil {
			return FunnelDocument{}, err
		}
		problems, err := h.Funnels.Judge(ctx, workspace(ctx), current.Document)
		return toDocument(current, problems), err
	}
}

func toDocument(current funnels.Current, problems []engine.Problem) FunnelDocument {
	document := FunnelDocument{
		Funnel: toFunnel(current.Head), Revision: current.Head.Revision, Graph: whole(current.Document.Graph), Creatives: current.Document.Creatives,
		Layout: layout(current.Document.Layout), Problems: orEmpty(problems),
	}
	if document.Creatives == nil {
		document.Creatives = Creatives{}
	}
	return document
}

// whole gives a graph its lists, for null is none in JSON.
func whole(graph engine.Graph) engine.Graph {
	graph.Nodes, graph.Edges = orEmpty(graph.Nodes), orEmpty(graph.Edges)
	return graph
}

func layout(raw json.RawMessage) *Layout {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return &raw
}

func toFunnel(head funnels.Head) Funnel {
	return Funnel{
		Id: head.ID, Slug: head.Slug, Name: head.Name, State: FunnelState(head.State), Version: head.Version, Changed: head.Changed,
		Counts: RunCounts(head.Counts), CreatedAt: head.CreatedAt, UpdatedAt: head.UpdatedAt, PublishedAt: head.PublishedAt,
	}
}

// by is the person who makes the request, nil for a program.
func by(ctx context.Context) *uuid.UUID { return auth.From(ctx).By() }
