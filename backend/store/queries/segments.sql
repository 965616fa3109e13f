-- name: RecheckContacts :exec
-- The sweep looks at these people anew. Their contacts are locked by the caller.
INSERT INTO rechecks AS r (workspace_id, contact_id, at, quiet, chain)
SELECT @workspace_id, c, @now::timestamptz, @quiet::boolean, @chain::smallint FROM unnest(@ids::uuid[]) AS c
WHERE EXISTS (SELECT 1 FROM segments s WHERE s.workspace_id = @workspace_id)
    OR EXISTS (SELECT 1 FROM date_watches w WHERE w.workspace_id = @workspace_id)
ON CONFLICT (workspace_id, contact_id) DO UPDATE SET at = least(r.at, excluded.at), quiet = r.quiet AND excluded.quiet, chain = greatest(r.chain, excluded.chain);

-- name: DropRecheck :exec
DELETE FROM rechecks WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: DropMemberships :exec
DELETE FROM segment_members WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: DropDates :exec
DELETE FROM date_dues WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: SegmentSlugs :many
SELECT slug FROM segments WHERE workspace_id = @workspace_id AND state <> 'deleted' ORDER BY slug;
