-- +goose Up

-- Tenants. Every other table of ours carries workspace_id first in its primary key, unique constraints and foreign keys,
-- so that no row can point into another workspace. No column has a default from the database's clock: the application
-- gives every instant.
CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    zone text NOT NULL,
    language text NOT NULL CHECK (language IN ('en', 'pl', 'ru')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    sending_mode text NOT NULL CHECK (sending_mode IN ('sandbox', 'live')),
    paused_at timestamptz, -- "Pause all sending": nothing leaves while it is set
    allow_unknown_consent boolean NOT NULL,
    postal_address text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

-- People. The row is the mutex of a person: whoever changes a person or a person's runs locks it FOR NO KEY UPDATE first.
-- An erased contact keeps its row without personal data; a merged one points at the contact that took it in.
CREATE TABLE contacts (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    external_id text CHECK (external_id <> ''),
    email text,
    email_folded text,
    phone text CHECK (phone ~ '^\+[0-9]{5,15}$'),
    first_name text NOT NULL,
    last_name text NOT NULL,
    name_folded text NOT NULL,
    last_name_folded text NOT NULL,
    zone text NOT NULL, -- '' is the workspace's
    language text NOT NULL, -- '' is the workspace's
    fields jsonb NOT NULL CHECK (jsonb_typeof(fields) = 'object'),
    tags text[] NOT NULL,
    lists text[] NOT NULL,
    source text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    erased_at timestamptz,
    merged_into uuid,
    CHECK ((email IS NULL) = (email_folded IS NULL)),
    CHECK ((erased_at IS NULL AND merged_into IS NULL) OR (external_id IS NULL AND email IS NULL AND phone IS NULL))
) WITH (fillfactor = 90);

CREATE UNIQUE INDEX contacts_external_id ON contacts (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX contacts_email ON contacts (workspace_id, email_folded) WHERE email_folded IS NOT NULL;
CREATE UNIQUE INDEX contacts_phone ON contacts (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX contacts_email_prefix ON contacts (workspace_id, email_folded text_pattern_ops) WHERE email_folded IS NOT NULL;
-- Partial, so that no check of a foreign key can mistake them for the primary key while the table is believed to be small.
CREATE INDEX contacts_name_prefix ON contacts (workspace_id, name_folded text_pattern_ops) WHERE name_folded <> '';
CREATE INDEX contacts_last_name_prefix ON contacts (workspace_id, last_name_folded text_pattern_ops) WHERE last_name_folded <> '';
CREATE INDEX contacts_tags ON contacts USING gin (tags);
CREATE INDEX contacts_lists ON contacts USING gin (lists);

-- The primary key comes last: of indexes that look equally good, as all do while a table is empty, the planner takes the
-- youngest, and a foreign key's check keeps its first plan until the table is analysed.
ALTER TABLE contacts ADD PRIMARY KEY (workspace_id, id);
ALTER TABLE contacts ADD FOREIGN KEY (workspace_id, merged_into) REFERENCES contacts (workspace_id, id);

-- What a person agreed to, now. Topic '' is the channel as a whole. The history is the events consent_changed.
CREATE TABLE consents (
    workspace_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel text NOT NULL CHECK (channel IN ('email', 'sms', 'push', 'letter', 'whatsapp')),
    topic text NOT NULL,
    state text NOT NULL CHECK (state IN ('granted', 'denied', 'unknown')),
    source text NOT NULL,
    proof jsonb,
    at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, contact_id, channel, topic),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);

-- Addresses nothing may be sent to, by HMAC, so that the refusal outlives the erasure of the person.
CREATE TABLE suppressions (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    channel text NOT NULL CHECK (channel IN ('email', 'sms', 'push', 'letter', 'whatsapp')),
    address_hmac bytea NOT NULL,
    reason text NOT NULL CHECK (reason IN ('unsubscribed', 'bounced', 'complained', 'erased', 'manual')),
    contact_id uuid,
    source text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, channel, address_hmac),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);

CREATE INDEX suppressions_contact ON suppressions (workspace_id, contact_id) WHERE contact_id IS NOT NULL;

-- Registries: what funnels and contacts of a workspace may name, by slug.
CREATE TABLE tags (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, slug)
);

CREATE TABLE lists (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    description text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, slug)
);

CREATE TABLE topics (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    description text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, slug)
);

CREATE TABLE senders (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL,
    email text NOT NULL,
    reply_to text NOT NULL,
    verified_at timestamptz,
    is_default boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, slug)
);

CREATE UNIQUE INDEX senders_default ON senders (workspace_id) WHERE is_default;

CREATE TABLE field_defs (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    key text NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,63}$'),
    type text NOT NULL CHECK (type IN ('text', 'number', 'boolean', 'date')),
    label text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key)
);

CREATE TABLE event_names (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    name text NOT NULL,
    properties text[] NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

-- Funnels: a mutable draft with a revision, and immutable versions. Runs are pinned to a version.
CREATE TABLE funnels (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'), -- funnel:<slug>, stable over renames
    name text NOT NULL CHECK (name <> ''),
    draft jsonb NOT NULL, -- {graph, creatives}
    draft_hash text NOT NULL, -- of graph and creatives, as funnel_versions.hash
    layout jsonb NOT NULL,
    revision bigint NOT NULL CHECK (revision >= 1), -- rises with each save
    state text NOT NULL CHECK (state IN ('draft', 'live', 'paused', 'stopped', 'archived')),
    live_version uuid,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug),
    CHECK (state NOT IN ('live', 'paused') OR live_version IS NOT NULL)
);

CREATE TABLE funnel_versions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    funnel_id uuid NOT NULL,
    n int NOT NULL CHECK (n >= 1),
    bundle jsonb NOT NULL, -- {graph, creatives, layout}
    artifacts jsonb NOT NULL, -- creative slug -> creative_artifacts.hash
    hash text NOT NULL, -- of graph and creatives
    note text NOT NULL,
    published_by uuid,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, funnel_id, n),
    UNIQUE (workspace_id, funnel_id, id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id)
);

ALTER TABLE funnels
    ADD CONSTRAINT funnels_live_version FOREIGN KEY (workspace_id, id, live_version)
    REFERENCES funnel_versions (workspace_id, funnel_id, id);

CREATE INDEX funnels_live ON funnels (workspace_id) WHERE state = 'live';

-- Compiled creatives, by the hash of their content; versions pin them, nothing changes them.
CREATE TABLE creative_artifacts (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    hash text NOT NULL,
    artifact jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);

-- Long work a person watches. A River job does it; this row is what it tells, and it survives the job.
CREATE TABLE tasks (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind <> ''),
    label text NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    progress bigint NOT NULL CHECK (progress >= 0),
    total bigint, -- unknown until counted
    args jsonb NOT NULL,
    checkpoint jsonb, -- where a later attempt goes on
    result jsonb,
    error text,
    unique_key text, -- one queued or running task per kind and key
    attempt int NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    updated_at timestamptz NOT NULL,
    cancel_requested_at timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    CHECK ((state IN ('done', 'failed', 'cancelled')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX tasks_unique_key ON tasks (workspace_id, kind, unique_key)
    WHERE unique_key IS NOT NULL AND state IN ('queued', 'running');

-- The uploaded input of a task, in chunks, readable by any worker and dropped when the task ends.
CREATE TABLE task_chunks (
    workspace_id uuid NOT NULL,
    task_id uuid NOT NULL,
    n int NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (workspace_id, task_id, n),
    FOREIGN KEY (workspace_id, task_id) REFERENCES tasks (workspace_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE task_chunks;
DROP TABLE tasks;
DROP TABLE creative_artifacts;
ALTER TABLE funnels DROP CONSTRAINT funnels_live_version;
DROP TABLE funnel_versions;
DROP TABLE funnels;
DROP TABLE event_names;
DROP TABLE field_defs;
DROP TABLE senders;
DROP TABLE topics;
DROP TABLE lists;
DROP TABLE tags;
DROP TABLE suppressions;
DROP TABLE consents;
DROP TABLE contacts;
DROP TABLE workspaces;
