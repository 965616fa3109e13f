-- name: InsertFunnel :one
INSERT INTO funnels (workspace_id, id, slug, name, draft, draft_hash, layout, revision, state, created_by, updated_by, created_at, updated_at)
VALUES (@workspace_id, @id, @slug, @name, @draft, @draft_hash, @layout, 1, 'draft', sqlc.narg(by), sqlc.narg(by), @now, @now)
RETURNING *;

-- name: Funnel :one
SELECT * FROM funnels WHERE workspace_id = @workspace_id AND id = @id;

-- name: LockFunnel :one
SELECT * FROM funnels WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: FunnelSlugs :many
SELECT slug FROM funnels WHERE workspace_id = @workspace_id ORDER BY slug;

-- name: FunnelHeads :many
-- Everything a list shows of the funnels, newest first; drafts are left in the table.
SELECT f.id, f.slug, f.name, f.state, f.draft_hash, f.revision, f.created_at, f.updated_at, v.n AS version, v.hash AS version_hash, v.published_at
FROM funnels f LEFT JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
WHERE f.workspace_id = @workspace_id ORDER BY f.id DESC;

-- name: DeleteDraft :execrows
DELETE FROM funnels WHERE workspace_id = @workspace_id AND id = @id AND live_version IS NULL;

-- name: CallableFunnelSlugs :many
SELECT slug FROM funnels WHERE workspace_id = @workspace_id AND state <> 'archived' ORDER BY slug;

-- name: SaveDraft :one
UPDATE funnels SET name = @name, draft = @draft, draft_hash = @draft_hash, layout = @layout, revision = revision + 1, updated_by = sqlc.narg(by), updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: RenameFunnel :one
UPDATE funnels SET name = @name, revision = revision + 1, updated_by = sqlc.narg(by), updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: SetFunnelState :one
UPDATE funnels SET state = @state, updated_by = sqlc.narg(by), updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: SetLiveVersion :one
-- A paused funnel stays paused on its new version.
UPDATE funnels SET state = CASE WHEN state = 'paused' THEN 'paused' ELSE 'live' END, live_version = sqlc.arg(version)::uuid, updated_by = sqlc.narg(by), updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: InsertVersion :one
INSERT INTO funnel_versions (workspace_id, id, funnel_id, n, bundle, artifacts, hash, name, note, published_by, published_at)
SELECT @workspace_id, @id, @funnel_id, coalesce(max(v.n), 0) + 1, @bundle, @artifacts, @hash, @name, @note, sqlc.narg(published_by)::uuid, @now
FROM funnel_versions v WHERE v.workspace_id = @workspace_id AND v.funnel_id = @funnel_id
RETURNING *;

-- name: Version :one
SELECT * FROM funnel_versions WHERE workspace_id = @workspace_id AND id = @id;

-- name: VersionByNumber :one
SELECT * FROM funnel_versions WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND n = @n;

-- name: Versions :many
SELECT id, n, hash, name, note, published_by, published_at FROM funnel_versions
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id ORDER BY n DESC;

-- name: LiveFunnels :many
-- What may start runs: the live version of each live funnel.
SELECT f.id AS funnel_id, f.slug, v.id AS version_id, v.n
FROM funnels f JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
WHERE f.workspace_id = @workspace_id AND f.state = 'live' ORDER BY f.id;

-- name: PutArtifact :exec
INSERT INTO creative_artifacts (workspace_id, hash, artifact, created_at) VALUES (@workspace_id, @hash, @artifact, @now)
ON CONFLICT (workspace_id, hash) DO NOTHING;

-- name: Artifact :one
SELECT artifact FROM creative_artifacts WHERE workspace_id = @workspace_id AND hash = @hash;

-- name: CountRunsByFunnel :many
SELECT funnel_id, status, count(*) AS runs FROM runs
WHERE workspace_id = @workspace_id AND funnel_id = ANY(@funnel_ids::uuid[])
GROUP BY funnel_id, status;

-- name: CountRunsOfFunnel :many
SELECT status, count(*) AS runs FROM runs
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND (sqlc.narg(version)::uuid IS NULL OR version_id = sqlc.narg(version)::uuid)
GROUP BY status;

-- name: CountVisits :many
-- How often each step was come to and left by each port since an instant. A wait writes a line when it begins and one when it ends: only
-- the first is an arrival.
SELECT v.node::text AS node, v.port::text AS port, count(*) AS visits, count(*) FILTER (WHERE v.arrival) AS arrivals FROM (
    SELECT j.node, j.port, j.at, coalesce(lag(j.node) OVER w <> j.node OR lag(j.port) OVER w <> '', true) AS arrival
    FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id
    WHERE r.workspace_id = @workspace_id AND r.funnel_id = @funnel_id AND (sqlc.narg(version)::uuid IS NULL OR r.version_id = sqlc.narg(version)::uuid)
    WINDOW w AS (PARTITION BY j.run_id ORDER BY j.seq)
) v WHERE v.at >= @since::timestamptz
GROUP BY v.node, v.port;

-- name: CountLost :many
-- Who left the funnel at a step without its goal: unsubscribed, taken out, stopped. Whom a newer trigger replaced is still inside.
SELECT node, count(*) AS runs FROM runs
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND (sqlc.narg(version)::uuid IS NULL OR version_id = sqlc.narg(version)::uuid)
    AND status = 'exited' AND coalesce(end_reason, '') NOT IN ('replaced', 'merged') AND ended_at >= @since::timestamptz
GROUP BY node;

-- name: CountMessages :many
-- What became of the messages of each step, one visit one message. People are passed over (skipped) by the gate; "unknown" may or may
-- not have left and counts as failed.
SELECT node,
    count(*) FILTER (WHERE status = 'sent') AS sent,
    count(*) FILTER (WHERE status = 'sent' AND delivered_at IS NOT NULL AND bounced_at IS NULL) AS delivered,
    count(*) FILTER (WHERE status = 'sent' AND opened_at IS NOT NULL) AS opened,
    count(*) FILTER (WHERE status = 'sent' AND clicked_at IS NOT NULL) AS clicked,
    count(*) FILTER (WHERE status IN ('skipped', 'expired')) AS skipped,
    count(*) FILTER (WHERE status IN ('failed', 'unknown')) AS failed
FROM messages
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND (sqlc.narg(version)::uuid IS NULL OR version_id = sqlc.narg(version)::uuid)
    AND created_at >= @since::timestamptz
GROUP BY node;

-- name: CountActiveRunsByNode :many
SELECT version_id, node, count(*) AS runs, count(*) FILTER (WHERE status = 'parked') AS parked FROM runs
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND status IN ('active', 'paused', 'parked')
GROUP BY version_id, node;
