-- For developers: what happens told to their systems, and messages their systems ask for.

-- +goose Up

-- An address of a customer's system, and what it wants to hear. During a change of secrets both sign.
CREATE TABLE webhook_endpoints (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    url          text        NOT NULL CHECK (url <> ''),
    description  text        NOT NULL,
    events       text[]      NOT NULL,                  -- such as message.delivered; empty is everything
    secret       bytea       NOT NULL,                  -- sealed
    old_secret   bytea,                                 -- sealed; signs too until old_until
    old_until    timestamptz,                           -- machine
    enabled      boolean     NOT NULL,
    reason       text        NOT NULL DEFAULT '',       -- why it was switched off by us
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- One thing to tell to one endpoint, at least once. Made in the transaction of the event; its id is the same in every attempt.
CREATE TABLE webhook_deliveries (
    workspace_id    uuid        NOT NULL,
    id              uuid        NOT NULL,
    endpoint_id     uuid        NOT NULL,
    name            text        NOT NULL,
    contact_id      uuid,
    body            text        NOT NULL,               -- byte for byte as it is signed
    status          text        NOT NULL CHECK (status IN ('queued', 'sending', 'delivered', 'dead')),
    attempts        smallint    NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,               -- machine
    lease_until     timestamptz,                        -- machine
    answer_status   integer,                            -- of the last attempt
    answer          text        NOT NULL DEFAULT '',    -- its beginning, or why there was none
    created_at      timestamptz NOT NULL,
    ended_at        timestamptz,                        -- machine
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, endpoint_id) REFERENCES webhook_endpoints (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    CHECK ((status = 'sending') = (lease_until IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, endpoint_id, next_attempt_at) WHERE status = 'queued';
CREATE INDEX webhook_deliveries_sending ON webhook_deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (workspace_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_contact ON webhook_deliveries (workspace_id, contact_id) WHERE contact_id IS NOT NULL;

-- The key a customer's system gave to a message it asked for: the same key is the same message, for ever.
CREATE TABLE message_requests (
    workspace_id uuid        NOT NULL,
    key          text        NOT NULL,
    message_id   uuid        NOT NULL,
    hash         bytea       NOT NULL,                  -- of what was asked
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id)
);

-- +goose Down
DROP TABLE message_requests, webhook_deliveries, webhook_endpoints;
