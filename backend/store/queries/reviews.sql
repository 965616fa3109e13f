-- name: KeepDraft :one
-- The same content is kept once, under the last time it was replaced.
INSERT INTO funnel_drafts (workspace_id, id, funnel_id, draft, layout, hash, kept_by, kept_at)
VALUES (@workspace_id, @id, @funnel_id, @draft, @layout, @hash, sqlc.narg(by), @now)
ON CONFLICT (workspace_id, funnel_id, hash) DO UPDATE SET kept_at = excluded.kept_at, kept_by = excluded.kept_by, layout = excluded.layout
RETURNING *;

-- name: KeptDrafts :many
SELECT id, kept_by, kept_at, jsonb_array_length(draft -> 'graph' -> 'nodes')::int AS steps FROM funnel_drafts
WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id ORDER BY kept_at DESC, id DESC LIMIT 50;

-- name: KeptDraft :one
SELECT * FROM funnel_drafts WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND id = @id;

-- name: VersionOfHash :one
SELECT count(*) FROM funnel_versions WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND hash = @hash;

-- name: LatestApproval :one
SELECT * FROM funnel_approvals WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id ORDER BY asked_at DESC, id DESC LIMIT 1;

-- name: EndApprovals :exec
-- What is open or approved ends: it was withdrawn, asked anew, or published.
UPDATE funnel_approvals SET state = @state WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND state IN ('open', 'approved');

-- name: InsertApproval :one
INSERT INTO funnel_approvals (workspace_id, id, funnel_id, draft_hash, revision, state, note, asked_by, asked_at, answer)
VALUES (@workspace_id, @id, @funnel_id, @draft_hash, @revision, 'open', @note, sqlc.narg(by), @now, '') RETURNING *;

-- name: DecideApproval :one
UPDATE funnel_approvals SET state = @state, draft_hash = @draft_hash, revision = @revision, answer = @answer, decided_by = sqlc.narg(by), decided_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: OpenApprovals :many
SELECT a.funnel_id, f.name AS funnel, a.note, a.asked_by, a.asked_at
FROM funnel_approvals a JOIN funnels f ON f.workspace_id = a.workspace_id AND f.id = a.funnel_id
WHERE a.workspace_id = @workspace_id AND a.state = 'open' AND f.state <> 'archived' AND a.asked_by IS DISTINCT FROM sqlc.narg(me)::uuid
ORDER BY a.asked_at LIMIT 50;

-- name: Comments :many
SELECT * FROM funnel_comments WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id ORDER BY id;

-- name: Comment :one
SELECT * FROM funnel_comments WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND id = @id FOR UPDATE;

-- name: InsertComment :one
INSERT INTO funnel_comments (workspace_id, id, funnel_id, node, answers, body, mentions, written_by, written_at)
VALUES (@workspace_id, @id, @funnel_id, @node, sqlc.narg(answers), @body, @mentions, sqlc.narg(by), @now) RETURNING *;

-- name: RewordComment :one
UPDATE funnel_comments SET body = @body, edited_at = @now WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: ResolveComment :one
UPDATE funnel_comments SET resolved_by = sqlc.narg(by), resolved_at = sqlc.narg(at) WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: DeleteComment :exec
DELETE FROM funnel_comments WHERE workspace_id = @workspace_id AND id = @id;

-- name: OpenMentions :many
-- Talks that are not resolved and mention a person.
SELECT c.funnel_id, f.name AS funnel, c.node, c.body, c.written_by, c.written_at
FROM funnel_comments c JOIN funnels f ON f.workspace_id = c.workspace_id AND f.id = c.funnel_id
LEFT JOIN funnel_comments head ON head.workspace_id = c.workspace_id AND head.id = c.answers
WHERE c.workspace_id = @workspace_id AND c.mentions @> ARRAY[@me::uuid] AND coalesce(head.resolved_at, c.resolved_at) IS NULL AND f.state <> 'archived'
ORDER BY c.id DESC LIMIT 50;

-- name: BePresent :exec
INSERT INTO funnel_presence (workspace_id, funnel_id, page, user_id, node, seen_at) VALUES (@workspace_id, @funnel_id, @page, @user_id, @node, @now)
ON CONFLICT (workspace_id, funnel_id, page) DO UPDATE SET user_id = excluded.user_id, node = excluded.node, seen_at = excluded.seen_at;

-- name: LeavePage :exec
DELETE FROM funnel_presence WHERE workspace_id = @workspace_id AND funnel_id = @funnel_id AND (page = @page OR seen_at < @before);

-- name: Present :many
SELECT p.page, p.user_id, u.name, p.node FROM funnel_presence p JOIN users u ON u.id = p.user_id
WHERE p.workspace_id = @workspace_id AND p.funnel_id = @funnel_id AND p.page <> @page AND p.seen_at >= @after ORDER BY u.name, p.page;
