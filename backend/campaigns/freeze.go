package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// FreezeKind is the task that writes down who receives a campaign.
const FreezeKind = "campaign_freeze"

type freezeArgs struct {
	Campaign uuid.UUID `json:"campaign"`
}

// FrozenReport is its result.
type FrozenReport struct {
	Recipients int64 `json:"recipients"`
	Of         int64 `json:"of"` // people of the audience
}

// FreezeTask is the kind for tasks.Register.
func (c *Campaigns) FreezeTask() tasks.Kind {
	return tasks.Kind{
		Name: FreezeKind, Label: "Writing down who receives the campaign", Attempts: 12, Ended: giveBack,
		Work: func(ctx context.Context, task *tasks.Run) (any, error) {
			var args freezeArgs
			if err := task.Args(&args); err != nil {
				return nil, err
			}
			report, err := tasks.Chunks[FrozenReport]{
				Next: func(ctx context.Context, tx store.Tx, done FrozenReport) (FrozenReport, bool, error) {
					return freeze(ctx, tx, task.Task.WorkspaceID, args.Campaign, done)
				},
				Progress: func(r FrozenReport) int64 { return r.Recipients },
				Total:    func(r FrozenReport) int64 { return r.Of },
			}.Work(ctx, task)
			if err == nil {
				c.nudge("campaign")
			}
			return report, err
		},
	}
}

// giveBack makes a campaign a draft again whose audience is not frozen to its end: there is nobody in it, or somebody cancelled the task.
func giveBack(ctx context.Context, tx store.Tx, task store.Task) error {
	var args freezeArgs
	if err := json.Unmarshal(task.Args, &args); err != nil {
		return fmt.Errorf("read the task's arguments: %w", err)
	}
	tag, err := tx.Exec(ctx, `UPDATE campaigns SET state = 'draft', frozen_at = NULL, total = NULL, updated_at = $3
		WHERE workspace_id = $1 AND id = $2 AND state = 'freezing'`, task.WorkspaceID, args.Campaign, tx.Now)
	if err != nil {
		return fmt.Errorf("give campaign %s back: %w", args.Campaign, err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	for _, table := range []string{"campaign_portions", "campaign_recipients"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE workspace_id = $1 AND campaign_id = $2", task.WorkspaceID, args.Campaign); err != nil {
			return fmt.Errorf("give campaign %s back: %w", args.Campaign, err)
		}
	}
	return nil
}

// freeze does the next part of the freezing: it decides who is in the audience, writes a portion of them down, or lets the campaign begin
// when nobody is left to write down. A process that dies leaves what was committed, and the next one goes on from there.
func freeze(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, done FrozenReport) (after FrozenReport, end bool, err error) {
	found, err := lock(ctx, tx, workspace, id)
	if err != nil {
		return done, false, err
	}
	switch {
	case found.State != Freezing: // it was done before
		if found.Total != nil {
			done.Recipients, done.Of = *found.Total, max(done.Of, *found.Total)
		}
		return done, true, nil
	case found.FrozenAt == nil:
		done.Of, err = decideAudience(ctx, tx, workspace, &found)
		failpoint.Hit("campaigns.before_decided")
		return done, false, err
	}
	written, more, err := writePortion(ctx, tx, workspace, &found)
	done.Recipients, done.Of = done.Recipients+written, *found.Total
	if err != nil || more {
		failpoint.Hit("campaigns.before_written")
		return done, false, err
	}
	done.Recipients, err = release(ctx, tx, workspace, &found)
	failpoint.Hit("campaigns.before_frozen")
	return done, true, err
}

// decideAudience writes down in one statement, which sees everybody at one instant, who is in the audience, and answers how many they are.
func decideAudience(ctx context.Context, tx store.Tx, workspace uuid.UUID, found *Campaign) (int64, error) {
	total, err := writePortions(ctx, tx, workspace, found)
	if err != nil {
		return 0, err
	}
	if total == 0 {
		return 0, fault.New(fault.Invalid, "Nobody is in the audience of %q now. Choose another one.", found.Name)
	}
	_, err = tx.Exec(ctx, "UPDATE campaigns SET frozen_at = $3, total = $4, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, found.ID, tx.Now, total)
	if err != nil {
		return 0, fmt.Errorf("note the audience of campaign %s: %w", found.ID, err)
	}
	return total, nil
}

// release lets a campaign begin whose recipients are all written down, and answers how many they are.
func release(ctx context.Context, tx store.Tx, workspace uuid.UUID, found *Campaign) (recipients int64, err error) {
	var decide *time.Time
	if found.Document.tested() < everybody {
		at := engine.AddDuration(tx.Now, found.Document.Experiment.After, nil, time.UTC)
		decide = &at
	}
	err = tx.QueryRow(ctx, `UPDATE campaigns SET state = 'sending', feed_at = $3, resumed_at = $3, decide_at = $4, updated_at = $3,
			total = (SELECT count(*) FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2)
		WHERE workspace_id = $1 AND id = $2 RETURNING total`, workspace, found.ID, tx.Now, decide).Scan(&recipients)
	if err != nil {
		return 0, fmt.Errorf("start sending campaign %s: %w", found.ID, err)
	}
	return recipients, nil
}
