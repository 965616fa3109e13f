-- name: FunnelTests :one
SELECT * FROM funnel_tests WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id;

-- name: PutFunnelTests :one
INSERT INTO funnel_tests (workspace_id, funnel_id, tests, updated_at, updated_by)
VALUES (@workspace_id, @funnel_id, @tests, @now, sqlc.narg(by))
ON CONFLICT (workspace_id, funnel_id) DO UPDATE SET tests = excluded.tests, updated_at = excluded.updated_at, updated_by = excluded.updated_by,
    report = NULL, tested_at = NULL
RETURNING *;

-- name: NoteFunnelTests :exec
UPDATE funnel_tests SET report = @report, tested_at = @now WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id;
