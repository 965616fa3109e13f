package reports

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Names are the names of a workspace's campaigns or providers, by id.
func Names(ctx context.Context, db store.DB, workspace uuid.UUID, of string) (map[string]string, error) {
	return names(ctx, db, "SELECT id::text, name FROM "+pgx.Identifier{of}.Sanitize()+" WHERE workspace_id = $1", workspace)
}

// StepNames are the names of funnels by id, of their steps by "id/step", and of the arms of their splits by "id/step.port", as they are
// called today; a step that is gone has the name of its last version.
func StepNames(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]string, error) {
	return names(ctx, db, `WITH graphs AS (
			SELECT f.id, 1000000000 AS n, f.draft -> 'graph' AS graph FROM funnels f WHERE f.workspace_id = $1
			UNION ALL SELECT v.funnel_id, v.n, v.bundle -> 'graph' FROM funnel_versions v WHERE v.workspace_id = $1
		), steps AS (
			SELECT DISTINCT ON (g.id, s.step ->> 'id') g.id, s.step FROM graphs g, jsonb_array_elements(g.graph -> 'nodes') AS s (step) ORDER BY g.id, s.step ->> 'id', g.n DESC
		)
		SELECT id::text, name FROM funnels WHERE workspace_id = $1
		UNION ALL SELECT id::text || '/' || (step ->> 'id'), coalesce(nullif(step ->> 'name', ''), step ->> 'id') FROM steps
		UNION ALL SELECT id::text || '/' || (step ->> 'id') || '.' || (arm ->> 'id'), coalesce(nullif(step ->> 'name', ''), step ->> 'id') || ': ' || coalesce(nullif(arm ->> 'label', ''), arm ->> 'id')
		FROM steps, jsonb_array_elements(step -> 'config' -> 'arms') AS a (arm) WHERE step ->> 'kind' = 'split'`, workspace)
}

func names(ctx context.Context, db store.DB, sql string, workspace uuid.UUID) (map[string]string, error) {
	rows, err := db.Query(ctx, sql, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "read names")
	}
	all := map[string]string{}
	var key, name string
	_, err = pgx.ForEachRow(rows, []any{&key, &name}, func() error {
		all[key] = name
		return nil
	})
	return all, fault.Wrap(err, "read names")
}
