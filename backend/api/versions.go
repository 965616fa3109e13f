package api

import (
	"cmp"
	"context"
	"slices"

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

// GetCounts answers where people are and went.
func (h *handlers) GetCounts(ctx context.Context, request GetCountsRequestObject) (GetCountsResponseObject, error) {
	traffic, err := h.Funnels.Traffic(ctx, workspace(ctx), request.Id, orZero(request.Params.Version))
	if err != nil {
		return nil, err
	}
	counts := Counts{Runs: RunCounts(traffic.Runs), Nodes: map[string]NodeCount{}, Edges: []EdgeCount{}}
	for node, here := range traffic.Here {
		counts.Nodes[node] = NodeCount{Here: here}
	}
	for node, ports := range traffic.Passed {
		count := counts.Nodes[node]
		for port, n := range ports {
			count.Passed += n
			counts.Edges = append(counts.Edges, EdgeCount{From: node, Port: port, Passed: n})
		}
		counts.Nodes[node] = count
	}
	for node, messages := range traffic.Sent {
		count := counts.Nodes[node]
		count.Messages = &MessageCount{
			Sent: messages.Sent, Delivered: messages.Delivered, Opened: messages.Opened, Clicked: messages.Clicked,
			Skipped: messages.Skipped, Failed: messages.Failed,
		}
		counts.Nodes[node] = count
	}
	slices.SortFunc(counts.Edges, func(a, b EdgeCount) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Port, b.Port))
	})
	return GetCounts200JSONResponse(counts), nil
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
