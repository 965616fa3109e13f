package api

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/reviews"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// PreviewMove says what publishing would change with a plan for the people inside.
func (h *handlers) PreviewMove(ctx context.Context, request PreviewMoveRequestObject) (PreviewMoveResponseObject, error) {
	preview, err := h.previewPublish(ctx, request.Id, orZero(request.Body.Version), orZero(request.Body.Plan))
	return PreviewMove200JSONResponse(preview), err
}

// previewPublish is the preview of publishing the draft (version 0) or what a version held.
func (h *handlers) previewPublish(ctx context.Context, funnel uuid.UUID, version int, plan []Placement) (PublishPreview, error) {
	preview, err := h.Funnels.PublishPreview(ctx, workspace(ctx), funnel, version)
	if err != nil {
		return PublishPreview{}, err
	}
	out := PublishPreview{
		Revision: preview.Revision, Version: preview.Version, Problems: orEmpty(preview.Problems), Changes: each(preview.Changes, toChange), Inside: []Inside{},
	}
	if out.MatchingNow, out.MatchingAtMost, err = h.matchingNow(ctx, funnel, preview); err != nil {
		return PublishPreview{}, err
	}
	if out.Expected, err = h.expected(ctx, preview.Document); err != nil {
		return PublishPreview{}, err
	}
	asked := map[stepOf]Placement{}
	for _, p := range plan {
		asked[stepOf{p.Version, p.Node}] = p
	}
	placements := make([]runs.Placement, len(preview.Inside))
	for i, step := range preview.Inside {
		p := asked[stepOf{step.Version, step.Node}]
		placements[i] = runs.Placement{Version: step.VersionID, N: step.Version, Node: step.Node, Do: runs.DoKeep, To: orZero(p.To)}
		if p.Do != "" {
			placements[i].Do = string(p.Do)
		}
		out.PeopleInside += step.People
	}
	target, err := plans.Draft(preview.Document.Bundle(nil))
	if err != nil {
		target = nil // what is wrong with it the problems say; until then nobody can be moved
	}
	outlooks, err := h.Runner.Outlooks(ctx, workspace(ctx), funnel, target, placements)
	if err != nil {
		return PublishPreview{}, err
	}
	for i, step := range preview.Inside {
		out.Inside = append(out.Inside, toInside(step, placements[i].Do, outlooks[i]))
	}
	return out, nil
}

// stepOf is a step of a version.
type stepOf struct {
	version int
	node    string
}

func toChange(c engine.Change) Change {
	return Change{
		Code: ChangeCode(c.Code), Node: c.Node, Kind: c.Kind, Name: c.Name, Field: orNil(c.Field), Label: orNil(c.Label),
		From: anything(c.From), To: anything(c.To),
	}
}

// orNil leaves an empty text out of an answer.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// anything leaves a value that is not there out of an answer.
func anything(value any) *any {
	if value == nil {
		return nil
	}
	return &value
}

func toInside(step funnels.Inside, do string, o runner.Outlook) Inside {
	inside := Inside{
		Version: step.Version, Node: step.Node, Name: step.Name, Kind: step.Kind, People: step.People, Do: MoveDo(do), To: orNil(o.To), Next: []Forecast{},
	}
	if step.Parked > 0 {
		inside.Parked = &step.Parked
	}
	if o.Stays != "" {
		stays := InsideStays(o.Stays)
		inside.Stays = &stays
	}
	for _, next := range o.Next {
		f := Forecast{What: ForecastWhat(next.What), Node: orNil(next.Node), Name: orNil(next.Name)}
		if !next.At.IsZero() {
			f.At = &next.At
		}
		inside.Next = append(inside.Next, f)
	}
	return inside
}

// movePlan checks a plan against the versions there are and the document to publish. Whoever is kept needs no place in it.
func (h *handlers) movePlan(ctx context.Context, funnel uuid.UUID, document funnels.Document, plan []Placement) ([]runs.Placement, error) {
	if len(plan) == 0 {
		return nil, nil
	}
	versions, err := h.Funnels.Versions(ctx, workspace(ctx), funnel)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, node := range document.Graph.Nodes {
		kinds[node.ID] = node.Kind
	}
	steps := map[int][]engine.Node{} // of the versions people are in
	var placements []runs.Placement
	type spot struct {
		version int
		node    string
	}
	placed := map[spot]bool{}
	for _, p := range plan {
		if placed[spot{p.Version, p.Node}] {
			return nil, fault.InvalidField("plan", "The people at %q of version %d are in the plan twice. Say once what becomes of them.", p.Node, p.Version)
		}
		placed[spot{p.Version, p.Node}] = true
		at := slices.IndexFunc(versions, func(v funnels.Version) bool { return v.N == p.Version })
		if at < 0 {
			return nil, fault.InvalidField("plan", "The funnel has no version %d. Reload the preview.", p.Version)
		}
		if steps[p.Version] == nil {
			_, was, err := h.Funnels.Version(ctx, workspace(ctx), funnel, p.Version)
			if err != nil {
				return nil, err
			}
			steps[p.Version] = was.Graph.Nodes
		}
		if !slices.ContainsFunc(steps[p.Version], func(node engine.Node) bool { return node.ID == p.Node }) {
			return nil, fault.InvalidField("plan", "Version %d has no step %q, so nobody is there. Reload the preview.", p.Version, p.Node)
		}
		if p.Do == MoveDoKeep {
			continue
		}
		to := p.Node
		if p.To != nil && *p.To != "" {
			to = *p.To
		}
		switch kind, known := kinds[to]; {
		case p.Do != MoveDoMove:
			to = ""
		case !known:
			return nil, fault.InvalidField("plan", "The new version has no step %q. Choose another step for the people at %q.", to, p.Node)
		case kind == engine.KindEntry || kind == engine.KindGoal:
			return nil, fault.InvalidField("plan", "Nobody can be moved to a start or a goal. Choose another step for the people at %q.", p.Node)
		}
		placements = append(placements, runs.Placement{Version: versions[at].ID, N: p.Version, Node: p.Node, Do: string(p.Do), To: to})
	}
	return placements, nil
}

// afterPublish is what a wish asks for beyond the new version, in the transaction that publishes. task is set to the task that moves
// people.
func (h *handlers) afterPublish(ctx context.Context, funnel uuid.UUID, in *PublishInput, plan []runs.Placement, task **uuid.UUID) func(context.Context, store.Tx, store.FunnelVersion, string) error {
	matching := func(context.Context, store.Tx, store.FunnelVersion, string) error { return nil }
	if orZero(in.StartMatching) {
		matching = h.startMatching(ctx, funnel)
	}
	asked := by(ctx)
	return func(ctx context.Context, tx store.Tx, version store.FunnelVersion, state string) error {
		if in.Version == nil {
			if err := reviews.End(ctx, tx, version.WorkspaceID, funnel, reviews.Published); err != nil {
				return err
			}
		}
		if err := matching(ctx, tx, version, state); err != nil || len(plan) == 0 {
			return err
		}
		movers := slices.DeleteFunc(slices.Clone(plan), func(p runs.Placement) bool { return p.Version == version.ID })
		if len(movers) == 0 {
			return nil
		}
		made, _, err := h.Tasks.StartIn(ctx, tx, tasks.Request{
			Workspace: version.WorkspaceID, Kind: runner.MoveKind, By: asked,
			Args: runner.MoveArgs{Funnel: funnel, To: version.ID, Plan: movers, By: asked, Note: version.Note},
		})
		*task = &made.ID
		return err
	}
}
