package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
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
	provider, err := d.handOver(ctx, workspace, l.mail)
	if err != nil {
		return uuid.Nil, err
	}
	return id, store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		contact, err := d.proofContact(ctx, tx, workspace, proof.To)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, sender, provider_id, lane, status,
				due_at, next_attempt_at, to_address, created_at, sent_at, delivered_at)
			VALUES ($1, $2, 0, '', $3, 'email', 'transactional', '', $4, $5, 0, 'sent', $6, $6, $7, $6, $6, $6)`,
			workspace, id, contact, from.Slug, provider, tx.Now, proof.To)
		if err != nil {
			return fmt.Errorf("keep a proof: %w", err)
		}
		return writeBodies(ctx, tx, []*letter{l})
	})
}

// handOver lets a mail leave if the workspace is live, and answers through what.
func (d *Deliverer) handOver(ctx context.Context, workspace uuid.UUID, m Mail) (uuid.UUID, error) {
	rows, err := d.DB.Query(ctx, selectProviders+`p.workspace_id = $1 AND p.active
		AND (SELECT sending_mode FROM workspaces WHERE id = $1) = 'live'`, workspace)
	if err != nil {
		return uuid.Nil, fmt.Errorf("read the mail server: %w", err)
	}
	account, err := pgx.CollectExactlyOneRow(rows, scanProvider)
	if errors.Is(err, pgx.ErrNoRows) {
		return Sandbox, nil
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("read the mail server: %w", err)
	}
	open, err := d.open(account)
	if err != nil {
		return uuid.Nil, Refused{err}
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	if err := open.deliver(ctx, m); err != nil {
		return uuid.Nil, Refused{err}
	}
	return account.id, nil
}

func (d *Deliverer) proofContact(ctx context.Context, tx store.Tx, workspace uuid.UUID, address string) (uuid.UUID, error) {
	outcomes, err := d.People.UpsertMany(ctx, tx, workspace, []people.Input{{Email: address}}, people.Options{Source: "test", Quiet: true})
	if err != nil {
		return uuid.Nil, err
	}
	return outcomes[0].Contact.ID, outcomes[0].Err
}
