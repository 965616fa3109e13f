-- +goose Up
-- When the event that began a run happened, where that was told of later; NULL is started_at. What happened before is no news to the run.
ALTER TABLE runs ADD COLUMN since timestamptz;

-- +goose Down
ALTER TABLE runs DROP COLUMN since;
