package funnels

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// liveCalls says of each live or paused funnel whether it can be called, and whom it calls.
func liveCalls(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]engine.FunnelCalls, error) {
	rows, err := db.Query(ctx, `SELECT f.slug, v.bundle -> 'graph'
		FROM funnels f JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
		WHERE f.workspace_id = $1 AND f.state IN ('live', 'paused')`, workspace)
	if err != nil {
		return nil, err
	}
	all := map[string]engine.FunnelCalls{}
	var slug string
	var graph []byte
	_, err = pgx.ForEachRow(rows, []any{&slug, &graph}, func() error {
		var bundle engine.Bundle
		if err := json.Unmarshal(graph, &bundle.Graph); err != nil {
			return fmt.Errorf("read the live version of %s: %w", slug, err)
		}
		all[slug] = engine.CallsOf(bundle)
		return nil
	})
	return all, err
}

// referencesOf is References for one funnel of the workspace, whose draft is judged instead of its live version.
func referencesOf(ctx context.Context, db store.DB, workspace uuid.UUID, self string) (*engine.Workspace, error) {
	set, err := References(ctx, db, workspace)
	if err != nil {
		return nil, err
	}
	set.Self = self
	delete(set.Calls, self)
	return set, nil
}
