package tracking

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Act is something a person did with a message, or that became of it.
type Act struct {
	Workspace, Message uuid.UUID

	Kind string
	URL  string // of a click
	Text string // of a reply
	At   time.Time

	hit int64 // the row of hits it is known by; 0 makes one
}

// The kinds of acts.
const (
	ActOpen   = "open"
	ActClick  = "click"
	ActReply  = "reply"
	ActBounce = "bounce"
)

// ReasonPlayed marks hits that were played in the Test inbox.
const ReasonPlayed = "played"

// events are what acts are called by.
var events = map[string]string{ActOpen: "message_opened", ActClick: "link_clicked", ActReply: "message_replied", ActBounce: "message_bounced"}

// Known tells whether there is such an act.
func Known(act string) bool { return events[act] != "" }

// state is a message while acts are applied to it.
type state struct {
	contact                           [16]byte
	run                               *uuid.UUID
	node, channel, funnel, campaign   string
	opened, clicked, replied, bounced *time.Time
	links                             []string // that people followed already
}

// Happened is the one place where what people do with messages is remembered and told. Of each message the first open counts, and the
// first click of each link; who clicks a link of a mail has opened it. The rows of messages are locked, so that two at once count once.
func Happened(ctx context.Context, tx store.Tx, acts []Act) error {
	if err := keepPlayed(ctx, tx, acts); err != nil {
		return err
	}
	states, err := lockStates(ctx, tx, acts)
	if err != nil {
		return err
	}
	if err := readFollowed(ctx, tx, acts, states); err != nil {
		return err
	}
	slices.SortStableFunc(acts, func(a, b Act) int { return a.At.Compare(b.At) })
	var news news
	for _, act := range acts {
		s := states[key{act.Workspace, act.Message}]
		if s == nil {
			continue
		}
		if act.Kind == ActClick && s.channel == engine.ChannelEmail && s.opened == nil {
			s.opened = &act.At
			if err := news.add(act, s, ActOpen); err != nil {
				return err
			}
		}
		if s.counts(act) {
			if err := news.add(act, s, act.Kind); err != nil {
				return err
			}
		}
	}
	if err := writeStates(ctx, tx, states); err != nil {
		return err
	}
	return news.write(ctx, tx)
}

// counts remembers an act and tells whether it is news.
func (s *state) counts(act Act) bool {
	first := func(at **time.Time) bool {
		if *at != nil {
			return false
		}
		*at = &act.At
		return true
	}
	switch act.Kind {
	case ActOpen:
		return first(&s.opened)
	case ActClick:
		first(&s.clicked)
		if slices.Contains(s.links, act.URL) {
			return false
		}
		s.links = append(s.links, act.URL)
		return true
	case ActReply:
		first(&s.replied)
		return true
	default:
		return first(&s.bounced)
	}
}

// keepPlayed gives acts that are known by no hit one of their own.
func keepPlayed(ctx context.Context, tx store.Tx, acts []Act) error {
	for i, act := range acts {
		if act.hit != 0 || act.Kind != ActOpen && act.Kind != ActClick {
			continue
		}
		err := tx.QueryRow(ctx, `INSERT INTO hits (workspace_id, message_id, kind, link, url, trap, method, agent, prefetch, at, judge_at, class, reason)
			VALUES ($1, $2, $3, 0, $4, false, '', '', false, $5, NULL, 'human', $6) RETURNING id`,
			act.Workspace, act.Message, act.Kind, act.URL, act.At, ReasonPlayed).Scan(&acts[i].hit)
		if err != nil {
			return fmt.Errorf("keep a played act: %w", err)
		}
	}
	return nil
}

func lockStates(ctx context.Context, tx store.Tx, acts []Act) (map[key]*state, error) {
	workspaces, messages := keysOf(acts)
	rows, err := tx.Query(ctx, `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.node, m.channel, coalesce(f.slug, ''), coalesce(k.slug, ''),
			m.opened_at, m.clicked_at, m.replied_at, m.bounced_at
		FROM unnest($1::uuid[], $2::uuid[]) AS x (w, id) JOIN messages m ON m.workspace_id = x.w AND m.id = x.id
			JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id AND c.erased_at IS NULL
			LEFT JOIN funnels f ON f.workspace_id = m.workspace_id AND f.id = m.funnel_id
			LEFT JOIN campaigns k ON k.workspace_id = m.workspace_id AND k.id = m.campaign_id
		ORDER BY m.workspace_id, m.id FOR NO KEY UPDATE OF m`, workspaces, messages)
	if err != nil {
		return nil, fmt.Errorf("lock messages: %w", err)
	}
	states := map[key]*state{}
	var workspace, message [16]byte
	var s state
	_, err = pgx.ForEachRow(rows, []any{&workspace, &message, &s.contact, &s.run, &s.node, &s.channel, &s.funnel, &s.campaign, &s.opened, &s.clicked, &s.replied, &s.bounced}, func() error {
		own := s
		states[key{workspace, message}] = &own
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock messages: %w", err)
	}
	return states, nil
}

// readFollowed reads which links people have followed before these acts.
func readFollowed(ctx context.Context, tx store.Tx, acts []Act, states map[key]*state) error {
	hits := make([]int64, 0, len(acts))
	for _, act := range acts {
		hits = append(hits, act.hit)
	}
	workspaces, messages := keysOf(acts)
	rows, err := tx.Query(ctx, `SELECT DISTINCT h.workspace_id, h.message_id, h.url
		FROM unnest($1::uuid[], $2::uuid[]) AS k (w, id) JOIN hits h ON h.workspace_id = k.w AND h.message_id = k.id
		WHERE h.kind = 'click' AND h.class = 'human' AND h.id <> ALL($3)`, workspaces, messages, hits)
	if err != nil {
		return fmt.Errorf("read clicks: %w", err)
	}
	var workspace, message [16]byte
	var url string
	_, err = pgx.ForEachRow(rows, []any{&workspace, &message, &url}, func() error {
		if s := states[key{workspace, message}]; s != nil {
			s.links = append(s.links, url)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read clicks: %w", err)
	}
	return nil
}

func keysOf(acts []Act) (workspaces, messages [][16]byte) {
	seen := map[key]bool{}
	for _, act := range acts {
		if k := (key{act.Workspace, act.Message}); !seen[k] {
			seen[k] = true
			workspaces, messages = append(workspaces, act.Workspace), append(messages, act.Message)
		}
	}
	return workspaces, messages
}

func writeStates(ctx context.Context, tx store.Tx, states map[key]*state) error {
	workspaces, messages := make([][16]byte, 0, len(states)), make([][16]byte, 0, len(states))
	opened, clicked := make([]*time.Time, 0, len(states)), make([]*time.Time, 0, len(states))
	replied, bounced := make([]*time.Time, 0, len(states)), make([]*time.Time, 0, len(states))
	for k, s := range states {
		workspaces, messages = append(workspaces, k.workspace), append(messages, k.message)
		opened, clicked = append(opened, s.opened), append(clicked, s.clicked)
		replied, bounced = append(replied, s.replied), append(bounced, s.bounced)
	}
	_, err := tx.Exec(ctx, `UPDATE messages m SET opened_at = x.opened, clicked_at = x.clicked, replied_at = x.replied, bounced_at = x.bounced
		FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[]) AS x (w, id, opened, clicked, replied, bounced)
		WHERE m.workspace_id = x.w AND m.id = x.id`, workspaces, messages, opened, clicked, replied, bounced)
	if err != nil {
		return fmt.Errorf("remember what people did: %w", err)
	}
	return nil
}

// news are events on their way into the inbox.
type news struct {
	workspaces, contacts [][16]byte
	names                []string
	at                   []time.Time
	props                [][]byte
}

func (n *news) add(act Act, s *state, kind string) error {
	props := map[string]any{"message": act.Message.String(), engine.PropStep: s.node, "channel": s.channel, engine.PropFunnel: s.funnel}
	if s.run != nil {
		props[engine.PropRun] = s.run.String()
	}
	if s.campaign != "" {
		props[engine.PropCampaign] = s.campaign
	}
	if kind == ActClick && act.URL != "" {
		props["url"] = act.URL
	}
	if kind == ActReply && act.Text != "" {
		props["text"] = act.Text
	}
	raw, err := json.Marshal(props)
	if err != nil {
		return fmt.Errorf("describe what somebody did with a message: %w", err)
	}
	n.workspaces, n.contacts = append(n.workspaces, act.Workspace), append(n.contacts, s.contact)
	n.names, n.at, n.props = append(n.names, events[kind]), append(n.at, act.At), append(n.props, raw)
	return nil
}

func (n *news) write(ctx context.Context, tx store.Tx) error {
	if len(n.names) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props)
		SELECT w, c, name, at, at, props FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::jsonb[]) AS x (w, c, name, at, props)`,
		n.workspaces, n.contacts, n.names, n.at, n.props)
	if err != nil {
		return fmt.Errorf("tell what people did: %w", err)
	}
	return nil
}
