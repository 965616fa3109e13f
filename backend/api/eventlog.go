package api

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/views"
	"github.com/lejek/lejek/engine"
)

// ListEvents is the event log.
func (h *handlers) ListEvents(ctx context.Context, request ListEventsRequestObject) (ListEventsResponseObject, error) {
	in := request.Params
	page, err := views.Events(ctx, h.DB, workspace(ctx), views.EventFilter{
		Name: orZero(in.Name), Contact: orZero(in.Contact), Paging: paging(in.Cursor, in.Limit),
	})
	if err != nil {
		return nil, err
	}
	items, err := h.toEvents(ctx, workspace(ctx), page.Items)
	return ListEvents200JSONResponse{Items: items, Next: optional(page.Next)}, err
}

// ListEventNames lists the names events had, with their properties.
func (h *handlers) ListEventNames(ctx context.Context, _ ListEventNamesRequestObject) (ListEventNamesResponseObject, error) {
	rows, err := store.Q.EventNames(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, fault.Wrap(err, "list names of events")
	}
	totals, err := views.EventTotals(ctx, h.DB, workspace(ctx))
	return ListEventNames200JSONResponse{Items: each(rows, func(r store.EventName) EventName {
		return EventName{
			Name: r.Name, Count: totals[r.Name], LastAt: &r.LastSeenAt, Properties: orEmpty(r.Properties), Internal: engine.IsInternalEvent(r.Name),
		}
	})}, err
}

// GetTimeline is what happened to a person.
func (h *handlers) GetTimeline(ctx context.Context, request GetTimelineRequestObject) (GetTimelineResponseObject, error) {
	contact, err := h.People.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	page, err := views.Timeline(ctx, h.DB, workspace(ctx), contact.ID, h.Clock.Now(), paging(request.Params.Cursor, request.Params.Limit))
	if err != nil {
		return nil, err
	}
	answer := GetTimeline200JSONResponse{Items: make([]TimelineItem, len(page.Items)), Next: optional(page.Next)}
	var funnels, messages []uuid.UUID
	for i, moment := range page.Items {
		if answer.Items[i], err = toMoment(moment); err != nil {
			return nil, err
		}
		if id := answer.Items[i].FunnelId; id != nil {
			funnels = append(funnels, *id)
		}
		if id := answer.Items[i].MessageId; id != nil {
			messages = append(messages, *id)
		}
	}
	names, err := views.FunnelNames(ctx, h.DB, workspace(ctx), funnels)
	if err != nil {
		return nil, err
	}
	written, err := views.MessagesByID(ctx, h.DB, workspace(ctx), messages)
	for i, item := range answer.Items {
		if item.FunnelId != nil {
			answer.Items[i].FunnelName = optional(names[*item.FunnelId])
		}
		if item.MessageId != nil {
			nameMessage(&answer.Items[i], written[*item.MessageId])
		}
	}
	return answer, err
}

// nameMessage says of a line of a timeline which message it is about.
func nameMessage(item *TimelineItem, m views.Message) {
	item.Source, item.SourceName = new(sourceOf(m)), sourceName(m)
	if item.Title = optional(orZero(m.Subject)); item.Title == nil {
		item.Title = optional(orZero(m.NodeName))
	}
	if item.EventId == nil {
		item.Reason = m.Reason
	}
}

func toMoment(m views.Moment) (TimelineItem, error) {
	detail, err := properties(m.Props)
	item := TimelineItem{
		At: m.At, Name: m.Name, Kind: kindOf(m.Name), Detail: detail,
		RunId: idIn(detail, engine.PropRun), MessageId: idIn(detail, "message"), FunnelId: idIn(detail, "funnel"),
	}
	if m.ID != 0 {
		item.EventId = new(strconv.FormatInt(m.ID, 10))
	} else {
		item.Kind = TimelineItemKindMessage
	}
	if node, ok := detail[engine.PropStep].(string); ok {
		item.Node = &node
	}
	return item, err
}

func kindOf(name string) TimelineItemKind {
	switch {
	case !engine.IsInternalEvent(name):
		return TimelineItemKindEvent
	case strings.HasPrefix(name, "message_"), name == "link_clicked", name == "unsubscribed":
		return TimelineItemKindMessage
	case strings.HasPrefix(name, "run_"), name == "goal_reached":
		return TimelineItemKindRun
	default:
		return TimelineItemKindEvent
	}
}

func idIn(detail Properties, key string) *uuid.UUID {
	text, _ := detail[key].(string)
	id, err := uuid.Parse(text)
	if err != nil {
		return nil
	}
	return &id
}

func (h *handlers) toEvents(ctx context.Context, workspace uuid.UUID, rows []views.Event) ([]Event, error) {
	reactions := make([]events.Reaction, len(rows))
	var funnels []uuid.UUID
	for i, row := range rows {
		if len(row.Reaction) == 0 {
			continue
		}
		if err := json.Unmarshal(row.Reaction, &reactions[i]); err != nil {
			return nil, fault.Wrap(err, "read a reaction")
		}
		funnels = append(funnels, funnelsOf(reactions[i])...)
	}
	names, err := views.FunnelNames(ctx, h.DB, workspace, funnels)
	if err != nil {
		return nil, err
	}
	all := make([]Event, len(rows))
	for i, row := range rows {
		props, err := properties(row.Props)
		if err != nil {
			return nil, err
		}
		all[i] = Event{
			Id: strconv.FormatInt(row.ID, 10), Name: row.Name, Source: row.Source, ExternalId: row.ExternalID, Contact: new(toRef(row.Person)),
			At: row.At, ReceivedAt: row.ReceivedAt, Properties: props,
		}
		all[i].Started, all[i].Woke, all[i].Skipped = refs(reactions[i], names)
		all[i].Reason = optional(why(reactions[i]))
	}
	return all, nil
}

func funnelsOf(r events.Reaction) []uuid.UUID {
	all := make([]uuid.UUID, 0, len(r.Started)+len(r.Woke)+len(r.Ended)+len(r.Refused))
	for _, ref := range slices.Concat(r.Started, r.Woke, r.Ended) {
		all = append(all, ref.Funnel)
	}
	for _, refusal := range r.Refused {
		all = append(all, refusal.Funnel)
	}
	return all
}

func refs(r events.Reaction, names map[uuid.UUID]string) (started, woke, skipped *[]FunnelRef) {
	ref := func(run events.RunRef) FunnelRef {
		return FunnelRef{FunnelId: run.Funnel, FunnelName: names[run.Funnel], RunId: &run.Run}
	}
	refused := make([]FunnelRef, len(r.Refused))
	for i, refusal := range r.Refused {
		refused[i] = FunnelRef{FunnelId: refusal.Funnel, FunnelName: names[refusal.Funnel], Reason: optional(refusal.Why)}
	}
	return filled(each(r.Started, ref)), filled(each(slices.Concat(r.Woke, r.Ended), ref)), filled(refused)
}

// why says why an event did nothing, if it did nothing.
func why(r events.Reaction) string {
	switch {
	case r.Quiet != "":
		return r.Quiet
	case len(r.Started)+len(r.Woke)+len(r.Ended)+len(r.Refused) == 0:
		return "nothing_listens"
	default:
		return ""
	}
}

func filled[T any](all []T) *[]T {
	if len(all) == 0 {
		return nil
	}
	return &all
}
