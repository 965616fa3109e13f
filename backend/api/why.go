package api

import (
	"context"

	explain "github.com/lejek/lejek/backend/why"
)

// ExplainFunnel says why a person is in a funnel, is not, or waits.
func (h *handlers) ExplainFunnel(ctx context.Context, request ExplainFunnelRequestObject) (ExplainFunnelResponseObject, error) {
	explainer := &explain.Explainer{DB: h.DB, Clock: h.Clock, Plans: h.Reactor.Plans, People: h.People}
	answer, err := explainer.Explain(ctx, workspace(ctx), request.Id, request.Params.Contact)
	if err != nil {
		return nil, err
	}
	return ExplainFunnel200JSONResponse{
		Status: WhyStatus(answer.Status), Said: toSentence(answer.Said), RunId: answer.Run, Node: orNil(answer.Node), NextAt: answer.NextAt,
		Admitted: &answer.Admitted, Enter: toSentence(answer.Enter), Barred: each(answer.Barred, toSentence),
		Steps: each(answer.Steps, func(s explain.Step) WhyStep { return WhyStep{Node: s.Node, At: s.At, Said: toSentence(s.Said)} }),
	}, nil
}

func toSentence(s explain.Sentence) Sentence {
	out := Sentence{Code: s.Code, Text: toTexts(s.Text)}
	if len(s.Params) > 0 {
		out.Params = &s.Params
	}
	return out
}

func toTexts(text map[string]string) Texts {
	return Texts{En: text["en"], Pl: text["pl"], Ru: text["ru"]}
}
