-- Which coming of a date a person waits for, and which one they were told of.

-- +goose Up
ALTER TABLE date_dues ADD COLUMN day text,           -- the coming due_at stands for: the same in all zones
    ADD COLUMN told text,                            -- the last one the person was told of
    ALTER COLUMN due_at DROP NOT NULL;               -- null: none is to come, the row only says what was told
-- Everything is computed anew once, to fill in the days.
UPDATE date_watches SET state = 'building', built_to = NULL WHERE state = 'live';

-- +goose Down
DELETE FROM date_dues WHERE due_at IS NULL;
ALTER TABLE date_dues DROP COLUMN day, DROP COLUMN told, ALTER COLUMN due_at SET NOT NULL;
