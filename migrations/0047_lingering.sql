-- Runs that have come to the end of their way while messages of theirs have not left: a goal, a restart or a step that takes people out still
-- reaches them.

-- +goose Up

-- What such a run has not sent. Whoever hears of an event looks here, by person; a message is in it only until it leaves.
CREATE INDEX messages_unsent ON messages (workspace_id, contact_id) WHERE run_id IS NOT NULL AND class = 'marketing' AND status IN ('queued', 'held');

-- A run that is done is woken to hear an event, and stays done unless that is a goal. Nothing stored is against it, so nothing is looked through.
ALTER TABLE runs DROP CONSTRAINT runs_check, ADD CONSTRAINT runs_awake CHECK (CASE WHEN wake_at IS NULL THEN status <> 'active' ELSE status IN ('active', 'done') END) NOT VALID;

-- +goose Down
UPDATE runs SET wake_at = NULL WHERE status = 'done' AND wake_at IS NOT NULL;
ALTER TABLE runs DROP CONSTRAINT runs_awake, ADD CONSTRAINT runs_check CHECK ((status = 'active') = (wake_at IS NOT NULL));
DROP INDEX messages_unsent;
