package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/workspaces"
	"github.com/lejek/lejek/engine"
)

// matchingNow is how many people publishing could start at once; nil where that is no question.
func (h *handlers) matchingNow(ctx context.Context, funnel uuid.UUID, preview funnels.Preview) (people *int, atMost *bool, err error) {
	if preview.State == funnels.Paused || preview.State == funnels.Archived {
		return nil, nil, nil
	}
	home, err := workspaces.Get(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, nil, err
	}
	now := func() engine.Input { return engine.Input{Now: h.Clock.Now(), Zone: home.Zone} }
	found, err := h.Reactor.CountMatching(ctx, h.DB, now, workspace(ctx), funnel, preview.Document.Bundle(nil))
	if err != nil || !found.Any {
		return nil, nil, err
	}
	if found.AtMost {
		atMost = &found.AtMost
	}
	return &found.People, atMost, nil
}

// startMatching queues the start of those people in the transaction that publishes.
func (h *handlers) startMatching(ctx context.Context, funnel uuid.UUID) func(context.Context, store.Tx, store.FunnelVersion, string) error {
	asked := by(ctx)
	return func(ctx context.Context, tx store.Tx, version store.FunnelVersion, state string) error {
		if state != funnels.Live {
			return fault.New(fault.Conflict, "The funnel is paused, so nobody can be started. Resume it first, or publish without starting those who match now.")
		}
		_, _, err := h.Tasks.StartIn(ctx, tx, tasks.Request{
			Workspace: version.WorkspaceID, Kind: events.MatchingKind, By: asked, UniqueKey: version.ID.String(),
			Args: events.MatchingArgs{Funnel: funnel, Version: version.ID},
		})
		return err
	}
}
