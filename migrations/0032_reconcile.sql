-- Whether the provider was asked what became of a hand-over whose answer never came; machine time.

-- +goose Up
ALTER TABLE delivery_attempts ADD COLUMN asked_at timestamptz;
CREATE INDEX delivery_attempts_unasked ON delivery_attempts (provider_id, finished_at) WHERE state = 'unknown' AND asked_at IS NULL;

-- +goose Down
DROP INDEX delivery_attempts_unasked;
ALTER TABLE delivery_attempts DROP COLUMN asked_at;
