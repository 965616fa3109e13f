-- +goose Up

-- What the watch over live funnels found: one row per thing found at a step, kept when it is over.
CREATE TABLE findings (
    workspace_id uuid NOT NULL,
    funnel_id uuid NOT NULL,
    code text NOT NULL CHECK (code IN ('trigger_silent', 'runs_parked', 'reference_broken', 'sender_unverified', 'variable_missing')),
    node text NOT NULL,
    ref text NOT NULL, -- what it is about, such as tag:vip; '' is the step itself
    severity text NOT NULL CHECK (severity IN ('error', 'warning')),
    params jsonb NOT NULL,
    since timestamptz NOT NULL,
    resolved_at timestamptz,
    PRIMARY KEY (workspace_id, funnel_id, code, node, ref),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
);

CREATE INDEX findings_open ON findings (workspace_id, funnel_id) WHERE resolved_at IS NULL;

-- When a live funnel is looked at next; business time.
CREATE TABLE watches (
    workspace_id uuid NOT NULL,
    funnel_id uuid NOT NULL,
    next_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, funnel_id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

CREATE INDEX runs_parked ON runs (workspace_id, funnel_id, node) WHERE status = 'parked';

-- +goose Down
DROP INDEX runs_parked;
DROP TABLE watches;
DROP TABLE findings;
