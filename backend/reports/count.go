package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// keys are the expressions a line is named by, over m, a message.
var keys = map[string]string{
	ByNothing:  `''`,
	ByFunnel:   `coalesce(m.funnel_id::text, '')`,
	ByStep:     `coalesce(m.funnel_id::text || '/' || m.node, '')`,
	ByCampaign: `coalesce(m.campaign_id::text, '')`,
	ByDomain:   `CASE WHEN m.channel = 'email' THEN split_part(coalesce(m.to_address, ''), '@', 2) ELSE '' END`,
	ByProvider: `m.provider_id::text`,
	ByChannel:  `m.channel`,
	ByDay:      `to_char(@moment AT TIME ZONE @zone, 'YYYY-MM-DD')`,
	ByHour:     `to_char(@moment AT TIME ZONE @zone, 'YYYY-MM-DD"T"HH24')`,
	// The arm of the last split before the message, or of a campaign's own test.
	ByVariant: `CASE WHEN m.variant <> '' THEN coalesce(m.campaign_id::text, '') || '/' || m.variant ELSE coalesce((SELECT m.funnel_id::text || '/' || s.node || '.' || s.port FROM journal s
		WHERE s.workspace_id = m.workspace_id AND s.run_id = m.run_id AND s.kind = 'split' AND s.port <> '' AND s.seq < m.seq ORDER BY s.seq DESC LIMIT 1), '') END`,
}

func keyOf(by, moment string) string { return strings.ReplaceAll(keys[by], "@moment", moment) }

// left tells messages that left our hands, and when: one whose address was refused at once left as well. Whether an unknown one did,
// nobody knows; it is not counted.
const (
	left   = `(m.status = 'sent' OR m.bounced_at IS NOT NULL)`
	leftAt = `coalesce(m.sent_at, m.bounced_at)`
)

// sentOf are the messages of a question.
const sentOf = ` FROM messages m WHERE m.workspace_id = @workspace AND ` + left + ` AND ` + leftAt + ` >= @from AND ` + leftAt + ` < @to
	AND (@funnel::uuid IS NULL OR m.funnel_id = @funnel) AND (@channel = '' OR m.channel = @channel)`

// goalsOf are the goals of a question, each with the last message of its funnel before it.
const goalsOf = ` FROM journal g
	JOIN runs r ON r.workspace_id = g.workspace_id AND r.id = g.run_id
	JOIN funnel_versions v ON v.workspace_id = r.workspace_id AND v.id = r.version_id
	CROSS JOIN LATERAL (SELECT * FROM messages x WHERE x.workspace_id = r.workspace_id AND x.contact_id = r.contact_id AND x.funnel_id = r.funnel_id
		AND x.status = 'sent' AND x.sent_at <= g.at AND x.sent_at > g.at - @window::interval ORDER BY x.sent_at DESC, x.id DESC LIMIT 1) m
	WHERE g.workspace_id = @workspace AND g.kind = 'goal' AND g.port = 'reached' AND g.at >= @from AND g.at < @to
	AND (@funnel::uuid IS NULL OR m.funnel_id = @funnel) AND (@channel = '' OR m.channel = @channel)`

// ofCarts tells versions that begin with a cart somebody fills or leaves.
const ofCarts = `EXISTS (SELECT 1 FROM jsonb_path_query(v.bundle, '$.graph.nodes[*] ? (@.kind == "entry").config.triggers[*].name') AS t (name)
	WHERE t.name #>> '{}' ~ '(cart|checkout|basket)')`

func (q Question) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"workspace": q.Workspace, "from": q.From, "to": q.To, "funnel": q.Funnel, "channel": q.Channel, "zone": q.Zone, "window": q.Window,
	}
}

// Count answers a question from the marks on messages, its lines in the order of their keys.
func Count(ctx context.Context, db store.DB, q Question) ([]Row, error) {
	q, err := q.check()
	if err != nil {
		return nil, err
	}
	lines := lines{}
	rows, err := db.Query(ctx, `SELECT key, count(*), count(*) FILTER (WHERE delivered_at IS NOT NULL AND bounced_at IS NULL), count(opened_at), count(clicked_at),
		count(replied_at), count(bounced_at), count(complained_at), count(unsubscribed_at) FROM (SELECT `+keyOf(q.By, leftAt)+` AS key, m.*`+sentOf+`) k GROUP BY key`, q.args())
	if err != nil {
		return nil, fmt.Errorf("count messages: %w", err)
	}
	var key string
	var f Figures
	_, err = pgx.ForEachRow(rows, []any{&key, &f.Sent, &f.Delivered, &f.Opened, &f.Clicked, &f.Replied, &f.Bounced, &f.Complained, &f.Unsubscribed}, func() error {
		lines.of(q.fold(key)).gain(f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count messages: %w", err)
	}
	rows, err = db.Query(ctx, `SELECT `+keyOf(q.By, "g.at")+` AS key, g.detail -> 'props', `+ofCarts+goalsOf, q.args())
	if err != nil {
		return nil, fmt.Errorf("count goals: %w", err)
	}
	var props json.RawMessage
	var cart bool
	_, err = pgx.ForEachRow(rows, []any{&key, &props, &cart}, func() error {
		amount, currency := money(props, q.Currency)
		lines.of(q.fold(key)).credit(amount, currency, cart)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count goals: %w", err)
	}
	return lines.sorted(), nil
}

// fold makes one line of a domain however it was written; SQL never lowers.
func (q Question) fold(key string) string {
	if q.By == ByDomain {
		return strings.ToLower(key)
	}
	return key
}

// lines are the lines of a report by key.
type lines map[string]*Figures

func (l lines) of(key string) *Figures {
	if l[key] == nil {
		l[key] = &Figures{}
	}
	return l[key]
}

func (l lines) sorted() []Row {
	out := make([]Row, 0, len(l))
	for key, figures := range l {
		out = append(out, Row{key, *figures})
	}
	slices.SortFunc(out, func(a, b Row) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func (f *Figures) gain(more Figures) {
	f.Sent, f.Delivered, f.Opened, f.Clicked = f.Sent+more.Sent, f.Delivered+more.Delivered, f.Opened+more.Opened, f.Clicked+more.Clicked
	f.Replied, f.Bounced, f.Complained, f.Unsubscribed = f.Replied+more.Replied, f.Bounced+more.Bounced, f.Complained+more.Complained, f.Unsubscribed+more.Unsubscribed
}

func (f *Figures) credit(amount float64, currency string, cart bool) {
	f.Converted++
	add(&f.Revenue, currency, amount)
	if cart {
		f.Recovered++
		add(&f.Saved, currency, amount)
	}
}

// Total adds lines up.
func Total(rows []Row) Figures {
	var total Figures
	for _, row := range rows {
		total.gain(row.Figures)
		total.Converted, total.Recovered = total.Converted+row.Converted, total.Recovered+row.Recovered
		for currency, amount := range row.Revenue {
			add(&total.Revenue, currency, amount)
		}
		for currency, amount := range row.Saved {
			add(&total.Saved, currency, amount)
		}
	}
	return total
}

// amounts are the properties an event's money may stand in, the plainest first.
var amounts = []string{"amount", "total", "value", "revenue"}

// money is what an event was worth, and in what. A goal on a rule has no event and is worth nothing.
func money(props json.RawMessage, otherwise string) (amount float64, currency string) {
	var members map[string]any
	if json.Unmarshal(props, &members) != nil {
		return 0, otherwise
	}
	currency = otherwise
	if said, ok := members["currency"].(string); ok && said != "" {
		currency = strings.ToUpper(said)
	}
	for _, name := range amounts {
		switch value := members[name].(type) {
		case float64:
			return value, currency
		case string:
			if number, err := strconv.ParseFloat(value, 64); err == nil {
				return number, currency
			}
		}
	}
	return 0, currency
}

// zero is the provider of the Test inbox.
var zero = uuid.Nil.String()

// IsSandbox tells whether the key of a line split by provider is the Test inbox.
func IsSandbox(key string) bool { return key == zero }

// dayKey is how a line split by day is named.
func dayKey(at time.Time, zone *time.Location) string { return at.In(zone).Format(time.DateOnly) }
