-- +goose Up
-- A version may have a name of its own beside its number and note.
ALTER TABLE funnel_versions ADD COLUMN name text NOT NULL DEFAULT '';

-- Drafts that something else replaced: restoring a version, taking over somebody's changes. Nothing an author wrote is lost.
CREATE TABLE funnel_drafts (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    draft        jsonb       NOT NULL, -- {graph, creatives}
    layout       jsonb       NOT NULL,
    hash         text        NOT NULL,
    kept_by      uuid,
    kept_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, funnel_id, hash),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
);

-- Somebody who may not publish asks somebody who may. The answer holds for exactly the draft that was asked about.
CREATE TABLE funnel_approvals (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    draft_hash   text        NOT NULL,
    revision     bigint      NOT NULL,
    state        text        NOT NULL CHECK (state IN ('open', 'approved', 'declined', 'withdrawn', 'published')),
    note         text        NOT NULL,
    asked_by     uuid,
    asked_at     timestamptz NOT NULL,
    answer       text        NOT NULL,
    decided_by   uuid,
    decided_at   timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX funnel_approvals_open ON funnel_approvals (workspace_id, funnel_id) WHERE state IN ('open', 'approved');
CREATE INDEX funnel_approvals_funnel ON funnel_approvals (workspace_id, funnel_id, asked_at DESC);

-- What people say about a step, or about the whole funnel (node ''). Never part of a version.
CREATE TABLE funnel_comments (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    node         text        NOT NULL,
    answers      uuid,                 -- the comment that began the talk
    body         text        NOT NULL CHECK (body <> ''),
    mentions     uuid[]      NOT NULL,
    written_by   uuid,
    written_at   timestamptz NOT NULL,
    edited_at    timestamptz,
    resolved_by  uuid,
    resolved_at  timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, answers) REFERENCES funnel_comments (workspace_id, id) ON DELETE CASCADE,
    CHECK (answers IS NULL OR resolved_at IS NULL)
);
CREATE INDEX funnel_comments_funnel ON funnel_comments (workspace_id, funnel_id, id);
CREATE INDEX funnel_comments_mentions ON funnel_comments USING gin (mentions);

-- Who looks at a funnel just now, by open page. Machine time; a page that falls silent is forgotten.
CREATE TABLE funnel_presence (
    workspace_id uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    page         uuid        NOT NULL,
    user_id      uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    node         text        NOT NULL,
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, funnel_id, page),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE funnel_presence;
DROP TABLE funnel_comments;
DROP TABLE funnel_approvals;
DROP TABLE funnel_drafts;
ALTER TABLE funnel_versions DROP COLUMN name;
