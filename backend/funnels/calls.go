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

// liveCalls says of each live or paused funnel whether it can be called, and whom it calls. Only the graphs of those that call are read.
func liveCalls(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]engine.FunnelCalls, error) {
	rows, err := db.Query(ctx, `SELECT f.slug,
			jsonb_path_exists(v.bundle, '$.graph.nodes[*] ? (@.kind == "entry").config.triggers[*] ? (@.kind == "manual")'),
			CASE WHEN jsonb_path_exists(v.bundle, '$.graph.nodes[*] ? (@.kind == "enter_funnel")') THEN v.bundle -> 'graph' END
		FROM funnels f JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
		WHERE f.workspace_id = $1 AND f.state IN ('live', 'paused')`, workspace)
	if err != nil {
		return nil, err
	}
	all := map[string]engine.FunnelCalls{}
	var slug string
	var callable bool
	var graph []byte
	_, err = pgx.ForEachRow(rows, []any{&slug, &callable, &graph}, func() error {
		known := engine.FunnelCalls{Callable: callable}
		if graph != nil {
			var bundle engine.Bundle
			if err := json.Unmarshal(graph, &bundle.Graph); err != nil {
				return fmt.Errorf("read the live version of %s: %w", slug, err)
			}
			known = engine.CallsOf(bundle)
		}
		all[slug] = known
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
