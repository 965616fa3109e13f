package campaigns

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
)

// Pause stops a campaign at once: when it returns, nothing more of it begins to leave. A batch that was handed to the mail server before
// may still arrive. Pausing twice is fine.
func (c *Campaigns) Pause(ctx context.Context, workspace, id uuid.UUID) (Campaign, error) {
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil || found.State == Paused {
			return found, err
		}
		if found.State != Sending {
			return found, refusal(found, "paused")
		}
		_, err = tx.Exec(ctx, "UPDATE campaigns SET state = 'paused', feed_at = NULL, paused_at = $3, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, tx.Now)
		if err != nil {
			return found, fmt.Errorf("pause campaign %s: %w", id, err)
		}
		// Those that are being leased right now are waited for: they have begun to leave, or are held too.
		_, err = tx.Exec(ctx, `UPDATE messages SET status = 'held', reason = $3 WHERE workspace_id = $1 AND campaign_id = $2 AND status = 'queued'`,
			workspace, id, delivery.CampaignPaused)
		if err != nil {
			return found, fmt.Errorf("hold the messages of campaign %s: %w", id, err)
		}
		return read(ctx, tx, workspace, id, "")
	})
}

// Resume lets a paused campaign go on where it stopped. Resuming twice is fine.
func (c *Campaigns) Resume(ctx context.Context, workspace, id uuid.UUID) (Campaign, error) {
	resumed, err := store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil || found.State == Sending {
			return found, err
		}
		if found.State != Paused {
			return found, refusal(found, "resumed")
		}
		_, err = tx.Exec(ctx, "UPDATE campaigns SET state = 'sending', feed_at = $3, resumed_at = $3, paused_at = NULL, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, tx.Now)
		if err != nil {
			return found, fmt.Errorf("resume campaign %s: %w", id, err)
		}
		_, err = tx.Exec(ctx, `UPDATE messages SET status = 'queued', reason = NULL, next_attempt_at = CASE WHEN status = 'held' THEN next_attempt_at ELSE due_at END
			WHERE workspace_id = $1 AND campaign_id = $2 AND status IN ('held', 'queued') AND reason = $3`, workspace, id, delivery.CampaignPaused)
		if err != nil {
			return found, fmt.Errorf("let the messages of campaign %s go: %w", id, err)
		}
		return read(ctx, tx, workspace, id, "")
	})
	if err == nil {
		c.nudge("campaign")
		c.nudge("deliver")
	}
	return resumed, err
}

// Cancel ends a campaign for good: who has not received it does not. Cancelling twice is fine.
func (c *Campaigns) Cancel(ctx context.Context, workspace, id uuid.UUID) (Campaign, error) {
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil || found.State == Cancelled {
			return found, err
		}
		if found.State != Sending && found.State != Paused {
			return found, refusal(found, "cancelled")
		}
		_, err = tx.Exec(ctx, "UPDATE campaigns SET state = 'cancelled', feed_at = NULL, paused_at = NULL, finished_at = $3, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, tx.Now)
		if err != nil {
			return found, fmt.Errorf("cancel campaign %s: %w", id, err)
		}
		_, err = tx.Exec(ctx, `UPDATE messages SET status = 'skipped', reason = $3 WHERE workspace_id = $1 AND campaign_id = $2 AND status IN ('queued', 'held')`,
			workspace, id, delivery.CampaignCancelled)
		if err != nil {
			return found, fmt.Errorf("stop the messages of campaign %s: %w", id, err)
		}
		return read(ctx, tx, workspace, id, "")
	})
}
