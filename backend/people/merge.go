package people

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
)

// Merge makes two contacts one. The winner keeps id and values, takes over what it lacks, and gets the loser's tags,
// lists, events, messages and runs; of two consents the later counts, of equally late ones the refusal. The loser's row
// stays and points at the winner, and so do its identities, as aliases.
func (p *People) Merge(ctx context.Context, workspace, winner, loser uuid.UUID) (store.Contact, error) {
	if winner == loser {
		return store.Contact{}, fault.InvalidField("loser_id", "A contact cannot be merged into itself. Name two contacts.")
	}
	return store.InTxV(ctx, p.db, p.clock, func(tx store.Tx) (store.Contact, error) {
		into, from, err := lockPair(ctx, tx, workspace, winner, loser)
		if err != nil {
			return store.Contact{}, err
		}
		e, err := union(ctx, tx, workspace, into, from)
		if err != nil {
			return store.Contact{}, err
		}
		err = store.Q.MarkMerged(ctx, tx, store.MarkMergedParams{WorkspaceID: workspace, ID: loser, Winner: winner, Now: tx.Now})
		if err != nil {
			return store.Contact{}, fmt.Errorf("mark contact %s as merged: %w", loser, err)
		}
		if err := leaveAliases(ctx, tx, workspace, e.row, from); err != nil {
			return store.Contact{}, err
		}
		if _, err := p.write(ctx, tx, workspace, &crowd{workspace: workspace, tx: tx, all: []*edit{e}}, Options{}); err != nil {
			return store.Contact{}, err
		}
		if err := handOver(ctx, tx, workspace, winner, loser); err != nil {
			return store.Contact{}, err
		}
		return store.Q.Contact(ctx, tx, store.ContactParams{WorkspaceID: workspace, ID: winner})
	})
}

func lockPair(ctx context.Context, tx store.Tx, workspace, winner, loser uuid.UUID) (into, from store.Contact, err error) {
	contacts, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{winner, loser}})
	if err != nil {
		return into, from, fmt.Errorf("lock contacts: %w", err)
	}
	for _, contact := range contacts {
		if contact.ErasedAt != nil || contact.MergedInto != nil {
			continue
		}
		if contact.ID == winner {
			into = contact
		} else {
			from = contact
		}
	}
	for id, contact := range map[uuid.UUID]store.Contact{winner: into, loser: from} {
		if contact.ID == uuid.Nil {
			return into, from, fault.New(fault.NotFound, "There is no contact %s.", id)
		}
	}
	return into, from, nil
}

// union is the winner with what it lacks.
func union(ctx context.Context, tx store.Tx, workspace uuid.UUID, into, from store.Contact) (*edit, error) {
	e := &edit{row: into, dirty: true, touched: []string{"merged"}}
	if e.row.ExternalID == nil {
		e.row.ExternalID = from.ExternalID
	}
	if e.row.Email == nil {
		e.row.Email, e.row.EmailFolded = from.Email, from.EmailFolded
	}
	if e.row.Phone == nil {
		e.row.Phone = from.Phone
	}
	for _, member := range []struct {
		into *string
		from string
	}{{&e.row.FirstName, from.FirstName}, {&e.row.LastName, from.LastName}, {&e.row.Zone, from.Zone}, {&e.row.Language, from.Language}} {
		if *member.into == "" {
			*member.into = member.from
		}
	}
	e.row.NameFolded, e.row.LastNameFolded = foldedNames(e.row.FirstName, e.row.LastName)
	fields, own := map[string]any{}, map[string]any{}
	if err := json.Unmarshal(from.Fields, &fields); err != nil {
		return nil, fmt.Errorf("fields of contact %s: %w", from.ID, err)
	}
	if err := json.Unmarshal(into.Fields, &own); err != nil {
		return nil, fmt.Errorf("fields of contact %s: %w", into.ID, err)
	}
	maps.Copy(fields, own)
	e.row.Fields = encode(fields)
	e.row.Tags, e.row.Lists = both(into.Tags, from.Tags), both(into.Lists, from.Lists)

	said, err := store.Q.ConsentsOf(ctx, tx, store.ConsentsOfParams{WorkspaceID: workspace, ContactIds: []uuid.UUID{into.ID, from.ID}})
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	last := map[consentKey]store.Consent{}
	for _, consent := range said {
		key := consentKey{consent.Channel, consent.Topic}
		if old, ok := last[key]; !ok || consent.At.After(old.At) || consent.At.Equal(old.At) && consent.State == Denied {
			last[key] = consent
		}
	}
	for _, consent := range last {
		if consent.ContactID == from.ID {
			row := consentRow{ContactID: into.ID, Channel: consent.Channel, Topic: consent.Topic, State: consent.State, Source: consent.Source, At: consent.At}
			if len(consent.Proof) > 0 {
				if err := json.Unmarshal(consent.Proof, &row.Proof); err != nil {
					return nil, fmt.Errorf("proof of a consent of contact %s: %w", from.ID, err)
				}
			}
			e.consents = append(e.consents, row)
		}
	}
	return e, nil
}

func both(a, b []string) []string {
	all := append(append([]string{}, a...), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// handOver moves everything that hangs on the loser.
func handOver(ctx context.Context, tx store.Tx, workspace, winner, loser uuid.UUID) error {
	q := store.Q
	if err := runs.Merge(ctx, tx, workspace, tx.Now, loser, winner); err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		run  func() error
	}{
		{"events", func() error {
			return q.MoveEvents(ctx, tx, store.MoveEventsParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"inbox", func() error {
			return q.MoveInbox(ctx, tx, store.MoveInboxParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"devices", func() error {
			return q.MoveDevices(ctx, tx, store.MoveDevicesParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"written texts", func() error {
			return q.MoveAITexts(ctx, tx, store.MoveAITextsParams{WorkspaceID: workspace, Winner: &winner, Loser: &loser})
		}},
		{"places in audiences", func() error {
			return q.MoveCampaignRecipients(ctx, tx, store.MoveCampaignRecipientsParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"event counts", func() error {
			return q.MoveRollups(ctx, tx, store.MoveRollupsParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"old event counts", func() error {
			return q.DropRollups(ctx, tx, store.DropRollupsParams{WorkspaceID: workspace, ContactID: loser})
		}},
		{"forms, visits, bookings and payments", func() error {
			return q.MoveInbound(ctx, tx, store.MoveInboundParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"suppressions", func() error {
			return q.MoveSuppressions(ctx, tx, store.MoveSuppressionsParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"proofs of consent", func() error {
			return q.MoveConsentRecords(ctx, tx, store.MoveConsentRecordsParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"replies and news of them", func() error {
			return q.MoveReplies(ctx, tx, store.MoveRepliesParams{WorkspaceID: workspace, Winner: winner, Loser: loser})
		}},
		{"old consents", func() error {
			return q.DeleteConsents(ctx, tx, store.DeleteConsentsParams{WorkspaceID: workspace, ContactID: loser})
		}},
		{"segments", func() error {
			if err := q.DropMemberships(ctx, tx, store.DropMembershipsParams{WorkspaceID: workspace, ContactID: loser}); err != nil {
				return err
			}
			return q.DropRecheck(ctx, tx, store.DropRecheckParams{WorkspaceID: workspace, ContactID: loser})
		}},
		{"dates", func() error {
			return q.DropDates(ctx, tx, store.DropDatesParams{WorkspaceID: workspace, ContactID: loser})
		}},
		{"a look at the winner's segments", func() error {
			return q.RecheckContacts(ctx, tx, store.RecheckContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{winner}, Now: tx.Now})
		}},
	} {
		if err := step.run(); err != nil {
			return fmt.Errorf("give over %s: %w", step.what, err)
		}
	}
	return nil
}
