package payments

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
)

// The events a payment fires.
const (
	eventMade     = "payment_made"
	eventRefunded = "payment_refunded"
)

// tell fires what the report changed. A payment whose person is learnt later tells then all there is to tell.
func (p *Payments) tell(ctx context.Context, tx store.Tx, before, after store.Payment, report Report) error {
	if after.ContactID == nil {
		return nil
	}
	known := before.ContactID != nil
	paid := after.PaidAt != nil && (before.PaidAt == nil || !known)
	told := before.Refunded
	if !known {
		told = 0
	}
	props, err := propsOf(after)
	if err != nil {
		return err
	}
	if paid && after.RefundedAt != nil {
		if err := p.history(ctx, tx, after, props); err != nil {
			return err
		}
		paid = false
	}
	var news []events.Posting
	if paid {
		news = append(news, events.Posting{Contact: *after.ContactID, Name: eventMade, Props: props})
	}
	if after.Refunded > told {
		back := maps.Clone(props)
		back["amount"] = Amount(after.Refunded - told)
		news = append(news, events.Posting{Contact: *after.ContactID, Name: eventRefunded, Props: back})
	}
	return events.Post(ctx, tx, after.WorkspaceID, report.Chain, news...)
}

// history counts a payment that has gone back before we heard of it: it starts nothing.
func (p *Payments) history(ctx context.Context, tx store.Tx, payment store.Payment, props map[string]any) error {
	at := *payment.PaidAt
	if at.Year() < 1970 {
		at = time.Unix(0, 0)
	}
	outcomes, err := p.Reactor.Ingest(ctx, tx, payment.WorkspaceID, []events.Incoming{{
		Who: people.Input{ID: *payment.ContactID}, Name: eventMade, At: at, Source: events.SourceInternal, Props: props, Own: true, Imported: true,
	}})
	if err != nil {
		return err
	}
	if outcomes[0].Status != events.Accepted {
		return fmt.Errorf("count a payment: %s", outcomes[0].Reason)
	}
	return nil
}

// propsOf are the properties of the events: those of the report, and our own above them.
func propsOf(payment store.Payment) (map[string]any, error) {
	props := map[string]any{}
	if err := json.Unmarshal(payment.Props, &props); err != nil {
		return nil, fmt.Errorf("properties of payment %s: %w", payment.ID, err)
	}
	props["amount"], props["currency"] = Amount(payment.Amount), payment.Currency
	props["payment_id"], props["external_id"], props["provider"] = payment.ID.String(), payment.ExternalID, payment.Provider
	if payment.Title != "" {
		props["title"] = payment.Title
	}
	return props, nil
}
