package replies

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
)

const (
	every    = time.Minute
	everyBad = 10 * time.Minute // of a mailbox that could not be opened
	boxes    = 8                // looked into at once
)

// Job is the pump's job that looks into mailboxes.
func (m *Mailboxes) Job() pump.Job {
	return pump.Job{Kind: "replies", Label: "Read what people answer", Slots: 1, Lanes: 1, Poll: 5 * time.Second, Drain: m.Drain, Peek: m.peek}
}

func (m *Mailboxes) peek(ctx context.Context) ([]int, error) {
	var due bool
	err := m.DB.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM mailboxes WHERE active AND next_check_at <= $1)", m.Machine.Now()).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("look for mailboxes: %w", err)
	}
	if due {
		return []int{0}, nil
	}
	return nil, nil
}

// box is a mailbox on its turn.
type box struct {
	account

	workspace      uuid.UUID
	sealed         []byte
	validity, last int64
}

// Drain looks into the mailboxes whose turn it is. One that cannot be opened says why, and is left alone for a while.
func (m *Mailboxes) Drain(ctx context.Context, _ pump.Batch) (pump.Drained, error) {
	now := m.Machine.Now()
	rows, err := m.DB.Query(ctx, `UPDATE mailboxes b SET lease_until = $2, next_check_at = $3
		FROM (SELECT workspace_id FROM mailboxes WHERE active AND next_check_at <= $1 ORDER BY next_check_at LIMIT $4 FOR UPDATE SKIP LOCKED) AS due
		WHERE b.workspace_id = due.workspace_id
		RETURNING b.workspace_id, b.host, b.port, b.security, b.username, b.secret, b.folder, b.uid_validity, b.last_uid`,
		now, now.Add(2*lookLimit), now.Add(2*lookLimit), boxes)
	if err != nil {
		return pump.Drained{}, fmt.Errorf("take mailboxes: %w", err)
	}
	due, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (box, error) {
		var b box
		err := r.Scan(&b.workspace, &b.host, &b.port, &b.security, &b.username, &b.sealed, &b.folder, &b.validity, &b.last)
		return b, err
	})
	if err != nil {
		return pump.Drained{}, fmt.Errorf("take mailboxes: %w", err)
	}
	errs := make([]error, len(due))
	var running sync.WaitGroup
	for i, b := range due {
		running.Go(func() {
			cause := m.look(ctx, b)
			if ctx.Err() == nil {
				errs[i] = m.done(ctx, b, cause)
			}
		})
	}
	running.Wait()
	return pump.Drained{Rows: len(due)}, errors.Join(errs...)
}

func (m *Mailboxes) done(ctx context.Context, b box, cause error) error {
	now, said, next := m.Machine.Now(), "", every
	if cause != nil {
		said, next = store.Text(cause.Error(), 500), everyBad
	}
	_, err := m.DB.Exec(ctx, "UPDATE mailboxes SET lease_until = NULL, checked_at = $2, last_error = $3, next_check_at = $4 WHERE workspace_id = $1", b.workspace, now, said, now.Add(next))
	if err != nil {
		return fmt.Errorf("note what a mailbox said: %w", err)
	}
	return nil
}

// look reads what is new. A mailbox that is looked into for the first time begins with what comes from now on.
func (m *Mailboxes) look(ctx context.Context, b box) (err error) {
	if b.password, err = seal.New(m.Keys.Or(m.Secret), passwords).Open(b.workspace[:], b.sealed); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	open, err := b.open(ctx, m.Dial, m.TLS)
	if err != nil {
		return err
	}
	defer open.close()
	if int64(open.validity) != b.validity {
		first := b.validity == 0
		b.validity, b.last = int64(open.validity), max(int64(open.next)-1, 0)
		if !first {
			b.last = max(b.last-reread, 0) // they were numbered anew: what was read before is known by its Message-ID
		}
		if err := m.keep(ctx, b, nil); err != nil {
			return err
		}
	}
	mails, err := open.after(uint32(b.last))
	if err != nil {
		return err
	}
	for _, mail := range mails {
		b.last = max(b.last, int64(mail.uid))
		if err := m.keep(ctx, b, &mail); err != nil {
			return err
		}
	}
	if len(mails) > 0 && m.Nudge != nil {
		m.Nudge("inbox")
	}
	return nil
}

// keep notes a mail, lets it count and moves on, in one transaction.
func (m *Mailboxes) keep(ctx context.Context, b box, mail *found) error {
	return store.InTx(ctx, m.DB, m.Clock, func(tx store.Tx) error {
		if mail != nil {
			if err := m.take(ctx, tx, b, *mail); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE mailboxes SET uid_validity = $2, last_uid = $3 WHERE workspace_id = $1 AND host = $4 AND username = $5", b.workspace, b.validity, b.last, b.host, b.username)
		if err != nil {
			return fmt.Errorf("note how far a mailbox was read: %w", err)
		}
		return nil
	})
}

func (m *Mailboxes) take(ctx context.Context, tx store.Tx, b box, mail found) error {
	said := Parse(mail.raw)
	if said.At.IsZero() || said.At.After(tx.Now) {
		said.At = tx.Now
	}
	key := said.ID
	if key == "" {
		key = strconv.FormatInt(b.validity, 10) + ":" + strconv.FormatUint(uint64(mail.uid), 10)
	}
	done, err := tx.Exec(ctx, `INSERT INTO replies (workspace_id, key, kind, reason, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
		b.workspace, key, said.Kind, said.Reason, said.At)
	if err != nil {
		return fmt.Errorf("keep a reply: %w", err)
	}
	if done.RowsAffected() == 0 {
		return nil // it was read before
	}
	message, contact, channel, address, err := m.match(ctx, tx, b.workspace, said)
	if err != nil || message == uuid.Nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE replies SET message_id = $3, contact_id = $4 WHERE workspace_id = $1 AND key = $2", b.workspace, key, message, contact); err != nil {
		return fmt.Errorf("keep a reply: %w", err)
	}
	if _, err := facts.Contacts(ctx, tx, []facts.Key{{Workspace: b.workspace, Contact: contact}}, facts.Block); err != nil {
		return err
	}
	act := tracking.Act{Workspace: b.workspace, Message: message, At: said.At}
	switch said.Kind {
	case Reply:
		act.Kind, act.Text = tracking.ActReply, said.Text
	case Bounce:
		act.Kind = tracking.ActBounce
		if err := m.People.Bounced(ctx, tx, b.workspace, contact, channel, address, said.Soft, "mailbox"); err != nil {
			return err
		}
	default:
		return nil
	}
	return tracking.Happened(ctx, tx, []tracking.Act{act})
}

// match finds the message a mail is about: by the token of the address it was sent to, else by what it refers to.
func (m *Mailboxes) match(ctx context.Context, tx store.Tx, workspace uuid.UUID, said Mail) (message, contact uuid.UUID, channel, address string, err error) {
	codec := delivery.NewReplies(m.Secret)
	var candidates []uuid.UUID
	for _, to := range said.To {
		if id, ok := codec.Read(workspace, to); ok {
			candidates = append(candidates, id)
		}
	}
	for _, id := range append(candidates, said.Refers...) {
		err := tx.QueryRow(ctx, `SELECT m.contact_id, m.channel, coalesce(m.to_address, '') FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
			WHERE m.workspace_id = $1 AND m.id = $2 AND c.erased_at IS NULL`, workspace, id).Scan(&contact, &channel, &address)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return uuid.Nil, uuid.Nil, "", "", fmt.Errorf("look for what is answered: %w", err)
		}
		return id, contact, channel, address, nil
	}
	return uuid.Nil, uuid.Nil, "", "", nil
}
