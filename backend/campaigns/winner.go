package campaigns

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// tried tells whether the trial is over: everybody in it has the message, and had the time of the document to do something. Time in which
// the trial was paused, held or waited to be seen is none of theirs, so the decision moves to that time after the last of it left. A
// message that was refused for now and is tried again keeps nobody waiting.
func (f *feeder) tried(ctx context.Context) (over bool, err error) {
	c := f.campaign
	if c.DecideAt.After(f.due) {
		return false, nil
	}
	var waits bool
	var last *time.Time
	err = f.tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2 AND phase = 0 AND NOT made)
			OR coalesce(bool_or(status IN ('queued', 'held') AND attempts = 0), false), max(sent_at) FILTER (WHERE attempts <= 1)
		FROM messages WHERE workspace_id = $1 AND campaign_id = $2`, f.workspace, c.ID).Scan(&waits, &last)
	if err != nil {
		return false, fmt.Errorf("look how far the trial of campaign %s is: %w", c.ID, err)
	}
	if waits || last == nil {
		return !waits, nil
	}
	ends := engine.AddDuration(*last, c.Document.Experiment.After, nil, time.UTC)
	if !ends.After(f.due) {
		return true, nil
	}
	c.DecideAt = &ends
	_, err = f.tx.Exec(ctx, "UPDATE campaigns SET decide_at = $3 WHERE workspace_id = $1 AND id = $2", f.workspace, c.ID, ends)
	if err != nil {
		return false, fmt.Errorf("note when the trial of campaign %s ends: %w", c.ID, err)
	}
	return false, nil
}

// decide chooses the variant that did best among those who got one: the highest share of people who did what counts among those it was
// delivered to. Of equally good ones the first in the document wins, and so it does where nothing was delivered.
func (f *feeder) decide(ctx context.Context) error {
	results, err := resultsOf(ctx, f.tx, f.workspace, f.campaign, f.tx.Now)
	if err != nil {
		return err
	}
	best, share := f.campaign.Document.Variants[0].ID, -1.0
	for _, v := range f.campaign.Document.Variants {
		if rate := results[v.ID].rate(f.campaign.Document.Experiment.Metric); rate > share {
			best, share = v.ID, rate
		}
	}
	f.campaign.Winner = best
	return setWinner(ctx, f.tx, f.workspace, f.campaign.ID, best)
}

func setWinner(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, winner string) error {
	_, err := tx.Exec(ctx, "UPDATE campaigns SET winner = $3, decided_at = $4, updated_at = $4, feed_at = CASE WHEN state = 'sending' THEN $4::timestamptz END WHERE workspace_id = $1 AND id = $2",
		workspace, id, winner, tx.Now)
	if err != nil {
		return fmt.Errorf("note the winner of campaign %s: %w", id, err)
	}
	return nil
}

// Choose makes a variant the winner before its time: those who were held back get it.
func (c *Campaigns) Choose(ctx context.Context, workspace, id uuid.UUID, variant string) (Campaign, error) {
	chosen, err := store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return found, err
		}
		switch {
		case found.State != Sending && found.State != Paused || found.DecideAt == nil:
			return found, fault.New(fault.Conflict, "%q holds nobody back for a winner now.", found.Name)
		case found.Winner != "":
			return found, fault.New(fault.Conflict, "The winner of %q is chosen already.", found.Name)
		}
		for _, v := range found.Document.Variants {
			if v.ID == variant {
				if err := setWinner(ctx, tx, workspace, id, variant); err != nil {
					return found, err
				}
				return read(ctx, tx, workspace, id, "")
			}
		}
		return found, fault.InvalidField("variant", "The campaign has no variant %q.", variant)
	})
	if err == nil {
		c.nudge("campaign")
	}
	return chosen, err
}

// result is how a variant did.
type result struct{ delivered, opened, clicked, reached int64 }

func (r result) rate(metric string) float64 {
	if r.delivered == 0 {
		return 0
	}
	did := map[string]int64{MetricOpened: r.opened, MetricClicked: r.clicked, MetricGoal: r.reached}[metric]
	return float64(did) / float64(r.delivered)
}

// resultsOf counts what people did with each variant.
func resultsOf(ctx context.Context, db store.DB, workspace uuid.UUID, c *Campaign, now time.Time) (map[string]result, error) {
	event, within := "", time.Duration(0)
	if goal := c.Document.Goal; goal != nil {
		event, within = goal.Event, engine.AddDuration(now, goal.Within, nil, time.UTC).Sub(now)
	}
	rows, err := db.Query(ctx, `SELECT m.variant, count(*) FILTER (WHERE m.delivered_at IS NOT NULL AND m.bounced_at IS NULL), count(m.opened_at), count(m.clicked_at), count(*) FILTER (WHERE $3 <> '' AND EXISTS (
			SELECT 1 FROM events e WHERE e.workspace_id = m.workspace_id AND e.contact_id = m.contact_id AND e.name = $3 AND e.at >= m.sent_at
				AND e.at < m.sent_at + make_interval(secs => $4)))
		FROM messages m WHERE m.workspace_id = $1 AND m.campaign_id = $2 GROUP BY m.variant`, workspace, c.ID, event, within.Seconds())
	if err != nil {
		return nil, fmt.Errorf("count what people did with campaign %s: %w", c.ID, err)
	}
	results := map[string]result{}
	var variant string
	var r result
	_, err = pgx.ForEachRow(rows, []any{&variant, &r.delivered, &r.opened, &r.clicked, &r.reached}, func() error {
		results[variant] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count what people did with campaign %s: %w", c.ID, err)
	}
	return results, nil
}
