package drafts

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
)

// asking does something that may ask a model: with the workspace's endpoints, out of its budget, and kept account of. do tells whether its
// answer is a model's and is delivered, for only that is charged. why is the reason when no model may be asked.
func (d *Drafts) asking(ctx context.Context, watch *watcher, by *uuid.UUID, tokens int, do func(context.Context, *ai.Drafter) bool) (why string, err error) {
	drafter, why, err := d.For(ctx, watch.in)
	if err != nil {
		return "", err
	}
	var ledger uuid.UUID
	if drafter.Online() {
		if watch.task == nil { // who starts a task was counted then
			if err := d.allow(ctx, watch.in, by); err != nil {
				return "", err
			}
		}
		var ok bool
		if ledger, ok, err = d.reserve(ctx, watch.in, watch.task, by, tokens); err != nil {
			return "", err
		}
		if !ok {
			drafter, why = ai.NewDrafter(Kinds(), nil), "quota"
		}
	}
	delivered := do(ai.Watched(ctx, watch), drafter)
	if ledger == uuid.Nil {
		return why, nil
	}
	return why, d.settle(context.WithoutCancel(ctx), watch.in, ledger, watch.tokens(), delivered)
}

// unwatched keeps an account of the calls of what no task does.
func (d *Drafts) unwatched(ctx context.Context, workspace uuid.UUID) *watcher {
	return &watcher{d: d, ctx: context.WithoutCancel(ctx), in: workspace}
}
