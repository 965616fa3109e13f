package views

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/backend/store"
)

// Message is one message as a list shows it. Without a run it is a campaign's, or of the origin.
type Message struct {
	Marks
	Person

	ID         uuid.UUID
	Channel    string
	Class      string
	ToAddress  *string
	Subject    *string // nil until it was rendered
	Status     string
	Reason     *string
	ProviderID uuid.UUID // all zero: the sandbox
	Attempts   int
	FunnelID   *uuid.UUID
	FunnelName *string
	RunID      *uuid.UUID
	Node       string
	NodeName   *string
	CampaignID *uuid.UUID
	Campaign   *string // its name
	Origin     string
	Form       *string // the name of the form the origin tells of
	CreatedAt  time.Time
	DueAt      time.Time
	SentAt     *time.Time
	Links      json.RawMessage // [{url, label}]
}

// Marks are when a message met its fate.
type Marks struct {
	DeliveredAt    *time.Time
	OpenedAt       *time.Time
	ClickedAt      *time.Time
	RepliedAt      *time.Time
	BouncedAt      *time.Time
	UnsubscribedAt *time.Time
}

const messageColumns = `m.id, m.channel, m.class, coalesce(m.to_address, CASE WHEN m.channel = 'email' THEN c.email WHEN m.channel IN ('sms', 'whatsapp') THEN c.phone END) AS to_address,
	CASE WHEN b.subject = '' THEN left(b.text, 120) ELSE b.subject END AS subject, m.status, m.reason, m.provider_id, m.attempts,
	m.funnel_id, f.name AS funnel_name, m.run_id, m.node,
	(SELECT step ->> 'name' FROM jsonb_array_elements(v.bundle -> 'graph' -> 'nodes') AS steps (step) WHERE step ->> 'id' = m.node) AS node_name,
	m.campaign_id, g.name AS campaign, m.origin, (SELECT o.name FROM forms o WHERE o.workspace_id = m.workspace_id AND m.origin = 'form:' || o.slug) AS form,
	m.created_at, m.due_at, m.sent_at, m.delivered_at, m.opened_at, m.clicked_at, m.replied_at, m.bounced_at, m.unsubscribed_at, b.links, ` +
	personColumns

const messageTables = ` FROM messages m
	JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
	LEFT JOIN message_bodies b ON b.workspace_id = m.workspace_id AND b.message_id = m.id
	LEFT JOIN funnels f ON f.workspace_id = m.workspace_id AND f.id = m.funnel_id
	LEFT JOIN campaigns g ON g.workspace_id = m.workspace_id AND g.id = m.campaign_id
	LEFT JOIN funnel_versions v ON v.workspace_id = m.workspace_id AND v.id = m.version_id`

// MessageFilter says which messages to list; zero values do not narrow. To is an address as it was written to, with ToFolded the same as
// contacts are found by.
type MessageFilter struct {
	Paging

	To, ToFolded         string
	Funnel, Contact, Run uuid.UUID
	Campaign             uuid.UUID
	State, Channel       string
}

// states that are not the status alone.
var messageStates = map[string]string{
	"delivered": "m.delivered_at IS NOT NULL AND m.bounced_at IS NULL",
	"bounced":   "m.bounced_at IS NOT NULL",
}

// Messages lists messages, the newest first.
func Messages(ctx context.Context, db store.DB, workspace uuid.UUID, in MessageFilter) (Page[Message], error) {
	f := within(workspace, "m.workspace_id")
	if in.To != "" {
		f.and(`(m.to_address = @to OR m.to_address = @folded
			OR m.contact_id = (SELECT id FROM contacts WHERE workspace_id = @workspace AND email_folded = @folded))`, "to", in.To)
		f.args["folded"] = in.ToFolded
	}
	if in.Funnel != uuid.Nil {
		f.and("m.funnel_id = @funnel", "funnel", in.Funnel)
	}
	if in.Contact != uuid.Nil {
		f.and("m.contact_id = @contact", "contact", in.Contact)
	}
	if in.Campaign != uuid.Nil {
		f.and("m.campaign_id = @campaign", "campaign", in.Campaign)
	}
	if in.Run != uuid.Nil {
		f.and("m.run_id = @run", "run", in.Run)
	}
	if in.Channel != "" {
		f.and("m.channel = @channel", "channel", in.Channel)
	}
	if condition, derived := messageStates[in.State]; derived {
		f.where = append(f.where, condition)
	} else if in.State != "" {
		f.and("m.status = @state", "state", in.State)
	}
	var before uuid.UUID
	more, err := in.after(&before)
	if err != nil {
		return Page[Message]{}, err
	}
	if more {
		f.and("m.id < @before", "before", before)
	}
	sql := "SELECT " + messageColumns + messageTables + " WHERE " + f.sql() + " ORDER BY m.id DESC LIMIT @limit"
	return page(ctx, db, in.Paging, "messages", sql, f, func(m Message) any { return m.ID })
}

// GetMessage is one message.
func GetMessage(ctx context.Context, db store.DB, workspace, id uuid.UUID) (Message, error) {
	return one[Message](ctx, db, "message", "SELECT "+messageColumns+messageTables+" WHERE m.workspace_id = $1 AND m.id = $2", workspace, id)
}

// MessagesByID are those of some messages that there are.
func MessagesByID(ctx context.Context, db store.DB, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]Message, error) {
	rows, err := some[Message](ctx, db, "messages", "SELECT "+messageColumns+messageTables+" WHERE m.workspace_id = $1 AND m.id = ANY($2)", workspace, ids)
	found := make(map[uuid.UUID]Message, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, err
}

// Body is a message exactly as it left.
type Body struct {
	Subject string
	HTML    string
	Text    string
	Headers json.RawMessage
	Links   json.RawMessage
}

// MessageBody is what left; NotFound before anything did, and after the person was erased.
func MessageBody(ctx context.Context, db store.DB, workspace, id uuid.UUID) (Body, error) {
	found, err := one[struct {
		splice.Kept

		Subject        string
		Headers, Links json.RawMessage
	}](ctx, db, "message", "SELECT b.subject, b.headers, b.links, "+splice.Columns+" FROM message_bodies b"+splice.Sources+" WHERE b.workspace_id = $1 AND b.message_id = $2", workspace, id)
	if err != nil {
		return Body{}, err
	}
	body := Body{Subject: found.Subject, Headers: found.Headers, Links: found.Links}
	body.HTML, body.Text, err = found.Whole()
	return body, fault.Wrap(err, "read a message")
}

// LetterPDF is the page of a letter; NotFound for anything else, before it was printed, and after the person was erased.
func LetterPDF(ctx context.Context, db store.DB, workspace, id uuid.UUID) ([]byte, error) {
	found, err := one[struct {
		PDF []byte `db:"pdf"`
	}](ctx, db, "letter", "SELECT pdf FROM message_bodies WHERE workspace_id = $1 AND message_id = $2 AND pdf IS NOT NULL", workspace, id)
	return found.PDF, err
}

// Hit is one fetch of a message's picture or link; Class is nil until it is judged.
type Hit struct {
	Kind   string
	URL    string `db:"url"`
	At     time.Time
	Agent  string
	Class  *string
	Reason *string
}

// Hits are the fetches of a message, the first ones first.
func Hits(ctx context.Context, db store.DB, workspace, id uuid.UUID) ([]Hit, error) {
	return some[Hit](ctx, db, "hits", `SELECT kind, url, at, agent, class, reason FROM hits
		WHERE workspace_id = $1 AND message_id = $2 ORDER BY at, id LIMIT 200`, workspace, id)
}

// Attempt is one hand-over to a provider.
type Attempt struct {
	Attempt    int
	State      string
	StartedAt  time.Time
	FinishedAt *time.Time
	Code       *string
	Detail     *string
}

// Attempts are the hand-overs of a message, in order.
func Attempts(ctx context.Context, db store.DB, workspace, id uuid.UUID) ([]Attempt, error) {
	return some[Attempt](ctx, db, "attempts", `SELECT attempt, state, started_at, finished_at, code, detail FROM delivery_attempts
		WHERE workspace_id = $1 AND message_id = $2 ORDER BY attempt`, workspace, id)
}
