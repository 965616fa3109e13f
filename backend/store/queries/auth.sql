-- name: AnyUser :one
SELECT EXISTS (SELECT FROM users);

-- name: InsertUser :exec
INSERT INTO users (id, email, email_folded, name, language, password_hash, password_changed_at, created_at)
VALUES (@id, @email, @email_folded, @name, @language, @password_hash, @at, @at);

-- name: UserByEmail :one
SELECT * FROM users WHERE email_folded = @email_folded;

-- name: UserByID :one
SELECT * FROM users WHERE id = @id;

-- name: UpdateUser :exec
UPDATE users SET name = @name, language = @language WHERE id = @id;

-- name: SetPassword :exec
UPDATE users SET password_hash = @password_hash, password_changed_at = @at WHERE id = @id;

-- name: InsertMember :exec
INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (@workspace_id, @user_id, @role, @at);

-- name: Memberships :many
SELECT m.role, m.joined_at, w.id, w.name, w.zone, w.language
FROM members m JOIN workspaces w ON w.id = m.workspace_id
WHERE m.user_id = @user_id
ORDER BY w.name, w.id;

-- name: Members :many
SELECT m.role, m.joined_at, u.id, u.email, u.name
FROM members m JOIN users u ON u.id = m.user_id
WHERE m.workspace_id = @workspace_id
ORDER BY m.joined_at, u.id;

-- name: LockMembers :many
SELECT user_id, role FROM members WHERE workspace_id = @workspace_id ORDER BY user_id FOR UPDATE;

-- name: SetMemberRole :execrows
UPDATE members SET role = @role WHERE workspace_id = @workspace_id AND user_id = @user_id;

-- name: DeleteMember :execrows
DELETE FROM members WHERE workspace_id = @workspace_id AND user_id = @user_id;

-- name: InsertSession :exec
INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at)
VALUES (@token_hash, @user_id, @at, @at, @expires_at);

-- name: SessionUser :one
-- The person behind a session, and the role in the workspace asked for, null for none.
SELECT s.seen_at, u.id, u.email, u.name, u.language, m.role
FROM sessions s
JOIN users u ON u.id = s.user_id
LEFT JOIN members m ON m.user_id = u.id AND m.workspace_id = @workspace_id
WHERE s.token_hash = @token_hash AND s.expires_at > @at AND s.seen_at > @idle_since;

-- name: SeeSession :exec
UPDATE sessions SET seen_at = @at WHERE token_hash = @token_hash;

-- name: DeleteSession :exec
DELETE FROM sessions WHERE token_hash = @token_hash;

-- name: DeleteSessionsOfUser :exec
DELETE FROM sessions WHERE user_id = @user_id;

-- name: DeleteStaleSessions :exec
DELETE FROM sessions WHERE expires_at <= @at OR seen_at <= @idle_since;

-- name: InsertInvitation :exec
INSERT INTO invitations (workspace_id, id, token_hash, email, email_folded, role, invited_by, created_at, expires_at)
VALUES (@workspace_id, @id, @token_hash, @email, @email_folded, @role, @invited_by, @at, @expires_at);

-- name: DeleteOpenInvitation :exec
DELETE FROM invitations WHERE workspace_id = @workspace_id AND email_folded = @email_folded AND accepted_at IS NULL;

-- name: OpenInvitations :many
SELECT id, email, role, created_at, expires_at FROM invitations
WHERE workspace_id = @workspace_id AND accepted_at IS NULL AND expires_at > @at
ORDER BY created_at, id;

-- name: DeleteInvitation :execrows
DELETE FROM invitations WHERE workspace_id = @workspace_id AND id = @id AND accepted_at IS NULL;

-- name: InvitationByToken :one
SELECT i.workspace_id, i.id, i.email, i.email_folded, i.role, w.name AS workspace_name
FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
WHERE i.token_hash = @token_hash AND i.accepted_at IS NULL AND i.expires_at > @at;

-- name: AcceptInvitation :execrows
UPDATE invitations SET accepted_at = @at WHERE workspace_id = @workspace_id AND id = @id AND accepted_at IS NULL;

-- name: InsertReset :exec
INSERT INTO password_resets (token_hash, user_id, created_at, expires_at) VALUES (@token_hash, @user_id, @at, @expires_at);

-- name: TakeReset :one
DELETE FROM password_resets WHERE token_hash = @token_hash AND expires_at > @at RETURNING user_id;

-- name: DeleteResetsOfUser :exec
DELETE FROM password_resets WHERE user_id = @user_id;

-- name: InsertToken :exec
INSERT INTO api_tokens (workspace_id, id, secret_hash, name, kind, prefix, scopes, created_by, created_at, expires_at)
VALUES (@workspace_id, @id, @secret_hash, @name, @kind, @prefix, @scopes, @created_by, @at, @expires_at);

-- name: TokenBySecret :one
SELECT workspace_id, id, kind, scopes, last_used_at FROM api_tokens
WHERE secret_hash = @secret_hash AND (expires_at IS NULL OR expires_at > @at);

-- name: UseToken :exec
UPDATE api_tokens SET last_used_at = @at WHERE workspace_id = @workspace_id AND id = @id;

-- name: Tokens :many
SELECT id, name, kind, prefix, scopes, created_at, expires_at, last_used_at FROM api_tokens
WHERE workspace_id = @workspace_id
ORDER BY created_at, id;

-- name: DeleteToken :execrows
DELETE FROM api_tokens WHERE workspace_id = @workspace_id AND id = @id;

-- name: TakeLogin :one
-- first is the instant one step from now; over the limit nothing is taken and no row answers.
INSERT INTO login_buckets (key, tat) VALUES (@key, @first)
ON CONFLICT (key) DO UPDATE SET tat = greatest(login_buckets.tat + make_interval(secs => @step_seconds), @first)
WHERE login_buckets.tat < @limit_at
RETURNING tat;

-- name: LoginTat :one
SELECT tat FROM login_buckets WHERE key = @key;

-- name: DeleteStaleLogins :exec
DELETE FROM login_buckets WHERE tat < @at;

-- name: InsertAudit :exec
INSERT INTO audit_log (workspace_id, at, actor_kind, actor_id, action, target, request_id)
VALUES (@workspace_id, @at, @actor_kind, @actor_id, @action, @target, @request_id);

-- name: TakeIdempotencyKey :execrows
INSERT INTO idempotency_keys (workspace_id, actor_id, key, request_hash, created_at)
VALUES (@workspace_id, @actor_id, @key, @request_hash, @at)
ON CONFLICT DO NOTHING;

-- name: IdempotencyKey :one
SELECT request_hash, status, content_type, body, created_at FROM idempotency_keys
WHERE workspace_id = @workspace_id AND actor_id = @actor_id AND key = @key;

-- name: KeepAnswer :exec
UPDATE idempotency_keys SET status = @status, content_type = @content_type, body = @body
WHERE workspace_id = @workspace_id AND actor_id = @actor_id AND key = @key;

-- name: DropIdempotencyKey :exec
DELETE FROM idempotency_keys WHERE workspace_id = @workspace_id AND actor_id = @actor_id AND key = @key;

-- name: RetakeIdempotencyKey :execrows
UPDATE idempotency_keys SET request_hash = @request_hash, status = NULL, body = NULL, created_at = @at
WHERE workspace_id = @workspace_id AND actor_id = @actor_id AND key = @key AND created_at < @before;
