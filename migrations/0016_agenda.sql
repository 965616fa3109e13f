-- +goose Up
-- Which version of a live funnel the agenda has taken in: where it differs from the funnel's, dates and schedules are gone through anew.
CREATE TABLE agendas (
    workspace_id uuid NOT NULL,
    funnel_id    uuid NOT NULL,
    version_id   uuid NOT NULL,
    PRIMARY KEY (workspace_id, funnel_id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id)
);

-- A date of people that live funnels start on; equal settings share one.
CREATE TABLE date_watches (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    key          text        NOT NULL,
    spec         jsonb       NOT NULL,       -- engine.DateWatch
    state        text        NOT NULL CHECK (state IN ('building', 'live', 'deleted')),
    built_to     uuid,                       -- while building: people up to this one have been looked at
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key)
);
CREATE INDEX date_watches_unfinished ON date_watches (created_at) WHERE state <> 'live';

-- When the date of a person comes next. Rows are written under the contact's lock.
CREATE TABLE date_dues (
    workspace_id uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    key          text        NOT NULL,
    due_at       timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, contact_id, key),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    FOREIGN KEY (workspace_id, key) REFERENCES date_watches (workspace_id, key)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX date_dues_due ON date_dues (due_at);
CREATE INDEX date_dues_key ON date_dues (workspace_id, key);

-- Recurring times that live funnels start on; equal settings share one.
CREATE TABLE schedules (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    key          text        NOT NULL,
    spec         jsonb       NOT NULL,       -- engine.Schedule
    began        text        NOT NULL,       -- the day intervals are counted from
    next_at      timestamptz,                -- the time that comes, or is being gone through; null: there is none any more
    reached      uuid,                       -- people up to this one have been told of it
    PRIMARY KEY (workspace_id, key)
);
CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;

-- +goose Down
DROP TABLE schedules, date_dues, date_watches, agendas;
