package views

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Person is as much of a contact as a list shows.
type Person struct {
	ContactID         uuid.UUID
	ContactFirstName  string
	ContactLastName   string
	ContactEmail      *string
	ContactExternalID *string
}

const personColumns = `c.id AS contact_id, c.first_name AS contact_first_name, c.last_name AS contact_last_name, c.email AS contact_email,
	c.external_id AS contact_external_id`

// Run is one run as a list shows it.
type Run struct {
	Person

	ID         uuid.UUID
	FunnelID   uuid.UUID
	FunnelName string
	Version    int
	State      string
	Node       string
	NodeName   string
	Step       json.RawMessage // of the version
	Creative   json.RawMessage // that the step sends, if any
	Skippable  bool            // a wait in the sandbox
	Seq        int
	StartedAt  time.Time
	WakeAt     *time.Time
	EndedAt    *time.Time
	EndReason  *string
	LastError  *string
	Attempts   int
}

const runColumns = `r.id, r.funnel_id, f.name AS funnel_name, v.n AS version, r.status AS state, r.node,
	coalesce(n.step ->> 'name', '') AS node_name, n.step,
	v.bundle -> 'creatives' -> split_part(n.step -> 'config' ->> 'creative', ':', 2) AS creative,
	(r.status = 'active' AND r.deadline IS NOT NULL AND n.step ->> 'kind' IN ('wait', 'throttle')
		AND (SELECT w.sending_mode FROM workspaces w WHERE w.id = r.workspace_id) = 'sandbox') IS TRUE AS skippable,
	r.seq, r.started_at, r.wake_at, r.ended_at, r.end_reason, r.last_error, r.attempts, ` + personColumns

const runTables = ` FROM runs r
	JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
	JOIN funnel_versions v ON v.workspace_id = r.workspace_id AND v.id = r.version_id
	JOIN contacts c ON c.workspace_id = r.workspace_id AND c.id = r.contact_id
	LEFT JOIN LATERAL (SELECT step FROM jsonb_array_elements(v.bundle -> 'graph' -> 'nodes') AS steps (step) WHERE step ->> 'id' = r.node LIMIT 1) n ON true`

// Title is what the step where the run is is called; its id where the version has no such step.
func (r Run) Title() engine.Title {
	var node engine.Node
	if json.Unmarshal(r.Step, &node) != nil || node.ID == "" {
		return engine.Title{r.Node, r.Node, r.Node}
	}
	var creative engine.Creative
	if json.Unmarshal(r.Creative, &creative) != nil {
		return engine.TitleOf(node, nil)
	}
	var sent struct{ Creative string }
	_ = json.Unmarshal(node.Config, &sent) // it was read to find the creative
	_, slug, _ := strings.Cut(sent.Creative, ":")
	return engine.TitleOf(node, map[string]engine.Creative{slug: creative})
}

// RunFilter says which runs to list; zero values do not narrow.
type RunFilter struct {
	Paging

	Funnel, Contact uuid.UUID
	State, Node     string
}

// Runs lists runs, the newest first.
func Runs(ctx context.Context, db store.DB, workspace uuid.UUID, in RunFilter) (Page[Run], error) {
	f := within(workspace, "r.workspace_id")
	if in.Funnel != uuid.Nil {
		f.and("r.funnel_id = @funnel", "funnel", in.Funnel)
	}
	if in.Contact != uuid.Nil {
		f.and("r.contact_id = @contact", "contact", in.Contact)
	}
	if in.State != "" {
		f.and("r.status = @state", "state", in.State)
	}
	if in.Node != "" {
		f.and("r.node = @node", "node", in.Node)
	}
	var before uuid.UUID
	more, err := in.after(&before)
	if err != nil {
		return Page[Run]{}, err
	}
	if more {
		f.and("r.id < @before", "before", before)
	}
	sql := "SELECT " + runColumns + runTables + " WHERE " + f.sql() + " ORDER BY r.id DESC LIMIT @limit"
	return page(ctx, db, in.Paging, "runs", sql, f, func(r Run) any { return r.ID })
}

// GetRun is one run.
func GetRun(ctx context.Context, db store.DB, workspace, id uuid.UUID) (Run, error) {
	return one[Run](ctx, db, "run", "SELECT "+runColumns+runTables+" WHERE r.workspace_id = $1 AND r.id = $2", workspace, id)
}

// Visit is one line of a run's journal.
type Visit struct {
	Seq    int
	Node   string
	Kind   string
	At     time.Time
	Port   string
	Detail json.RawMessage
}

// Journal is what a run did, in order.
func Journal(ctx context.Context, db store.DB, workspace, run uuid.UUID) ([]Visit, error) {
	return some[Visit](ctx, db, "a journal", `SELECT seq, node, kind, at, port, detail FROM journal
		WHERE workspace_id = $1 AND run_id = $2 ORDER BY seq`, workspace, run)
}

// Memory is what a run carries along.
type Memory struct {
	Event json.RawMessage
	Vars  json.RawMessage
}

// RunMemory is the trigger event's properties and the variables of a run.
func RunMemory(ctx context.Context, db store.DB, workspace, run uuid.UUID) (Memory, error) {
	return one[Memory](ctx, db, "run", "SELECT event, vars FROM runs WHERE workspace_id = $1 AND id = $2", workspace, run)
}
