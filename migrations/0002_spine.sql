-- The spine: events, runs, messages and what drives them. Time always comes from the application; `machine` in a comment
-- marks real time (leases, heartbeats, rate tokens), everything else is business time.

-- +goose Up

-- Events are append-only and partitioned by month of `at`; partitions are attached by the application before an insert. There is no
-- foreign key to contacts, whose rows are never deleted: attaching a month would lock all writers of contacts out.
CREATE SEQUENCE event_ids;
CREATE TABLE events (
    workspace_id uuid        NOT NULL,
    id           bigint      NOT NULL DEFAULT nextval('event_ids'),
    contact_id   uuid        NOT NULL,
    name         text        NOT NULL,
    at           timestamptz NOT NULL,
    received_at  timestamptz NOT NULL,
    source       text        NOT NULL,              -- api, import, form, lejek (internal) ...
    external_id  text,                              -- the sender's id, unique per source by event_keys
    imported     boolean     NOT NULL DEFAULT false, -- counts in roll-ups and rules, starts and wakes nothing
    chain        smallint    NOT NULL DEFAULT 0,     -- how many runs stand between this event and the outside world
    props        jsonb,
    reaction     jsonb,                             -- what it started and woke, or why nothing: the live log
    PRIMARY KEY (workspace_id, id, at)
) PARTITION BY RANGE (at);
CREATE INDEX events_contact ON events (workspace_id, contact_id, at DESC);

CREATE TABLE event_keys (
    workspace_id uuid   NOT NULL,
    source       text   NOT NULL,
    external_id  text   NOT NULL,
    event_id     bigint NOT NULL,
    PRIMARY KEY (workspace_id, source, external_id)
);

CREATE TABLE event_rollups (
    workspace_id uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    name         text        NOT NULL,
    count        integer     NOT NULL,
    first_at     timestamptz NOT NULL,
    last_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, contact_id, name),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) WITH (fillfactor = 80);

-- Internal events (a tag was added, a message was sent) that still have to meet funnels. Whoever changes a contact inserts
-- here in the same transaction; a pump hands them to events.React and deletes them.
CREATE TABLE inbox (
    workspace_id uuid        NOT NULL,
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    contact_id   uuid        NOT NULL,
    name         text        NOT NULL,
    at           timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    props        jsonb,
    chain        smallint    NOT NULL DEFAULT 0,
    attempts     smallint    NOT NULL DEFAULT 0,
    last_error   text,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX inbox_due ON inbox (due_at, id) WHERE attempts < 8;

-- A run is one contact's way through one version. wake_at is the only truth of a wait. Few indexes on purpose: each
-- advance rewrites every one of them.
CREATE TABLE runs (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    version_id   uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    node         text        NOT NULL,
    seq          integer     NOT NULL,               -- visits made; the fence of every advance
    status       text        NOT NULL CHECK (status IN ('active', 'done', 'exited', 'parked', 'paused')),
    lane         smallint    NOT NULL,               -- 0 real time, 1 normal, 2 bulk
    wake_at      timestamptz,
    at           timestamptz NOT NULL,               -- when the run was due at node: durations count from it
    deadline     timestamptz,                        -- when the wait at node ends
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    resume_at    timestamptz,                        -- the wake_at a paused or parked run had
    void_before  integer     NOT NULL DEFAULT 0,     -- messages of visits below it must not leave
    chain        smallint    NOT NULL DEFAULT 0,
    slot         text,                               -- re-entry: once, active, k:<key>; null frees it
    occurrence   text        NOT NULL,               -- the trigger occurrence that made it
    key          text,
    event        jsonb,
    vars         jsonb,
    goal         text        NOT NULL DEFAULT '',     -- the goal it reached: it walks that goal's closing steps
    attempts     smallint    NOT NULL DEFAULT 0,
    last_error   text,
    end_reason   text,
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    FOREIGN KEY (workspace_id, version_id) REFERENCES funnel_versions (workspace_id, id),
    CHECK ((status = 'active') = (wake_at IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX runs_due ON runs (lane, wake_at) WHERE wake_at IS NOT NULL;
CREATE UNIQUE INDEX runs_slot ON runs (workspace_id, funnel_id, contact_id, slot) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX runs_occurrence ON runs (workspace_id, contact_id, funnel_id, occurrence);
ALTER TABLE runs ADD PRIMARY KEY (workspace_id, id); -- last, as that of contacts

-- Events a run has not looked at yet.
CREATE TABLE signals (
    workspace_id uuid        NOT NULL,
    run_id       uuid        NOT NULL,
    event_id     bigint      NOT NULL,
    name         text        NOT NULL,
    at           timestamptz NOT NULL,
    props        jsonb,
    PRIMARY KEY (workspace_id, run_id, event_id),
    FOREIGN KEY (workspace_id, run_id) REFERENCES runs (workspace_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE journal (
    workspace_id uuid        NOT NULL,
    run_id       uuid        NOT NULL,
    seq          integer     NOT NULL,
    node         text        NOT NULL,
    kind         text        NOT NULL,
    at           timestamptz NOT NULL,
    port         text        NOT NULL DEFAULT '',    -- '' while waiting
    detail       jsonb,
    PRIMARY KEY (workspace_id, run_id, seq),
    FOREIGN KEY (workspace_id, run_id) REFERENCES runs (workspace_id, id)
) WITH (fillfactor = 90);

-- The outbox. provider_id is all zero for the sandbox.
CREATE TABLE messages (
    workspace_id    uuid        NOT NULL,
    id              uuid        NOT NULL,
    run_id          uuid,
    seq             integer     NOT NULL,
    funnel_id       uuid,
    version_id      uuid,
    node            text        NOT NULL,
    contact_id      uuid        NOT NULL,
    channel         text        NOT NULL,
    class           text        NOT NULL CHECK (class IN ('marketing', 'transactional')),
    topic           text        NOT NULL DEFAULT '',
    creative        text        NOT NULL,
    sender          text        NOT NULL DEFAULT '',
    provider_id     uuid        NOT NULL,
    lane            smallint    NOT NULL,
    status          text        NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'skipped', 'unknown', 'expired')),
    reason          text,
    due_at          timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    expires_at      timestamptz,
    lease_until     timestamptz,                     -- machine
    attempts        smallint    NOT NULL DEFAULT 0,
    to_address      text,
    created_at      timestamptz NOT NULL,
    sent_at         timestamptz,
    delivered_at    timestamptz,
    opened_at       timestamptz,
    clicked_at      timestamptz,
    replied_at      timestamptz,
    bounced_at      timestamptz,
    unsubscribed_at timestamptz,
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    FOREIGN KEY (workspace_id, run_id) REFERENCES runs (workspace_id, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX messages_visit ON messages (workspace_id, run_id, seq) WHERE run_id IS NOT NULL;
CREATE INDEX messages_due ON messages (provider_id, lane, next_attempt_at) WHERE status = 'queued';
CREATE INDEX messages_sending ON messages (lease_until) WHERE status = 'sending';
CREATE INDEX messages_contact ON messages (workspace_id, contact_id);
ALTER TABLE messages ADD PRIMARY KEY (workspace_id, id); -- last, as that of contacts

-- What left, exactly as it left. Dropped when the contact is erased.
CREATE TABLE message_bodies (
    workspace_id uuid  NOT NULL,
    message_id   uuid  NOT NULL,
    subject      text  NOT NULL,
    html         text  NOT NULL,
    text         text  NOT NULL,
    headers      jsonb NOT NULL,                     -- [[name, value]]
    links        jsonb,                              -- [{url, text}]
    PRIMARY KEY (workspace_id, message_id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id)
);

CREATE TABLE delivery_attempts (
    workspace_id    uuid        NOT NULL,
    message_id      uuid        NOT NULL,
    attempt         smallint    NOT NULL,
    provider_id     uuid        NOT NULL,
    worker          text        NOT NULL,
    state           text        NOT NULL CHECK (state IN ('open', 'accepted', 'rejected', 'unknown')),
    started_at      timestamptz NOT NULL,            -- machine
    finished_at     timestamptz,                     -- machine
    code            text,
    detail          text,
    provider_msg_id text,
    PRIMARY KEY (workspace_id, message_id, attempt),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX delivery_attempts_open ON delivery_attempts (workspace_id, message_id) WHERE state = 'open';

CREATE TABLE providers (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('smtp')),
    name         text        NOT NULL,
    config       jsonb       NOT NULL,               -- host, port, user, tls
    secret       bytea,                              -- sealed password
    active       boolean     NOT NULL,               -- new messages of the workspace go here
    per_second   integer     NOT NULL CHECK (per_second > 0),
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX providers_active ON providers (workspace_id) WHERE active;

-- Token buckets (GCRA), one row per provider account; machine time. No secondary index, so every claim is a HOT update.
CREATE TABLE rate_buckets (
    key          text        PRIMARY KEY,
    tat          timestamptz NOT NULL,
    paused_until timestamptz,
    reason       text
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0);

CREATE TABLE workers (
    id         text        PRIMARY KEY,
    role       text        NOT NULL,
    version    text        NOT NULL,
    started_at timestamptz NOT NULL,                 -- machine
    beat_at    timestamptz NOT NULL                  -- machine
) WITH (fillfactor = 20);

-- Business time under LEJEK_CLOCK=manual: waits are taken up to `due`, everything else reads `now`.
CREATE TABLE clock (
    id  smallint    PRIMARY KEY CHECK (id = 1),
    now timestamptz NOT NULL,
    due timestamptz NOT NULL
);

-- +goose Down
DROP TABLE clock, workers, rate_buckets, providers, delivery_attempts, message_bodies, messages, journal, signals, runs, inbox,
    event_rollups, event_keys, events;
DROP SEQUENCE event_ids;
