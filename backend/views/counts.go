package views

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// RunTotals is how many runs of a funnel are in each state.
type RunTotals struct{ Active, Done, Exited, Parked int }

// add counts runs of a status; a paused run is still inside.
func (t *RunTotals) add(status string, n int) {
	switch status {
	case "active", "paused":
		t.Active += n
	case "done":
		t.Done += n
	case "exited":
		t.Exited += n
	case "parked":
		t.Parked += n
	}
}

// Totals are the run totals of each of the funnels.
func Totals(ctx context.Context, db store.DB, workspace uuid.UUID, funnels []uuid.UUID) (map[uuid.UUID]RunTotals, error) {
	rows, err := some[struct {
		FunnelID uuid.UUID
		Status   string
		N        int
	}](ctx, db, "counts of runs", `SELECT funnel_id, status, count(*) AS n FROM runs
		WHERE workspace_id = $1 AND funnel_id = ANY($2) GROUP BY funnel_id, status`, workspace, funnels)
	totals := map[uuid.UUID]RunTotals{}
	for _, row := range rows {
		total := totals[row.FunnelID]
		total.add(row.Status, row.N)
		totals[row.FunnelID] = total
	}
	return totals, err
}

// Passed is how often a port of a step was left by.
type Passed struct {
	Node string
	Port string
	N    int
}

// FunnelCounts is where people stand and where they passed.
type FunnelCounts struct {
	Totals RunTotals
	Here   map[string]int
	Passed []Passed
}

// Counts counts one funnel over all versions, or one version when it is not zero.
func Counts(ctx context.Context, db store.DB, workspace, funnel, version uuid.UUID) (FunnelCounts, error) {
	counts := FunnelCounts{Here: map[string]int{}}
	rows, err := some[struct {
		Node, Status string
		N            int
	}](ctx, db, "counts of runs", `SELECT node, status, count(*) AS n FROM runs
		WHERE workspace_id = $1 AND funnel_id = $2 AND ($3::uuid IS NULL OR version_id = $3) GROUP BY node, status`, workspace, funnel, given(version))
	if err != nil {
		return counts, err
	}
	for _, row := range rows {
		counts.Totals.add(row.Status, row.N)
		if row.Status == "active" || row.Status == "paused" || row.Status == "parked" {
			counts.Here[row.Node] += row.N
		}
	}
	counts.Passed, err = some[Passed](ctx, db, "counts of visits", `SELECT j.node, j.port, count(*) AS n
		FROM runs r JOIN journal j ON j.workspace_id = r.workspace_id AND j.run_id = r.id
		WHERE r.workspace_id = $1 AND r.funnel_id = $2 AND ($3::uuid IS NULL OR r.version_id = $3) AND j.port <> ''
		GROUP BY j.node, j.port ORDER BY j.node, j.port`, workspace, funnel, given(version))
	return counts, err
}

func given(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
