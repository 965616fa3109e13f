package api

import (
	"context"

	"github.com/lejek/lejek/backend/wording"
)

// ListFunnelTexts tells what a funnel's texts come to.
func (h *handlers) ListFunnelTexts(ctx context.Context, request ListFunnelTextsRequestObject) (ListFunnelTextsResponseObject, error) {
	steps, err := h.Texts.Steps(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	items := make([]AiTextStep, 0, len(steps))
	for _, s := range steps {
		one := AiTextStep{
			Step: s.Node, Name: s.Name, ApprovedOnly: s.Approved, Everybody: s.Whole, People: s.People, Combinations: s.Total, More: s.More, Widest: optional(s.Widest), States: s.States,
			Calls: s.Calls, TokensIn: s.In, TokensOut: s.Out, Cost: s.Cost, Variants: make([]AiTextVariant, 0, len(s.Variants)),
		}
		for _, v := range s.Variants[:min(len(s.Variants), listedVariants)] {
			one.Variants = append(one.Variants, toVariant(v))
		}
		one.More = one.More || len(s.Variants) > listedVariants
		items = append(items, one)
	}
	return ListFunnelTexts200JSONResponse{Items: items}, nil
}

// listedVariants is how many variants of a step are listed, those of most people first.
const listedVariants = 500

func toVariant(v wording.Variant) AiTextVariant {
	out := AiTextVariant{Id: v.ID, Language: v.Language, Values: v.Values, People: v.People, State: AiTextVariantState(v.State)}
	if v.Texts != nil {
		out.Texts = &v.Texts
	}
	return out
}

// WriteFunnelTexts has a step's missing texts written.
func (h *handlers) WriteFunnelTexts(ctx context.Context, request WriteFunnelTextsRequestObject) (WriteFunnelTextsResponseObject, error) {
	row, err := h.Texts.Start(ctx, workspace(ctx), request.Id, request.Step, by(ctx))
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return WriteFunnelTexts202JSONResponse{TaskAnswerJSONResponse(task)}, err
}

// ApproveFunnelTexts approves what waits for it.
func (h *handlers) ApproveFunnelTexts(ctx context.Context, request ApproveFunnelTextsRequestObject) (ApproveFunnelTextsResponseObject, error) {
	n, err := h.Texts.ApproveAll(ctx, workspace(ctx), request.Id, request.Step, by(ctx))
	return ApproveFunnelTexts200JSONResponse{Approved: n}, err
}

// JudgeFunnelText keeps what somebody says of one text.
func (h *handlers) JudgeFunnelText(ctx context.Context, request JudgeFunnelTextRequestObject) (JudgeFunnelTextResponseObject, error) {
	v, err := h.Texts.Judge(ctx, workspace(ctx), request.Id, request.Step, request.Variant, wording.Judgement{
		State: string(request.Body.State), Texts: orZero(request.Body.Texts), By: by(ctx),
	})
	if err != nil {
		return nil, err
	}
	return JudgeFunnelText200JSONResponse(toVariant(v)), nil
}
