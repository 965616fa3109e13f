package api

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/insight"
	"github.com/lejek/lejek/backend/reports"
	"github.com/lejek/lejek/backend/store"
)

// reportEvery is how often a stream counts anew; a count that takes long is asked for less often, a twentieth of the time at most.
const (
	reportEvery   = 3 * time.Second
	reportSlowest = time.Minute
	slowPart      = 20
)

// question is what a report is asked for: so many days of the workspace's zone, today among them.
func (h *handlers) question(ctx context.Context, by *ReportBy, days *int, funnel *uuid.UUID, channel *string) (reports.Question, error) {
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	if err != nil {
		return reports.Question{}, err
	}
	from, to, err := h.lastDays(row.Zone, days)
	return reports.Question{
		Workspace: workspace(ctx), From: from, To: to, By: string(or(by, ReportByTotal)), Zone: row.Zone, Currency: row.Currency, Funnel: funnel, Channel: orZero(channel),
	}, err
}

// lastDays are so many days of a zone up to now, today among them.
func (h *handlers) lastDays(name string, days *int) (from, to time.Time, err error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return from, to, fault.Wrap(err, "read the zone of the workspace")
	}
	now := h.Clock.Now()
	year, month, day := now.In(zone).Date()
	return time.Date(year, month, day-or(days, 30)+1, 0, 0, 0, 0, zone), now.Add(time.Microsecond), nil
}

// GetReport answers a report.
func (h *handlers) GetReport(ctx context.Context, request GetReportRequestObject) (GetReportResponseObject, error) {
	in := request.Params
	q, err := h.question(ctx, in.By, in.Days, in.Funnel, in.Channel)
	if err != nil {
		return nil, err
	}
	count := reports.Count
	if orZero(in.Recount) {
		count = reports.Recount
	}
	report, err := h.report(ctx, q, count)
	return GetReport200JSONResponse(report), err
}

type counting func(context.Context, store.DB, reports.Question) ([]reports.Row, error)

func (h *handlers) report(ctx context.Context, q reports.Question, count counting) (Report, error) {
	rows, err := count(ctx, h.DB, q)
	if err != nil {
		return Report{}, err
	}
	out := Report{By: ReportBy(q.By), From: q.From, To: q.To, Rows: each(rows, toReportRow), Total: toReportRow(reports.Row{Figures: reports.Total(rows)})}
	if err := h.label(ctx, out.Rows, q.By); err != nil {
		return Report{}, err
	}
	if q.By == reports.ByDomain {
		err = h.explain(ctx, q, out.Rows)
	}
	return out, err
}

func toReportRow(r reports.Row) ReportRow {
	out := ReportRow{
		Key: r.Key, Sent: r.Sent, Delivered: r.Delivered, Undelivered: r.Undelivered(), Opened: r.Opened, Clicked: r.Clicked, Replied: r.Replied,
		Bounced: r.Bounced, Complained: r.Complained, Unsubscribed: r.Unsubscribed, Converted: r.Converted, Recovered: r.Recovered,
		Revenue: map[string]float64{}, Saved: map[string]float64{}, Needs: []ReportRowNeeds{},
	}
	if r.Revenue != nil {
		out.Revenue = r.Revenue
	}
	if r.Saved != nil {
		out.Saved = r.Saved
	}
	for _, need := range r.Needs() {
		out.Needs = append(out.Needs, ReportRowNeeds(need))
	}
	return out
}

// explain says of domains that need attention what their servers answered.
func (h *handlers) explain(ctx context.Context, q reports.Question, rows []ReportRow) error {
	causes, err := reports.Causes(ctx, h.DB, q)
	for i := range rows {
		if cause, there := causes[rows[i].Key]; there && len(rows[i].Needs) > 0 && cause.Said != "" {
			rows[i].Cause, rows[i].CauseTimes = &cause.Said, &cause.Times
		}
	}
	return err
}

// label gives lines the names people know.
func (h *handlers) label(ctx context.Context, rows []ReportRow, by string) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].Label = rows[i].Key
	}
	var names map[string]string
	var err error
	switch by {
	case reports.ByFunnel, reports.ByStep, reports.ByVariant:
		return h.labelFunnels(ctx, rows)
	case reports.ByCampaign:
		names, err = reports.Names(ctx, h.DB, workspace(ctx), "campaigns")
	case reports.ByProvider:
		names, err = reports.Names(ctx, h.DB, workspace(ctx), "providers")
	default:
		return nil
	}
	for i := range rows {
		rows[i].Label = names[rows[i].Key]
	}
	return err
}

// labelFunnels names the funnel, and the step or arm behind the slash.
func (h *handlers) labelFunnels(ctx context.Context, rows []ReportRow) error {
	steps, err := reports.StepNames(ctx, h.DB, workspace(ctx))
	if err != nil {
		return err
	}
	campaigns, err := reports.Names(ctx, h.DB, workspace(ctx), "campaigns")
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		owner, part, _ := strings.Cut(row.Key, "/")
		id, err := uuid.Parse(owner)
		if err != nil {
			row.Label = ""
			continue
		}
		if name, known := campaigns[owner]; known {
			row.Label = name + " · " + part
			continue
		}
		row.FunnelId, row.Label = &id, steps[owner]
		if part != "" {
			node, _, _ := strings.Cut(part, ".")
			row.Node = &node
			row.Label += " · " + steps[row.Key]
		}
	}
	return nil
}

// StreamReport streams a report when it changes.
func (h *handlers) StreamReport(ctx context.Context, request StreamReportRequestObject) (StreamReportResponseObject, error) {
	in := request.Params
	var said Report
	var next time.Time
	body := h.stream(ctx, "report", func(ctx context.Context) ([]any, bool, error) {
		began := h.Machine.Now()
		if began.Before(next) {
			return nil, false, nil
		}
		q, err := h.question(ctx, in.By, in.Days, in.Funnel, in.Channel)
		if err != nil {
			return nil, false, err
		}
		report, err := h.report(ctx, q, reports.Count)
		if err != nil {
			return nil, false, err
		}
		now := h.Machine.Now()
		next = now.Add(max(reportEvery, min(reportSlowest, slowPart*now.Sub(began))))
		if said.Rows != nil && reflect.DeepEqual(said.Rows, report.Rows) {
			return nil, false, nil
		}
		said = report
		return []any{report}, false, nil
	})
	return StreamReport200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

// facesAtOnce is how many people a page of a report shows.
const facesAtOnce = 50

// offset reads the cursor of a list that is counted through.
func offset(cursor *string) (int, error) {
	if cursor == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(*cursor)
	if err != nil || n < 0 {
		return 0, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
	}
	return n, nil
}

func nextOffset(at, limit int, more bool) *string {
	if !more {
		return nil
	}
	return new(fmt.Sprint(at + limit))
}

// ListReportPeople lists who is behind a number of a report.
func (h *handlers) ListReportPeople(ctx context.Context, request ListReportPeopleRequestObject) (ListReportPeopleResponseObject, error) {
	in := request.Params
	q, err := h.question(ctx, in.By, in.Days, in.Funnel, in.Channel)
	if err != nil {
		return nil, err
	}
	at, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	limit := max(1, min(or(in.Limit, facesAtOnce), maxPage))
	faces, more, err := reports.People(ctx, h.DB, q, string(or(in.What, ListReportPeopleParamsWhatSent)), in.Key, at, limit)
	return ListReportPeople200JSONResponse{Next: nextOffset(at, limit, more), Items: each(faces, func(f reports.Face) Passer {
		return Passer{ContactId: f.ContactID, Name: f.Name, Email: f.Email, RunId: f.RunID, MessageId: &f.MessageID, At: f.At}
	})}, err
}

// WalkPath answers how far people came on a path of events.
func (h *handlers) WalkPath(ctx context.Context, request WalkPathRequestObject) (WalkPathResponseObject, error) {
	path, err := h.path(ctx, request.Body.Events, request.Body.Days)
	if err != nil {
		return nil, err
	}
	steps, err := insight.Walk(ctx, h.DB, path)
	return WalkPath200JSONResponse{Steps: each(steps, func(s insight.PathStep) PathStep {
		return PathStep{Event: s.Event, People: s.People, MedianSeconds: s.Median.Seconds()}
	})}, err
}

func (h *handlers) path(ctx context.Context, events []string, days *int) (insight.Path, error) {
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	if err != nil {
		return insight.Path{}, err
	}
	from, to, err := h.lastDays(row.Zone, days)
	return insight.Path{Workspace: workspace(ctx), Events: events, From: from, To: to}, err
}

// ListPathPeople lists who came to an event of a path.
func (h *handlers) ListPathPeople(ctx context.Context, request ListPathPeopleRequestObject) (ListPathPeopleResponseObject, error) {
	in := request.Body
	path, err := h.path(ctx, in.Events, in.Days)
	if err != nil {
		return nil, err
	}
	at, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	walkers, more, err := insight.Walkers(ctx, h.DB, path, in.Step, orZero(in.Dropped), at, facesAtOnce)
	return ListPathPeople200JSONResponse{Next: nextOffset(at, facesAtOnce, more), Items: each(walkers, func(w insight.Walker) Passer {
		return Passer{ContactId: w.ContactID, Name: w.Name, Email: w.Email, At: w.At}
	})}, err
}
