package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Proof is a message an author sends to look at, outside any funnel.
type Proof struct {
	To      string
	Sender  string // slug; "" is the default one
	Channel string
	Content Content
}

// SendProof sends it at once: to the Test inbox while the workspace is in the sandbox, else through its mail server. The address becomes a contact,
// quietly, because every message belongs to one. It answers the message's id.
func (d *Deliverer) SendProof(ctx context.Context, workspace uuid.UUID, proof Proof) (uuid.UUID, error) {
	from, err := d.senderOf(ctx, workspace, proof.Sender)
	if err != nil {
		return uuid.Nil, err
	}
	id := store.NewID()
	env := envelope{
		workspace: workspace, message: id, fromName: from.Name, from: from.Email, to: proof.To, replyTo: from.ReplyTo, date: d.Clock.Now(),
	}
	if proof.Content.ReplyTo != "" {
		env.replyTo = proof.Content.ReplyTo
	}
	l := &letter{workspace: workspace, id: id, links: proof.Content.Links}
	l.mail = Mail{Headers: env.headers(), Subject: clean("[Test] " + proof.Content.Subject), HTML: proof.Content.HTML, Text: proof.Content.Text}
	provider, err := d.handOver(ctx, workspace, l.id, l.mail)
	if err != nil {
		return uuid.Nil, err
	}
	return id, d.keep(ctx, l, from.Slug, provider, proof.To, OriginTest)
}

// keep stores a mail that was handed over outside any funnel.
func (d *Deliverer) keep(ctx context.Context, l *letter, sender string, provider uuid.UUID, to, source string) error {
	return store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		contact, err := d.quietContact(ctx, tx, l.workspace, to, source)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, sender, provider_id, lane, status,
				due_at, next_attempt_at, to_address, created_at, sent_at, delivered_at, origin)
			VALUES ($1, $2, 0, '', $3, 'email', 'transactional', '', $4, $5, 0, 'sent', $6, $6, $7, $6, $6, $6, $8)`,
			l.workspace, l.id, contact, sender, provider, tx.Now, to, source)
		if err != nil {
			return fmt.Errorf("keep a mail: %w", err)
		}
		if provider != Sandbox {
			_, err = tx.Exec(ctx, `INSERT INTO delivery_attempts (workspace_id, message_id, attempt, provider_id, worker, state, started_at, finished_at)
				VALUES ($1, $2, 1, $3, $4, 'accepted', $5, $5)`, l.workspace, l.id, provider, d.Worker, d.Machine.Now())
			if err != nil {
				return fmt.Errorf("note that a mail was accepted: %w", err)
			}
		}
		return writeBodies(ctx, tx, []*letter{l})
	})
}

// SendNotice tells somebody of the team something: in the Test inbox while the workspace is in the sandbox, else through its mail server. A
// notice of the same id is sent once; only who dies between the hand-over and the note of it may send it again.
func (d *Deliverer) SendNotice(ctx context.Context, workspace, id uuid.UUID, to, subject, text string) error {
	var sent bool
	err := d.DB.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE workspace_id = $1 AND id = $2)", workspace, id).Scan(&sent)
	if err != nil || sent {
		return err
	}
	from, err := d.senderOf(ctx, workspace, "")
	if err != nil {
		return err
	}
	env := envelope{workspace: workspace, message: id, fromName: from.Name, from: from.Email, to: to, replyTo: from.ReplyTo, date: d.Clock.Now()}
	l := &letter{workspace: workspace, id: id, mail: plainMail(env, subject, text)}
	provider, err := d.handOver(ctx, workspace, l.id, l.mail)
	if err != nil {
		return err
	}
	return d.keep(ctx, l, from.Slug, provider, to, OriginTeam)
}

// handOver lets a mail leave if the workspace is live, and answers through what.
func (d *Deliverer) handOver(ctx context.Context, workspace, id uuid.UUID, m Mail) (uuid.UUID, error) {
	account, err := d.find(ctx, `p.workspace_id = $1 AND p.channel = 'email' AND p.active
		AND (SELECT sending_mode FROM workspaces WHERE id = $1) = 'live'`, workspace)
	if errors.Is(err, pgx.ErrNoRows) {
		return Sandbox, nil
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("read the mail server: %w", err)
	}
	open, err := d.open(ctx, account)
	if err != nil {
		return uuid.Nil, Refused{err}
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	if _, err := deliver(ctx, open.adapter, mailParcel(providers.Parcel{Workspace: workspace, Message: id, Channel: engine.ChannelEmail}, m)); err != nil {
		return uuid.Nil, Refused{err}
	}
	return account.id, nil
}

// quietContact is the contact of an address; it starts nothing by appearing.
func (d *Deliverer) quietContact(ctx context.Context, tx store.Tx, workspace uuid.UUID, address, source string) (uuid.UUID, error) {
	outcomes, err := d.People.UpsertMany(ctx, tx, workspace, []people.Input{{Email: address}}, people.Options{Source: source, Quiet: true})
	if err != nil {
		return uuid.Nil, err
	}
	return outcomes[0].Contact.ID, outcomes[0].Err
}
