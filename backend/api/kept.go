package api

import (
	"context"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// RestoreDraft makes an earlier document the draft again.
func (h *handlers) RestoreDraft(ctx context.Context, request RestoreDraftRequestObject) (RestoreDraftResponseObject, error) {
	in := request.Body
	document, err := h.document(ctx)(h.Funnels.Restore(ctx, workspace(ctx), request.Id, funnels.Restore{
		Revision: in.Revision, Version: orZero(in.Version), Kept: orZero(in.Kept), By: by(ctx),
	}))
	return RestoreDraft200JSONResponse(document), err
}

// ListKeptDrafts lists drafts that something else replaced.
func (h *handlers) ListKeptDrafts(ctx context.Context, request ListKeptDraftsRequestObject) (ListKeptDraftsResponseObject, error) {
	rows, err := h.Funnels.KeptDrafts(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	names, err := h.memberNames(ctx)
	return ListKeptDrafts200JSONResponse{Items: each(rows, func(k store.KeptDraftsRow) KeptDraft {
		return KeptDraft{Id: k.ID, KeptAt: k.KeptAt, KeptBy: optional(names[orZero(k.KeptBy)]), Steps: int(k.Steps)}
	})}, err
}

// KeepDraft keeps a document beside the draft.
func (h *handlers) KeepDraft(ctx context.Context, request KeepDraftRequestObject) (KeepDraftResponseObject, error) {
	kept, err := h.Funnels.Keep(ctx, workspace(ctx), request.Id, fromDocument(*request.Body), by(ctx))
	if err != nil {
		return nil, err
	}
	out, err := h.kept(ctx, kept)
	return KeepDraft201JSONResponse(out.Draft), err
}

// GetKeptDraft answers one of them with its document.
func (h *handlers) GetKeptDraft(ctx context.Context, request GetKeptDraftRequestObject) (GetKeptDraftResponseObject, error) {
	kept, err := h.Funnels.KeptDraft(ctx, workspace(ctx), request.Id, request.Draft)
	if err != nil {
		return nil, err
	}
	out, err := h.kept(ctx, kept)
	return GetKeptDraft200JSONResponse(out), err
}

func (h *handlers) kept(ctx context.Context, kept funnels.Kept) (KeptDocument, error) {
	names, err := h.memberNames(ctx)
	out := KeptDocument{
		Draft: KeptDraft{Id: kept.ID, KeptAt: kept.KeptAt, KeptBy: optional(names[orZero(kept.KeptBy)]), Steps: len(kept.Document.Graph.Nodes)},
		Graph: whole(kept.Document.Graph), Creatives: kept.Document.Creatives, Layout: layout(kept.Document.Layout),
	}
	if out.Creatives == nil {
		out.Creatives = Creatives{}
	}
	return out, err
}

// CompareDocuments says what separates two documents.
func (h *handlers) CompareDocuments(_ context.Context, request CompareDocumentsRequestObject) (CompareDocumentsResponseObject, error) {
	from, to := fromDocument(request.Body.From), fromDocument(request.Body.To)
	return CompareDocuments200JSONResponse{Changes: each(engine.Diff(from.Bundle(nil), to.Bundle(nil)), toChange)}, nil
}

func fromDocument(in DocumentInput) funnels.Document {
	return funnels.Document{Graph: in.Graph, Creatives: orZero(in.Creatives), Layout: orZero(in.Layout)}
}
