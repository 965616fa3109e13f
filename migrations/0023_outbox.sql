-- The outbox: messages stay visible for a while before they leave, can be held, corrected, let go and taken out. And what a workspace has to
-- show before anything leaves at all.

-- +goose Up
ALTER TABLE workspaces
    ADD COLUMN outbox_minutes integer NOT NULL DEFAULT 0 CHECK (outbox_minutes BETWEEN 0 AND 720), -- of marketing; 0 lets it leave at once
    ADD COLUMN warmup text NOT NULL DEFAULT '' CHECK (warmup IN ('', 'slow', 'known')),            -- how a new address begins: what was said when it went live
    ADD COLUMN live_at timestamptz,
    ADD COLUMN live_by uuid;

-- leaves_at is how long a message stays in the outbox; null never put it there.
ALTER TABLE messages ADD COLUMN leaves_at timestamptz;
CREATE INDEX messages_outbox ON messages (workspace_id, id) WHERE status = 'held' OR status = 'queued' AND leaves_at IS NOT NULL;

-- What a message says after somebody corrected it, by the hash of what is sent.
CREATE TABLE corrections (
    workspace_id uuid        NOT NULL,
    hash         text        NOT NULL,
    creative     jsonb       NOT NULL,
    created_by   uuid,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, hash),
    FOREIGN KEY (workspace_id, hash) REFERENCES creative_artifacts (workspace_id, hash)
);

-- +goose Down
DROP TABLE corrections;
DROP INDEX messages_outbox;
ALTER TABLE messages DROP COLUMN leaves_at;
ALTER TABLE workspaces DROP COLUMN outbox_minutes, DROP COLUMN warmup, DROP COLUMN live_at, DROP COLUMN live_by;
