package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// Notice is a transactional mail of no funnel, written by us: somebody asked for it by what they just did.
type Notice struct {
	Workspace uuid.UUID
	Contact   uuid.UUID // whom it is kept with; the address may be new
	To        string
	Subject   string
	HTML      string
	Text      string
	Links     []Link
	Expires   time.Time
	Origin    string // what sends it, such as OriginForm and a slug
}

// What sends a message that no funnel and no campaign sends.
const (
	OriginTest = "test"  // somebody tried a message
	OriginTeam = "team"  // a notice to the team
	OriginAPI  = "api"   // the customer's application
	OriginForm = "form:" // and the slug of the form
)

// Enqueue puts a notice into the outbox in the caller's transaction. It passes the gate like any transactional message, and leaves through
// the workspace's provider or into the Test inbox. Nudge the pump "deliver" after the commit. It answers the message's id.
func Enqueue(ctx context.Context, tx store.Tx, n Notice) (uuid.UUID, error) {
	senders, err := store.Q.Senders(ctx, tx, n.Workspace) // the default one first
	if err != nil {
		return uuid.Nil, fmt.Errorf("read senders: %w", err)
	}
	from := store.Sender{Email: "sandbox@lejek.invalid"}
	if len(senders) > 0 {
		from = senders[0]
	}
	id := store.NewID()
	env := envelope{workspace: n.Workspace, message: id, fromName: from.Name, from: from.Email, to: n.To, replyTo: from.ReplyTo, date: tx.Now}
	_, err = tx.Exec(ctx, `INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, sender, provider_id, lane, status,
			due_at, next_attempt_at, expires_at, created_at, origin)
		VALUES ($1, $2, 0, '', $3, 'email', 'transactional', '', $4, coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
			WHERE p.workspace_id = $1 AND p.channel = 'email' AND p.active AND w.sending_mode = 'live'), $5), $6, 'queued', $7, $7, $8, $7, $9)`,
		n.Workspace, id, n.Contact, from.Slug, Sandbox, laneTransactional, tx.Now, n.Expires, n.Origin)
	if err != nil {
		return uuid.Nil, fmt.Errorf("keep a notice: %w", err)
	}
	l := &letter{workspace: n.Workspace, id: id, links: n.Links}
	l.mail = Mail{Headers: env.headers(), Subject: clean(n.Subject), HTML: n.HTML, Text: n.Text}
	return id, writeBodies(ctx, tx, []*letter{l})
}
