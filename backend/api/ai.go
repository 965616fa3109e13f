package api

import (
	"context"
	"encoding/json"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/engine"
)

// CreateAiDraft drafts a funnel, or a change of one, from a sentence, as a task.
func (h *handlers) CreateAiDraft(ctx context.Context, request CreateAiDraftRequestObject) (CreateAiDraftResponseObject, error) {
	r := drafts.Request{
		Workspace: workspace(ctx), Prompt: request.Body.Prompt, Language: string(orZero(request.Body.Language)), By: by(ctx),
		Funnel: request.Body.FunnelId, Anew: orZero(request.Body.Anew),
	}
	if request.Body.Graph != nil {
		r.Base = &engine.Bundle{Graph: *request.Body.Graph, Creatives: orZero(request.Body.Creatives)}
	}
	row, err := h.Drafts.Start(ctx, r)
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return CreateAiDraft202JSONResponse{TaskAnswerJSONResponse(task)}, err
}

// ListAiDrafts lists the caller's sentences.
func (h *handlers) ListAiDrafts(ctx context.Context, request ListAiDraftsRequestObject) (ListAiDraftsResponseObject, error) {
	all, err := h.Drafts.History(ctx, workspace(ctx), by(ctx), request.Params.FunnelId)
	if err != nil {
		return nil, err
	}
	items := make([]AiPrompt, 0, len(all))
	for _, d := range all {
		items = append(items, AiPrompt{
			Id: d.Task.ID, Prompt: d.Prompt, State: d.Task.State, CreatedAt: d.Task.CreatedAt, Outcome: optional(string(d.Result.Outcome)), Engine: optional(d.Result.Engine),
		})
	}
	return ListAiDrafts200JSONResponse{Items: items}, nil
}

// GetAiDraft answers a draft and, once it is done, the proposal.
func (h *handlers) GetAiDraft(ctx context.Context, request GetAiDraftRequestObject) (GetAiDraftResponseObject, error) {
	draft, err := h.Drafts.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	task, err := toTask(draft.Task)
	out := AiDraft{Task: task, Prompt: &draft.Prompt}
	if result := draft.Result; result != nil {
		out.Outcome, out.Engine, out.Graph = new(AiDraftOutcome(result.Outcome)), &result.Engine, result.Graph
		out.Explanation, out.Reason, out.Message = optional(result.Explanation), optional(result.Reason), optional(result.Message)
		out.Assumptions, out.Questions, out.Choices = new(orEmpty(result.Assumptions)), new(orEmpty(result.Questions)), &result.Choices
		out.Problems, out.Name = new(orEmpty(result.Problems)), optional(result.Name)
		out.Change = aiChange(result.Change)
		if result.Graph != nil {
			creatives := Creatives(result.Creatives)
			if creatives == nil {
				creatives = Creatives{}
			}
			out.Creatives = &creatives
			expected, err := h.Drafts.Expect(ctx, workspace(ctx), *result.Graph)
			if err != nil {
				return nil, err
			}
			out.Expected = &AiExpected{People: expected.People, Messages: expected.Messages, Basis: AiExpectedBasis(expected.Basis)}
		}
	}
	return GetAiDraft200JSONResponse(out), err
}

// ReadRule answers who a sentence means.
func (h *handlers) ReadRule(ctx context.Context, request ReadRuleRequestObject) (ReadRuleResponseObject, error) {
	got, err := h.Drafts.Rule(ctx, workspace(ctx), by(ctx), request.Body.Prompt, string(orZero(request.Body.Language)))
	if err != nil {
		return nil, err
	}
	out := AiRule{Engine: got.Engine, Name: optional(got.Name), Ignored: orEmpty(got.Ignored), Notes: orEmpty(got.Notes), Why: optional(got.Why)}
	if got.Rule != nil {
		rule := map[string]any{}
		if err := json.Unmarshal(got.Rule, &rule); err != nil {
			return nil, err
		}
		out.Rule = &rule
	}
	return ReadRule200JSONResponse(out), nil
}

// WriteWords suggests the words of one message.
func (h *handlers) WriteWords(ctx context.Context, request WriteWordsRequestObject) (WriteWordsResponseObject, error) {
	got, err := h.Drafts.Words(ctx, drafts.WordsRequest{
		Workspace: workspace(ctx), By: by(ctx), Prompt: request.Body.Prompt, Language: string(orZero(request.Body.Language)), Channel: string(request.Body.Channel),
		Variables: orZero(request.Body.Variables), Now: orZero(request.Body.Creative),
	})
	if err != nil {
		return nil, err
	}
	return WriteWords200JSONResponse{Creative: got.Creative, Engine: got.Engine, Notes: orEmpty(got.Notes), Message: optional(got.Message), Why: optional(got.Why)}, nil
}

func aiChange(c *ai.Change) *AiChange {
	if c == nil {
		return nil
	}
	out := &AiChange{Groups: make([]AiGroup, 0, len(c.Groups)), Summary: orEmpty(c.Summary), Name: optional(c.Name), Undo: c.Undo}
	for _, g := range c.Groups {
		out.Groups = append(out.Groups, AiGroup{Id: g.ID, Steps: orEmpty(g.Steps), Summary: orEmpty(g.Summary)})
	}
	return out
}

// StreamAiDraft streams what a draft tells on its way.
func (h *handlers) StreamAiDraft(ctx context.Context, request StreamAiDraftRequestObject) (StreamAiDraftResponseObject, error) {
	in := workspace(ctx)
	if _, err := h.Drafts.Get(ctx, in, request.Id); err != nil {
		return nil, err
	}
	after := orZero(request.Params.After)
	body := h.stream(ctx, "news", func(ctx context.Context) ([]any, bool, error) {
		row, err := h.Tasks.Get(ctx, in, request.Id)
		if err != nil {
			return nil, false, err
		}
		news, err := h.Drafts.News(ctx, in, request.Id, after)
		if err != nil {
			return nil, false, err
		}
		if len(news) > 0 {
			after = news[len(news)-1].N
		}
		all := anys(news)
		if row.FinishedAt != nil {
			all = append(all, map[string]any{"kind": "done", "text": row.State})
		}
		return all, row.FinishedAt != nil, nil
	})
	return StreamAiDraft200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

// SelectAiDraft answers the funnel with some groups of a proposed change.
func (h *handlers) SelectAiDraft(ctx context.Context, request SelectAiDraftRequestObject) (SelectAiDraftResponseObject, error) {
	var now *engine.Bundle
	if request.Body.Graph != nil {
		now = &engine.Bundle{Graph: *request.Body.Graph, Creatives: orZero(request.Body.Creatives)}
	}
	s, err := h.Drafts.Select(ctx, workspace(ctx), request.Id, request.Body.Groups, now)
	if err != nil {
		return nil, err
	}
	creatives := Creatives(s.Creatives)
	if creatives == nil {
		creatives = Creatives{}
	}
	return SelectAiDraft200JSONResponse{Graph: s.Graph, Creatives: creatives, Name: optional(s.Name), Problems: orEmpty(s.Problems)}, nil
}

// GetAiStatus tells what a draft would be made with.
func (h *handlers) GetAiStatus(ctx context.Context, _ GetAiStatusRequestObject) (GetAiStatusResponseObject, error) {
	s, err := h.Drafts.Status(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	out := AiStatus{Engine: s.Engine, Why: optional(s.Why), Estimate: s.Estimate, EstimateWords: s.Words, Budget: AiBudget(s.Budget), Spent: AiSpent(s.Spent), Endpoints: []AiEndpointState{}}
	for _, e := range s.Endpoints {
		out.Endpoints = append(out.Endpoints, AiEndpointState(e))
	}
	return GetAiStatus200JSONResponse(out), nil
}

func (h *handlers) aiSettings(ctx context.Context) (AiSettings, error) {
	endpoints, err := h.Drafts.Endpoints(ctx, workspace(ctx))
	if err != nil {
		return AiSettings{}, err
	}
	budget, err := h.Drafts.Budget(ctx, workspace(ctx))
	if err != nil {
		return AiSettings{}, err
	}
	spent, err := h.Drafts.Spent(ctx, workspace(ctx))
	if err != nil {
		return AiSettings{}, err
	}
	usage, err := h.Drafts.Usage(ctx, workspace(ctx))
	if err != nil {
		return AiSettings{}, err
	}
	drafter, _, err := h.Drafts.For(ctx, workspace(ctx))
	if err != nil {
		return AiSettings{}, err
	}
	out := AiSettings{Endpoints: make([]AiEndpoint, 0, len(endpoints)), Budget: AiBudget(budget), Spent: AiSpent(spent), Installation: ai.Offline, States: []AiEndpointState{}, Usage: []AiUsage{}}
	for _, e := range drafter.States() {
		out.States = append(out.States, AiEndpointState(e))
	}
	for _, u := range usage {
		out.Usage = append(out.Usage, AiUsage{Op: u.Op, Model: u.Model, Calls: u.Calls, Failed: u.Failed, TokensIn: u.TokensIn, TokensOut: u.TokensOut, MedianMs: u.MedianMs})
	}
	if states := h.Drafts.Drafter.States(); len(states) > 0 {
		out.Installation = states[0].Model
	}
	for _, e := range endpoints {
		one := AiEndpoint{Slot: AiEndpointSlot(e.Slot), BaseUrl: e.BaseURL, Model: e.Model, HasKey: e.HasKey, TestedAt: e.TestedAt, PriceIn: e.PriceIn, PriceOut: e.PriceOut}
		if e.Profile != nil {
			one.Profile = new(toProfile(*e.Profile))
		}
		out.Endpoints = append(out.Endpoints, one)
	}
	return out, nil
}

func toProfile(p ai.Profile) AiProfile {
	return AiProfile{Reached: p.Reached, Mode: p.Mode, Enforced: p.Enforced, Streams: p.Streams, Usage: p.Usage, MaxField: p.MaxField, Why: optional(p.Why), Says: optional(p.Says)}
}

// GetAiSettings answers the endpoints and the budget.
func (h *handlers) GetAiSettings(ctx context.Context, _ GetAiSettingsRequestObject) (GetAiSettingsResponseObject, error) {
	out, err := h.aiSettings(ctx)
	return GetAiSettings200JSONResponse(out), err
}

// SetAiBudget sets the budget.
func (h *handlers) SetAiBudget(ctx context.Context, request SetAiBudgetRequestObject) (SetAiBudgetResponseObject, error) {
	if err := h.Drafts.SaveBudget(ctx, workspace(ctx), drafts.Budget(*request.Body)); err != nil {
		return nil, err
	}
	out, err := h.aiSettings(ctx)
	return SetAiBudget200JSONResponse(out), err
}

// SetAiEndpoint saves an endpoint.
func (h *handlers) SetAiEndpoint(ctx context.Context, request SetAiEndpointRequestObject) (SetAiEndpointResponseObject, error) {
	in := drafts.EndpointInput{BaseURL: request.Body.BaseUrl, Model: request.Body.Model, Key: request.Body.Key, PriceIn: request.Body.PriceIn, PriceOut: request.Body.PriceOut}
	if err := h.Drafts.SaveEndpoint(ctx, workspace(ctx), string(request.Slot), in); err != nil {
		return nil, err
	}
	out, err := h.aiSettings(ctx)
	return SetAiEndpoint200JSONResponse(out), err
}

// DeleteAiEndpoint removes an endpoint.
func (h *handlers) DeleteAiEndpoint(ctx context.Context, request DeleteAiEndpointRequestObject) (DeleteAiEndpointResponseObject, error) {
	return DeleteAiEndpoint204Response{}, h.Drafts.DropEndpoint(ctx, workspace(ctx), string(request.Slot))
}

// TestAiEndpoint asks an endpoint what it can do.
func (h *handlers) TestAiEndpoint(ctx context.Context, request TestAiEndpointRequestObject) (TestAiEndpointResponseObject, error) {
	language, err := h.templateLanguage(ctx, nil)
	if err != nil {
		return nil, err
	}
	found, err := h.Drafts.Test(ctx, workspace(ctx), string(request.Slot), language)
	return TestAiEndpoint200JSONResponse(toProfile(found)), err
}
