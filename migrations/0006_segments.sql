-- +goose Up
-- What rules compare of texts and SQL cannot work out: the folded text, and the instant of a text that is a date. By path, made in Go
-- with the row (engine.FoldValues); null where the values say everything themselves. Of a contact it covers the built-in fields too.
ALTER TABLE contacts ADD COLUMN folded jsonb;
ALTER TABLE events ADD COLUMN folded jsonb;

-- A segment is a rule that people match or do not. A new rule is a new revision, and building until everybody has been looked at.
CREATE TABLE segments (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    slug         text        NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'), -- segment:<slug>, stable over renames
    name         text        NOT NULL CHECK (name <> ''),
    description  text        NOT NULL,
    rule         jsonb       NOT NULL,
    revision     bigint      NOT NULL CHECK (revision >= 1), -- rises with each new rule
    state        text        NOT NULL CHECK (state IN ('building', 'live', 'deleted')),
    built_to     uuid,                                       -- while building: people up to this one have been looked at
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug)
);
CREATE INDEX segments_unfinished ON segments (updated_at, id) WHERE state <> 'live';

-- Who is in, and when a person has to be looked at again because time alone may move them. A row without either is deleted. Rows are
-- written under the contact's lock.
CREATE TABLE segment_members (
    workspace_id uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    segment_id   uuid        NOT NULL,
    since        timestamptz,                                -- null: not inside
    recheck_at   timestamptz,                                -- null: time alone changes nothing
    PRIMARY KEY (workspace_id, contact_id, segment_id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    FOREIGN KEY (workspace_id, segment_id) REFERENCES segments (workspace_id, id),
    CHECK (since IS NOT NULL OR recheck_at IS NOT NULL)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX segment_members_due ON segment_members (recheck_at) WHERE recheck_at IS NOT NULL;
CREATE INDEX segment_members_inside ON segment_members (workspace_id, segment_id, contact_id) WHERE since IS NOT NULL;

-- People about whom something changed that no event tells of: an import, a merge, somebody who joined a segment another one is made
-- of. The sweep looks at all their segments and dates anew.
CREATE TABLE rechecks (
    workspace_id uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    at           timestamptz NOT NULL,
    quiet        boolean     NOT NULL,                       -- what comes of it fires nothing
    chain        smallint    NOT NULL,
    PRIMARY KEY (workspace_id, contact_id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX rechecks_due ON rechecks (at);

-- +goose Down
DROP TABLE rechecks, segment_members, segments;
ALTER TABLE events DROP COLUMN folded;
ALTER TABLE contacts DROP COLUMN folded;
