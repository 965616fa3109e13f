package campaigns

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
)

// Recipient is one person of a frozen audience.
type Recipient struct {
	N       int
	Contact uuid.UUID
	Name    string
	Email   string
	Phone   string
	Variant string
	DueAt   time.Time
	Message *uuid.UUID
	State   string // waiting, or that of the message
	Reason  string

	SentAt, DeliveredAt, OpenedAt, ClickedAt, BouncedAt, UnsubscribedAt *time.Time
}

// Filter narrows recipients; zero values do not.
type Filter struct {
	State   string // waiting, queued, held, sent, failed, skipped, expired, unknown, delivered, opened, clicked, bounced, unsubscribed
	Variant string
	After   int // n of the last one seen
	Limit   int
}

// narrowing says which rows a state means.
var narrowing = map[string]string{
	"": "true", "waiting": "NOT r.made AND k.state <> 'cancelled'", "queued": "m.status IN ('queued', 'sending')", "held": "m.status = 'held'", "sent": "m.status = 'sent'",
	"failed": "m.status = 'failed'", "skipped": "(m.status = 'skipped' OR NOT r.made AND k.state = 'cancelled')", "expired": "m.status = 'expired'", "unknown": "m.status = 'unknown'",
	"delivered": "m.delivered_at IS NOT NULL AND m.bounced_at IS NULL", "opened": "m.opened_at IS NOT NULL", "clicked": "m.clicked_at IS NOT NULL",
	"bounced": "m.bounced_at IS NOT NULL", "unsubscribed": "m.unsubscribed_at IS NOT NULL",
}

// Recipients answers a page of a frozen audience, in the order it is sent to.
func (c *Campaigns) Recipients(ctx context.Context, workspace, id uuid.UUID, filter Filter) ([]Recipient, error) {
	if _, err := c.Get(ctx, workspace, id); err != nil {
		return nil, err
	}
	condition, ok := narrowing[filter.State]
	if !ok {
		return nil, fault.InvalidField("state", "There is no state %q of a recipient.", filter.State)
	}
	rows, err := c.DB.Query(ctx, `SELECT r.n, r.contact_id, trim(c.first_name || ' ' || c.last_name), coalesce(c.email, ''), coalesce(c.phone, ''), coalesce(nullif(m.variant, ''), r.variant), r.due_at, m.id,
			CASE WHEN r.made THEN coalesce(m.status, 'waiting') WHEN k.state = 'cancelled' THEN 'skipped' ELSE 'waiting' END,
			CASE WHEN NOT r.made AND k.state = 'cancelled' THEN $6 ELSE coalesce(m.reason, '') END, m.sent_at, m.delivered_at, m.opened_at, m.clicked_at, m.bounced_at, m.unsubscribed_at
		FROM campaign_recipients r JOIN campaigns k ON k.workspace_id = r.workspace_id AND k.id = r.campaign_id JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
		LEFT JOIN messages m ON m.workspace_id = r.workspace_id AND m.campaign_id = r.campaign_id AND m.contact_id = r.contact_id
		WHERE r.workspace_id = $1 AND r.campaign_id = $2 AND r.n > $3 AND ($4 = '' OR coalesce(nullif(m.variant, ''), r.variant) = $4) AND `+condition+`
		ORDER BY r.n LIMIT $5`, workspace, id, filter.After, filter.Variant, filter.Limit, delivery.CampaignCancelled)
	if err != nil {
		return nil, fmt.Errorf("list recipients: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Recipient])
	if err != nil {
		return nil, fmt.Errorf("list recipients: %w", err)
	}
	return list, nil
}
