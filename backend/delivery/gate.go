package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/pauses"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// house is what a workspace adds to its messages.
type house struct {
	name, address, zone, language, currency string
	paused, live                            bool
	tracking, shortLinks                    bool
	replies                                 string            // the mailbox answers go to; "" is none
	base                                    string            // of tracked links; "" is ours
	senders                                 map[string]sender // by slug; "" is the default

	restraint
}

type sender struct{ name, email, replyTo string }

// errand is what a run adds to its messages.
type errand struct {
	event, vars map[string]any
	voidBefore  int32
	funnel      string // its state
}

type runKey struct{ workspace, run uuid.UUID }

type campaignKey struct{ workspace, campaign uuid.UUID }

// round is what a batch of letters shares.
type round struct {
	houses  map[uuid.UUID]*house
	errands map[runKey]*errand
	stopped map[campaignKey]string // campaigns that are not sending: their state
	sent    map[reader][]time.Time // marketing of late, of those a cap holds for
}

// gate decides which letters may leave now. The contacts are locked, so the answer lasts until the commit.
func (d *Deliverer) gate(ctx context.Context, tx store.Tx, letters []*letter) (*round, error) {
	r := &round{houses: map[uuid.UUID]*house{}, errands: map[runKey]*errand{}, sent: map[reader][]time.Time{}}
	if err := r.loadHouses(ctx, tx, letters); err != nil {
		return nil, err
	}
	if err := r.loadErrands(ctx, tx, letters); err != nil {
		return nil, err
	}
	if err := r.loadCampaigns(ctx, tx, letters); err != nil {
		return nil, err
	}
	if err := r.loadSent(ctx, tx, letters); err != nil {
		return nil, err
	}
	groups := map[uuid.UUID][]*letter{}
	for _, l := range letters {
		groups[l.workspace] = append(groups[l.workspace], l)
	}
	for workspace, group := range groups {
		asks := make([]people.Ask, len(group))
		for i, l := range group {
			asks[i] = people.Ask{Contact: l.contact, Channel: l.channel, Topic: l.topic, Class: l.class}
		}
		answers, err := d.People.Gate(ctx, tx, workspace, asks)
		if err != nil {
			return nil, err
		}
		for i, l := range group {
			if err := r.judge(l, answers[i], tx.Now); err != nil {
				return nil, err
			}
		}
	}
	return r, rest(ctx, tx, letters)
}

// rest says when to look again at letters that a pause holds: when it ends, and not after they expire.
func rest(ctx context.Context, tx store.Tx, letters []*letter) error {
	for reason, kind := range map[string]pauses.Kind{WorkspacePaused: pauses.Workspace, FunnelPaused: pauses.Funnel, CampaignPaused: pauses.Campaign} {
		var held []*letter
		var keys []pauses.Key
		for _, l := range letters {
			if l.state == waits && l.reason == reason {
				held, keys = append(held, l), append(keys, l.pausedBy())
			}
		}
		rests, err := pauses.Rests(ctx, tx, kind, keys)
		if err != nil {
			return err
		}
		for i, l := range held {
			l.until = tx.Now.Add(rests[keys[i]])
			if l.expires != nil && l.expires.Before(l.until) {
				l.until = *l.expires
			}
		}
	}
	return nil
}

// pausedBy is what holds a letter that waits for the end of a pause.
func (l *letter) pausedBy() pauses.Key {
	switch {
	case l.reason == FunnelPaused && l.funnel != nil:
		return pauses.Key{Workspace: l.workspace, ID: *l.funnel}
	case l.reason == CampaignPaused && l.campaign != nil:
		return pauses.Key{Workspace: l.workspace, ID: *l.campaign}
	}
	return pauses.Key{Workspace: l.workspace, ID: l.workspace}
}

// judge gathers what the gate looks at and takes its answer.
func (r *round) judge(l *letter, answer people.Answer, now time.Time) error {
	l.to = answer.Address
	var e *errand
	if l.run != nil {
		e = r.errands[runKey{l.workspace, *l.run}]
	}
	gate := engine.Gate{Class: l.class, Refusal: answer.Reason}
	if l.expires != nil {
		gate.Expires = *l.expires
	}
	if e != nil {
		gate.Void = l.seq < e.voidBefore
		gate.Stopped = e.funnel == "stopped" || e.funnel == "archived"
		if e.funnel == "paused" {
			gate.Paused = FunnelPaused
		}
	}
	if l.campaign != nil {
		switch r.stopped[campaignKey{l.workspace, *l.campaign}] {
		case "paused":
			gate.Paused = CampaignPaused
		case "cancelled":
			gate.Refusal = CampaignCancelled
		}
	}
	if r.houses[l.workspace].paused {
		gate.Paused = WorkspacePaused
	}
	if err := r.restrain(&gate, l); err != nil {
		return err
	}
	judgement := gate.Judge(now)
	l.stop(fates[judgement.Passage], judgement.Reason)
	if h := r.houses[l.workspace]; l.state == leaves && h.live && l.provider == Sandbox {
		l.stop(failed, noProvider)
	}
	l.until = judgement.Until
	if l.state == leaves && gate.Cap != nil {
		r.sent[l.reader()] = append(r.sent[l.reader()], now)
	}
	return nil
}

// noProvider is why a message fails whose workspace sends for real but has nobody to carry it: it must not end up in the Test inbox as
// if it had gone.
const noProvider = "no_provider"

// Why messages wait for somebody, and why those of a campaign are passed over.
const (
	WorkspacePaused   = "workspace_paused"
	FunnelPaused      = "funnel_paused"
	CampaignPaused    = "campaign_paused"
	CampaignCancelled = "campaign_cancelled"
)

// fates says what a judgement means for a letter.
var fates = map[engine.Passage]fate{engine.Leaves: leaves, engine.Skipped: skipped, engine.Expired: expired, engine.Waits: waits}

func (r *round) loadHouses(ctx context.Context, tx store.Tx, letters []*letter) error {
	var ids [][16]byte
	for _, l := range letters {
		if r.houses[l.workspace] == nil {
			r.houses[l.workspace] = &house{senders: map[string]sender{}}
			ids = append(ids, l.workspace)
		}
	}
	rows, err := tx.Query(ctx, `SELECT w.id, w.name, w.postal_address, w.zone, w.language, w.currency, w.paused_at IS NOT NULL,
			w.sending_mode = 'live', w.tracking, w.short_links, w.quiet_hours, w.frequency_caps,
			coalesce((SELECT b.address FROM mailboxes b WHERE b.workspace_id = w.id AND b.active), ''),
			CASE WHEN w.tracking_verified_at IS NULL THEN '' ELSE 'https://' || w.tracking_domain END,
			coalesce(s.slug, ''), coalesce(s.name, ''), coalesce(s.email, ''), coalesce(s.reply_to, ''), coalesce(s.is_default, false)
		FROM workspaces w LEFT JOIN senders s ON s.workspace_id = w.id WHERE w.id = ANY($1)`, ids)
	if err != nil {
		return fmt.Errorf("read workspaces: %w", err)
	}
	var id [16]byte
	var h house
	var slug string
	var s sender
	var standard bool
	var quiet, caps []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &h.name, &h.address, &h.zone, &h.language, &h.currency, &h.paused, &h.live, &h.tracking, &h.shortLinks, &quiet, &caps, &h.replies, &h.base,
		&slug, &s.name, &s.email, &s.replyTo, &standard}, func() error {
		known := r.houses[id]
		h.senders = known.senders
		if err := h.read(quiet, caps); err != nil {
			return err
		}
		*known = h
		if slug != "" {
			known.senders[slug] = s
		}
		if standard {
			known.senders[""] = s
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read workspaces: %w", err)
	}
	return nil
}

func (r *round) loadErrands(ctx context.Context, tx store.Tx, letters []*letter) error {
	var workspaces, ids [][16]byte
	for _, l := range letters {
		if l.run == nil {
			continue
		}
		if key := (runKey{l.workspace, *l.run}); r.errands[key] == nil {
			r.errands[key] = &errand{}
			workspaces, ids = append(workspaces, l.workspace), append(ids, *l.run)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT r.workspace_id, r.id, r.void_before, r.event, r.vars, f.state FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
		JOIN runs r ON r.workspace_id = k.workspace_id AND r.id = k.id
		JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id`, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read the runs of messages: %w", err)
	}
	var workspace, id [16]byte
	var void int32
	var event, vars []byte
	var state string
	_, err = pgx.ForEachRow(rows, []any{&workspace, &id, &void, &event, &vars, &state}, func() error {
		e := r.errands[runKey{workspace, id}]
		e.voidBefore, e.funnel = void, state
		if err := decode(event, &e.event); err != nil {
			return err
		}
		return decode(vars, &e.vars)
	})
	if err != nil {
		return fmt.Errorf("read the runs of messages: %w", err)
	}
	return nil
}

func (r *round) loadCampaigns(ctx context.Context, tx store.Tx, letters []*letter) error {
	r.stopped = map[campaignKey]string{}
	var workspaces, ids [][16]byte
	for _, l := range letters {
		if l.campaign == nil {
			continue
		}
		if key := (campaignKey{l.workspace, *l.campaign}); r.stopped[key] == "" {
			r.stopped[key] = "sending"
			workspaces, ids = append(workspaces, l.workspace), append(ids, *l.campaign)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT c.workspace_id, c.id, c.state FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
		JOIN campaigns c ON c.workspace_id = k.workspace_id AND c.id = k.id`, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read the campaigns of messages: %w", err)
	}
	var workspace, id [16]byte
	var state string
	_, err = pgx.ForEachRow(rows, []any{&workspace, &id, &state}, func() error {
		r.stopped[campaignKey{workspace, id}] = state
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the campaigns of messages: %w", err)
	}
	return nil
}

func decode(raw []byte, into *map[string]any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// Resume makes the messages due that wait because sending was paused in the whole workspace, which the caller has ended.
func Resume(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE messages SET next_attempt_at = due_at, reason = NULL
		WHERE workspace_id = $1 AND status = 'queued' AND reason = $2`, workspace, WorkspacePaused)
	if err != nil {
		return fmt.Errorf("resume sending: %w", err)
	}
	return nil
}
