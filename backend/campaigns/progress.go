package campaigns

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
)

// Tally is what became of people. Each recipient is in exactly one of Waiting, Queued, Held, Sent, Failed, Skipped, Expired and Unknown.
type Tally struct {
	Waiting int64 // no message yet, and it will be made
	Queued  int64 // on its way, being handed over included
	Held    int64
	Sent    int64
	Failed  int64
	Skipped int64 // the gate passed them over
	Expired int64
	Unknown int64 // possibly sent

	Delivered    int64
	Opened       int64
	Clicked      int64
	Replied      int64
	Bounced      int64
	Unsubscribed int64
}

func (t *Tally) add(o Tally) {
	t.Waiting, t.Queued, t.Held, t.Sent = t.Waiting+o.Waiting, t.Queued+o.Queued, t.Held+o.Held, t.Sent+o.Sent
	t.Failed, t.Skipped, t.Expired, t.Unknown = t.Failed+o.Failed, t.Skipped+o.Skipped, t.Expired+o.Expired, t.Unknown+o.Unknown
	t.Delivered, t.Opened, t.Clicked, t.Replied = t.Delivered+o.Delivered, t.Opened+o.Opened, t.Clicked+o.Clicked, t.Replied+o.Replied
	t.Bounced, t.Unsubscribed = t.Bounced+o.Bounced, t.Unsubscribed+o.Unsubscribed
}

// Reason is why some were not sent to.
type Reason struct {
	State  string
	Reason string
	People int64
}

// Progress is how far a campaign is.
type Progress struct {
	Tally

	Total     int64
	Variants  map[string]Tally // those held back are in none
	Reasons   []Reason         // the commonest first
	PerSecond float64          // over the last minute; 0 while nothing leaves
	Left      *time.Duration   // how long it still takes at that rate; nil while nobody can say
	NextAt    *time.Time       // when it goes on by itself; nil is now, or never
	recent    int64
}

const (
	rateOver    = time.Minute
	mostReasons = 12
)

// tallies keep what was counted for a moment: several people watch a campaign at once, and a list shows many.
type tallies struct {
	mu   sync.Mutex
	kept map[uuid.UUID]kept
}

type kept struct {
	at       time.Time // machine
	state    string
	progress Progress
}

const (
	freshActive = time.Second
	freshRest   = 20 * time.Second
	mostKept    = 1000
)

// Progress tells how far a campaign is; the answer may be a second old, of one that is over some seconds.
func (c *Campaigns) Progress(ctx context.Context, workspace uuid.UUID, campaign Campaign) (Progress, error) {
	if campaign.Total == nil {
		return Progress{Variants: map[string]Tally{}}, nil
	}
	looked := clock.Machine{}.Now()
	fresh := freshActive
	if campaign.State == Done || campaign.State == Cancelled {
		fresh = freshRest
	}
	c.tallies.mu.Lock()
	known, ok := c.tallies.kept[campaign.ID]
	c.tallies.mu.Unlock()
	if ok && known.state == campaign.State && looked.Sub(known.at) < fresh {
		return known.progress, nil
	}
	now, err := c.Clock.NowIn(ctx, c.DB)
	if err != nil {
		return Progress{}, err
	}
	progress, err := count(ctx, c.DB, workspace, &campaign, now)
	if err != nil {
		return progress, err
	}
	c.tallies.mu.Lock()
	defer c.tallies.mu.Unlock()
	if c.tallies.kept == nil || len(c.tallies.kept) >= mostKept {
		c.tallies.kept = map[uuid.UUID]kept{}
	}
	c.tallies.kept[campaign.ID] = kept{looked, campaign.State, progress}
	return progress, nil
}

func count(ctx context.Context, db store.DB, workspace uuid.UUID, c *Campaign, now time.Time) (Progress, error) {
	p := Progress{Total: *c.Total, Variants: map[string]Tally{}}
	rows, err := db.Query(ctx, `SELECT variant, status, coalesce(reason, ''), count(*), count(*) FILTER (WHERE delivered_at IS NOT NULL AND bounced_at IS NULL), count(opened_at), count(clicked_at),
			count(replied_at), count(bounced_at), count(unsubscribed_at), count(*) FILTER (WHERE sent_at > $3)
		FROM messages WHERE workspace_id = $1 AND campaign_id = $2 GROUP BY 1, 2, 3`, workspace, c.ID, now.Add(-rateOver))
	if err != nil {
		return p, fmt.Errorf("count the messages of campaign %s: %w", c.ID, err)
	}
	var variant, status, reason string
	var n, recent int64
	var t Tally
	_, err = pgx.ForEachRow(rows, []any{&variant, &status, &reason, &n, &t.Delivered, &t.Opened, &t.Clicked, &t.Replied, &t.Bounced, &t.Unsubscribed, &recent}, func() error {
		row := t
		*row.slot(status) = n
		p.add(row)
		sum := p.Variants[variant]
		sum.add(row)
		p.Variants[variant] = sum
		p.recent += recent
		if reason != "" && status != "queued" && status != "sending" {
			p.note(status, reason, n)
		}
		return nil
	})
	if err != nil {
		return p, fmt.Errorf("count the messages of campaign %s: %w", c.ID, err)
	}
	rows, err = db.Query(ctx, "SELECT variant, count(*) FROM campaign_recipients WHERE workspace_id = $1 AND campaign_id = $2 AND NOT made GROUP BY 1", workspace, c.ID)
	if err != nil {
		return p, fmt.Errorf("count who waits for campaign %s: %w", c.ID, err)
	}
	_, err = pgx.ForEachRow(rows, []any{&variant, &n}, func() error {
		if c.State == Cancelled {
			p.Skipped += n
			p.note("skipped", delivery.CampaignCancelled, n)
		} else {
			p.Waiting += n
		}
		if variant != "" {
			sum := p.Variants[variant]
			if c.State == Cancelled {
				sum.Skipped += n
			} else {
				sum.Waiting += n
			}
			p.Variants[variant] = sum
		}
		return nil
	})
	if err != nil {
		return p, fmt.Errorf("count who waits for campaign %s: %w", c.ID, err)
	}
	slices.SortStableFunc(p.Reasons, func(a, b Reason) int { return int(b.People - a.People) })
	p.Reasons = p.Reasons[:min(len(p.Reasons), mostReasons)]
	p.pace(c, now)
	return p, nil
}

// slot is where messages of a status are counted.
func (t *Tally) slot(status string) *int64 {
	return map[string]*int64{
		"queued": &t.Queued, "sending": &t.Queued, "held": &t.Held, "sent": &t.Sent, "failed": &t.Failed, "skipped": &t.Skipped, "expired": &t.Expired, "unknown": &t.Unknown,
	}[status]
}

func (p *Progress) note(status, reason string, n int64) {
	for i := range p.Reasons {
		if p.Reasons[i].State == status && p.Reasons[i].Reason == reason {
			p.Reasons[i].People += n
			return
		}
	}
	p.Reasons = append(p.Reasons, Reason{status, reason, n})
}

// pace tells the rate and, from it and the campaign's own limit, how long the rest takes.
func (p *Progress) pace(c *Campaign, now time.Time) {
	if c.State != Sending || c.ResumedAt == nil {
		return
	}
	if c.FeedAt != nil && c.FeedAt.After(now.Add(glance)) && p.Queued == 0 {
		p.NextAt = c.FeedAt
	}
	seconds := min(rateOver, max(now.Sub(*c.ResumedAt), time.Second)).Seconds()
	p.PerSecond = float64(p.recent) / seconds
	rest := float64(p.Waiting + p.Queued)
	rate := p.PerSecond
	if t := c.Document.Throttle; t != nil && t.period() > 0 {
		limit := float64(t.Count) / float64(t.period())
		if rate == 0 || rate > limit {
			rate = limit
		}
	}
	if rate == 0 || rest == 0 || c.DecideAt != nil && c.Winner == "" {
		return
	}
	left := time.Duration(math.Ceil(rest/rate)) * time.Second
	p.Left = &left
}

// Report is what a campaign brought.
type Report struct {
	Progress Progress
	Reached  map[string]int64 // by variant: people who did what the goal names; nil without a goal
}

// Report tells what people did with a campaign.
func (c *Campaigns) Report(ctx context.Context, workspace, id uuid.UUID) (Campaign, Report, error) {
	found, err := c.Get(ctx, workspace, id)
	if err != nil {
		return found, Report{}, err
	}
	var report Report
	if report.Progress, err = c.Progress(ctx, workspace, found); err != nil || found.Document.Goal == nil || found.Total == nil {
		return found, report, err
	}
	now, err := c.Clock.NowIn(ctx, c.DB)
	if err != nil {
		return found, report, err
	}
	results, err := resultsOf(ctx, c.DB, workspace, &found, now)
	report.Reached = map[string]int64{}
	for variant, r := range results {
		report.Reached[variant] = r.reached
	}
	return found, report, err
}
