package views

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// What a number on the canvas counts, so that it can be opened.
const (
	Came      = "came"      // came to the step
	Here      = "here"      // stand there now
	Went      = "went"      // left it, by one port or any
	Lost      = "lost"      // left the funnel there without its goal
	Sent      = "sent"      // the step's message was handed over
	Delivered = "delivered" // and not bounced
	Opened    = "opened"
	Clicked   = "clicked"
	Skipped   = "skipped" // passed over by the gate, or too late
	Failed    = "failed"  // not sent, or nobody knows
)

// FunnelPeople says which number of a funnel to open. Since zero is always; a nil Version is all.
type FunnelPeople struct {
	Paging

	Funnel     uuid.UUID
	Version    *uuid.UUID
	Node, Port string
	What       string
	Since      time.Time
}

// Passer is somebody behind a number, and when it happened. Who came by twice is there twice, as in the number.
type Passer struct {
	Person

	RunID     uuid.UUID
	MessageID *uuid.UUID
	N         int
	At        time.Time
}

// visitsOf are the lines of a funnel's journal with whether they are arrivals; the same as the count of CountVisits.
const visitsOf = `SELECT v.run_id, v.seq AS n, v.at, v.contact_id, NULL::uuid AS message_id FROM (
	SELECT j.run_id, j.seq, j.node, j.port, j.at, r.contact_id, coalesce(lag(j.node) OVER w <> j.node OR lag(j.port) OVER w <> '', true) AS arrival
	FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id
	WHERE r.workspace_id = @workspace AND r.funnel_id = @funnel AND (@version::uuid IS NULL OR r.version_id = @version)
	WINDOW w AS (PARTITION BY j.run_id ORDER BY j.seq)) v
	WHERE v.at >= @since AND v.node = @node AND `

const runsOf = `SELECT r.id AS run_id, r.seq AS n, coalesce(r.ended_at, r.at) AS at, r.contact_id, NULL::uuid AS message_id FROM runs r
	WHERE r.workspace_id = @workspace AND r.funnel_id = @funnel AND (@version::uuid IS NULL OR r.version_id = @version) AND r.node = @node AND `

const messagesOf = `SELECT m.run_id, m.seq AS n, coalesce(m.sent_at, m.created_at) AS at, m.contact_id, m.id AS message_id FROM messages m
	WHERE m.workspace_id = @workspace AND m.funnel_id = @funnel AND (@version::uuid IS NULL OR m.version_id = @version) AND m.node = @node
	AND m.created_at >= @since AND `

var peopleOf = map[string]string{
	Came:      visitsOf + `v.arrival`,
	Went:      visitsOf + `v.port <> '' AND (@port = '' OR v.port = @port)`,
	Here:      runsOf + `r.status IN ('active', 'paused', 'parked')`,
	Lost:      runsOf + `r.status = 'exited' AND coalesce(r.end_reason, '') NOT IN ('replaced', 'merged') AND r.ended_at >= @since`,
	Sent:      messagesOf + `m.status = 'sent'`,
	Delivered: messagesOf + `m.status = 'sent' AND m.delivered_at IS NOT NULL AND m.bounced_at IS NULL`,
	Opened:    messagesOf + `m.status = 'sent' AND m.opened_at IS NOT NULL`,
	Clicked:   messagesOf + `m.status = 'sent' AND m.clicked_at IS NOT NULL`,
	Skipped:   messagesOf + `m.status IN ('skipped', 'expired')`,
	Failed:    messagesOf + `m.status IN ('failed', 'unknown')`,
}

// PeopleOfFunnel lists who is behind a number, the latest first.
func PeopleOfFunnel(ctx context.Context, db store.DB, workspace uuid.UUID, in FunnelPeople) (Page[Passer], error) {
	inner, known := peopleOf[in.What]
	if !known {
		return Page[Passer]{}, fault.InvalidField("what", "%q is no number of a step.", in.What)
	}
	f := &filter{where: []string{"c.workspace_id = @workspace"}, args: map[string]any{
		"workspace": workspace, "funnel": in.Funnel, "version": in.Version, "node": in.Node, "port": in.Port, "since": in.Since,
	}}
	var last struct {
		At  time.Time
		Run uuid.UUID
		N   int
	}
	more, err := in.after(&last)
	if err != nil {
		return Page[Passer]{}, err
	}
	if more {
		f.and("(p.at, p.run_id, p.n) < (@at, @run, @n)", "at", last.At)
		f.args["run"], f.args["n"] = last.Run, last.N
	}
	sql := "SELECT p.run_id, p.message_id, p.n, p.at, " + personColumns + " FROM (" + inner + ") p JOIN contacts c ON c.workspace_id = @workspace AND c.id = p.contact_id WHERE " +
		f.sql() + " ORDER BY p.at DESC, p.run_id DESC, p.n DESC LIMIT @limit"
	return page(ctx, db, in.Paging, "people of a funnel", sql, f, func(p Passer) any {
		return struct {
			At  time.Time
			Run uuid.UUID
			N   int
		}{p.At, p.RunID, p.N}
	})
}
