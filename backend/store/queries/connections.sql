-- name: Connections :many
SELECT * FROM connections WHERE workspace_id = @workspace_id ORDER BY name, slug;

-- name: Connection :one
SELECT * FROM connections WHERE workspace_id = @workspace_id AND id = @id;

-- name: LockConnection :one
SELECT * FROM connections WHERE workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: ConnectionBySlug :one
SELECT * FROM connections WHERE workspace_id = @workspace_id AND slug = @slug;

-- name: ConnectionsOfKind :many
SELECT * FROM connections WHERE workspace_id = @workspace_id AND kind = @kind ORDER BY created_at, id;

-- name: InsertConnection :one
INSERT INTO connections (workspace_id, id, slug, kind, name, base_url, settings, secret, created_at, updated_at)
VALUES (@workspace_id, @id, @slug, @kind, @name, @base_url, @settings, @secret, @now, @now) RETURNING *;

-- name: UpdateConnection :one
UPDATE connections SET name = @name, base_url = @base_url, settings = @settings, secret = @secret, updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: DeleteConnection :execrows
DELETE FROM connections WHERE workspace_id = @workspace_id AND id = @id;

-- name: FunnelsNaming :many
SELECT f.name FROM funnels f JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
WHERE f.workspace_id = @workspace_id AND f.state IN ('live', 'paused') AND strpos(v.bundle::text, '"' || sqlc.arg(reference)::text || '"') > 0
ORDER BY f.name;

-- name: TeamEmails :many
SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = @workspace_id ORDER BY u.email;

-- name: InsertReport :execrows
INSERT INTO reports (workspace_id, connection_id, external_id, name, body, status, received_at, next_attempt_at)
VALUES (@workspace_id, @connection_id, @external_id, @name, @body, 'queued', @now, @now) ON CONFLICT DO NOTHING;

-- name: LeaseReports :many
SELECT * FROM reports WHERE status = 'queued' AND next_attempt_at <= @now ORDER BY next_attempt_at LIMIT @batch FOR UPDATE SKIP LOCKED;

-- name: EndReport :exec
-- What was understood is in the payment; the payer's data in the rest of the body is not kept.
UPDATE reports SET body = CASE WHEN sqlc.arg(status)::text IN ('done', 'ignored') THEN '{}' ELSE body END, status = @status, reason = @reason, attempts = @attempts, next_attempt_at = @next_attempt_at
WHERE workspace_id = @workspace_id AND connection_id = @connection_id AND external_id = @external_id;
