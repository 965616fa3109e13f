package campaigns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// States of a campaign.
const (
	Draft     = "draft"
	Scheduled = "scheduled"
	Freezing  = "freezing" // the audience is being written down
	Sending   = "sending"
	Paused    = "paused"
	Done      = "done"
	Cancelled = "cancelled"
)

// Options of New; all members but Foresee, which Preview needs, and Nudge are required.
type Options struct {
	DB       store.DB
	Clock    clock.Source
	Segments *segments.Segments
	Compile  funnels.Compile
	Tasks    *tasks.Tasks
	Foresee  Foresee
	Nudge    func(kind string)
}

// Campaigns are the campaigns of an installation.
type Campaigns struct {
	Options

	tallies tallies
}

// New puts Campaigns together. Register FreezeTask and run Job.
func New(options Options) *Campaigns { return &Campaigns{Options: options} }

// Campaign is one campaign as people see it.
type Campaign struct {
	ID         uuid.UUID
	Slug       string
	Name       string
	State      string
	Document   Document
	Revision   int64
	Total      *int64 // recipients, once the audience is frozen
	StartAt    *time.Time
	FrozenAt   *time.Time
	FeedAt     *time.Time
	DecideAt   *time.Time
	Winner     string
	DecidedAt  *time.Time
	PausedAt   *time.Time
	ResumedAt  *time.Time
	FinishedAt *time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time

	artifacts []byte
	tat       *time.Time
}

const (
	maxName  = 200
	selected = `SELECT c.id, c.slug, c.name, c.state, c.document, c.revision, c.total, c.start_at, c.frozen_at, c.feed_at, c.decide_at, c.winner, c.decided_at,
	c.paused_at, c.resumed_at, c.finished_at, c.created_at, c.updated_at, c.artifacts, c.tat FROM campaigns c WHERE c.workspace_id = $1`
)

func scan(row pgx.CollectableRow) (c Campaign, err error) {
	var document []byte
	err = row.Scan(&c.ID, &c.Slug, &c.Name, &c.State, &document, &c.Revision, &c.Total, &c.StartAt, &c.FrozenAt, &c.FeedAt, &c.DecideAt, &c.Winner, &c.DecidedAt,
		&c.PausedAt, &c.ResumedAt, &c.FinishedAt, &c.CreatedAt, &c.UpdatedAt, &c.artifacts, &c.tat)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(document, &c.Document)
}

// Get is one campaign.
func (c *Campaigns) Get(ctx context.Context, workspace, id uuid.UUID) (Campaign, error) {
	return read(ctx, c.DB, workspace, id, "")
}

// lock is one campaign that nobody else changes, feeds or freezes until the transaction ends.
func lock(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (Campaign, error) {
	return read(ctx, tx, workspace, id, " FOR NO KEY UPDATE")
}

func read(ctx context.Context, db store.DB, workspace, id uuid.UUID, locking string) (Campaign, error) {
	rows, err := db.Query(ctx, selected+" AND c.id = $2"+locking, workspace, id)
	if err != nil {
		return Campaign{}, fmt.Errorf("read campaign %s: %w", id, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, fault.New(fault.NotFound, "There is no campaign %s.", id)
	}
	if err != nil {
		return found, fmt.Errorf("read campaign %s: %w", id, err)
	}
	return found, nil
}

// List answers campaigns, the newest first, that are older than the given one (the zero id begins).
func (c *Campaigns) List(ctx context.Context, workspace, before uuid.UUID, limit int) ([]Campaign, error) {
	if before == uuid.Nil {
		before = uuid.Max
	}
	rows, err := c.DB.Query(ctx, selected+" AND c.id < $2 ORDER BY c.id DESC LIMIT $3", workspace, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list campaigns: %w", err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list campaigns: %w", err)
	}
	return list, nil
}

// Create makes a campaign. A nil document is a blank e-mail.
func (c *Campaigns) Create(ctx context.Context, workspace uuid.UUID, name string, document json.RawMessage, by *uuid.UUID) (Campaign, error) {
	name, err := named(name)
	if err != nil {
		return Campaign{}, err
	}
	d := Blank(Channels[0])
	if document != nil {
		if d, err = Decode(document); err != nil {
			return Campaign{}, err
		}
	}
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		return insert(ctx, tx, workspace, name, d, by)
	})
}

func named(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if n := len([]rune(name)); n == 0 || n > maxName {
		return name, fault.InvalidField("name", "A campaign needs a name of 1 to %d characters.", maxName)
	}
	return name, nil
}

func insert(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string, d Document, by *uuid.UUID) (Campaign, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return Campaign{}, fmt.Errorf("write a campaign: %w", err)
	}
	base, id := slug.Of(name, "campaign"), store.NewID()
	for n := 1; ; n++ {
		free := base
		if n > 1 {
			free += "-" + strconv.Itoa(n)
		}
		tag, err := tx.Exec(ctx, `INSERT INTO campaigns (workspace_id, id, slug, name, state, document, revision, created_by, created_at, updated_at)
			VALUES ($1, $2, $3, $4, 'draft', $5, 1, $6, $7, $7) ON CONFLICT (workspace_id, slug) DO NOTHING`, workspace, id, free, name, raw, by, tx.Now)
		if err != nil {
			return Campaign{}, fmt.Errorf("make a campaign: %w", err)
		}
		if tag.RowsAffected() == 1 {
			return read(ctx, tx, workspace, id, "")
		}
	}
}

// Edit is what is changed of a campaign; nil leaves it as it is.
type Edit struct {
	Revision int64 // the one that was looked at
	Name     *string
	Document json.RawMessage
}

// Stale is in the Details of an edit of something that has changed meanwhile.
type Stale struct {
	Revision int64 `json:"revision"`
}

// Update changes a campaign. Only a draft's document can change; a name always can.
func (c *Campaigns) Update(ctx context.Context, workspace, id uuid.UUID, edit Edit) (Campaign, error) {
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return found, err
		}
		if edit.Revision != found.Revision {
			return found, fault.New(fault.Conflict, "Somebody else changed %q meanwhile. Reload it, then change it again.", found.Name).WithDetails(Stale{found.Revision})
		}
		if edit.Name != nil {
			if found.Name, err = named(*edit.Name); err != nil {
				return found, err
			}
		}
		if edit.Document != nil {
			if found.State != Draft {
				return found, refusal(found, "changed")
			}
			if found.Document, err = Decode(edit.Document); err != nil {
				return found, err
			}
		}
		raw, err := json.Marshal(found.Document)
		if err != nil {
			return found, fmt.Errorf("write a campaign: %w", err)
		}
		_, err = tx.Exec(ctx, "UPDATE campaigns SET name = $3, document = $4, revision = revision + 1, updated_at = $5 WHERE workspace_id = $1 AND id = $2",
			workspace, id, found.Name, raw, tx.Now)
		if err != nil {
			return found, fmt.Errorf("change campaign %s: %w", id, err)
		}
		return read(ctx, tx, workspace, id, "")
	})
}

// refusal says why something cannot be done to a campaign in its state.
func refusal(c Campaign, done string) error {
	why := map[string]string{
		Draft: "has not been started", Scheduled: "is scheduled. Take it off the schedule first", Freezing: "is starting", Sending: "is being sent",
		Paused: "is paused", Done: "has been sent", Cancelled: "was cancelled",
	}[c.State]
	return fault.New(fault.Conflict, "%q cannot be %s: it %s.", c.Name, done, why)
}

// Duplicate makes a draft like another campaign.
func (c *Campaigns) Duplicate(ctx context.Context, workspace, id uuid.UUID, name string, by *uuid.UUID) (Campaign, error) {
	found, err := c.Get(ctx, workspace, id)
	if err != nil {
		return found, err
	}
	if name == "" {
		name = found.Name
	}
	if name, err = named(name); err != nil {
		return found, err
	}
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		return insert(ctx, tx, workspace, name, found.Document, by)
	})
}

// Delete removes a campaign that nobody has received anything of.
func (c *Campaigns) Delete(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) error {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if found.State != Draft && found.State != Scheduled {
			return refusal(found, "deleted")
		}
		if _, err := tx.Exec(ctx, "DELETE FROM campaigns WHERE workspace_id = $1 AND id = $2", workspace, id); err != nil {
			return fmt.Errorf("delete campaign %s: %w", id, err)
		}
		return nil
	})
}

func (c *Campaigns) nudge(kind string) {
	if c.Nudge != nil {
		c.Nudge(kind)
	}
}
