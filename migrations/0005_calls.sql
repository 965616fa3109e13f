-- What steps ask of the world, and the saved ways to reach it.

-- +goose Up

-- A call is made after the advance that asked for it has committed, at least once and unique per run and visit. The answer re-enters
-- the run as a signal. A run that does not stay for the answer has made a detached call.
CREATE TABLE calls (
    workspace_id    uuid        NOT NULL,
    run_id          uuid        NOT NULL,
    seq             integer     NOT NULL,               -- the visit that made it
    node            text        NOT NULL,
    kind            text        NOT NULL,               -- of the node: whoever answers is found by it
    request         jsonb       NOT NULL,
    lost            text        NOT NULL,               -- the port when nobody can answer; '' when detached
    detached        boolean     NOT NULL,
    status          text        NOT NULL CHECK (status IN ('queued', 'working', 'answered', 'failed', 'void')),
    due_at          timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    deadline        timestamptz NOT NULL,               -- after it the run has gone on without an answer
    lease_until     timestamptz,                        -- machine
    attempts        smallint    NOT NULL DEFAULT 0,
    answer          jsonb,
    last_error      text,
    created_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    PRIMARY KEY (workspace_id, run_id, seq),
    FOREIGN KEY (workspace_id, run_id) REFERENCES runs (workspace_id, id),
    CHECK ((status = 'working') = (lease_until IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX calls_due ON calls (kind, next_attempt_at) WHERE status = 'queued';
CREATE INDEX calls_working ON calls (lease_until) WHERE status = 'working';

-- A saved connection to a service of the workspace's own. What is secret is sealed; nobody is ever shown it again.
CREATE TABLE connections (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    slug         text        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('http', 'slack', 'telegram', 'stripe')),
    name         text        NOT NULL,
    base_url     text        NOT NULL DEFAULT '',
    settings     jsonb       NOT NULL,                  -- what may be shown: names of headers, a chat
    secret       bytea,                                 -- sealed
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug)
);

-- What services reported to us, exactly once by their own id. The row is committed before they get their receipt; a pump works on it
-- afterwards.
CREATE TABLE reports (
    workspace_id    uuid        NOT NULL,
    connection_id   uuid        NOT NULL,
    external_id     text        NOT NULL,
    name            text        NOT NULL,
    body            jsonb       NOT NULL,
    status          text        NOT NULL CHECK (status IN ('queued', 'done', 'failed', 'ignored')),
    reason          text,
    received_at     timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    attempts        smallint    NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, connection_id, external_id),
    FOREIGN KEY (workspace_id, connection_id) REFERENCES connections (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX reports_due ON reports (next_attempt_at) WHERE status = 'queued';

-- +goose Down
DROP TABLE reports, connections, calls;
