package campaigns

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

const (
	// window is how many messages of a campaign may be due and not yet have left. Pausing has to hold them all.
	window = 4000
	// mostAtOnce bounds the campaigns of one drain.
	mostAtOnce = 50
	// glance is when to look again at a campaign whose last messages are on their way; stare at one somebody holds.
	glance = time.Second
	stare  = time.Minute
	// least is the time in which a campaign's own limit lets messages leave together: an even flow would wake the pump for each.
	least = 10 * time.Second
)

// Job is the pump's job of campaigns.
func (c *Campaigns) Job() pump.Job {
	return pump.Job{Kind: "campaign", Label: "Send campaigns", Slots: 1, Lanes: 1, Peek: c.peek, Drain: c.drain}
}

func (c *Campaigns) peek(ctx context.Context) ([]int, error) {
	due, err := c.Clock.Due(ctx, c.DB)
	if err != nil {
		return nil, err
	}
	var busy bool
	err = c.DB.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM campaigns WHERE feed_at <= $1) OR EXISTS (SELECT 1 FROM campaigns WHERE start_at <= $1)", due).Scan(&busy)
	if err != nil {
		return nil, fmt.Errorf("look for campaigns: %w", err)
	}
	if !busy {
		return nil, nil
	}
	return []int{0}, nil
}

// drain starts what is scheduled and gives every campaign that is being sent a batch. What goes wrong with one does not keep the others.
func (c *Campaigns) drain(ctx context.Context, batch pump.Batch) (sum pump.Drained, err error) {
	if !c.Clock.Settled() {
		return sum, nil
	}
	due, err := c.Clock.Due(ctx, c.DB)
	if err != nil {
		return sum, err
	}
	rows, err := c.DB.Query(ctx, `(SELECT workspace_id, id FROM campaigns WHERE start_at <= $1 ORDER BY start_at LIMIT $2)
		UNION ALL (SELECT workspace_id, id FROM campaigns WHERE feed_at <= $1 ORDER BY feed_at LIMIT $2)`, due, mostAtOnce)
	if err != nil {
		return sum, fmt.Errorf("look for campaigns: %w", err)
	}
	type key struct{ Workspace, ID uuid.UUID }
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
	if err != nil {
		return sum, fmt.Errorf("look for campaigns: %w", err)
	}
	var wrong []error
	for _, k := range keys {
		var n int
		err := store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) (err error) {
			n, err = c.work(ctx, tx, k.Workspace, k.ID, due, batch.Limit)
			if err == nil {
				failpoint.Hit("campaigns.before_commit")
			}
			return err
		})
		if err != nil {
			wrong = append(wrong, fmt.Errorf("campaign %s: %w", k.ID, err))
			continue
		}
		sum.Rows += n
	}
	if sum.Rows > 0 {
		c.nudge("deliver")
	}
	return sum, errors.Join(wrong...)
}

// work does what one campaign needs, unless another process is at it.
func (c *Campaigns) work(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, due time.Time, limit int) (int, error) {
	found, err := read(ctx, tx, workspace, id, " FOR NO KEY UPDATE SKIP LOCKED")
	if fault.CodeOf(err) == fault.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if found.State == Scheduled && !found.StartAt.After(due) {
		_, err := c.begin(ctx, tx, workspace, found, nil)
		return 1, err
	}
	if found.State != Sending || found.FeedAt.After(due) {
		return 0, nil
	}
	f := feeder{tx: tx, workspace: workspace, campaign: &found, due: due}
	return f.feed(ctx, limit)
}

// feeder gives one locked campaign a batch.
type feeder struct {
	tx        store.Tx
	workspace uuid.UUID
	campaign  *Campaign
	due       time.Time
}

func (f *feeder) feed(ctx context.Context, limit int) (int, error) {
	var open int
	err := f.tx.QueryRow(ctx, `SELECT count(*) FROM messages WHERE workspace_id = $1 AND campaign_id = $2 AND status = 'queued' AND next_attempt_at <= $3`,
		f.workspace, f.campaign.ID, f.tx.Now).Scan(&open)
	if err != nil {
		return 0, fmt.Errorf("count open messages: %w", err)
	}
	room := min(limit, window-open)
	if room <= 0 {
		return 0, nil // delivery is behind; the next look comes with the pump's poll
	}
	granted, next := f.campaign.grant(f.tx.Now, room)
	if granted == 0 {
		return 0, f.again(ctx, next)
	}
	made, err := f.make(ctx, 0, granted)
	if err != nil {
		return 0, err
	}
	if made == 0 {
		if made, err = f.rest(ctx, granted); err != nil {
			return 0, err
		}
	}
	if made == 0 {
		return 0, f.idle(ctx)
	}
	f.campaign.spend(f.tx.Now, made)
	_, err = f.tx.Exec(ctx, "UPDATE campaigns SET feed_at = $3, tat = $4 WHERE workspace_id = $1 AND id = $2", f.workspace, f.campaign.ID, f.tx.Now, f.campaign.tat)
	if err != nil {
		return 0, fmt.Errorf("note how far a campaign is: %w", err)
	}
	return made, nil
}

// rest goes on with those who were held back, once a variant has won.
func (f *feeder) rest(ctx context.Context, granted int) (int, error) {
	c := f.campaign
	if c.DecideAt == nil {
		return 0, nil
	}
	if c.Winner == "" {
		if over, err := f.tried(ctx); err != nil || !over {
			return 0, err
		}
		if err := f.decide(ctx); err != nil {
			return 0, err
		}
	}
	return f.make(ctx, 1, granted)
}

// makeMessages turns recipients into messages and marks them, in one statement. $7 are ids for the new rows.
const makeMessages = `WITH next AS (SELECT contact_id, coalesce(nullif(variant, ''), $5) AS variant, row_number() OVER (ORDER BY due_at, n) AS k
		FROM (SELECT contact_id, variant, due_at, n FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2 AND phase = $3 AND NOT made AND due_at <= $4
			ORDER BY due_at, n LIMIT $6) AS due),
	marked AS (UPDATE campaign_recipients r SET made = true FROM next WHERE r.workspace_id = $1 AND r.campaign_id = $2 AND r.contact_id = next.contact_id)
	INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, topic, creative, sender, provider_id, lane, status, due_at, next_attempt_at,
		created_at, campaign_id, variant, artifact, leaves_at)
	SELECT $1, ($7::uuid[])[next.k], 0, '', next.contact_id, $8, 'marketing', $9, '', $10,
		coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
			WHERE p.workspace_id = $1 AND p.active AND w.sending_mode = 'live' AND p.channel = $8), $11), 2, 'queued', $12::timestamptz, $12::timestamptz + w.seen, $12::timestamptz, $2, next.variant,
		coalesce($13::jsonb ->> next.variant, ''), CASE WHEN w.seen > interval '0' THEN $12::timestamptz + w.seen END
	FROM next, (SELECT make_interval(mins => outbox_minutes) AS seen FROM workspaces WHERE id = $1) AS w`

func (f *feeder) make(ctx context.Context, phase, limit int) (int, error) {
	ids := make([][16]byte, limit)
	for i := range ids {
		ids[i] = store.NewID()
	}
	d := &f.campaign.Document
	tag, err := f.tx.Exec(ctx, makeMessages, f.workspace, f.campaign.ID, phase, f.due, f.campaign.Winner, limit, ids, d.Channel, slugOf(d.Topic), slugOf(d.Sender),
		delivery.Sandbox, f.tx.Now, f.campaign.artifacts)
	if err != nil {
		return 0, fmt.Errorf("make messages: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// idle finds out when a campaign goes on for which nobody is due, or finishes it.
func (f *feeder) idle(ctx context.Context) error {
	c := f.campaign
	decide := c.DecideAt
	if decide != nil && !decide.After(f.due) {
		decide = nil // the trial itself is not over: what is open says when to look again
	}
	var next *time.Time
	err := f.tx.QueryRow(ctx, `SELECT least(
			(SELECT min(due_at) FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2 AND phase = 0 AND NOT made),
			CASE WHEN $3 <> '' THEN (SELECT min(due_at) FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2 AND phase = 1 AND NOT made) ELSE $4::timestamptz END)`,
		f.workspace, c.ID, c.Winner, decide).Scan(&next)
	if err != nil {
		return fmt.Errorf("look for who waits: %w", err)
	}
	if next != nil {
		return f.again(ctx, *next)
	}
	var queued *time.Time
	var sending, held bool
	err = f.tx.QueryRow(ctx, `SELECT min(next_attempt_at) FILTER (WHERE status = 'queued'), coalesce(bool_or(status = 'sending'), false), coalesce(bool_or(status = 'held'), false)
		FROM messages WHERE workspace_id = $1 AND campaign_id = $2 AND status IN ('queued', 'held', 'sending')`, f.workspace, c.ID).Scan(&queued, &sending, &held)
	if err != nil {
		return fmt.Errorf("look for open messages: %w", err)
	}
	switch {
	case sending:
		return f.again(ctx, f.tx.Now.Add(glance))
	case queued != nil:
		return f.again(ctx, *queued)
	case held:
		return f.again(ctx, f.tx.Now.Add(stare))
	case c.DecideAt != nil && c.Winner == "": // the last of the trial has just left
		return f.again(ctx, f.tx.Now.Add(glance))
	}
	_, err = f.tx.Exec(ctx, "UPDATE campaigns SET state = 'done', feed_at = NULL, finished_at = $3, updated_at = $3 WHERE workspace_id = $1 AND id = $2", f.workspace, c.ID, f.tx.Now)
	if err != nil {
		return fmt.Errorf("finish campaign %s: %w", c.ID, err)
	}
	return nil
}

func (f *feeder) again(ctx context.Context, at time.Time) error {
	if _, err := f.tx.Exec(ctx, "UPDATE campaigns SET feed_at = $3 WHERE workspace_id = $1 AND id = $2", f.workspace, f.campaign.ID, at); err != nil {
		return fmt.Errorf("note when campaign %s goes on: %w", f.campaign.ID, err)
	}
	return nil
}

// grant tells how many messages the campaign's own limit lets through now, and when the next ones.
func (c *Campaign) grant(now time.Time, want int) (granted int, next time.Time) {
	t := c.Document.Throttle
	if t == nil {
		return want, now
	}
	each, together := t.emission()
	base := now
	if c.tat != nil && c.tat.After(now) {
		base = *c.tat
	}
	room := together - int(base.Sub(now)/each)
	if room <= 0 {
		return 0, base.Add(-time.Duration(together/2) * each)
	}
	return min(want, room), now
}

// spend takes what left off the campaign's own limit.
func (c *Campaign) spend(now time.Time, n int) {
	if c.Document.Throttle == nil {
		return
	}
	each, _ := c.Document.Throttle.emission()
	base := now
	if c.tat != nil && c.tat.After(now) {
		base = *c.tat
	}
	at := base.Add(time.Duration(n) * each)
	c.tat = &at
}

// emission is the time one message takes of the limit, and how many may leave together.
func (t *Throttle) emission() (each time.Duration, together int) {
	period := time.Duration(t.period()) * time.Second
	each = max(period/time.Duration(max(t.Count, 1)), time.Microsecond)
	return each, max(1, int(min(least, period)/each))
}

func slugOf(ref string) string {
	_, slug, _ := strings.Cut(ref, ":")
	return slug
}
