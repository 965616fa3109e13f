-- Words of a message and rules of a segment are asked for by no task.

-- +goose Up
ALTER TABLE ai_ledger ALTER COLUMN task_id DROP NOT NULL;

-- +goose Down
DELETE FROM ai_ledger WHERE task_id IS NULL;
ALTER TABLE ai_ledger ALTER COLUMN task_id SET NOT NULL;
