package api

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// mostCampaigns bounds a page: each one's people are counted.
const mostCampaigns = 50

// ListCampaigns lists campaigns, the newest first.
func (h *handlers) ListCampaigns(ctx context.Context, request ListCampaignsRequestObject) (ListCampaignsResponseObject, error) {
	before, err := cursorID(request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	limit := max(1, min(or(request.Params.Limit, 25), mostCampaigns))
	list, err := h.Campaigns.List(ctx, workspace(ctx), before, limit+1)
	if err != nil {
		return nil, err
	}
	answer := ListCampaigns200JSONResponse{Items: []Campaign{}}
	if len(list) > limit {
		list = list[:limit]
		answer.Next = new(list[limit-1].ID.String())
	}
	for _, one := range list {
		shown, err := h.campaign(ctx)(one, nil)
		if err != nil {
			return nil, err
		}
		answer.Items = append(answer.Items, shown)
	}
	return answer, nil
}

// cursorID reads a cursor that is an id; none is the zero id.
func cursorID(cursor *string) (uuid.UUID, error) {
	if cursor == nil {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(*cursor)
	if err != nil {
		return id, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
	}
	return id, nil
}

// CreateCampaign makes a campaign.
func (h *handlers) CreateCampaign(ctx context.Context, request CreateCampaignRequestObject) (CreateCampaignResponseObject, error) {
	made, err := h.Campaigns.Create(ctx, workspace(ctx), request.Body.Name, orZero(request.Body.Document), by(ctx))
	detail, err := h.campaignDetail(ctx, made, err)
	return CreateCampaign201JSONResponse(detail), err
}

// PreviewCampaign answers the numbers of a document, why some would not be sent it, and its problems.
func (h *handlers) PreviewCampaign(ctx context.Context, request PreviewCampaignRequestObject) (PreviewCampaignResponseObject, error) {
	document, err := campaigns.Decode(request.Body.Document)
	if err != nil {
		return nil, err
	}
	n, err := h.Campaigns.Preview(ctx, workspace(ctx), orZero(request.Body.CampaignId), document)
	if err != nil {
		return nil, err
	}
	out := PreviewCampaign200JSONResponse{
		Match: n.Match, Reachable: n.Reachable, Sendable: n.Sendable, Exact: n.Exact, Reasons: campaignReasons(n.Reasons), Problems: n.Problems,
	}
	if t := n.Trial; t != nil {
		out.Trial = &CampaignTrial{People: t.People, Least: t.Least}
	}
	return out, nil
}

// GetCampaign answers a campaign with its document.
func (h *handlers) GetCampaign(ctx context.Context, request GetCampaignRequestObject) (GetCampaignResponseObject, error) {
	found, err := h.Campaigns.Get(ctx, workspace(ctx), request.Id)
	detail, err := h.campaignDetail(ctx, found, err)
	return GetCampaign200JSONResponse(detail), err
}

// UpdateCampaign changes a campaign.
func (h *handlers) UpdateCampaign(ctx context.Context, request UpdateCampaignRequestObject) (UpdateCampaignResponseObject, error) {
	in := request.Body
	changed, err := h.Campaigns.Update(ctx, workspace(ctx), request.Id, campaigns.Edit{Revision: in.Revision, Name: in.Name, Document: orZero(in.Document)})
	detail, err := h.campaignDetail(ctx, changed, err)
	return UpdateCampaign200JSONResponse(detail), err
}

// DeleteCampaign deletes a campaign that was not sent.
func (h *handlers) DeleteCampaign(ctx context.Context, request DeleteCampaignRequestObject) (DeleteCampaignResponseObject, error) {
	if err := h.Campaigns.Delete(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	return DeleteCampaign204Response{}, nil
}

// DuplicateCampaign copies a campaign.
func (h *handlers) DuplicateCampaign(ctx context.Context, request DuplicateCampaignRequestObject) (DuplicateCampaignResponseObject, error) {
	made, err := h.Campaigns.Duplicate(ctx, workspace(ctx), request.Id, orZero(request.Body.Name), by(ctx))
	detail, err := h.campaignDetail(ctx, made, err)
	return DuplicateCampaign201JSONResponse(detail), err
}

// StartCampaign freezes the audience and sends.
func (h *handlers) StartCampaign(ctx context.Context, request StartCampaignRequestObject) (StartCampaignResponseObject, error) {
	begun, task, err := h.Campaigns.Start(ctx, workspace(ctx), request.Id, wish(ctx, request.Body))
	shown, err := h.campaign(ctx)(begun, err)
	shown.TaskId = &task.ID
	return StartCampaign202JSONResponse(shown), err
}

func wish(ctx context.Context, in *CampaignWish) campaigns.Wish {
	return campaigns.Wish{Revision: in.Revision, AcceptWarnings: orZero(in.AcceptWarnings), By: by(ctx)}
}

// ScheduleCampaign has a campaign started at its time.
func (h *handlers) ScheduleCampaign(ctx context.Context, request ScheduleCampaignRequestObject) (ScheduleCampaignResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Schedule(ctx, workspace(ctx), request.Id, wish(ctx, request.Body)))
	return ScheduleCampaign200JSONResponse(shown), err
}

// UnscheduleCampaign makes it a draft again.
func (h *handlers) UnscheduleCampaign(ctx context.Context, request UnscheduleCampaignRequestObject) (UnscheduleCampaignResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Unschedule(ctx, workspace(ctx), request.Id))
	return UnscheduleCampaign200JSONResponse(shown), err
}

// PauseCampaign stops it at once.
func (h *handlers) PauseCampaign(ctx context.Context, request PauseCampaignRequestObject) (PauseCampaignResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Pause(ctx, workspace(ctx), request.Id))
	return PauseCampaign200JSONResponse(shown), err
}

// ResumeCampaign goes on.
func (h *handlers) ResumeCampaign(ctx context.Context, request ResumeCampaignRequestObject) (ResumeCampaignResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Resume(ctx, workspace(ctx), request.Id))
	return ResumeCampaign200JSONResponse(shown), err
}

// CancelCampaign ends it.
func (h *handlers) CancelCampaign(ctx context.Context, request CancelCampaignRequestObject) (CancelCampaignResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Cancel(ctx, workspace(ctx), request.Id))
	return CancelCampaign200JSONResponse(shown), err
}

// ChooseCampaignWinner ends a test early.
func (h *handlers) ChooseCampaignWinner(ctx context.Context, request ChooseCampaignWinnerRequestObject) (ChooseCampaignWinnerResponseObject, error) {
	shown, err := h.campaign(ctx)(h.Campaigns.Choose(ctx, workspace(ctx), request.Id, request.Body.Variant))
	return ChooseCampaignWinner200JSONResponse(shown), err
}

// ListCampaignRecipients answers a page of the frozen audience.
func (h *handlers) ListCampaignRecipients(ctx context.Context, request ListCampaignRecipientsRequestObject) (ListCampaignRecipientsResponseObject, error) {
	in := request.Params
	limit := max(1, min(or(in.Limit, 50), maxPage))
	filter := campaigns.Filter{State: string(orZero(in.State)), Variant: orZero(in.Variant), Limit: limit + 1}
	if in.Cursor != nil {
		var err error
		if filter.After, err = strconv.Atoi(*in.Cursor); err != nil {
			return nil, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
		}
	}
	list, err := h.Campaigns.Recipients(ctx, workspace(ctx), request.Id, filter)
	if err != nil {
		return nil, err
	}
	answer := ListCampaignRecipients200JSONResponse{}
	if len(list) > limit {
		list = list[:limit]
		answer.Next = new(strconv.Itoa(list[limit-1].N))
	}
	answer.Items = each(list, func(r campaigns.Recipient) Recipient {
		return Recipient{
			ContactId: r.Contact, Name: r.Name, Email: optional(r.Email), Phone: optional(r.Phone), Variant: optional(r.Variant), State: RecipientState(r.State), Reason: optional(r.Reason),
			DueAt: r.DueAt, MessageId: r.Message, SentAt: r.SentAt, DeliveredAt: r.DeliveredAt, OpenedAt: r.OpenedAt, ClickedAt: r.ClickedAt, BouncedAt: r.BouncedAt,
			UnsubscribedAt: r.UnsubscribedAt,
		}
	})
	return answer, nil
}

// GetCampaignProgress tells how far a campaign is.
func (h *handlers) GetCampaignProgress(ctx context.Context, request GetCampaignProgressRequestObject) (GetCampaignProgressResponseObject, error) {
	_, progress, err := h.campaignProgress(ctx, workspace(ctx), request.Id)
	return GetCampaignProgress200JSONResponse(progress), err
}

// StreamCampaignProgress follows it until it is over.
func (h *handlers) StreamCampaignProgress(ctx context.Context, request StreamCampaignProgressRequestObject) (StreamCampaignProgressResponseObject, error) {
	in := workspace(ctx)
	if _, err := h.Campaigns.Get(ctx, in, request.Id); err != nil {
		return nil, err
	}
	var seen CampaignProgress
	body := h.stream(ctx, "progress", func(ctx context.Context) ([]any, bool, error) {
		campaign, now, err := h.campaignProgress(ctx, in, request.Id)
		if err != nil || reflect.DeepEqual(now, seen) {
			return nil, false, err
		}
		seen = now
		return []any{now}, campaign.State == campaigns.Done || campaign.State == campaigns.Cancelled, nil
	})
	return StreamCampaignProgress200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

func (h *handlers) campaignProgress(ctx context.Context, in, id uuid.UUID) (campaigns.Campaign, CampaignProgress, error) {
	found, err := h.Campaigns.Get(ctx, in, id)
	if err != nil {
		return found, CampaignProgress{}, err
	}
	progress, err := h.Campaigns.Progress(ctx, in, found)
	return found, toCampaignProgress(found, progress, nil), err
}

// GetCampaignReport tells what a campaign brought.
func (h *handlers) GetCampaignReport(ctx context.Context, request GetCampaignReportRequestObject) (GetCampaignReportResponseObject, error) {
	found, report, err := h.Campaigns.Report(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	answer := GetCampaignReport200JSONResponse{Progress: toCampaignProgress(found, report.Progress, report.Reached)}
	if report.Reached != nil {
		var all int64
		for _, n := range report.Reached {
			all += n
		}
		answer.Reached = &all
	}
	answer.Campaign = toCampaign(found, report.Progress)
	return answer, nil
}

// campaign shows a campaign with how far it is.
func (h *handlers) campaign(ctx context.Context) func(campaigns.Campaign, error) (Campaign, error) {
	return func(found campaigns.Campaign, err error) (Campaign, error) {
		if err != nil {
			return Campaign{}, err
		}
		progress, err := h.Campaigns.Progress(ctx, workspace(ctx), found)
		return toCampaign(found, progress), err
	}
}

func (h *handlers) campaignDetail(ctx context.Context, found campaigns.Campaign, err error) (CampaignDetail, error) {
	shown, err := h.campaign(ctx)(found, err)
	if err != nil {
		return CampaignDetail{}, err
	}
	document, err := json.Marshal(found.Document)
	if err != nil {
		return CampaignDetail{}, fmt.Errorf("write a campaign: %w", err)
	}
	detail := CampaignDetail{Campaign: shown, Document: document, Problems: []engine.Problem{}}
	if found.State == campaigns.Draft {
		detail.Problems, err = h.Campaigns.Check(ctx, workspace(ctx), found.Document)
	}
	return detail, err
}

func toCampaign(c campaigns.Campaign, p campaigns.Progress) Campaign {
	return Campaign{
		Id: c.ID, Slug: c.Slug, Name: c.Name, State: CampaignState(c.State), Channel: CampaignChannel(c.Document.Channel), Subject: optional(c.Document.Subject()), Variants: len(c.Document.Variants),
		Audience: orEmpty(c.Document.Audience.Include), Revision: c.Revision, StartAt: c.StartAt, FrozenAt: c.FrozenAt, PausedAt: c.PausedAt, FinishedAt: c.FinishedAt,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Progress: toCampaignProgress(c, p, nil),
	}
}

func toCampaignProgress(c campaigns.Campaign, p campaigns.Progress, reached map[string]int64) CampaignProgress {
	out := CampaignProgress{
		State: CampaignState(c.State), Total: p.Total, Tally: toTally(p.Tally), PerSecond: float32(p.PerSecond), NextAt: p.NextAt, DecideAt: c.DecideAt, Winner: optional(c.Winner),
		Variants: []CampaignVariantTally{},
	}
	for _, v := range c.Document.Variants {
		shown := CampaignVariantTally{Id: v.ID, Tally: toTally(p.Variants[v.ID])}
		if reached != nil {
			n := reached[v.ID]
			shown.Reached = &n
		}
		out.Variants = append(out.Variants, shown)
	}
	out.Reasons = campaignReasons(p.Reasons)
	if p.Left != nil {
		left := int64(p.Left.Seconds())
		out.SecondsLeft = &left
	}
	return out
}

func campaignReasons(reasons []campaigns.Reason) []CampaignReason {
	out := make([]CampaignReason, len(reasons))
	for i, r := range reasons {
		out[i] = CampaignReason{State: r.State, Reason: r.Reason, People: r.People}
	}
	return out
}

func toTally(t campaigns.Tally) CampaignTally {
	return CampaignTally{
		Waiting: t.Waiting, Queued: t.Queued, Held: t.Held, Sent: t.Sent, Failed: t.Failed, Skipped: t.Skipped, Expired: t.Expired, Unknown: t.Unknown,
		Delivered: t.Delivered, Opened: t.Opened, Clicked: t.Clicked, Replied: t.Replied, Bounced: t.Bounced, Unsubscribed: t.Unsubscribed,
	}
}
