-- +goose Up
-- Which process does a task, so that others take it over when that one is dead, and how often that happened since it last got on.
ALTER TABLE tasks ADD COLUMN worker text, ADD COLUMN taken_over smallint NOT NULL DEFAULT 0;

CREATE INDEX tasks_running ON tasks (worker) WHERE state = 'running' AND worker IS NOT NULL;

-- +goose Down
DROP INDEX tasks_running;
ALTER TABLE tasks DROP COLUMN worker, DROP COLUMN taken_over;
