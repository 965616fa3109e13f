package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// GetTests answers the tests of a funnel with their last report.
func (h *handlers) GetTests(ctx context.Context, request GetTestsRequestObject) (GetTestsResponseObject, error) {
	tests, err := h.Funnels.Tests(ctx, workspace(ctx), request.Id)
	return GetTests200JSONResponse{toTests(tests)}, err
}

// PutTests replaces the tests of a funnel.
func (h *handlers) PutTests(ctx context.Context, request PutTestsRequestObject) (PutTestsResponseObject, error) {
	tests, err := h.Funnels.PutTests(ctx, workspace(ctx), request.Id, request.Body.Tests, by(ctx))
	return PutTests200JSONResponse{toTests(tests)}, err
}

// RunTests runs the tests of a funnel.
func (h *handlers) RunTests(ctx context.Context, request RunTestsRequestObject) (RunTestsResponseObject, error) {
	var other *funnels.Document
	if request.Body.Graph != nil {
		other = new(sentAlong(funnels.Document{}, request.Body.Graph, request.Body.Creatives))
	}
	tests, err := h.Funnels.RunTests(ctx, workspace(ctx), request.Id, other)
	return RunTests200JSONResponse{toTests(tests)}, err
}

func toTests(tests funnels.Tests) TestsAnswerJSONResponse {
	answer := TestsAnswerJSONResponse{Tests: orEmpty(tests.Cases), TestedAt: tests.TestedAt}
	if tests.Results == nil {
		return answer
	}
	answer.Results = new(each(tests.Results, func(r engine.TestResult) TestResult {
		result := TestResult{Name: r.Name, Passed: r.Passed}
		if len(r.Differences) > 0 {
			result.Differences = new(each(r.Differences, func(d engine.Difference) TestDifference {
				return TestDifference{What: d.What, Step: optional(d.Step), Want: d.Want, Got: d.Got}
			}))
		}
		return result
	}))
	return answer
}

// noteOverridden notes that somebody published a funnel although tests of it failed.
func (h *handlers) noteOverridden(ctx context.Context, funnel uuid.UUID, published funnels.Published) error {
	actor := auth.From(ctx)
	if len(published.Overridden()) == 0 {
		return nil
	}
	kind := "token"
	if actor.User != nil {
		kind = "user"
	}
	err := store.Q.InsertAudit(context.WithoutCancel(ctx), h.DB, store.InsertAuditParams{
		WorkspaceID: actor.Workspace, At: clock.Micro(h.Machine.Now()), ActorKind: kind, ActorID: new(actor.ID()),
		Action: "publishFunnel.testsOverridden", Target: funnel.String(),
	})
	return fault.Wrap(err, "note a change")
}

// RehearseFunnel starts a rehearsal.
func (h *handlers) RehearseFunnel(ctx context.Context, request RehearseFunnelRequestObject) (RehearseFunnelResponseObject, error) {
	in := request.Body
	current, err := h.Funnels.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	document := sentAlong(current.Document, in.Graph, in.Creatives)
	if _, err := engine.Compile(document.Bundle(nil)); err != nil {
		return nil, walkable(err)
	}
	now := h.Clock.Now()
	switch {
	case in.To.Before(in.From):
		return nil, fault.InvalidField("to", "The period ends before it begins. Choose a later end.")
	case in.From.After(now):
		return nil, fault.InvalidField("from", "That is still to come. A rehearsal is of a past period.")
	case in.From.Year() < 1970:
		return nil, fault.InvalidField("from", "Nothing was recorded before 1970. Choose a later beginning.")
	}
	row, _, err := h.Tasks.Start(ctx, tasks.Request{
		Workspace: workspace(ctx), Kind: rehearse.Kind, By: by(ctx),
		Args: rehearse.Args{Funnel: request.Id, Graph: document.Graph, Creatives: document.Creatives, From: clock.Micro(in.From), To: clock.Micro(in.To)},
	})
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return RehearseFunnel202JSONResponse{TaskAnswerJSONResponse(task)}, err
}
