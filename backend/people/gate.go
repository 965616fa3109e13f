package people

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Ask is one message that wants to leave.
type Ask struct {
	Contact uuid.UUID
	Channel string
	Topic   string // slug; "" is the channel as a whole
	Class   string // marketing or transactional
}

// Answer is whether it may. Reason says why not: gone, no_address, suppressed, unsubscribed, topic_left, no_consent.
type Answer struct {
	Allowed bool
	Reason  string
	Contact store.Contact
	Consent string // what they said to the channel as a whole: granted, denied, or "" where nobody asked
	Address string // where it goes: folded e-mail, phone, postal address, or the platforms of the person's devices
}

// Reasons a message may not leave for, besides suppression.
const (
	NoGone      = engine.NoGone
	NoAddress   = engine.NoAddress
	NoSuppress  = engine.NoSuppressed
	NoUnsub     = engine.NoUnsubscribed
	NoTopic     = engine.NoTopic
	NoConsent   = engine.NoConsent
	Transaction = engine.ClassTransactional // the class that needs no consent
)

// Gate answers, for messages of one workspace, whether the people may be written to now. The caller holds the contacts'
// locks if the answer is to last. The contact is answered along for its address.
func (p *People) Gate(ctx context.Context, db store.DB, workspace uuid.UUID, asks []Ask) ([]Answer, error) {
	ids := make([]uuid.UUID, len(asks))
	for i, ask := range asks {
		ids[i] = ask.Contact
	}
	settings, err := store.Q.Workspace(ctx, db, workspace)
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	rows, err := store.Q.ContactsByID(ctx, db, store.ContactsByIDParams{WorkspaceID: workspace, Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	contacts := make(map[uuid.UUID]store.Contact, len(rows))
	for _, row := range rows {
		contacts[row.ID] = row
	}
	said, err := store.Q.ConsentsOf(ctx, db, store.ConsentsOfParams{WorkspaceID: workspace, ContactIds: ids})
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	consents := make(map[uuid.UUID]map[consentKey]string, len(ids))
	for _, consent := range said {
		if consents[consent.ContactID] == nil {
			consents[consent.ContactID] = map[consentKey]string{}
		}
		consents[consent.ContactID][consentKey{consent.Channel, consent.Topic}] = consent.State
	}
	devices, err := devicesOf(ctx, db, workspace, asks)
	if err != nil {
		return nil, err
	}
	suppressed, err := p.suppressions(ctx, db, workspace, asks, contacts)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, len(asks))
	for i, ask := range asks {
		contact, ok := contacts[ask.Contact]
		why, address := NoGone, Address(contact, ask.Channel)
		if ask.Channel == engine.ChannelPush {
			address = devices[ask.Contact]
		}
		if ok {
			why = verdict(ask, contact, address, consents[ask.Contact], suppressed[suppressionOf(ask, contact)], settings.AllowUnknownConsent)
		}
		answers[i] = Answer{Allowed: why == "", Reason: why, Contact: contact, Consent: consents[ask.Contact][consentKey{channel: ask.Channel}], Address: address}
	}
	return answers, nil
}

// devicesOf names the platforms of the devices of those who are to get a push notification, such as "web, ios".
func devicesOf(ctx context.Context, db store.DB, workspace uuid.UUID, asks []Ask) (map[uuid.UUID]string, error) {
	var ids []uuid.UUID
	for _, ask := range asks {
		if ask.Channel == engine.ChannelPush {
			ids = append(ids, ask.Contact)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := store.Q.DevicesOf(ctx, db, store.DevicesOfParams{WorkspaceID: workspace, ContactIds: ids})
	if err != nil {
		return nil, fmt.Errorf("read devices: %w", err)
	}
	platforms := map[uuid.UUID]string{}
	for _, row := range rows {
		if before := platforms[row.ContactID]; before == "" {
			platforms[row.ContactID] = row.Platform
		} else {
			platforms[row.ContactID] = before + ", " + row.Platform
		}
	}
	return platforms, nil
}

type suppressed struct{ channel, address string }

func suppressionOf(ask Ask, contact store.Contact) suppressed {
	return suppressed{ask.Channel, Address(contact, ask.Channel)}
}

// suppressions are the reasons of the suppressed addresses among those asked about.
func (p *People) suppressions(ctx context.Context, db store.DB, workspace uuid.UUID, asks []Ask, contacts map[uuid.UUID]store.Contact) (map[suppressed]string, error) {
	byHash := map[string]suppressed{}
	hashes := map[string][][]byte{}
	for _, ask := range asks {
		key := suppressionOf(ask, contacts[ask.Contact])
		if key.address == "" {
			continue
		}
		hash := p.key.Hash(workspace, key.channel, key.address)
		if _, twice := byHash[string(hash)]; !twice {
			byHash[string(hash)] = key
			hashes[key.channel] = append(hashes[key.channel], hash)
		}
	}
	found := map[suppressed]string{}
	for channel, list := range hashes {
		rows, err := store.Q.Suppressions(ctx, db, store.SuppressionsParams{WorkspaceID: workspace, Channel: channel, AddressHmacs: list})
		if err != nil {
			return nil, fmt.Errorf("read suppressions: %w", err)
		}
		for _, row := range rows {
			found[byHash[string(row.AddressHMAC)]] = row.Reason
		}
	}
	return found, nil
}

// verdict is why the message may not leave, "" if it may.
func verdict(ask Ask, contact store.Contact, address string, consents map[consentKey]string, suppression string, allowUnknown bool) string {
	permission := engine.Permission{
		Class: ask.Class, Gone: contact.ErasedAt != nil || contact.MergedInto != nil, Address: address != "",
		Suppressed: suppression != "" && suppression != ReasonUnsubscribed, Unsubscribed: suppression == ReasonUnsubscribed,
		Channel: consents[consentKey{channel: ask.Channel}], AllowUnknown: allowUnknown,
	}
	if ask.Topic != "" {
		permission.Topic = consents[consentKey{ask.Channel, ask.Topic}]
	}
	return permission.Refusal()
}
