-- name: TakeFirstStep :exec
INSERT INTO first_steps (workspace_id, user_id, step, at) VALUES (@workspace_id, @user_id, @step, @now)
ON CONFLICT (workspace_id, user_id, step) DO NOTHING;

-- name: FirstSteps :many
SELECT step FROM first_steps WHERE workspace_id = @workspace_id AND user_id = @user_id ORDER BY step;
