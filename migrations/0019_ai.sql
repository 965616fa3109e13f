-- What drafts by a model need: a workspace's own endpoints, a budget and its ledger, a row for each call, news of drafts on their way; and what
-- texts per person need to be looked at by a human first.

-- +goose Up

-- Endpoints of a workspace's own. Without any, those of the installation serve.
CREATE TABLE ai_endpoints (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    slot         text        NOT NULL CHECK (slot IN ('primary', 'reserve')),
    base_url     text        NOT NULL CHECK (base_url <> ''),
    model        text        NOT NULL CHECK (model <> ''),
    key          bytea,                                  -- sealed
    profile      jsonb,                                  -- what the last test found
    tested_at    timestamptz,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, slot)
);

-- Limits of a workspace where they are not the usual ones.
CREATE TABLE ai_budgets (
    workspace_id uuid    NOT NULL PRIMARY KEY REFERENCES workspaces (id),
    models_off   boolean NOT NULL,                       -- nothing of this workspace goes to a model
    day_tokens   bigint  NOT NULL CHECK (day_tokens >= 0),
    month_tokens bigint  NOT NULL CHECK (month_tokens >= 0),
    user_minute  integer NOT NULL CHECK (user_minute > 0),
    updated_at   timestamptz NOT NULL
);

-- A draft takes its tokens before it begins and settles what it used. A row that is not settled counts until its lease is over.
CREATE TABLE ai_ledger (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    task_id      uuid        NOT NULL,
    user_id      uuid,
    reserved     bigint      NOT NULL CHECK (reserved >= 0),
    used         bigint,                                 -- what models counted; null until settled
    charged      bigint,                                 -- of it what counts: nothing for a draft that was not delivered
    lease_until  timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    settled_at   timestamptz,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX ai_ledger_time ON ai_ledger (workspace_id, created_at);

-- One row for each request to a model. Neither the prompt nor a person is in it.
CREATE TABLE ai_calls (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    task_id      uuid        NOT NULL,
    op           text        NOT NULL,
    host         text        NOT NULL,
    model        text        NOT NULL,
    mode         text        NOT NULL,
    prompt_sha   bytea       NOT NULL,
    tokens_in    integer     NOT NULL,
    tokens_out   integer     NOT NULL,
    cached       integer     NOT NULL,
    estimated    boolean     NOT NULL,
    first_ms     integer,
    total_ms     integer     NOT NULL,
    finish       text        NOT NULL,
    outcome      text        NOT NULL,
    attempt      integer     NOT NULL,
    breaker      text        NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX ai_calls_task ON ai_calls (workspace_id, task_id);

-- What a draft told on its way, in order. It goes when the draft is a day old.
CREATE TABLE ai_news (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    task_id      uuid        NOT NULL,
    n            integer     NOT NULL,
    news         jsonb       NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, task_id, n)
);

-- Who asked when, for the limit per person; rows older than a minute go.
CREATE TABLE ai_asks (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    user_id      uuid,
    at           timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX ai_asks_user ON ai_asks (workspace_id, user_id, at);

-- What became of a draft: how many groups of an edit were taken and left, for the rate at which drafts are worth something.
CREATE TABLE ai_verdicts (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    task_id      uuid        NOT NULL,
    accepted     integer     NOT NULL,
    rejected     integer     NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, task_id)
);

-- A text nobody could write is not tried again for a while; one made in advance waits for a human.
ALTER TABLE ai_texts
    ADD COLUMN rest_until timestamptz,
    ADD COLUMN review text CHECK (review IN ('waiting', 'approved', 'refused'));

-- +goose Down
ALTER TABLE ai_texts DROP COLUMN rest_until, DROP COLUMN review;
DROP TABLE ai_verdicts, ai_asks, ai_news, ai_calls, ai_ledger, ai_budgets, ai_endpoints;
