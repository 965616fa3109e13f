-- name: Tags :many
SELECT * FROM tags WHERE workspace_id = @workspace_id ORDER BY slug;

-- name: PutTag :exec
INSERT INTO tags (workspace_id, slug, name, created_at) VALUES (@workspace_id, @slug, @name, @now)
ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name;

-- name: EnsureTags :exec
INSERT INTO tags (workspace_id, slug, name, created_at)
SELECT @workspace_id, s, s, @now FROM unnest(@slugs::text[]) AS s ORDER BY s
ON CONFLICT (workspace_id, slug) DO NOTHING;

-- name: Lists :many
SELECT * FROM lists WHERE workspace_id = @workspace_id ORDER BY slug;

-- name: PutList :exec
INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES (@workspace_id, @slug, @name, @description, @now)
ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name, description = excluded.description;

-- name: Topics :many
SELECT * FROM topics WHERE workspace_id = @workspace_id ORDER BY slug;

-- name: PutTopic :exec
INSERT INTO topics (workspace_id, slug, name, description, created_at) VALUES (@workspace_id, @slug, @name, @description, @now)
ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name, description = excluded.description;

-- name: FieldDefs :many
SELECT * FROM field_defs WHERE workspace_id = @workspace_id ORDER BY key;

-- name: InsertFieldDef :execrows
INSERT INTO field_defs (workspace_id, key, type, label, created_at) VALUES (@workspace_id, @key, @type, @label, @now)
ON CONFLICT (workspace_id, key) DO NOTHING;

-- name: SetFieldLabel :exec
UPDATE field_defs SET label = @label WHERE workspace_id = @workspace_id AND key = @key;

-- name: Senders :many
SELECT * FROM senders WHERE workspace_id = @workspace_id ORDER BY is_default DESC, slug;

-- name: Sender :one
SELECT * FROM senders WHERE workspace_id = @workspace_id AND slug = @slug;

-- name: ClearDefaultSender :exec
UPDATE senders SET is_default = false WHERE workspace_id = @workspace_id AND is_default;

-- name: PutSender :one
INSERT INTO senders (workspace_id, slug, name, email, reply_to, verified_at, is_default, created_at)
VALUES (@workspace_id, @slug, @name, @email, @reply_to, @verified_at, @is_default, @now)
ON CONFLICT (workspace_id, slug) DO UPDATE SET name = excluded.name, email = excluded.email, reply_to = excluded.reply_to,
    is_default = excluded.is_default,
    verified_at = CASE WHEN senders.email = excluded.email THEN coalesce(excluded.verified_at, senders.verified_at) ELSE excluded.verified_at END
RETURNING *;

-- name: DeleteSender :execrows
DELETE FROM senders WHERE workspace_id = @workspace_id AND slug = @slug;

-- name: EventNames :many
SELECT * FROM event_names WHERE workspace_id = @workspace_id ORDER BY name;

-- name: PutEventNames :exec
-- Rows hold the name and the properties seen. A known name is rewritten only when it gained a property or a day has passed.
INSERT INTO event_names (workspace_id, name, properties, first_seen_at, last_seen_at)
SELECT @workspace_id, r.name, r.properties, @now::timestamptz, @now::timestamptz
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb) AS r (name text, properties text[])
ORDER BY r.name
ON CONFLICT (workspace_id, name) DO UPDATE SET last_seen_at = excluded.last_seen_at,
    properties = ARRAY(SELECT DISTINCT p FROM unnest(event_names.properties || excluded.properties) AS p ORDER BY p LIMIT 200)
WHERE NOT event_names.properties @> excluded.properties OR event_names.last_seen_at < excluded.last_seen_at - interval '1 day';
