package campaigns

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/segments"
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
}

// FreezeTask is the kind for tasks.Register.
func (c *Campaigns) FreezeTask() tasks.Kind {
	return tasks.Kind{Name: FreezeKind, Label: "Writing down who receives the campaign", Attempts: 12, Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		var args freezeArgs
		if err := task.Args(&args); err != nil {
			return nil, err
		}
		report, err := c.freeze(ctx, task.Task.WorkspaceID, args.Campaign)
		var refused *fault.Error
		if errors.As(err, &refused) && refused.Code == fault.Invalid {
			if back := c.giveBack(ctx, task.Task.WorkspaceID, args.Campaign); back != nil {
				return nil, back
			}
			return nil, err
		}
		if err == nil {
			c.nudge("campaign")
		}
		return report, err
	}}
}

// giveBack makes a campaign a draft again whose audience cannot be frozen.
func (c *Campaigns) giveBack(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE campaigns SET state = 'draft', updated_at = $3 WHERE workspace_id = $1 AND id = $2 AND state = 'freezing'", workspace, id, tx.Now)
		if err != nil {
			return fmt.Errorf("give campaign %s back: %w", id, err)
		}
		return nil
	})
}

// freeze writes the audience in one transaction, so that a process that dies leaves it whole or not begun. Of one that is frozen already
// it answers how many there are.
func (c *Campaigns) freeze(ctx context.Context, workspace, id uuid.UUID) (report FrozenReport, err error) {
	err = store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) error {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if found.State != Freezing {
			if found.Total != nil {
				report.Recipients = *found.Total
			}
			return nil
		}
		if report.Recipients, err = writeRecipients(ctx, tx, workspace, &found); err != nil {
			return err
		}
		if report.Recipients == 0 {
			return fault.New(fault.Invalid, "Nobody is in the audience of %q now. Choose another one.", found.Name)
		}
		failpoint.Hit("campaigns.before_frozen")
		var decide *time.Time
		if found.Document.tested() < everybody {
			at := engine.AddDuration(tx.Now, found.Document.Experiment.After, nil, time.UTC)
			decide = &at
		}
		_, err = tx.Exec(ctx, `UPDATE campaigns SET state = 'sending', total = $3, frozen_at = $4, feed_at = $4, resumed_at = $4, decide_at = $5, updated_at = $4
			WHERE workspace_id = $1 AND id = $2`, workspace, id, report.Recipients, tx.Now, decide)
		if err != nil {
			return fmt.Errorf("start sending campaign %s: %w", id, err)
		}
		return nil
	})
	return report, err
}

// writeRecipients writes one row per person, in a shuffled order that depends on the campaign and the person alone.
func writeRecipients(ctx context.Context, tx store.Tx, workspace uuid.UUID, found *Campaign) (int64, error) {
	var home string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&home); err != nil {
		return 0, fmt.Errorf("read the workspace: %w", err)
	}
	rule, problems := engine.DecodeRule(found.Document.Audience.Rule())
	if len(problems) > 0 {
		return 0, fault.New(fault.Invalid, "The audience of %q is not understood: %s", found.Name, problems[0].Message)
	}
	predicate, err := segments.Compile(rule, tx.Now, engine.ZoneOf(home))
	if err != nil {
		return 0, fault.New(fault.Invalid, "The audience of %q cannot be found: %s.", found.Name, err)
	}
	if _, err := tx.Exec(ctx, "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"); err != nil {
		return 0, fmt.Errorf("prepare to freeze: %w", err)
	}
	audience := segments.Write(workspace, predicate)
	zones, dues := []string{}, []time.Time{}
	if found.Document.When.Mode == ModeLocal {
		if zones, err = zonesOf(ctx, tx, "SELECT DISTINCT c.zone FROM "+audience.From+" WHERE "+audience.Where, audience.Args...); err != nil {
			return 0, err
		}
		dues = duesIn(zones, found.Document.When.At, home)
	}
	args := audience.Args
	place := func(value any, sqlType string) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args)) + "::" + sqlType
	}
	campaign, owner := place(found.ID, "uuid"), place(workspace, "uuid")
	seats := place(found.Document.seats(), "text[]")
	now := place(tx.Now, "timestamptz")
	query := `WITH audience AS MATERIALIZED (SELECT c.id, c.zone, row_number() OVER (ORDER BY md5(c.id::text || ` + campaign + `::text), c.id) AS n FROM ` + audience.From + ` WHERE ` + audience.Where + `),
		trial AS (SELECT greatest(ceil(count(*) * ` + place(found.Document.tested(), "int") + ` / 100.0), ` + place(len(found.Document.Variants), "int") + `) AS size FROM audience)
		INSERT INTO campaign_recipients (workspace_id, campaign_id, contact_id, n, phase, variant, due_at, made)
		SELECT ` + owner + `, ` + campaign + `, a.id, a.n, CASE WHEN a.n <= trial.size THEN 0 ELSE 1 END,
			CASE WHEN a.n <= trial.size THEN (` + seats + `)[1 + (a.n - 1) % cardinality(` + seats + `)] ELSE '' END,
			greatest(coalesce(z.due, ` + now + `), ` + now + `), false
		FROM audience a CROSS JOIN trial LEFT JOIN unnest(` + place(zones, "text[]") + `, ` + place(dues, "timestamptz[]") + `) AS z (zone, due) ON z.zone = a.zone`
	tag, err := tx.Exec(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("write down who receives campaign %s: %w", found.ID, err)
	}
	return tag.RowsAffected(), nil
}
