-- Who may come in. All instants here are machine time: a demo that jumps by ninety days of business time signs nobody out. Secrets are kept as
-- SHA-256 of 32 random bytes (sessions, links, tokens) or as argon2id (passwords); a copy of this database lets nobody in.

-- +goose Up

-- People of this installation. A person may belong to several workspaces, so these rows carry no workspace_id.
CREATE TABLE users (
    id                  uuid        PRIMARY KEY,
    email               text        NOT NULL,
    email_folded        text        NOT NULL UNIQUE,
    name                text        NOT NULL,
    language            text        NOT NULL CHECK (language IN ('en', 'pl', 'ru')),
    password_hash       text        NOT NULL,
    password_changed_at timestamptz NOT NULL,
    created_at          timestamptz NOT NULL
);

CREATE TABLE members (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    user_id      uuid        NOT NULL REFERENCES users (id),
    role         text        NOT NULL CHECK (role IN ('viewer', 'marketer', 'approver', 'operator', 'admin')),
    joined_at    timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE sessions (
    token_hash bytea       PRIMARY KEY,
    user_id    uuid        NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL, -- written at most once a minute
    expires_at timestamptz NOT NULL  -- however often it is seen
) WITH (fillfactor = 70);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE invitations (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    token_hash   bytea       NOT NULL UNIQUE, -- names the invitation before the workspace is known
    email        text        NOT NULL,
    email_folded text        NOT NULL,
    role         text        NOT NULL CHECK (role IN ('viewer', 'marketer', 'approver', 'operator', 'admin')),
    invited_by   uuid        REFERENCES users (id),
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    accepted_at  timestamptz,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, email_folded) WHERE accepted_at IS NULL;

CREATE TABLE password_resets (
    token_hash bytea       PRIMARY KEY,
    user_id    uuid        NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_user ON password_resets (user_id);

-- Tokens of programs. live: what its scopes allow; pub: may write events, nothing else.
CREATE TABLE api_tokens (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    secret_hash  bytea       NOT NULL UNIQUE, -- names the workspace
    name         text        NOT NULL CHECK (name <> ''),
    kind         text        NOT NULL CHECK (kind IN ('live', 'pub')),
    prefix       text        NOT NULL,
    scopes       text[]      NOT NULL,
    created_by   uuid        REFERENCES users (id),
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,                 -- written at most once a minute
    PRIMARY KEY (workspace_id, id)
) WITH (fillfactor = 70);

-- Token buckets (GCRA) of sign-in, by account and address; keys are hashes, so that the table tells nothing about people.
CREATE TABLE login_buckets (
    key bytea       PRIMARY KEY,
    tat timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What people and programs changed in a workspace. Append-only, without personal data: targets are ids and slugs.
CREATE TABLE audit_log (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    at           timestamptz NOT NULL,
    actor_kind   text        NOT NULL CHECK (actor_kind IN ('user', 'token', 'system')),
    actor_id     uuid,
    action       text        NOT NULL, -- the operation of the API, such as publishFunnel
    target       text        NOT NULL,
    request_id   text        NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- Answers kept for Idempotency-Key. A row without a status belongs to a call that still runs, or died running.
CREATE TABLE idempotency_keys (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    actor_id     uuid        NOT NULL,
    key          text        NOT NULL,
    request_hash bytea       NOT NULL, -- method, path and body
    status       smallint,
    content_type text,
    body         bytea,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, actor_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- +goose Down
DROP TABLE idempotency_keys, audit_log, login_buckets, api_tokens, password_resets, invitations, sessions, members, users;
