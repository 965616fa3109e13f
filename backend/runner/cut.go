package runner

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
	"github.com/lejek/lejek/engine"
)

// CutWait ends the wait of one run as if its time had come, and takes the run as far as it then goes. Nobody else's time moves, and
// what comes after is decided as ever. Only in the sandbox: outside it a wait is a promise to a real person.
func (r *Runner) CutWait(ctx context.Context, workspace, id uuid.UUID) error {
	var w *wake
	err := store.InTx(ctx, r.DB, r.Clock, func(tx store.Tx) error {
		if err := workspaces.InSandbox(ctx, tx, workspace); err != nil {
			return err
		}
		waiting, err := lockRun(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		w = &wake{runner: r, tx: tx, lane: laneNow, due: tx.Now, cut: true, leased: []*row{waiting}}
		return w.cutWait(ctx, waiting)
	})
	if err == nil {
		r.tell(w)
	}
	return err
}

func (w *wake) cutWait(ctx context.Context, waiting *row) error {
	for _, load := range []func(context.Context) error{w.loadPeople, w.loadHouses, w.loadPlans, w.loadSignals, w.loadFacts} {
		if err := load(ctx); err != nil {
			return err
		}
	}
	version := w.version(waiting)
	switch {
	case w.funnels[funnelKey{waiting.workspace, waiting.funnel}].state == "paused":
		return fault.New(fault.Conflict, "The funnel is paused, so nobody goes on in it. Resume it first.")
	case version == nil || version.Plan == nil || !engine.CanCut(version.Plan, waiting.run):
		return fault.New(fault.Conflict, "This person is in no wait now, so there is none to skip.")
	}
	if w.advance(waiting); waiting.err != nil {
		return fmt.Errorf("cut the wait of run %s: %w", waiting.id, waiting.err)
	}
	return w.write(ctx)
}
