// Package outbox is where messages wait that have been made and have not left: those a workspace lets be seen for some minutes, and those
// somebody held. Whoever looks may hold them, correct what they say, let them go, or take them out.
//
// A message is in the outbox while it is queued and its time to be seen has not passed, or while it is held. Every act changes rows that are
// still there and says how many: what a worker has leased meanwhile leaves, and is not counted.
package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Options of New; all members but Nudge are required.
type Options struct {
	DB      store.DB
	Clock   clock.Source
	Compile funnels.Compile
	Nudge   func(kind string)
}

// Outbox is the outbox of an installation.
type Outbox struct{ Options }

// New puts an Outbox together.
func New(options Options) *Outbox { return &Outbox{options} }

// Why a message is held or did not leave.
const (
	Held    = "held"
	Dropped = "dropped"
)

// waits is what makes a message m one of the outbox. $2 is now.
const waits = `(m.status = 'held' OR m.status = 'queued' AND m.leaves_at > $2)`

// Group is the waiting messages of one step or one campaign.
type Group struct {
	Campaign, Funnel *uuid.UUID
	Node             string
	Name             string // of the campaign or the funnel
	Step             string
	Channel          string
	Subject          string
	Waiting, Held    int64
	LeavesAt         *time.Time // the first one; nil while all are held
	Sample           uuid.UUID  // one of its messages
}

// Groups are what waits, the soonest to leave first.
func (o *Outbox) Groups(ctx context.Context, workspace uuid.UUID) ([]Group, error) {
	now, err := o.Clock.NowIn(ctx, o.DB)
	if err != nil {
		return nil, err
	}
	rows, err := o.DB.Query(ctx, `SELECT g.campaign_id, g.funnel_id, g.node, coalesce(k.name, f.name, ''),
			coalesce((SELECT step ->> 'name' FROM jsonb_array_elements(v.bundle -> 'graph' -> 'nodes') AS steps (step) WHERE step ->> 'id' = g.node), ''),
			g.channel, coalesce((SELECT coalesce(nullif(a.artifact -> 'subject' ->> 'text', ''), nullif(a.artifact ->> 'subject', ''), '') FROM creative_artifacts a
				WHERE a.workspace_id = $1 AND a.hash = coalesce(nullif(g.artifact, ''), v.artifacts ->> g.creative)), ''),
			g.waiting, g.held, g.leaves_at, g.sample
		FROM (SELECT m.campaign_id, m.funnel_id, m.version_id, m.node, m.channel, m.creative, max(m.artifact) AS artifact, count(*) FILTER (WHERE m.status = 'queued') AS waiting,
				count(*) FILTER (WHERE m.status = 'held') AS held, min(m.leaves_at) FILTER (WHERE m.status = 'queued') AS leaves_at, min(m.id::text)::uuid AS sample
			FROM messages m WHERE m.workspace_id = $1 AND `+waits+` AND coalesce(m.reason, '') <> $3
			GROUP BY m.campaign_id, m.funnel_id, m.version_id, m.node, m.channel, m.creative) AS g
		LEFT JOIN campaigns k ON k.workspace_id = $1 AND k.id = g.campaign_id
		LEFT JOIN funnels f ON f.workspace_id = $1 AND f.id = g.funnel_id
		LEFT JOIN funnel_versions v ON v.workspace_id = $1 AND v.id = g.version_id
		ORDER BY g.leaves_at NULLS LAST, g.sample LIMIT 200`, workspace, now, delivery.CampaignPaused)
	if err != nil {
		return nil, fmt.Errorf("look into the outbox: %w", err)
	}
	groups, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Group])
	if err != nil {
		return nil, fmt.Errorf("look into the outbox: %w", err)
	}
	return groups, nil
}

// Message is one that waits.
type Message struct {
	ID       uuid.UUID
	Contact  uuid.UUID
	Name     string
	Address  string
	Channel  string
	Held     bool
	LeavesAt *time.Time
}

// Selection is some of the outbox: messages by id, or all of a step or a campaign.
type Selection struct {
	IDs              []uuid.UUID
	Campaign, Funnel uuid.UUID
	Node             string
}

func (s Selection) check() error {
	if len(s.IDs) == 0 && s.Campaign == uuid.Nil && s.Funnel == uuid.Nil {
		return fault.New(fault.Invalid, "Say which messages: their ids, or a campaign, or a step of a funnel.")
	}
	return nil
}

// chosen narrows messages m to a selection; its parameters are $3 to $6.
const chosen = `(m.id = ANY($3) OR m.campaign_id = $4 OR m.funnel_id = $5 AND m.node = $6)`

func (s Selection) args(workspace uuid.UUID, now time.Time) []any {
	ids := s.IDs
	if ids == nil {
		ids = []uuid.UUID{}
	}
	return []any{workspace, now, ids, s.Campaign, s.Funnel, s.Node}
}

// Messages are the next ones of a selection after one of them.
func (o *Outbox) Messages(ctx context.Context, workspace uuid.UUID, s Selection, after uuid.UUID, limit int) ([]Message, error) {
	now, err := o.Clock.NowIn(ctx, o.DB)
	if err != nil {
		return nil, err
	}
	rows, err := o.DB.Query(ctx, `SELECT m.id, m.contact_id, trim(c.first_name || ' ' || c.last_name), coalesce(CASE WHEN m.channel = 'email' THEN c.email ELSE c.phone END, ''),
			m.channel, m.status = 'held', m.leaves_at
		FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
		WHERE m.workspace_id = $1 AND `+waits+` AND `+chosen+` AND m.id > $7 ORDER BY m.id LIMIT $8`, append(s.args(workspace, now), after, limit)...)
	if err != nil {
		return nil, fmt.Errorf("look into the outbox: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Message])
	if err != nil {
		return nil, fmt.Errorf("look into the outbox: %w", err)
	}
	return list, nil
}

// Hold keeps messages back until they are let go. What a paused campaign holds is the campaign's.
func (o *Outbox) Hold(ctx context.Context, workspace uuid.UUID, s Selection) (int64, error) {
	return o.act(ctx, workspace, s, "status = 'held', reason = '"+Held+"'", "m.status = 'queued'")
}

// Release lets messages go at once. They still pass the gate.
func (o *Outbox) Release(ctx context.Context, workspace uuid.UUID, s Selection) (int64, error) {
	return o.act(ctx, workspace, s, "status = 'queued', reason = NULL, leaves_at = $2, next_attempt_at = $2", "coalesce(m.reason, '') <> '"+delivery.CampaignPaused+"'")
}

// Drop takes messages out for good.
func (o *Outbox) Drop(ctx context.Context, workspace uuid.UUID, s Selection) (int64, error) {
	return o.act(ctx, workspace, s, "status = 'skipped', reason = '"+Dropped+"'", "true")
}

func (o *Outbox) act(ctx context.Context, workspace uuid.UUID, s Selection, change, also string) (n int64, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	err = store.InTx(ctx, o.DB, o.Clock, func(tx store.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE messages m SET "+change+" WHERE m.workspace_id = $1 AND "+waits+" AND "+chosen+" AND "+also, s.args(workspace, tx.Now)...)
		if err != nil {
			return fmt.Errorf("change what waits in the outbox: %w", err)
		}
		n = tag.RowsAffected()
		// A campaign whose last messages were held or taken out has to notice.
		_, err = tx.Exec(ctx, `UPDATE campaigns k SET feed_at = $2 WHERE k.workspace_id = $1 AND k.state = 'sending' AND k.feed_at > $2 AND (k.id = $4
			OR k.id IN (SELECT m.campaign_id FROM messages m WHERE m.workspace_id = $1 AND m.id = ANY($3)))`, s.args(workspace, tx.Now)[:4]...)
		if err != nil {
			return fmt.Errorf("tell campaigns: %w", err)
		}
		return nil
	})
	if err == nil && o.Nudge != nil {
		o.Nudge("deliver")
		o.Nudge("campaign")
	}
	return n, err
}

// Creative is what a waiting message says, for correcting it.
func (o *Outbox) Creative(ctx context.Context, workspace, message uuid.UUID) (creative engine.Creative, err error) {
	var raw []byte
	err = o.DB.QueryRow(ctx, `SELECT coalesce(x.creative, (SELECT variant -> 'creative' FROM jsonb_array_elements(k.document -> 'variants') AS variants (variant) WHERE variant ->> 'id' = m.variant),
			v.bundle -> 'creatives' -> m.creative)
		FROM messages m LEFT JOIN corrections x ON x.workspace_id = m.workspace_id AND x.hash = m.artifact
		LEFT JOIN campaigns k ON k.workspace_id = m.workspace_id AND k.id = m.campaign_id
		LEFT JOIN funnel_versions v ON v.workspace_id = m.workspace_id AND v.id = m.version_id
		WHERE m.workspace_id = $1 AND m.id = $2`, workspace, message).Scan(&raw)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return creative, fmt.Errorf("read what a message says: %w", err)
	}
	if raw == nil {
		return creative, fault.New(fault.NotFound, "There is no such message in the outbox.")
	}
	return creative, json.Unmarshal(raw, &creative)
}

// Correct has waiting messages say something else. Those that were tried already keep their words: what may have left is not changed.
func (o *Outbox) Correct(ctx context.Context, workspace uuid.UUID, s Selection, creative engine.Creative, by *uuid.UUID) (n int64, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	compiled, problems, err := o.Compile(creative)
	if err != nil {
		return 0, fmt.Errorf("compile a correction: %w", err)
	}
	now, err := o.Clock.NowIn(ctx, o.DB)
	if err != nil {
		return 0, err
	}
	inPlace, err := o.judge(ctx, workspace, s, now, creative)
	if err != nil {
		return 0, err
	}
	problems = append(inPlace, problems...)
	if !engine.Publishable(problems) {
		return 0, fault.New(fault.Invalid, "The corrected message cannot be sent yet. Mend what is marked in it.").WithDetails(funnels.Refusal{Problems: problems})
	}
	raw, err := json.Marshal(creative)
	if err != nil {
		return 0, fmt.Errorf("write a correction: %w", err)
	}
	err = store.InTx(ctx, o.DB, o.Clock, func(tx store.Tx) error {
		err := store.Q.PutArtifact(ctx, tx, store.PutArtifactParams{WorkspaceID: workspace, Hash: compiled.Hash, Artifact: compiled.Artifact, Now: tx.Now})
		if err != nil {
			return fmt.Errorf("keep a correction: %w", err)
		}
		_, err = tx.Exec(ctx, "INSERT INTO corrections (workspace_id, hash, creative, created_by, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			workspace, compiled.Hash, raw, by, tx.Now)
		if err != nil {
			return fmt.Errorf("keep a correction: %w", err)
		}
		tag, err := tx.Exec(ctx, "UPDATE messages m SET artifact = $7 WHERE m.workspace_id = $1 AND "+waits+" AND "+chosen+" AND m.attempts = 0 AND m.channel = $8",
			append(s.args(workspace, tx.Now), compiled.Hash, creative.Channel)...)
		if err != nil {
			return fmt.Errorf("correct what waits in the outbox: %w", err)
		}
		n = tag.RowsAffected()
		return nil
	})
	return n, err
}
