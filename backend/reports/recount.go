package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// letter is a message as its events tell of it. The row says only what it was, its funnel, step, address and provider, and whether its own
// link was used to unsubscribe: that event is about the person, not about a message.
type letter struct {
	unsubscribed bool

	key     string // of its line, but for lines by time
	funnel  *uuid.UUID
	contact uuid.UUID
	channel string
	sent    time.Time
	did     map[string]bool
	id      uuid.UUID
}

// Recount answers a question from the events alone, as Count does from what they left on messages.
func Recount(ctx context.Context, db store.DB, q Question) ([]Row, error) {
	q, err := q.check()
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		return nil, err
	}
	letters, err := readLetters(ctx, db, q)
	if err != nil {
		return nil, err
	}
	lines := lines{}
	for _, l := range letters {
		if l.sent.Before(q.From) || !l.sent.Before(q.To) || !q.about(l) {
			continue
		}
		line, one := lines.of(q.lineOf(l, l.sent, zone)), func(name string) int {
			if l.did[name] {
				return 1
			}
			return 0
		}
		figures := Figures{
			Sent: 1, Opened: one("message_opened"), Clicked: one("link_clicked"), Replied: one("message_replied"), Bounced: one("message_bounced"),
			Complained: one("message_complained"),
		}
		if l.did["message_delivered"] && !l.did["message_bounced"] {
			figures.Delivered = 1
		}
		if l.unsubscribed {
			figures.Unsubscribed = 1
		}
		line.gain(figures)
	}
	if err := q.creditGoals(ctx, db, letters, lines, zone); err != nil {
		return nil, err
	}
	return lines.sorted(), nil
}

func (q Question) about(l *letter) bool {
	return (q.Funnel == nil || l.funnel != nil && *l.funnel == *q.Funnel) && (q.Channel == "" || q.Channel == l.channel)
}

func (q Question) lineOf(l *letter, at time.Time, zone *time.Location) string {
	switch q.By {
	case ByDay:
		return dayKey(at, zone)
	case ByHour:
		return at.In(zone).Format("2006-01-02T15")
	default:
		return q.fold(l.key)
	}
}

// readLetters folds the events about messages. A conversion may be credited to a message from before the period.
func readLetters(ctx context.Context, db store.DB, q Question) (map[uuid.UUID]*letter, error) {
	rows, err := db.Query(ctx, `SELECT (e.props ->> 'message')::uuid, e.name, e.at, m.funnel_id, m.contact_id, m.channel, m.unsubscribed_at IS NOT NULL, `+keyOf(q.By, "m.created_at")+` AS key
		FROM events e JOIN messages m ON m.workspace_id = e.workspace_id AND m.id = (e.props ->> 'message')::uuid
		WHERE e.workspace_id = @workspace AND e.source = 'lejek' AND e.props ->> 'message' IS NOT NULL
		ORDER BY e.id`, q.args())
	if err != nil {
		return nil, fmt.Errorf("read the events of messages: %w", err)
	}
	letters := map[uuid.UUID]*letter{}
	var id, contact uuid.UUID
	var funnel *uuid.UUID
	var name, key, channel string
	var at time.Time
	var gone bool
	_, err = pgx.ForEachRow(rows, []any{&id, &name, &at, &funnel, &contact, &channel, &gone, &key}, func() error {
		l := letters[id]
		if l == nil {
			l = &letter{id: id, key: key, funnel: funnel, contact: contact, channel: channel, unsubscribed: gone, did: map[string]bool{}}
			letters[id] = l
		}
		if name == "message_sent" || name == "message_bounced" && l.sent.IsZero() {
			l.sent = at
		}
		l.did[name] = true
		return nil
	})
	for id, l := range letters {
		if l.sent.IsZero() {
			delete(letters, id)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the events of messages: %w", err)
	}
	return letters, nil
}

// creditGoals gives each goal to the last letter of its funnel before it. What the goal was worth stands on the event that reached it.
func (q Question) creditGoals(ctx context.Context, db store.DB, letters map[uuid.UUID]*letter, lines lines, zone *time.Location) error {
	rows, err := db.Query(ctx, `SELECT g.at, r.funnel_id, r.contact_id, w.props, `+ofCarts+` FROM events e
		JOIN runs r ON r.workspace_id = e.workspace_id AND r.id = (e.props ->> 'run')::uuid
		JOIN funnel_versions v ON v.workspace_id = r.workspace_id AND v.id = r.version_id
		JOIN journal g ON g.workspace_id = r.workspace_id AND g.run_id = r.id AND g.kind = 'goal' AND g.node = e.props ->> 'goal' AND g.port = 'reached'
		LEFT JOIN events w ON w.workspace_id = e.workspace_id AND w.id = (g.detail ->> 'event_id')::bigint
		WHERE e.workspace_id = @workspace AND e.name = 'goal_reached' AND e.source = 'lejek' AND g.at >= @from AND g.at < @to`, q.args())
	if err != nil {
		return fmt.Errorf("read the goals: %w", err)
	}
	var at time.Time
	var funnel, contact uuid.UUID
	var props json.RawMessage
	var cart bool
	_, err = pgx.ForEachRow(rows, []any{&at, &funnel, &contact, &props, &cart}, func() error {
		var last *letter
		for _, l := range letters {
			if l.contact != contact || l.funnel == nil || *l.funnel != funnel || !l.did["message_sent"] || l.sent.After(at) || !l.sent.After(at.Add(-q.Window)) {
				continue
			}
			if last == nil || l.sent.After(last.sent) || l.sent.Equal(last.sent) && bytes.Compare(l.id[:], last.id[:]) > 0 {
				last = l
			}
		}
		if last != nil && q.about(last) {
			amount, currency := money(props, q.Currency)
			lines.of(q.lineOf(last, at, zone)).credit(amount, currency, cart)
		}
		return nil
	})
	return fault.Wrap(err, "read the goals")
}
