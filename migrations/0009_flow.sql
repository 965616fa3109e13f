-- What flow nodes need: tickets of throttles, quiet hours of runs and workspaces, the cap of a workspace, runs that call runs.

-- +goose Up

-- Quiet hours are JSON: {from, to, days}. Those of a run hold for the messages it sends from then on, and go with them.
ALTER TABLE runs
    ADD COLUMN quiet jsonb,
    ADD COLUMN caller_run uuid,                          -- the run that waits for this one to end
    ADD COLUMN caller_seq integer;                       -- the visit that called
ALTER TABLE messages ADD COLUMN quiet jsonb;

-- quiet_hours is a list; frequency_caps an object by channel: {"email": {"count": 3, "per": 24}}, per in hours.
ALTER TABLE workspaces
    ADD COLUMN quiet_hours jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN frequency_caps jsonb NOT NULL DEFAULT '{}';

-- What a worker has read of an account tells by this number whether it still stands, also while the business clock does.
ALTER TABLE providers ADD COLUMN revision bigint NOT NULL DEFAULT 1;

-- One row per throttle that was ever reached; whoever holds it gives out tickets.
CREATE TABLE throttles (
    workspace_id uuid    NOT NULL,
    funnel_id    uuid    NOT NULL,
    node         text    NOT NULL,
    last         bigint  NOT NULL,                       -- number of the last ticket
    PRIMARY KEY (workspace_id, funnel_id, node),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- A ticket lets one run through at its slot. One whose run has ended or gone elsewhere before has no run: the next who comes gets it.
-- Tickets that no later slot depends on any more are removed.
CREATE TABLE tickets (
    workspace_id uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    node         text        NOT NULL,
    n            bigint      NOT NULL,
    slot         timestamptz NOT NULL,
    run_id       uuid,
    PRIMARY KEY (workspace_id, funnel_id, node, n),
    FOREIGN KEY (workspace_id, funnel_id, node) REFERENCES throttles (workspace_id, funnel_id, node) ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE INDEX tickets_run ON tickets (workspace_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX tickets_free ON tickets (workspace_id, funnel_id, node, slot) WHERE run_id IS NULL;

-- +goose Down
DROP TABLE tickets, throttles;
ALTER TABLE providers DROP COLUMN revision;
ALTER TABLE workspaces DROP COLUMN quiet_hours, DROP COLUMN frequency_caps;
ALTER TABLE messages DROP COLUMN quiet;
ALTER TABLE runs DROP COLUMN quiet, DROP COLUMN caller_run, DROP COLUMN caller_seq;
