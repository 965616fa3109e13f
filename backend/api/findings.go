package api

import (
	"context"

	"github.com/lejek/lejek/backend/watch"
)

// ListFindings answers what the watch over a live funnel found.
func (h *handlers) ListFindings(ctx context.Context, request ListFindingsRequestObject) (ListFindingsResponseObject, error) {
	if _, err := h.Funnels.Get(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	found, err := watch.List(ctx, h.DB, workspace(ctx), request.Id, orZero(request.Params.Resolved))
	return ListFindings200JSONResponse{Items: each(found, toFinding)}, err
}

func toFinding(f watch.Finding) Finding {
	out := Finding{
		Code: FindingCode(f.Code), Node: f.Node, Severity: FindingSeverity(f.Severity), Since: f.Since, ResolvedAt: f.Resolved, Said: toSentence(f.Said),
	}
	if f.Mend != "" {
		out.Fix = &struct {
			Kind FindingFixKind `json:"kind"`
			Ref  *string        `json:"ref,omitempty"`
		}{FindingFixKind(f.Mend), orNil(f.Ref)}
	}
	return out
}
