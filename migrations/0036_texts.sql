-- Texts of ai_generate that are written in advance and looked at, calls of models that belong to no task, and what endpoints cost.

-- +goose Up

-- A text written for many alike belongs to none of them.
ALTER TABLE ai_texts
    ALTER COLUMN contact_id DROP NOT NULL,
    ADD COLUMN reviewed_by uuid,
    ADD COLUMN reviewed_at timestamptz;

ALTER TABLE ai_calls ALTER COLUMN task_id DROP NOT NULL;    -- texts are asked for by no task
CREATE INDEX ai_calls_time ON ai_calls (workspace_id, created_at);

-- US dollars for a million tokens, as providers write their prices.
ALTER TABLE ai_endpoints
    ADD COLUMN price_in  double precision CHECK (price_in >= 0),
    ADD COLUMN price_out double precision CHECK (price_out >= 0);

-- +goose Down
ALTER TABLE ai_endpoints DROP COLUMN price_in, DROP COLUMN price_out;
DROP INDEX ai_calls_time;
DELETE FROM ai_calls WHERE task_id IS NULL;
ALTER TABLE ai_calls ALTER COLUMN task_id SET NOT NULL;
DELETE FROM ai_texts WHERE contact_id IS NULL;
ALTER TABLE ai_texts DROP COLUMN reviewed_by, DROP COLUMN reviewed_at, ALTER COLUMN contact_id SET NOT NULL;
