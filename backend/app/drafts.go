package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/engine"
)

func machineOr(machine clock.Clock) clock.Clock {
	if machine == nil {
		return clock.Machine{}
	}
	return machine
}

// baseOf is a funnel's name and draft, for somebody who wants it changed by a sentence.
func (a *App) baseOf(ctx context.Context, workspace, funnel uuid.UUID) (string, engine.Bundle, error) {
	current, err := a.Funnels.Get(ctx, workspace, funnel)
	if err != nil {
		return "", engine.Bundle{}, err
	}
	return current.Head.Name, engine.Bundle{Graph: current.Document.Graph, Creatives: current.Document.Creatives}, nil
}

// graphOf is a funnel as it is drawn now.
func (a *App) graphOf(ctx context.Context, workspace, funnel uuid.UUID) (engine.Graph, error) {
	_, base, err := a.baseOf(ctx, workspace, funnel)
	return base.Graph, err
}
