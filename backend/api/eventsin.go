package api

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/views"
)

const maxSource = 64

// PostEvents takes one event or a batch and answers each by itself.
func (h *handlers) PostEvents(ctx context.Context, request PostEventsRequestObject) (PostEventsResponseObject, error) {
	raws, single, err := splitEvents(*request.Body)
	if err != nil {
		return nil, err
	}
	writeOnly := auth.From(ctx).WriteOnly
	results := make([]EventOutcome, len(raws))
	var incoming []events.Incoming
	var places []int
	for i, raw := range raws {
		event, err := decodeEvent(raw, writeOnly)
		if err != nil {
			results[i] = rejected(err)
			continue
		}
		incoming, places = append(incoming, event), append(places, i)
	}
	if err := h.ingest(ctx, incoming, places, results); err != nil {
		return nil, err
	}
	if single && results[0].Status == EventOutcomeStatusRejected {
		return nil, fault.InvalidField(orZero(results[0].Field), "%s", orZero(results[0].Reason))
	}
	if writeOnly {
		for i, result := range results {
			results[i] = EventOutcome{Status: result.Status, Field: result.Field}
			if result.Status == EventOutcomeStatusRejected {
				results[i].Reason = result.Reason
			}
		}
	}
	return PostEvents200JSONResponse{Results: results}, nil
}

// splitEvents reads the two shapes of the body: one event, or {"events": [...]}.
func splitEvents(body json.RawMessage) (raws []json.RawMessage, single bool, err error) {
	var batch struct {
		Events *[]json.RawMessage `json:"events"`
	}
	if err := decodeJSON(body, &batch); err != nil {
		return nil, false, err
	}
	switch {
	case batch.Events == nil:
		return []json.RawMessage{body}, true, nil
	case len(*batch.Events) == 0:
		return nil, false, fault.InvalidField("events", "The list of events is empty. Send at least one.")
	case len(*batch.Events) > events.MaxBatch:
		return nil, false, fault.InvalidField("events", "%d events are too many at once. Send at most %d.", len(*batch.Events), events.MaxBatch)
	}
	return *batch.Events, false, nil
}

// decodeEvent reads one event. A pub key stands in web pages for everybody to copy, so it may say what happened, but not who somebody is, nor what
// they agreed to.
func decodeEvent(raw json.RawMessage, writeOnly bool) (events.Incoming, error) {
	var in EventInput
	if err := decodeJSON(raw, &in); err != nil {
		return events.Incoming{}, err
	}
	if hasNUL(raw) {
		return events.Incoming{}, errNUL()
	}
	if len(orZero(in.Source)) > maxSource {
		return events.Incoming{}, fault.InvalidField("source", "The source is too long: at most %d bytes.", maxSource)
	}
	who := in.Contact
	if writeOnly && (who.Id != nil || who.Fields != nil || who.Consents != nil) {
		return events.Incoming{}, fault.InvalidField("contact", "A write-only key may name a person by external_id, email or phone, but not set fields or consents. Use a secret token on your server for that.")
	}
	if err := onlyFacts("contact.fields", orZero(who.Fields)); err != nil {
		return events.Incoming{}, err
	}
	return events.Incoming{
		Who: people.Input{
			ID: orZero(who.Id), ExternalID: orZero(who.ExternalId), Email: orZero(who.Email), Phone: orZero(who.Phone), Fields: orZero(who.Fields),
			Consents: each(orZero(who.Consents), toConsentInput),
		},
		Name: in.Name, At: happenedAt(in.At), ID: orZero(in.Id), Source: source(in.Source), Props: orZero(in.Properties),
	}, nil
}

// onlyFacts refuses fields that say who somebody is: that stands beside them, once, and is not changed on the way.
func onlyFacts(path string, fields map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if people.IsIdentity(key) {
			return fault.InvalidField(path+"."+key, "%s says who the person is: give it beside fields, not inside.", key)
		}
	}
	return nil
}

// happenedAt is the time given, zero for none. The first instant of the calendar is a time too, though one that is refused.
func happenedAt(given *time.Time) time.Time {
	if given != nil && given.IsZero() {
		return given.Add(time.Microsecond)
	}
	return or(given, time.Time{})
}

// source keeps a sender from speaking as ourselves: events of lejek are made here only, and those of an import start nothing.
func source(given *string) string {
	if given == nil || *given == "" {
		return events.SourceAPI
	}
	if *given == events.SourceInternal || *given == events.SourceImport {
		return events.SourceAPI + ":" + *given
	}
	return *given
}

func (h *handlers) ingest(ctx context.Context, incoming []events.Incoming, places []int, results []EventOutcome) error {
	if len(incoming) == 0 {
		return nil
	}
	outcomes := make([]events.Outcome, 0, len(incoming))
	for part := range slices.Chunk(incoming, portionOf(incoming)) {
		taken, err := change(ctx, h, func(tx store.Tx) ([]events.Outcome, error) {
			return h.Reactor.Ingest(ctx, tx, workspace(ctx), part)
		})
		if err != nil {
			return err
		}
		outcomes = append(outcomes, taken...)
	}
	names, err := h.outcomeNames(ctx, outcomes)
	if err != nil {
		return err
	}
	moved := false
	for i, outcome := range outcomes {
		results[places[i]] = toOutcome(outcome, names)
		moved = moved || len(outcome.Started)+len(outcome.Woke) > 0
	}
	if moved {
		h.nudge("wake")
	}
	h.nudge("inbox")
	return nil
}

// smallPortion is how many events share a transaction at most when each has an id.
const smallPortion = 100

// portionOf is how many events share a transaction. It holds their people until it ends, and everybody else who has something to do with one of
// them waits; so it is short where it may be: if a later portion fails, the sender tries again, and events with ids that were taken are
// duplicates then. Events without ids are taken all or none.
func portionOf(incoming []events.Incoming) int {
	if slices.ContainsFunc(incoming, func(in events.Incoming) bool { return in.ID == "" }) {
		return len(incoming)
	}
	return smallPortion
}

func (h *handlers) outcomeNames(ctx context.Context, outcomes []events.Outcome) (map[uuid.UUID]string, error) {
	seen := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for _, outcome := range outcomes {
		for _, id := range funnelsOf(outcome.Reaction) {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return views.FunnelNames(ctx, h.DB, workspace(ctx), ids)
}

func toOutcome(o events.Outcome, names map[uuid.UUID]string) EventOutcome {
	out := EventOutcome{Status: EventOutcomeStatus(o.Status), ContactId: optional(o.Contact), Reason: optional(o.Reason)}
	if o.ID != 0 {
		out.Id = new(strconv.FormatInt(o.ID, 10))
	}
	if o.Status == events.Rejected {
		out.Field = optional(fieldOf(o.Code))
		return out
	}
	out.Started, out.Woke, out.Skipped = refs(o.Reaction, names)
	return out
}

// fieldOf is the member of an event that a code of a rejection is about.
func fieldOf(code string) string {
	switch {
	case strings.HasPrefix(code, "name_"):
		return "name"
	case code == "in_future", code == "too_old":
		return "at"
	case strings.HasPrefix(code, "props_"), code == "too_deep":
		return "properties"
	case code == "id_too_long":
		return "id"
	default:
		return "contact"
	}
}

func rejected(err error) EventOutcome {
	public := fault.Public(err)
	out := EventOutcome{Status: EventOutcomeStatusRejected, Reason: &public.Message}
	if len(public.Fields) > 0 {
		out.Field = optional(public.Fields[0].Path)
	}
	return out
}

// StartContact starts a funnel for one person.
func (h *handlers) StartContact(ctx context.Context, request StartContactRequestObject) (StartContactResponseObject, error) {
	if _, err := h.People.Get(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	started, err := h.start(ctx, request.FunnelId, []uuid.UUID{request.Id})
	return StartContact200JSONResponse(started), err
}

// StartFunnel starts a funnel for some people, each in a transaction of their own.
func (h *handlers) StartFunnel(ctx context.Context, request StartFunnelRequestObject) (StartFunnelResponseObject, error) {
	if len(request.Body.ContactIds) > events.MaxBatch {
		return nil, fault.InvalidField("contact_ids", "These are too many people at once. Send at most %d.", events.MaxBatch)
	}
	started, err := h.start(ctx, request.Id, request.Body.ContactIds)
	return StartFunnel200JSONResponse(started), err
}

func (h *handlers) start(ctx context.Context, funnel uuid.UUID, contacts []uuid.UUID) (Started, error) {
	answer := Started{Skipped: []StartSkipped{}}
	current, err := h.Funnels.Get(ctx, workspace(ctx), funnel)
	if err != nil {
		return answer, err
	}
	if current.Head.State != funnels.Live {
		return answer, fault.New(fault.Conflict, "This funnel is not live, so nobody can be started. Publish or resume it first.")
	}
	for _, contact := range contacts {
		why, err := h.startOne(ctx, funnel, contact)
		if err != nil {
			return answer, err
		}
		if why == "" {
			answer.Started++
		} else {
			answer.Skipped = append(answer.Skipped, StartSkipped{ContactId: contact, Reason: why})
		}
	}
	h.nudge("wake")
	return answer, nil
}

// startOne starts one person and answers why not, "" when they started.
func (h *handlers) startOne(ctx context.Context, funnel, contact uuid.UUID) (string, error) {
	person, err := h.People.Get(ctx, workspace(ctx), contact)
	if fault.CodeOf(err) == fault.NotFound {
		return events.RefusedGone, nil
	}
	if err != nil {
		return "", err
	}
	outcome, err := change(ctx, h, func(tx store.Tx) (events.Outcome, error) {
		return h.Reactor.Start(ctx, tx, workspace(ctx), person.ID, funnel)
	})
	if err != nil || len(outcome.Started) > 0 {
		return "", err
	}
	return whyNot(outcome), nil
}

func whyNot(o events.Outcome) string {
	switch {
	case len(o.Refused) > 0:
		return o.Refused[0].Why
	case o.Reason != "":
		return o.Reason
	default:
		return "no_manual_trigger"
	}
}
