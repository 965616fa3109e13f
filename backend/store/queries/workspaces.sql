-- name: InsertWorkspace :exec
INSERT INTO workspaces (id, slug, name, zone, language, currency, sending_mode, paused_at, allow_unknown_consent, postal_address, created_at, updated_at)
VALUES (@id, @slug, @name, @zone, @language, @currency, @sending_mode, NULL, @allow_unknown_consent, @postal_address, @now, @now);

-- name: Workspace :one
SELECT * FROM workspaces WHERE id = @id;

-- name: WorkspaceBySlug :one
SELECT * FROM workspaces WHERE slug = @slug;

-- name: Workspaces :many
SELECT * FROM workspaces ORDER BY id;

-- name: UpdateWorkspace :one
UPDATE workspaces SET name = @name, zone = @zone, language = @language, currency = @currency, sending_mode = @sending_mode,
    allow_unknown_consent = @allow_unknown_consent, postal_address = @postal_address,
    respect_do_not_track = @respect_do_not_track, tracking = @tracking, short_links = @short_links,
    quiet_hours = @quiet_hours, frequency_caps = @frequency_caps, outbox_minutes = @outbox_minutes, updated_at = @now
WHERE id = @id RETURNING *;

-- name: PauseSending :exec
UPDATE workspaces SET paused_at = @now, updated_at = @now WHERE id = @id AND paused_at IS NULL;

-- name: ResumeSending :exec
UPDATE workspaces SET paused_at = NULL, updated_at = @now WHERE id = @id AND paused_at IS NOT NULL;

-- name: LockPublishing :exec
-- One publish at a time in a workspace; it ends with the transaction.
SELECT pg_advisory_xact_lock(hashtext('lejek.publish'), hashtext(sqlc.arg(workspace_id)::uuid::text));
