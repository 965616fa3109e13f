-- Providers of every channel, what they may send in an hour and a day, and domains that sign.

-- +goose Up
ALTER TABLE providers
    DROP CONSTRAINT providers_kind_check,
    ADD CONSTRAINT providers_kind CHECK (kind IN ('smtp', 'resend', 'sendgrid', 'ses', 'twilio', 'twilio_whatsapp', 'webpush', 'lob', 'pdf', 'http')),
    ADD COLUMN channel    text    NOT NULL DEFAULT 'email' CHECK (channel IN ('email', 'sms', 'whatsapp', 'push', 'letter')),
    ADD COLUMN reserve    boolean NOT NULL DEFAULT false,  -- takes over while the active one of its channel is out of order
    ADD COLUMN preset     text    NOT NULL DEFAULT '',     -- whose limits these are, such as gmail
    ADD COLUMN per_hour   integer CHECK (per_hour > 0),
    ADD COLUMN per_day    integer CHECK (per_day > 0),     -- of any 24 hours
    ADD COLUMN warming_at timestamptz,                     -- the first day of the warm-up; null is none
    ADD COLUMN checked_at timestamptz,                     -- the last test of the connection, and what it said
    ADD COLUMN check_said text    NOT NULL DEFAULT '',     -- '' is fine
    ADD CHECK (NOT (active AND reserve));
ALTER TABLE providers ALTER COLUMN channel DROP DEFAULT;
DROP INDEX providers_active;
CREATE UNIQUE INDEX providers_active ON providers (workspace_id, channel) WHERE active;
CREATE UNIQUE INDEX providers_reserve ON providers (workspace_id, channel) WHERE reserve;

-- What all workers know of an account that is out of order; no row is in order. Machine time.
CREATE TABLE provider_outages (
    workspace_id uuid        NOT NULL,
    provider_id  uuid        NOT NULL,
    since        timestamptz NOT NULL,
    until        timestamptz NOT NULL,               -- after it one worker tries one message
    trips        smallint    NOT NULL,               -- in a row: each closes the account for longer
    probe        text        NOT NULL DEFAULT '',    -- the worker that tries
    probe_until  timestamptz,
    reason       text        NOT NULL,
    settings     boolean     NOT NULL DEFAULT false, -- nothing helps but other settings
    PRIMARY KEY (workspace_id, provider_id),
    FOREIGN KEY (workspace_id, provider_id) REFERENCES providers (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- How slow an account goes because it said we were too fast: a factor of the time between two messages. Machine time.
ALTER TABLE rate_buckets
    ADD COLUMN slow    real        NOT NULL DEFAULT 1,
    ADD COLUMN slow_at timestamptz;

-- How many messages an account was given in each of the last hours, the newest first; for limits of a day. Machine time.
CREATE TABLE rate_days (
    key    text        PRIMARY KEY,
    hour   timestamptz NOT NULL,
    counts integer[]   NOT NULL
) WITH (fillfactor = 20);

-- A body may be kept as its creative's hash and the values in its holes: the rest is the same for everybody.
ALTER TABLE message_bodies
    ADD COLUMN artifact text  NOT NULL DEFAULT '',
    ADD COLUMN spliced  bytea;

-- A domain that mails are signed for. The private key is sealed; what the last look at its DNS found is kept for the page.
CREATE TABLE domains (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    name         text        NOT NULL,                     -- in lower case
    selector     text        NOT NULL,
    private_key  bytea       NOT NULL,
    public_key   text        NOT NULL,                     -- base64 of the DER, as DNS has it
    signing      boolean     NOT NULL DEFAULT false,       -- the key was seen in DNS
    checks       jsonb       NOT NULL DEFAULT '[]',
    checked_at   timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

-- +goose Down
DROP TABLE domains;
ALTER TABLE message_bodies DROP COLUMN spliced, DROP COLUMN artifact;
DROP TABLE rate_days;
ALTER TABLE rate_buckets DROP COLUMN slow_at, DROP COLUMN slow;
DROP TABLE provider_outages;
DELETE FROM providers WHERE kind <> 'smtp';
DROP INDEX providers_reserve, providers_active;
ALTER TABLE providers DROP CONSTRAINT providers_kind, DROP COLUMN channel, DROP COLUMN reserve, DROP COLUMN preset, DROP COLUMN per_hour, DROP COLUMN per_day,
    DROP COLUMN warming_at, DROP COLUMN checked_at, DROP COLUMN check_said, ADD CONSTRAINT providers_kind_check CHECK (kind IN ('smtp'));
CREATE UNIQUE INDEX providers_active ON providers (workspace_id) WHERE active;
