-- name: InsertTask :one
INSERT INTO tasks (workspace_id, id, kind, label, state, progress, total, args, unique_key, attempt, created_by, created_at, updated_at)
VALUES (@workspace_id, @id, @kind, @label, 'queued', 0, @total, @args, @unique_key, 0, @created_by, @now, @now)
ON CONFLICT (workspace_id, kind, unique_key) WHERE unique_key IS NOT NULL AND state IN ('queued', 'running') DO NOTHING
RETURNING *;

-- name: LiveTaskByKey :one
SELECT * FROM tasks WHERE workspace_id = @workspace_id AND kind = @kind AND unique_key = sqlc.arg(unique_key)::text AND state IN ('queued', 'running');

-- name: Task :one
SELECT * FROM tasks WHERE workspace_id = @workspace_id AND id = @id;

-- name: LockTask :one
SELECT * FROM tasks WHERE workspace_id = @workspace_id AND id = @id FOR NO KEY UPDATE;

-- name: Tasks :many
SELECT * FROM tasks WHERE workspace_id = @workspace_id AND id < @before::uuid ORDER BY id DESC LIMIT @lim;

-- name: StartTask :one
UPDATE tasks SET state = 'running', attempt = attempt + 1, worker = @worker, started_at = coalesce(started_at, @now), updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id AND state IN ('queued', 'running') RETURNING *;

-- name: ReportTask :one
-- The attempt is the fence: one that was taken for dead and lives on writes nothing more.
UPDATE tasks SET progress = @progress, total = coalesce(sqlc.narg(total), total), checkpoint = coalesce(sqlc.narg(checkpoint), checkpoint),
    updated_at = @now, taken_over = 0
WHERE workspace_id = @workspace_id AND id = @id AND state = 'running' AND attempt = @attempt RETURNING cancel_requested_at;

-- name: FinishTask :execrows
UPDATE tasks SET state = @state, result = coalesce(sqlc.narg(result), result), error = sqlc.narg(error), finished_at = sqlc.arg(now)::timestamptz, updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id AND state = 'running' AND attempt = @attempt;

-- name: NoteTaskError :exec
UPDATE tasks SET error = @error, updated_at = @now WHERE workspace_id = @workspace_id AND id = @id AND state = 'running' AND attempt = @attempt;

-- name: RequestTaskCancel :one
UPDATE tasks SET cancel_requested_at = coalesce(cancel_requested_at, sqlc.arg(now)::timestamptz), updated_at = @now,
    state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END,
    finished_at = CASE WHEN state = 'queued' THEN sqlc.arg(now)::timestamptz ELSE finished_at END
WHERE workspace_id = @workspace_id AND id = @id AND state IN ('queued', 'running') RETURNING *;

-- name: AppendTaskChunk :exec
INSERT INTO task_chunks (workspace_id, task_id, n, data) VALUES (@workspace_id, @task_id, @n, @data);

-- name: TaskChunk :one
SELECT data FROM task_chunks WHERE workspace_id = @workspace_id AND task_id = @task_id AND n = @n;

-- name: DropTaskChunks :exec
DELETE FROM task_chunks WHERE workspace_id = @workspace_id AND task_id = @task_id;

-- name: TasksOfTheDead :many
-- Those whose process has not been heard of. Whoever reports just now holds its row, and lives.
SELECT t.* FROM tasks t WHERE t.state = 'running' AND t.worker IS NOT NULL
    AND NOT EXISTS (SELECT FROM workers w WHERE w.id = t.worker AND w.beat_at >= @alive_since)
ORDER BY t.id LIMIT @lim FOR UPDATE OF t SKIP LOCKED;

-- name: TakeTaskOver :exec
UPDATE tasks SET worker = NULL, taken_over = taken_over + 1, updated_at = @now WHERE workspace_id = @workspace_id AND id = @id;
