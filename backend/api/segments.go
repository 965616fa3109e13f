package api

import (
	"context"

	"github.com/lejek/lejek/backend/segments"
)

// ListSegments lists the live groups of people.
func (h *handlers) ListSegments(ctx context.Context, _ ListSegmentsRequestObject) (ListSegmentsResponseObject, error) {
	list, err := h.Segments.List(ctx, workspace(ctx))
	return ListSegments200JSONResponse{Items: each(list, toSegment)}, err
}

// CreateSegment makes a segment; the sweep fills it.
func (h *handlers) CreateSegment(ctx context.Context, request CreateSegmentRequestObject) (CreateSegmentResponseObject, error) {
	in := request.Body
	made, err := h.Segments.Create(ctx, workspace(ctx), segments.Input{Name: &in.Name, Description: in.Description, Rule: in.Rule})
	if err != nil {
		return nil, err
	}
	h.nudge("sweep")
	return CreateSegment201JSONResponse(toSegment(made)), nil
}

// CountAudience answers the three numbers of a rule.
func (h *handlers) CountAudience(ctx context.Context, request CountAudienceRequestObject) (CountAudienceResponseObject, error) {
	numbers, err := h.Segments.Count(ctx, workspace(ctx), request.Body.Rule)
	return CountAudience200JSONResponse(toNumbers(numbers)), err
}

// GetSegment answers a segment with its numbers now.
func (h *handlers) GetSegment(ctx context.Context, request GetSegmentRequestObject) (GetSegmentResponseObject, error) {
	found, err := h.Segments.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	numbers, err := h.Segments.CountSegment(ctx, workspace(ctx), found)
	return GetSegment200JSONResponse{Segment: toSegment(found), Numbers: toNumbers(numbers)}, err
}

// UpdateSegment changes a segment.
func (h *handlers) UpdateSegment(ctx context.Context, request UpdateSegmentRequestObject) (UpdateSegmentResponseObject, error) {
	in := segments.Input{Name: request.Body.Name, Description: request.Body.Description}
	if request.Body.Rule != nil {
		in.Rule = *request.Body.Rule
	}
	changed, err := h.Segments.Update(ctx, workspace(ctx), request.Id, in)
	if err != nil {
		return nil, err
	}
	h.nudge("sweep")
	return UpdateSegment200JSONResponse(toSegment(changed)), nil
}

// DeleteSegment deletes a segment that nothing is made of.
func (h *handlers) DeleteSegment(ctx context.Context, request DeleteSegmentRequestObject) (DeleteSegmentResponseObject, error) {
	if err := h.Segments.Delete(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	h.nudge("sweep")
	return DeleteSegment204Response{}, nil
}

// ListSegmentMembers answers a page of the people inside.
func (h *handlers) ListSegmentMembers(ctx context.Context, request ListSegmentMembersRequestObject) (ListSegmentMembersResponseObject, error) {
	page, err := h.Segments.Members(ctx, workspace(ctx), request.Id, orZero(request.Params.Cursor), orZero(request.Params.Limit))
	return ListSegmentMembers200JSONResponse{Next: optional(page.Next), Items: each(page.Items, func(m segments.Member) SegmentMember {
		return SegmentMember{ContactId: m.Contact, Name: m.Name, Email: optional(m.Email), Phone: optional(m.Phone), Since: m.Since}
	})}, err
}

func toSegment(s segments.Segment) Segment {
	return Segment{
		Id: s.ID, Slug: s.Slug, Name: s.Name, Description: s.Description, Rule: s.Rule, Revision: s.Revision, Building: s.Building, Members: s.Members,
		Looked: optional(s.Looked), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

func toNumbers(n segments.Numbers) AudienceNumbers {
	return AudienceNumbers{Match: n.Match, Channels: each(n.Channels, func(c segments.Channel) AudienceChannel {
		return AudienceChannel{Channel: c.Channel, Reachable: c.Reachable, Sendable: c.Sendable, Exact: c.Exact}
	})}
}
