package people

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Reasons an address is suppressed for. Only ReasonUnsubscribed ends with a new consent, and only it lets transactional
// messages pass.
const (
	ReasonUnsubscribed = "unsubscribed"
	ReasonBounced      = "bounced"
	ReasonComplained   = "complained"
	ReasonErased       = "erased"
	ReasonManual       = "manual"
)

// SuppressionKey turns addresses into the keyed hashes that suppressions are kept by, so that the table tells nobody an
// address, not even after the person's erasure.
type SuppressionKey []byte

// NewSuppressionKey derives the key from the installation's secret.
func NewSuppressionKey(secret []byte) SuppressionKey {
	key, err := hkdf.Key(sha256.New, secret, nil, "lejek suppression", sha256.Size)
	if err != nil {
		panic(err) // only a length out of range
	}
	return key
}

// Hash is the name of an address (folded e-mail, E.164 number) of one workspace and channel.
func (k SuppressionKey) Hash(workspace uuid.UUID, channel, address string) []byte {
	mac := hmac.New(sha256.New, k)
	mac.Write(workspace[:])
	mac.Write([]byte(channel + "\x00" + address))
	return mac.Sum(nil)
}

// Address is where messages of a channel reach the contact, folded; "" is nowhere. Devices for push are not a member of the
// contact: see Gate.
func Address(contact store.Contact, channel string) string {
	switch channel {
	case engine.ChannelEmail:
		return text(contact.EmailFolded)
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		return text(contact.Phone)
	case engine.ChannelLetter:
		return strings.Join(PostalAddress(contact), ", ")
	}
	return ""
}

// PostalAddress is what stands on an envelope below the name: street, postal code and city, country. Without street or city it is
// nil.
func PostalAddress(contact store.Contact) []string {
	var fields map[string]any
	if len(contact.Fields) == 0 || json.Unmarshal(contact.Fields, &fields) != nil {
		return nil
	}
	parts := make([]string, len(engine.LetterFields))
	for i, key := range engine.LetterFields {
		value, _ := fields[key].(string)
		parts[i] = strings.Join(strings.Fields(value), " ")
	}
	street, code, city, country := parts[0], parts[1], parts[2], parts[3]
	if street == "" || city == "" {
		return nil
	}
	lines := []string{street, strings.TrimSpace(code + " " + city)}
	if country != "" {
		lines = append(lines, country)
	}
	return lines
}

// Suppress refuses an address for good: it bounced, complained, or somebody decided so. The contact may be unknown.
func (p *People) Suppress(ctx context.Context, workspace uuid.UUID, channel, address, reason, source string) error {
	folded, err := foldAddress(channel, address)
	if err != nil {
		return err
	}
	return store.InTx(ctx, p.db, p.clock, func(tx store.Tx) error {
		return p.suppress(ctx, tx, workspace, channel, folded, reason, source, nil)
	})
}

// Unsuppress lifts a suppression that is not an erasure.
func (p *People) Unsuppress(ctx context.Context, workspace uuid.UUID, channel, address string) error {
	folded, err := foldAddress(channel, address)
	if err != nil {
		return err
	}
	return p.unsuppress(ctx, p.db, workspace, channel, folded, ReasonUnsubscribed, ReasonBounced, ReasonComplained, ReasonManual)
}

// Hint is what may be shown of an address to those who know it anyway: its first letter and host, or its last digits.
func Hint(channel, folded string) string {
	switch channel {
	case engine.ChannelEmail:
		local, host, ok := strings.Cut(folded, "@")
		if !ok || local == "" {
			return ""
		}
		return string([]rune(local)[:1]) + "***@" + host
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		if len(folded) < 8 {
			return ""
		}
		return folded[:3] + "***" + folded[len(folded)-3:]
	}
	return ""
}

func foldAddress(channel, address string) (string, error) {
	var folded string
	var err error
	switch channel {
	case engine.ChannelEmail:
		_, folded, err = Email(address)
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		folded, err = Phone(address)
	default:
		err = fmt.Errorf("%q is not a channel with addresses. Use email, sms or whatsapp", clip(channel))
	}
	if err != nil {
		return "", fault.InvalidField("address", "%s", sentence(err.Error()))
	}
	return folded, nil
}

func (p *People) suppress(ctx context.Context, tx store.Tx, workspace uuid.UUID, channel, folded, reason, source string, contact *uuid.UUID) error {
	hint := Hint(channel, folded)
	if reason == ReasonErased {
		hint = ""
	}
	err := store.Q.Suppress(ctx, tx, store.SuppressParams{
		WorkspaceID: workspace, Channel: channel, AddressHMAC: p.key.Hash(workspace, channel, folded), Reason: reason, ContactID: contact,
		Source: source, Now: tx.Now, ID: store.NewID(), Hint: hint,
	})
	if err != nil {
		return fmt.Errorf("suppress an address: %w", err)
	}
	return nil
}

func (p *People) unsuppress(ctx context.Context, db store.DB, workspace uuid.UUID, channel, folded string, reasons ...string) error {
	err := store.Q.Unsuppress(ctx, db, store.UnsuppressParams{
		WorkspaceID: workspace, Channel: channel, AddressHMAC: p.key.Hash(workspace, channel, folded), Reasons: reasons,
	})
	if err != nil {
		return fmt.Errorf("lift a suppression: %w", err)
	}
	return nil
}

func orNoSuppression(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no such suppression.")
	}
	return fmt.Errorf("read a suppression: %w", err)
}
