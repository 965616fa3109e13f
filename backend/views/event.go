package views

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// Event is one line of the event log.
type Event struct {
	Person

	ID         int64
	Name       string
	Source     string
	ExternalID *string
	At         time.Time
	ReceivedAt time.Time
	Props      json.RawMessage
	Reaction   json.RawMessage
}

const eventSelect = `SELECT e.id, e.name, e.source, e.external_id, e.at, e.received_at, e.props, e.reaction, ` + personColumns + `
	FROM events e JOIN contacts c ON c.workspace_id = e.workspace_id AND c.id = e.contact_id WHERE `

// EventFilter says which events to list; zero values do not narrow.
type EventFilter struct {
	Paging

	Name    string
	Contact uuid.UUID
}

// Events lists events, the last received first.
func Events(ctx context.Context, db store.DB, workspace uuid.UUID, in EventFilter) (Page[Event], error) {
	f := within(workspace, "e.workspace_id")
	if in.Name != "" {
		f.and("e.name = @name", "name", in.Name)
	}
	if in.Contact != uuid.Nil {
		f.and("e.contact_id = @contact", "contact", in.Contact)
	}
	var before int64
	more, err := in.after(&before)
	if err != nil {
		return Page[Event]{}, err
	}
	if more {
		f.and("e.id < @before", "before", before)
	}
	sql := eventSelect + f.sql() + " ORDER BY e.id DESC LIMIT @limit"
	return page(ctx, db, in.Paging, "events", sql, f, func(e Event) any { return e.ID })
}

// LastEvent is the highest id of an event of the workspace, zero for none.
func LastEvent(ctx context.Context, db store.DB, workspace uuid.UUID) (int64, error) {
	newest, err := some[struct{ ID int64 }](ctx, db, "the last event", "SELECT id FROM events WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1", workspace)
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}

// EventsAfter are up to a hundred events with a higher id, the oldest first.
func EventsAfter(ctx context.Context, db store.DB, workspace uuid.UUID, after int64) ([]Event, error) {
	return some[Event](ctx, db, "new events", eventSelect+"e.workspace_id = $1 AND e.id > $2 ORDER BY e.id LIMIT 100", workspace, after)
}

// Moment is one line of a person's timeline: an event, or a message that never left, of which no event tells.
type Moment struct {
	ID      int64 // of the event, or 0
	Message uuid.UUID
	Name    string
	At      time.Time
	Props   json.RawMessage
}

// moment is where a page of a timeline ends: events may be told long after they happened, so the order is by when they did.
type moment struct {
	At      time.Time
	ID      int64
	Message uuid.UUID
}

// unsentMoments are the messages to a person that did not leave and will not, at the instant they would have.
const unsentMoments = `SELECT 0::bigint, m.id, 'message_' || m.status, least(m.next_attempt_at, @now::timestamptz),
		jsonb_strip_nulls(jsonb_build_object('message', m.id, 'run', m.run_id, 'step', nullif(m.node, ''), 'channel', m.channel, 'funnel', m.funnel_id, 'reason', m.reason))
	FROM messages m WHERE m.workspace_id = @workspace AND m.contact_id = @contact AND m.status IN ('skipped', 'failed', 'expired')`

// Timeline is what happened to a person, the latest first, and what would have but for a reason.
func Timeline(ctx context.Context, db store.DB, workspace, contact uuid.UUID, now time.Time, paging Paging) (Page[Moment], error) {
	f := within(workspace, "e.workspace_id")
	f.and("e.contact_id = @contact", "contact", contact)
	f.args["now"] = now
	var before moment
	more, err := paging.after(&before)
	if err != nil {
		return Page[Moment]{}, err
	}
	unsent := ""
	if more {
		f.and("(e.at, e.id) < (@at, @before)", "before", before.ID)
		f.args["at"], f.args["message"] = before.At, before.Message
		unsent = " AND (least(m.next_attempt_at, @now::timestamptz), 0::bigint, m.id) < (@at, @before, @message)"
	}
	sql := "(SELECT e.id, '" + uuid.Nil.String() + "'::uuid AS message, e.name, e.at, e.props FROM events e WHERE " + f.sql() + ` ORDER BY e.at DESC, e.id DESC LIMIT @limit)
		UNION ALL (` + unsentMoments + unsent + ") ORDER BY at DESC, id DESC, message DESC LIMIT @limit"
	return page(ctx, db, paging, "a timeline", sql, f, func(m Moment) any { return moment{m.At, m.ID, m.Message} })
}

// FunnelNames are the names of funnels by id, for what only knows their ids.
func FunnelNames(ctx context.Context, db store.DB, workspace uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := some[struct {
		ID   uuid.UUID
		Name string
	}](ctx, db, "names of funnels", "SELECT id, name FROM funnels WHERE workspace_id = $1 AND id = ANY($2)", workspace, ids)
	names := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, err
}

// EventTotals is how many contacts' events of each name there were, from the roll-ups.
func EventTotals(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]int, error) {
	return count(ctx, db, "SELECT name, sum(count) FROM event_rollups WHERE workspace_id = $1 GROUP BY name", workspace)
}
