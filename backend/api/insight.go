package api

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/insight"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/views"
)

// span is what a period asks for: the number of a version, 0 for all, and the instant since when.
func (h *handlers) span(ctx context.Context, funnel uuid.UUID, period *Period) (version int, since time.Time, err error) {
	now := h.Clock.Now().UTC()
	switch orZero(period) {
	case PeriodN24h:
		return 0, now.Add(-24 * time.Hour), nil
	case PeriodN7d:
		return 0, now.Add(-7 * 24 * time.Hour), nil
	case PeriodN30d:
		return 0, now.Add(-30 * 24 * time.Hour), nil
	case PeriodVersion:
		current, err := h.Funnels.Get(ctx, workspace(ctx), funnel)
		return current.Head.Version, time.Time{}, err
	default:
		return 0, time.Time{}, nil
	}
}

// GetCounts answers where people are and went.
func (h *handlers) GetCounts(ctx context.Context, request GetCountsRequestObject) (GetCountsResponseObject, error) {
	version, since, err := h.span(ctx, request.Id, request.Params.Period)
	if err != nil {
		return nil, err
	}
	traffic, err := h.Funnels.Traffic(ctx, workspace(ctx), request.Id, cmp.Or(orZero(request.Params.Version), version), since)
	return GetCounts200JSONResponse(toCounts(traffic)), err
}

// Counting a funnel is dearer than looking at what is new in a log; two seconds keep the promise of five.
const countEvery = 2 * time.Second

// StreamCounts streams the counts of a funnel when they change.
func (h *handlers) StreamCounts(ctx context.Context, request StreamCountsRequestObject) (StreamCountsResponseObject, error) {
	in := workspace(ctx)
	if _, err := h.Funnels.Get(ctx, in, request.Id); err != nil {
		return nil, err
	}
	var said Counts
	var next time.Time
	body := h.stream(ctx, "counts", func(ctx context.Context) ([]any, bool, error) {
		now := h.Machine.Now()
		if now.Before(next) {
			return nil, false, nil
		}
		next = now.Add(countEvery)
		version, since, err := h.span(ctx, request.Id, request.Params.Period)
		if err != nil {
			return nil, false, err
		}
		traffic, err := h.Funnels.Traffic(ctx, in, request.Id, version, since)
		if err != nil {
			return nil, false, err
		}
		counts := toCounts(traffic)
		if said.Nodes != nil && sameCounts(said, counts) {
			return nil, false, nil
		}
		said = counts
		return []any{counts}, false, nil
	})
	return StreamCounts200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

func sameCounts(a, b Counts) bool {
	if a.Runs != b.Runs || !slices.Equal(a.Edges, b.Edges) || len(a.Nodes) != len(b.Nodes) {
		return false
	}
	for node, count := range a.Nodes {
		other, there := b.Nodes[node]
		if !there || count.Here != other.Here || count.Came != other.Came || count.Lost != other.Lost || orZero(count.Messages) != orZero(other.Messages) {
			return false
		}
	}
	return true
}

func toCounts(traffic funnels.Traffic) Counts {
	counts := Counts{Runs: RunCounts(traffic.Runs), Nodes: map[string]NodeCount{}, Edges: []EdgeCount{}}
	change := func(node string, edit func(*NodeCount)) {
		count := counts.Nodes[node]
		edit(&count)
		counts.Nodes[node] = count
	}
	for node, here := range traffic.Here {
		change(node, func(c *NodeCount) { c.Here = here })
	}
	for node, came := range traffic.Came {
		change(node, func(c *NodeCount) { c.Came = came })
	}
	for node, lost := range traffic.Lost {
		change(node, func(c *NodeCount) { c.Lost = lost })
	}
	for node, ports := range traffic.Passed {
		for port, n := range ports {
			change(node, func(c *NodeCount) { c.Passed += n })
			counts.Edges = append(counts.Edges, EdgeCount{From: node, Port: port, Passed: n})
		}
	}
	for node, m := range traffic.Sent {
		change(node, func(c *NodeCount) {
			c.Messages = &MessageCount{Sent: m.Sent, Delivered: m.Delivered, Opened: m.Opened, Clicked: m.Clicked, Skipped: m.Skipped, Failed: m.Failed}
		})
	}
	for _, node := range losses(counts.Nodes) {
		change(node, func(c *NodeCount) { c.Loss = new(true) })
	}
	slices.SortFunc(counts.Edges, func(a, b EdgeCount) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Port, b.Port))
	})
	return counts
}

// What counts as a loss point: so many people, such a share of those who came, and no more than three of them on one canvas.
const (
	lossPeople = 3
	lossShare  = 20 // one in so many
	lossPoints = 3
)

// losses are the steps at which most people leave, the worst first.
func losses(nodes map[string]NodeCount) []string {
	var at []string
	for node, count := range nodes {
		if count.Lost >= lossPeople && count.Lost*lossShare >= count.Came {
			at = append(at, node)
		}
	}
	slices.SortFunc(at, func(a, b string) int { return cmp.Or(cmp.Compare(nodes[b].Lost, nodes[a].Lost), cmp.Compare(a, b)) })
	return at[:min(len(at), lossPoints)]
}

// ListFunnelPeople lists who is behind a number.
func (h *handlers) ListFunnelPeople(ctx context.Context, request ListFunnelPeopleRequestObject) (ListFunnelPeopleResponseObject, error) {
	in := request.Params
	if _, err := h.Funnels.Get(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	number, since, err := h.span(ctx, request.Id, in.Period)
	if err != nil {
		return nil, err
	}
	version, err := h.versionID(ctx, request.Id, number)
	if err != nil {
		return nil, err
	}
	page, err := views.PeopleOfFunnel(ctx, h.DB, workspace(ctx), views.FunnelPeople{
		Paging: views.Paging{Cursor: orZero(in.Cursor), Limit: orZero(in.Limit)}, Funnel: request.Id, Version: version, Node: orZero(in.Node),
		Port: orZero(in.Port), What: string(or(in.What, ListFunnelPeopleParamsWhatCame)), Since: since,
	})
	if err != nil {
		return nil, err
	}
	answer := ListFunnelPeople200JSONResponse{Next: optional(page.Next), Items: []Passer{}}
	for _, p := range page.Items {
		answer.Items = append(answer.Items, Passer{
			ContactId: p.ContactID, Name: called(p.Person), Email: p.ContactEmail, RunId: &p.RunID, MessageId: p.MessageID, At: p.At,
		})
	}
	return answer, nil
}

// called is what a person is known by.
func called(p views.Person) string {
	ref := toRef(p)
	return cmp.Or(orZero(ref.Name), orZero(ref.Email), orZero(ref.ExternalId))
}

// versionID is the id of a version by its number; 0 has none.
func (h *handlers) versionID(ctx context.Context, funnel uuid.UUID, number int) (*uuid.UUID, error) {
	if number == 0 {
		return nil, nil //nolint:nilnil // no version is all versions
	}
	version, _, err := h.Funnels.Version(ctx, workspace(ctx), funnel, number)
	return &version.ID, err
}

// ListSplitResults compares the arms of splits.
func (h *handlers) ListSplitResults(ctx context.Context, request ListSplitResultsRequestObject) (ListSplitResultsResponseObject, error) {
	current, err := h.Funnels.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	answer := ListSplitResults200JSONResponse{Items: []SplitResult{}}
	if current.Head.Version == 0 {
		return answer, nil
	}
	_, document, err := h.Funnels.Version(ctx, workspace(ctx), request.Id, current.Head.Version)
	if err != nil {
		return nil, err
	}
	number, since, err := h.span(ctx, request.Id, request.Params.Period)
	if err != nil {
		return nil, err
	}
	version, err := h.versionID(ctx, request.Id, number)
	if err != nil {
		return nil, err
	}
	splits, err := insight.Splits(ctx, h.DB, workspace(ctx), request.Id, version, since, document.Graph)
	answer.Items = each(splits, toSplit)
	return answer, err
}

func toSplit(s insight.Split) SplitResult {
	out := SplitResult{Node: s.Node, Verdict: SplitVerdict(s.Verdict), Leader: optional(s.Leader), Arms: each(s.Arms, func(a insight.Arm) SplitArm {
		return SplitArm{
			Port: a.Port, Label: a.Label, HoldOut: a.HoldOut, People: a.People, Reached: a.Reached, Rate: a.Rate, Low: a.Low, High: a.High, Chance: a.Chance,
		}
	})}
	if s.Uplift != nil {
		out.Uplift = &SplitUplift{Verdict: SplitVerdict(s.Uplift.Verdict), Points: s.Uplift.Points, Extra: s.Uplift.Extra, Chance: s.Uplift.Chance}
	}
	return out
}

// First steps a person takes.
const (
	stepSimulated = "simulated"
	stepWritten   = "written"
	stepPublished = "published"
	stepLooked    = "looked"
)

// took notes that the person who asks took a first step. That the note fails must not fail what was asked for.
func (h *handlers) took(ctx context.Context, step string) {
	user := auth.From(ctx).By()
	if user == nil {
		return
	}
	err := store.Q.TakeFirstStep(ctx, h.DB, store.TakeFirstStepParams{WorkspaceID: workspace(ctx), UserID: *user, Step: step, Now: h.Clock.Now()})
	if err != nil {
		h.Logger.WarnContext(ctx, "a first step was not noted", "step", step, "error", err.Error())
	}
}

// GetFirstSteps answers what the person has done here.
func (h *handlers) GetFirstSteps(ctx context.Context, _ GetFirstStepsRequestObject) (GetFirstStepsResponseObject, error) {
	var done []string
	if user := auth.From(ctx).By(); user != nil {
		taken, err := store.Q.FirstSteps(ctx, h.DB, store.FirstStepsParams{WorkspaceID: workspace(ctx), UserID: *user})
		if err != nil {
			return nil, err
		}
		done = taken
	}
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	return GetFirstSteps200JSONResponse{
		Simulated: slices.Contains(done, stepSimulated), Written: slices.Contains(done, stepWritten), Published: slices.Contains(done, stepPublished),
		Looked: slices.Contains(done, stepLooked), Connected: row.SendingMode == "live",
	}, err
}
