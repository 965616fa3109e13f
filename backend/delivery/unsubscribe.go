package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Farewell is what the page behind an unsubscribe link shows. Opening the page changes nothing: mail scanners open links too.
type Farewell struct {
	Workspace string // name
	Language  string // of the person, else of the workspace
	Address   string // masked, such as a***@example.com
	Topic     string // name of the topic the message belongs to; "" if none
	TopicSlug string
	Left      bool // they have left everything already
	LeftTopic bool

	WorkspaceID, ContactID uuid.UUID
}

// Farewell reads what an unsubscribe token is about. An unknown or erased message is fault.NotFound.
func (d *Deliverer) Farewell(ctx context.Context, token string) (Farewell, error) {
	_, f, err := d.readFarewell(ctx, d.DB, token)
	return f, err
}

// Unsubscribe acts on a token at once: everything of the channel, or with onlyTopic the message's topic alone. It is what the one-click
// request of RFC 8058 and the button of the page do. Doing it twice is fine.
func (d *Deliverer) Unsubscribe(ctx context.Context, token string, onlyTopic bool) (Farewell, error) {
	return store.InTxV(ctx, d.DB, d.Clock, func(tx store.Tx) (Farewell, error) {
		who, f, err := d.readFarewell(ctx, tx, token)
		if err != nil {
			return f, err
		}
		topic := ""
		if onlyTopic {
			topic = f.TopicSlug
		}
		if err := d.People.In(tx).Unsubscribe(ctx, who.workspace, who.contact, who.channel, topic, "link"); err != nil {
			return f, err
		}
		_, err = tx.Exec(ctx, "UPDATE messages SET unsubscribed_at = coalesce(unsubscribed_at, $3) WHERE workspace_id = $1 AND id = $2",
			who.workspace, who.message, tx.Now)
		if err != nil {
			return f, fmt.Errorf("note who unsubscribed: %w", err)
		}
		f.Left, f.LeftTopic = f.Left || topic == "", true
		d.nudge()
		return f, nil
	})
}

type addressee struct {
	workspace, message, contact uuid.UUID
	channel                     string
}

func (d *Deliverer) readFarewell(ctx context.Context, db store.DB, token string) (addressee, Farewell, error) {
	var who addressee
	var f Farewell
	workspace, message, err := d.tokens.Read(PurposeUnsubscribe, token)
	if err != nil {
		return who, f, fault.New(fault.NotFound, "This link is not complete. Open it again from the message.")
	}
	who.workspace, who.message = workspace, message
	var email, language, house string
	err = db.QueryRow(ctx, `SELECT m.contact_id, m.channel, m.topic, coalesce(t.name, ''), coalesce(c.email, ''), c.language, w.language, w.name,
			coalesce((SELECT k.state = 'denied' FROM consents k WHERE k.workspace_id = m.workspace_id AND k.contact_id = m.contact_id
				AND k.channel = m.channel AND k.topic = ''), false),
			coalesce((SELECT k.state = 'denied' FROM consents k WHERE k.workspace_id = m.workspace_id AND k.contact_id = m.contact_id
				AND k.channel = m.channel AND k.topic = m.topic AND m.topic <> ''), false)
		FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id JOIN workspaces w ON w.id = m.workspace_id
		LEFT JOIN topics t ON t.workspace_id = m.workspace_id AND t.slug = m.topic
		WHERE m.workspace_id = $1 AND m.id = $2 AND c.erased_at IS NULL`, workspace, message).
		Scan(&who.contact, &who.channel, &f.TopicSlug, &f.Topic, &email, &language, &house, &f.Workspace, &f.Left, &f.LeftTopic)
	if errors.Is(err, pgx.ErrNoRows) {
		return who, f, fault.New(fault.NotFound, "This message is no longer known here; nothing more will be sent because of it.")
	}
	if err != nil {
		return who, f, fmt.Errorf("read a message: %w", err)
	}
	f.WorkspaceID, f.ContactID = workspace, who.contact
	f.Language, f.Address = language, mask(email)
	if f.Language == "" {
		f.Language = house
	}
	if f.Topic == "" {
		f.TopicSlug = "" // the topic was removed: only everything can be left
	}
	return who, f, nil
}

// View reads the message behind a view-in-browser token.
func (d *Deliverer) View(ctx context.Context, token string) (Mail, error) {
	workspace, message, err := d.tokens.Read(PurposeView, token)
	if err != nil {
		return Mail{}, fault.New(fault.NotFound, "This link is not complete. Open it again from the message.")
	}
	m, err := ReadBody(ctx, d.DB, workspace, message)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, fault.New(fault.NotFound, "This message is no longer kept.")
	}
	if err != nil {
		return m, fmt.Errorf("read a message: %w", err)
	}
	return m, nil
}

// mask hides most of an address, for a page that whoever holds the link can open.
func mask(email string) string {
	local, host, ok := strings.Cut(email, "@")
	if !ok || local == "" {
		return ""
	}
	first := []rune(local)[:1]
	return string(first) + "***@" + host
}
