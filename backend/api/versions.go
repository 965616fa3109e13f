package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/funnels"
)

// ListVersions lists the published versions, the newest first.
func (h *handlers) ListVersions(ctx context.Context, request ListVersionsRequestObject) (ListVersionsResponseObject, error) {
	versions, err := h.Funnels.Versions(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	names, err := h.memberNames(ctx)
	return ListVersions200JSONResponse{Items: each(versions, toVersion(names))}, err
}

// GetVersion answers one version with its document.
func (h *handlers) GetVersion(ctx context.Context, request GetVersionRequestObject) (GetVersionResponseObject, error) {
	version, document, err := h.Funnels.Version(ctx, workspace(ctx), request.Id, request.Number)
	if err != nil {
		return nil, err
	}
	names, err := h.memberNames(ctx)
	out := VersionDocument{
		Version: toVersion(names)(version), Graph: whole(document.Graph), Creatives: document.Creatives, Layout: layout(document.Layout),
	}
	if out.Creatives == nil {
		out.Creatives = Creatives{}
	}
	return GetVersion200JSONResponse(out), err
}

// memberNames are the names of the workspace's people by id; who has left has none.
func (h *handlers) memberNames(ctx context.Context) (map[uuid.UUID]string, error) {
	members, err := h.Auth.Members(ctx, workspace(ctx))
	names := make(map[uuid.UUID]string, len(members))
	for _, member := range members {
		names[member.User.ID] = member.User.Name
	}
	return names, err
}

func toVersion(names map[uuid.UUID]string) func(funnels.Version) Version {
	return func(v funnels.Version) Version {
		return Version{
			Number: v.N, PublishedAt: v.PublishedAt, PublishedBy: optional(names[orZero(v.PublishedBy)]), Name: optional(v.Name), Note: optional(v.Note),
			Current: v.Current, RunsActive: v.RunsActive,
		}
	}
}
