package people

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Bounced says that a message did not get to an address. One that does not exist is suppressed at once; one that refused for a while (soft)
// after so many messages in a row, as the workspace set. The caller holds the contact's lock. An address "" is nothing.
func (p *People) Bounced(ctx context.Context, tx store.Tx, workspace, contact uuid.UUID, channel, address string, soft bool, source string) error {
	folded, known := foldedOf(channel, address)
	if !known {
		return nil
	}
	if soft {
		enough, err := store.Q.CountSoftBounce(ctx, tx, store.CountSoftBounceParams{
			WorkspaceID: workspace, Channel: channel, AddressHMAC: p.key.Hash(workspace, channel, folded), Now: tx.Now,
		})
		if err != nil {
			return fmt.Errorf("count a bounce: %w", err)
		}
		if !enough {
			return nil
		}
	}
	return p.suppress(ctx, tx, workspace, channel, folded, ReasonBounced, source, &contact)
}

// Arrived says that an address took a message: its bounces so far are forgotten.
func (p *People) Arrived(ctx context.Context, tx store.Tx, workspace uuid.UUID, channel, address string) error {
	folded, known := foldedOf(channel, address)
	if !known {
		return nil
	}
	err := store.Q.EndSoftBounces(ctx, tx, store.EndSoftBouncesParams{WorkspaceID: workspace, Channel: channel, AddressHMAC: p.key.Hash(workspace, channel, folded)})
	if err != nil {
		return fmt.Errorf("forget bounces: %w", err)
	}
	return nil
}

// Complained says that somebody called a message spam: they have left the channel, and the address is suppressed for good.
func (p *People) Complained(ctx context.Context, tx store.Tx, workspace, contact uuid.UUID, channel, address, source string) error {
	if err := p.In(tx).Unsubscribe(ctx, workspace, contact, channel, "", "complaint"); err != nil {
		return err
	}
	folded, known := foldedOf(channel, address)
	if !known {
		return nil
	}
	return p.suppress(ctx, tx, workspace, channel, folded, ReasonComplained, source, &contact)
}

// foldedOf is an address as suppressions know it; false for a channel without addresses of that kind.
func foldedOf(channel, address string) (string, bool) {
	if address == "" {
		return "", false
	}
	folded, err := foldAddress(channel, address)
	return folded, err == nil
}

// ByPhone is the contact with a number, or who took in the one that had it; pgx.ErrNoRows says there is none.
func (p *People) ByPhone(ctx context.Context, workspace uuid.UUID, phone string) (id uuid.UUID, err error) {
	err = p.db.QueryRow(ctx, `SELECT id FROM (SELECT id, 0 AS rank FROM contacts WHERE workspace_id = $1 AND phone = $2
		UNION ALL SELECT contact_id, 1 FROM contact_aliases WHERE workspace_id = $1 AND kind = 'phone' AND value = $2) AS found ORDER BY rank LIMIT 1`, workspace, phone).Scan(&id)
	return id, err //nolint:wrapcheck // callers tell nobody from a failure
}

// Lift takes an address off the suppressions, for a reason that is noted. What the person said themselves, and what was erased, only the
// person can change.
func (p *People) Lift(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (store.Suppression, error) {
	row, err := store.Q.SuppressionByID(ctx, tx, store.SuppressionByIDParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return row, orNoSuppression(err)
	}
	switch row.Reason {
	case ReasonUnsubscribed:
		return row, fault.New(fault.Conflict, "This person unsubscribed. Only they can subscribe again: by a form, or on their preference page.")
	case ReasonErased:
		return row, fault.New(fault.Conflict, "This person asked to be forgotten. Only they can come back, by a form they fill in themselves.")
	}
	if err := store.Q.DeleteSuppression(ctx, tx, store.DeleteSuppressionParams{WorkspaceID: workspace, ID: id}); err != nil {
		return row, fmt.Errorf("lift a suppression: %w", err)
	}
	err = store.Q.EndSoftBounces(ctx, tx, store.EndSoftBouncesParams{WorkspaceID: workspace, Channel: row.Channel, AddressHMAC: row.AddressHMAC})
	if err != nil {
		return row, fmt.Errorf("forget bounces: %w", err)
	}
	return row, nil
}
