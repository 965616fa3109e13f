package people

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
)

// Erase removes a person for good. Runs end and unsent messages are void; the row and the counts stay without anything
// that says who it was, and so do the rows of those merged into it; the addresses stay suppressed by their keyed hashes. An id that was
// merged names who took it in. Erasing twice is fine.
func (p *People) Erase(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, p.db, p.clock, func(tx store.Tx) error {
		contacts, _, err := lockNamed(ctx, tx, workspace, []uuid.UUID{id}, nil, nil, nil)
		if err != nil {
			return err
		}
		contact, found := store.Contact{}, false
		for _, row := range contacts {
			if row.MergedInto == nil {
				contact, found = row, true
			}
		}
		if !found {
			return fault.New(fault.NotFound, "There is no contact %s.", id)
		}
		if contact.ErasedAt != nil {
			return nil
		}
		id = contact.ID
		if err := p.eraseAliases(ctx, tx, workspace, id); err != nil {
			return err
		}
		for _, channel := range []string{"email", "sms", "whatsapp"} {
			if address := Address(contact, channel); address != "" {
				if err := p.suppress(ctx, tx, workspace, channel, address, ReasonErased, "erase", nil); err != nil {
					return err
				}
			}
		}
		if _, err := runs.EndOfContact(ctx, tx, workspace, tx.Now, id, runs.ReasonErased); err != nil {
			return err
		}
		return forget(ctx, tx, workspace, id)
	})
}

// forget takes the personal data out of every table that has any.
func forget(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	q := store.Q
	for _, step := range []struct {
		what string
		run  func() error
	}{
		{"consents", func() error {
			return q.DeleteConsents(ctx, tx, store.DeleteConsentsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"proofs of consent", func() error {
			return q.DeleteConsentRecords(ctx, tx, store.DeleteConsentRecordsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"reports of providers", func() error {
			return q.EraseReceipts(ctx, tx, store.EraseReceiptsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"replies", func() error {
			return q.EraseReplies(ctx, tx, store.EraseRepliesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"news for other systems", func() error {
			return q.EraseWebhookDeliveries(ctx, tx, store.EraseWebhookDeliveriesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"suppressions", func() error {
			return q.ForgetSuppressedContact(ctx, tx, store.ForgetSuppressedContactParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"events", func() error {
			return q.EraseEvents(ctx, tx, store.EraseEventsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"inbox", func() error {
			return q.EraseInbox(ctx, tx, store.EraseInboxParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"journal", func() error {
			return q.EraseJournal(ctx, tx, store.EraseJournalParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"calls", func() error {
			return q.EraseCalls(ctx, tx, store.EraseCallsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"runs", func() error {
			return q.EraseRuns(ctx, tx, store.EraseRunsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"hits", func() error {
			return q.EraseHits(ctx, tx, store.EraseHitsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"short links", func() error {
			return q.EraseShortLinks(ctx, tx, store.EraseShortLinksParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"devices", func() error {
			return q.EraseDevices(ctx, tx, store.EraseDevicesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"written texts", func() error {
			return q.EraseAITexts(ctx, tx, store.EraseAITextsParams{WorkspaceID: workspace, ContactID: &id})
		}},
		{"message bodies", func() error {
			return q.EraseMessageBodies(ctx, tx, store.EraseMessageBodiesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"messages", func() error {
			return q.EraseMessages(ctx, tx, store.EraseMessagesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"answers in forms", func() error {
			return q.EraseSubmissions(ctx, tx, store.EraseSubmissionsParams{WorkspaceID: workspace, ContactID: &id})
		}},
		{"visits", func() error {
			return q.EraseVisitors(ctx, tx, store.EraseVisitorsParams{WorkspaceID: workspace, ContactID: &id})
		}},
		{"bookings", func() error {
			return q.EraseBookings(ctx, tx, store.EraseBookingsParams{WorkspaceID: workspace, ContactID: id, Now: tx.Now})
		}},
		{"payments", func() error {
			return q.ErasePayments(ctx, tx, store.ErasePaymentsParams{WorkspaceID: workspace, ContactID: &id})
		}},
		{"segments", func() error {
			return q.DropMemberships(ctx, tx, store.DropMembershipsParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"dates", func() error {
			return q.DropDates(ctx, tx, store.DropDatesParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"re-check", func() error {
			return q.DropRecheck(ctx, tx, store.DropRecheckParams{WorkspaceID: workspace, ContactID: id})
		}},
		{"contact", func() error {
			return q.EraseContact(ctx, tx, store.EraseContactParams{WorkspaceID: workspace, ID: id, Now: tx.Now})
		}},
	} {
		if err := step.run(); err != nil {
			return fmt.Errorf("erase the person's %s: %w", step.what, err)
		}
	}
	return nil
}
