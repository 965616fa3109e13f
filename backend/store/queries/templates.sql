-- name: InsertTemplate :one
INSERT INTO funnel_templates (workspace_id, id, name, does, draft, made_by, made_at)
VALUES (@workspace_id, @id, @name, @does, @draft, sqlc.narg(by), @now) RETURNING *;

-- name: Templates :many
-- The newest first.
SELECT * FROM funnel_templates WHERE workspace_id = @workspace_id ORDER BY made_at DESC, id DESC LIMIT 200;

-- name: Template :one
SELECT * FROM funnel_templates WHERE workspace_id = @workspace_id AND id = @id;

-- name: DeleteTemplate :execrows
DELETE FROM funnel_templates WHERE workspace_id = @workspace_id AND id = @id;
