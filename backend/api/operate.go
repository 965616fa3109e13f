package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/views"
)

// RetryRun tries a parked run again.
func (h *handlers) RetryRun(ctx context.Context, request RetryRunRequestObject) (RetryRunResponseObject, error) {
	run, err := h.operated(ctx, request.Id, h.Runner.Retry)
	return RetryRun200JSONResponse{RunAnswerJSONResponse(run)}, err
}

// SkipRun lets a parked run go on.
func (h *handlers) SkipRun(ctx context.Context, request SkipRunRequestObject) (SkipRunResponseObject, error) {
	run, err := h.operated(ctx, request.Id, h.Runner.Skip)
	return SkipRun200JSONResponse{RunAnswerJSONResponse(run)}, err
}

// CutRunWait ends the wait of a run in the sandbox.
func (h *handlers) CutRunWait(ctx context.Context, request CutRunWaitRequestObject) (CutRunWaitResponseObject, error) {
	run, err := h.operated(ctx, request.Id, h.Runner.CutWait)
	return CutRunWait200JSONResponse{RunAnswerJSONResponse(run)}, err
}

// EndRun ends a run.
func (h *handlers) EndRun(ctx context.Context, request EndRunRequestObject) (EndRunResponseObject, error) {
	run, err := h.operated(ctx, request.Id, h.Runner.End)
	return EndRun200JSONResponse{RunAnswerJSONResponse(run)}, err
}

func (h *handlers) operated(ctx context.Context, id uuid.UUID, act func(context.Context, uuid.UUID, uuid.UUID) error) (Run, error) {
	if err := act(ctx, workspace(ctx), id); err != nil {
		return Run{}, err
	}
	h.nudge("wake")
	run, err := views.GetRun(ctx, h.DB, workspace(ctx), id)
	return toRun(run), err
}

// nudge tells this process's pumps that something became due.
func (h *handlers) nudge(kind string) {
	if h.Nudge != nil {
		h.Nudge(kind)
	}
}

// ActOnMessage does in the Test inbox what the recipient could do.
func (h *handlers) ActOnMessage(ctx context.Context, request ActOnMessageRequestObject) (ActOnMessageResponseObject, error) {
	in := request.Body
	detail := orZero(in.Url)
	if in.Act == ActInputActReply {
		detail = orZero(in.Text)
	}
	followed, err := false, error(nil)
	if in.Act == ActInputActClick {
		followed, err = h.follow(ctx, request.Id, detail)
	}
	if err == nil && !followed {
		err = h.Delivery.Act(ctx, workspace(ctx), request.Id, string(in.Act), detail)
	}
	if err != nil {
		return nil, err
	}
	after, err := h.messageDetail(ctx, request.Id)
	return ActOnMessage200JSONResponse(after), err
}
