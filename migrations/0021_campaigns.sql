-- Campaigns: one message to an audience, once. Time is business time.

-- +goose Up

-- document is what people edit: audience, message, when. From the freezing on, artifacts pins what is sent, and the document stays.
CREATE TABLE campaigns (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    slug         text        NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'), -- the campaign in events, stable over renames
    name         text        NOT NULL CHECK (name <> ''),
    state        text        NOT NULL CHECK (state IN ('draft', 'scheduled', 'freezing', 'sending', 'paused', 'done', 'cancelled')),
    document     jsonb       NOT NULL,
    revision     bigint      NOT NULL CHECK (revision >= 1),
    artifacts    jsonb,                              -- variant -> creative_artifacts.hash
    start_at     timestamptz,                        -- of one that is scheduled: when the audience is frozen
    frozen_at    timestamptz,
    total        bigint,                             -- recipients
    feed_at      timestamptz,                        -- when to look for recipients to send to
    tat          timestamptz,                        -- its own limit: when the next message would be due (GCRA)
    decide_at    timestamptz,                        -- when the winner is chosen
    winner       text        NOT NULL DEFAULT '',
    decided_at   timestamptz,
    paused_at    timestamptz,
    resumed_at   timestamptz,                        -- the last time it began to send: what the rate is counted from
    finished_at  timestamptz,
    created_by   uuid,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug),
    CHECK (state NOT IN ('sending', 'paused', 'done') OR frozen_at IS NOT NULL),
    CHECK ((state = 'scheduled') = (start_at IS NOT NULL)),
    CHECK ((state = 'sending') = (feed_at IS NOT NULL))
);
CREATE INDEX campaigns_starting ON campaigns (start_at) WHERE start_at IS NOT NULL;
CREATE INDEX campaigns_feeding ON campaigns (feed_at) WHERE feed_at IS NOT NULL;

-- The frozen audience, one row per recipient, written once. n is a shuffled order. A recipient of phase 1 waits for the winner and has no
-- variant of its own.
CREATE TABLE campaign_recipients (
    workspace_id uuid        NOT NULL,
    campaign_id  uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    n            integer     NOT NULL,
    phase        smallint    NOT NULL,
    variant      text        NOT NULL,
    due_at       timestamptz NOT NULL,
    made         boolean     NOT NULL,               -- there is a message
    PRIMARY KEY (workspace_id, campaign_id, contact_id),
    FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) WITH (fillfactor = 80);
CREATE INDEX campaign_recipients_waiting ON campaign_recipients (workspace_id, campaign_id, phase, due_at, n) WHERE NOT made;

-- A message of a campaign has no run. artifact, if set, is what it says whatever its funnel's version says. A held message leaves only
-- after somebody let it go.
ALTER TABLE messages
    ADD COLUMN campaign_id uuid,
    ADD COLUMN variant     text NOT NULL DEFAULT '',
    ADD COLUMN artifact    text NOT NULL DEFAULT '',
    ADD CONSTRAINT messages_campaign_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns (workspace_id, id),
    DROP CONSTRAINT messages_status_check,
    ADD CONSTRAINT messages_status_check CHECK (status IN ('queued', 'held', 'sending', 'sent', 'failed', 'skipped', 'unknown', 'expired'));
CREATE UNIQUE INDEX messages_recipient ON messages (workspace_id, campaign_id, contact_id) WHERE campaign_id IS NOT NULL;
CREATE INDEX messages_campaign_open ON messages (workspace_id, campaign_id, status, next_attempt_at)
    WHERE campaign_id IS NOT NULL AND status IN ('queued', 'held', 'sending');

-- +goose Down
DROP INDEX messages_campaign_open, messages_recipient;
ALTER TABLE messages DROP CONSTRAINT messages_status_check,
    ADD CONSTRAINT messages_status_check CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'skipped', 'unknown', 'expired')),
    DROP COLUMN artifact, DROP COLUMN variant, DROP COLUMN campaign_id;
DROP TABLE campaign_recipients, campaigns;
