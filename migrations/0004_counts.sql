-- +goose Up
-- The canvas asks what became of a funnel's messages. Only columns that never change, so that updates stay light; equal keys are
-- stored once.
CREATE INDEX messages_funnel ON messages (workspace_id, funnel_id, version_id) WHERE funnel_id IS NOT NULL;

-- +goose Down
DROP INDEX messages_funnel;
