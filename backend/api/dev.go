package api

import (
	"context"
	"errors"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
)

func (h *handlers) manual() *clock.Manual {
	manual, _ := h.Clock.(*clock.Manual)
	return manual
}

func errNotManual() error {
	return fault.New(fault.NotFound, "Business time is real here. Start with LEJEK_CLOCK=manual to set it.")
}

// GetClock reads business time.
func (h *handlers) GetClock(ctx context.Context, _ GetClockRequestObject) (GetClockResponseObject, error) {
	manual := h.manual()
	if manual == nil {
		return nil, errNotManual()
	}
	now, due, err := manual.Read(ctx, h.DB)
	return GetClock200JSONResponse{Now: now, Due: due}, err
}

// SetClock moves business time forward: now first, then due. What it refuses moves neither.
func (h *handlers) SetClock(ctx context.Context, request SetClockRequestObject) (SetClockResponseObject, error) {
	manual := h.manual()
	if manual == nil {
		return nil, errNotManual()
	}
	shown, taken, err := manual.Read(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	to, until := clock.Micro(request.Body.Now), clock.Micro(request.Body.Due)
	if to.Before(shown) || until.Before(taken) || until.After(to) {
		err = clock.ErrBackwards
	}
	if err == nil {
		err = manual.SetNow(ctx, request.Body.Now)
	}
	if err == nil {
		err = manual.SetDue(ctx, request.Body.Due)
	}
	if errors.Is(err, clock.ErrBackwards) {
		return nil, fault.New(fault.Invalid, "The clock goes forward only, and due may not be after now.")
	}
	if err != nil {
		return nil, err
	}
	now, due, err := manual.Read(ctx, h.DB)
	return SetClock200JSONResponse{Now: now, Due: due}, err
}

// aiName is the model that drafts funnels.
func (h *handlers) aiName() string {
	if h.AI == "" {
		return "offline"
	}
	return h.AI
}
