-- name: Devices :many
SELECT * FROM devices WHERE workspace_id = @workspace_id AND contact_id = @contact_id ORDER BY created_at, id;

-- name: DevicesOf :many
SELECT contact_id, platform FROM devices WHERE workspace_id = @workspace_id AND contact_id = ANY(@contact_ids::uuid[]) ORDER BY contact_id, created_at, id;

-- name: PutDevice :one
-- A device belongs to whom it was last used by.
INSERT INTO devices (workspace_id, id, contact_id, platform, token, created_at, seen_at)
VALUES (@workspace_id, @id, @contact_id, @platform, @token, @now, @now)
ON CONFLICT (workspace_id, token) DO UPDATE SET contact_id = excluded.contact_id, platform = excluded.platform, seen_at = excluded.seen_at
RETURNING *;

-- name: DeleteDevice :execrows
DELETE FROM devices WHERE workspace_id = @workspace_id AND contact_id = @contact_id AND id = @id;
