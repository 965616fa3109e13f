package reports

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Face is somebody behind a number of a report.
type Face struct {
	ContactID uuid.UUID
	Name      string
	Email     *string
	RunID     *uuid.UUID
	MessageID uuid.UUID
	At        time.Time
}

// numbers are what of a line can be opened, and the condition on its messages.
var numbers = map[string]string{
	"sent": "true", "delivered": "m.delivered_at IS NOT NULL AND m.bounced_at IS NULL", "undelivered": "(m.delivered_at IS NULL OR m.bounced_at IS NOT NULL)",
	"opened": "m.opened_at IS NOT NULL", "clicked": "m.clicked_at IS NOT NULL", "replied": "m.replied_at IS NOT NULL", "bounced": "m.bounced_at IS NOT NULL",
	"complained": "m.complained_at IS NOT NULL", "unsubscribed": "m.unsubscribed_at IS NOT NULL", "converted": "", "recovered": "",
}

const faceColumns = ` m.contact_id, coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.email, c.external_id, '') AS name, c.email, m.run_id, m.id AS message_id, `

// People lists who is behind a number of a line, the latest first, so many at once from an offset on. Key is that of the line; nil is all.
func People(ctx context.Context, db store.DB, q Question, what string, key *string, offset, limit int) (faces []Face, more bool, err error) {
	q, err = q.check()
	if err != nil {
		return nil, false, err
	}
	condition, known := numbers[what]
	if !known {
		return nil, false, fault.InvalidField("what", "%q is no number of a report.", what)
	}
	args := q.args()
	args["limit"], args["offset"] = limit+1, offset
	inner, moment := sentOf+" AND "+condition, leftAt
	if condition == "" { // a goal, credited to a message
		inner, moment = goalsOf, "g.at"
		if what == "recovered" {
			inner += " AND " + ofCarts
		}
	}
	if key != nil {
		args["key"] = *key
		if q.By == ByDomain {
			args["key"] = literal.Replace(*key)
		}
		inner += " AND " + keyed(q.By, moment)
	}
	sql := "SELECT m.*, " + moment + " AS moment" + inner
	rows, err := db.Query(ctx, "SELECT"+faceColumns+"m.moment AS at FROM ("+sql+`) m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
		ORDER BY m.moment DESC, m.id DESC OFFSET @offset LIMIT @limit`, args)
	if err != nil {
		return nil, false, fault.Wrap(err, "list the people of a report")
	}
	faces, err = pgx.CollectRows(rows, pgx.RowToStructByName[Face])
	if err != nil {
		return nil, false, fault.Wrap(err, "list the people of a report")
	}
	return faces[:min(len(faces), limit)], len(faces) > limit, nil
}

// literal takes their meaning from the signs of a pattern.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// keyed compares a line's key. A domain is compared as people write it: what differs by case alone is one domain, and hardly ever is.
func keyed(by, moment string) string {
	if by == ByDomain {
		return keyOf(by, moment) + " ILIKE @key"
	}
	return keyOf(by, moment) + " = @key"
}

// Causes says, by domain, why most of what did not arrive did not: the answer most often given, and how often.
func Causes(ctx context.Context, db store.DB, q Question) (map[string]Cause, error) {
	q, err := q.check()
	if err != nil {
		return nil, err
	}
	rows, err := db.Query(ctx, `SELECT `+keyOf(ByDomain, leftAt)+`, coalesce(nullif(a.detail, ''), nullif(a.code, ''), nullif(m.reason, ''), ''), count(*)`+
		` FROM messages m LEFT JOIN LATERAL (SELECT d.code, d.detail FROM delivery_attempts d WHERE d.workspace_id = m.workspace_id AND d.message_id = m.id
			ORDER BY d.attempt DESC LIMIT 1) a ON true
		WHERE m.workspace_id = @workspace AND `+left+` AND `+leftAt+` >= @from AND `+leftAt+` < @to AND (m.bounced_at IS NOT NULL OR m.delivered_at IS NULL)
		GROUP BY 1, 2 ORDER BY 3`, q.args())
	if err != nil {
		return nil, fault.Wrap(err, "read why messages did not arrive")
	}
	causes := map[string]Cause{}
	var domain, said string
	var times int
	_, err = pgx.ForEachRow(rows, []any{&domain, &said, &times}, func() error {
		causes[Question{By: ByDomain}.fold(domain)] = Cause{said, times} // the last is the most frequent
		return nil
	})
	return causes, fault.Wrap(err, "read why messages did not arrive")
}

// Cause is an answer of a mail server and how often it was given.
type Cause struct {
	Said  string
	Times int
}
