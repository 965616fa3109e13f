package funnels

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
)

// Pause keeps everybody where they are: nobody starts or moves on, due times stay what they are.
func (f *Funnels) Pause(ctx context.Context, workspace, id uuid.UUID, by *uuid.UUID) (Current, error) {
	return f.move(ctx, workspace, id, by, Paused, []string{Live}, "Only a live funnel can be paused", nil)
}

// Resume lets them go on; what became due meanwhile is due now.
func (f *Funnels) Resume(ctx context.Context, workspace, id uuid.UUID, by *uuid.UUID) (Current, error) {
	return f.move(ctx, workspace, id, by, Live, []string{Paused}, "Only a paused funnel can be resumed", func(tx store.Tx) error {
		_, err := runs.Resume(ctx, tx, workspace, id)
		return err
	})
}

// Stop ends all runs and voids their unsent messages. Publishing again starts afresh.
func (f *Funnels) Stop(ctx context.Context, workspace, id uuid.UUID, by *uuid.UUID) (Current, error) {
	return f.move(ctx, workspace, id, by, Stopped, []string{Live, Paused}, "Only a live or paused funnel can be stopped", func(tx store.Tx) error {
		_, err := runs.EndOfFunnel(ctx, tx, workspace, tx.Now, id, runs.ReasonStopped)
		return err
	})
}

// Archive takes a funnel out of the lists for good; its runs and versions stay to be looked at.
func (f *Funnels) Archive(ctx context.Context, workspace, id uuid.UUID, by *uuid.UUID) (Current, error) {
	return f.move(ctx, workspace, id, by, Archived, []string{Draft, Stopped}, "Stop the funnel before you archive it", nil)
}

// Delete removes a funnel that was never published.
func (f *Funnels) Delete(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, f.db, f.clock, func(tx store.Tx) error {
		row, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		deleted, err := store.Q.DeleteDraft(ctx, tx, store.DeleteDraftParams{WorkspaceID: workspace, ID: id})
		if err != nil {
			return fault.Wrap(err, "delete funnel %s", id)
		}
		if deleted == 0 {
			return fault.New(fault.Conflict, "The funnel %q has been published, so its history is kept. Archive it instead.", row.Name)
		}
		return nil
	})
}

// move brings the funnel into a state from one of others. Being there already is fine and does nothing. The rest runs
// after the state has changed, under the funnel's lock.
func (f *Funnels) move(ctx context.Context, workspace, id uuid.UUID, by *uuid.UUID, to string, from []string, refusal string, rest func(store.Tx) error) (Current, error) {
	return f.change(ctx, workspace, id, func(tx store.Tx, row store.Funnel) (store.Funnel, error) {
		if row.State == to {
			return row, nil
		}
		if !slices.Contains(from, row.State) {
			return row, fault.New(fault.Conflict, "%s; %q is %s.", refusal, row.Name, row.State)
		}
		row, err := store.Q.SetFunnelState(ctx, tx, store.SetFunnelStateParams{WorkspaceID: workspace, ID: id, State: to, By: by, Now: tx.Now})
		if err != nil || rest == nil {
			return row, err
		}
		return row, rest(tx)
	})
}
