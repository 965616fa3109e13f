package receipts

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/engine"
)

// message is what a report is about.
type message struct {
	workspace, id, contact uuid.UUID
	channel, status, topic string
	address                string // it went to
	gone                   bool   // the person was erased
}

// apply lets a fact count. It answers the message it is about, nil for a text from nobody.
func (s *Sources) apply(ctx context.Context, tx store.Tx, workspace uuid.UUID, r Receipt) (*uuid.UUID, error) {
	if r.Kind == Incoming {
		return s.incoming(ctx, tx, workspace, r)
	}
	m, err := find(ctx, tx, workspace, r)
	if err != nil {
		return nil, err
	}
	if m.gone {
		return &m.id, ignored{"the person was erased"}
	}
	// The person first, then the message: the order everybody locks in.
	if _, err := facts.Contacts(ctx, tx, []facts.Key{{Workspace: workspace, Contact: m.contact}}, facts.Block); err != nil {
		return nil, err
	}
	if err := s.reconcile(ctx, tx, &m); err != nil {
		return &m.id, err
	}
	switch r.Kind {
	case Delivered:
		return &m.id, s.delivered(ctx, tx, m, r)
	case Opened, Clicked:
		return &m.id, s.visited(ctx, tx, m, r)
	case Bounced:
		return &m.id, s.bounced(ctx, tx, m, r)
	case Complained:
		return &m.id, s.complained(ctx, tx, m, r)
	case Unsubscribed:
		return &m.id, s.unsubscribed(ctx, tx, m)
	case Replied:
		return &m.id, tracking.Happened(ctx, tx, []tracking.Act{{Workspace: workspace, Message: m.id, Kind: tracking.ActReply, Text: r.Text, At: r.At}})
	}
	return &m.id, ignored{"nothing follows from it"}
}

const selectMessage = `SELECT m.id, m.contact_id, m.channel, m.status, m.topic, coalesce(m.to_address, ''), c.erased_at IS NOT NULL
	FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id WHERE m.workspace_id = $1 AND `

// find looks for the message by our own id, by the provider's, or by the Message-ID it left with.
func find(ctx context.Context, tx store.Tx, workspace uuid.UUID, r Receipt) (m message, err error) {
	m.workspace = workspace
	scan := func(where string, arg any) error {
		return tx.QueryRow(ctx, selectMessage+where, workspace, arg).Scan(&m.id, &m.contact, &m.channel, &m.status, &m.topic, &m.address, &m.gone)
	}
	id := r.Message
	if id == uuid.Nil {
		id = ownName(r.Name)
	}
	err = pgx.ErrNoRows
	if id != uuid.Nil {
		err = scan("m.id = $2", id)
	}
	if errors.Is(err, pgx.ErrNoRows) && r.Name != "" {
		err = scan("m.id = (SELECT a.message_id FROM delivery_attempts a WHERE a.workspace_id = $1 AND a.provider_msg_id = $2 ORDER BY a.attempt DESC LIMIT 1)", r.Name)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return m, later{"no message of ours is known by this id yet"}
	}
	if err != nil {
		return m, fmt.Errorf("look for a message: %w", err)
	}
	return m, nil
}

// ownName reads a Message-ID of ours, such as 0193...@example.com.
func ownName(name string) uuid.UUID {
	if len(name) < 37 || name[36] != '@' {
		return uuid.Nil
	}
	return messageOf(name[:36])
}

// reconcile waits until the hand-over has been noted; one whose result we never learnt has just been answered.
func (s *Sources) reconcile(ctx context.Context, tx store.Tx, m *message) error {
	if err := tx.QueryRow(ctx, "SELECT status FROM messages WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE", m.workspace, m.id).Scan(&m.status); err != nil {
		return fmt.Errorf("lock a message: %w", err)
	}
	switch m.status {
	case "sending", "queued":
		var unknown bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM delivery_attempts WHERE workspace_id = $1 AND message_id = $2 AND state = 'unknown')
			AND NOT EXISTS (SELECT 1 FROM delivery_attempts WHERE workspace_id = $1 AND message_id = $2 AND state = 'open')`, m.workspace, m.id).Scan(&unknown)
		if err != nil {
			return fmt.Errorf("look for hand-overs: %w", err)
		}
		if !unknown {
			return later{"the message is still being handed over"}
		}
	case "unknown":
	default:
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE delivery_attempts SET state = 'accepted' WHERE workspace_id = $1 AND message_id = $2 AND attempt =
		(SELECT max(attempt) FROM delivery_attempts WHERE workspace_id = $1 AND message_id = $2 AND state = 'unknown')`, m.workspace, m.id)
	if err != nil {
		return fmt.Errorf("close a hand-over: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE messages SET status = 'sent', reason = NULL, lease_until = NULL, sent_at = coalesce(sent_at, $3) WHERE workspace_id = $1 AND id = $2`,
		m.workspace, m.id, tx.Now)
	if err != nil {
		return fmt.Errorf("note that a message has left: %w", err)
	}
	m.status = "sent"
	return s.tell(ctx, tx, *m, "message_sent", nil)
}

// tell posts an event of the message.
func (s *Sources) tell(ctx context.Context, tx store.Tx, m message, name string, more map[string]any) error {
	props := map[string]any{"message": m.id.String(), "channel": m.channel}
	for key, value := range more {
		props[key] = value
	}
	var node, funnel string
	var run *uuid.UUID
	err := tx.QueryRow(ctx, `SELECT m.node, m.run_id, coalesce(f.slug, '') FROM messages m LEFT JOIN funnels f ON f.workspace_id = m.workspace_id AND f.id = m.funnel_id
		WHERE m.workspace_id = $1 AND m.id = $2`, m.workspace, m.id).Scan(&node, &run, &funnel)
	if err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	props[engine.PropStep], props[engine.PropFunnel] = node, funnel
	if run != nil {
		props[engine.PropRun] = run.String()
	}
	return events.Post(ctx, tx, m.workspace, 0, events.Posting{Contact: m.contact, Name: name, Props: props})
}

// first sets an instant of a message that has none yet, and tells whether it did.
func first(ctx context.Context, tx store.Tx, m message, column string, r Receipt) (bool, error) {
	done, err := tx.Exec(ctx, "UPDATE messages SET "+column+" = $3 WHERE workspace_id = $1 AND id = $2 AND "+column+" IS NULL", m.workspace, m.id, r.At)
	if err != nil {
		return false, fmt.Errorf("note what became of a message: %w", err)
	}
	return done.RowsAffected() == 1, nil
}

func (s *Sources) delivered(ctx context.Context, tx store.Tx, m message, r Receipt) error {
	if err := s.People.Arrived(ctx, tx, m.workspace, m.channel, m.address); err != nil {
		return err
	}
	news, err := first(ctx, tx, m, "delivered_at", r)
	if err != nil || !news {
		return err
	}
	return s.tell(ctx, tx, m, "message_delivered", nil)
}

// visited keeps an open or click among the hits, where it is judged like those we saw ourselves.
func (s *Sources) visited(ctx context.Context, tx store.Tx, m message, r Receipt) error {
	return tracking.Reported(ctx, tx, tracking.Seen{Workspace: m.workspace, Message: m.id, Click: r.Kind == Clicked, URL: r.URL, Agent: r.Agent, Machine: r.Machine, At: r.At})
}

func (s *Sources) bounced(ctx context.Context, tx store.Tx, m message, r Receipt) error {
	news, err := first(ctx, tx, m, "bounced_at", r)
	if err != nil || !news && r.Soft {
		return err
	}
	// A refusal for good counts for the address also where the message was refused for a while before; for the message it is one bounce.
	if err := s.People.Bounced(ctx, tx, m.workspace, m.contact, m.channel, m.address, r.Soft, "provider"); err != nil || !news {
		return err
	}
	kind := "hard"
	if r.Soft {
		kind = "soft"
	}
	return s.tell(ctx, tx, m, "message_bounced", map[string]any{"kind": kind, "reason": r.Reason})
}

func (s *Sources) complained(ctx context.Context, tx store.Tx, m message, r Receipt) error {
	news, err := first(ctx, tx, m, "complained_at", r)
	if err != nil || !news {
		return err
	}
	if err := s.People.Complained(ctx, tx, m.workspace, m.contact, m.channel, m.address, "provider"); err != nil {
		return err
	}
	return s.tell(ctx, tx, m, "message_complained", nil)
}

func (s *Sources) unsubscribed(ctx context.Context, tx store.Tx, m message) error {
	if err := s.People.In(tx).Unsubscribe(ctx, m.workspace, m.contact, m.channel, "", "provider"); err != nil {
		return err
	}
	_, err := first(ctx, tx, m, "unsubscribed_at", Receipt{At: tx.Now})
	return err
}
