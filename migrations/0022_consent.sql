-- What people agreed to and what they answer: proofs of consent, refusals of addresses, reports of providers, replies.

-- +goose Up

ALTER TABLE messages ADD COLUMN complained_at timestamptz;

ALTER TABLE workspaces
    ADD COLUMN soft_bounces smallint NOT NULL DEFAULT 5 CHECK (soft_bounces BETWEEN 1 AND 50), -- in a row, until an address is left alone
    ADD COLUMN tracking_domain text NOT NULL DEFAULT '',                                      -- of links in messages; '' is ours
    ADD COLUMN tracking_verified_at timestamptz;                                              -- links use it from then on
CREATE UNIQUE INDEX workspaces_tracking_domain ON workspaces (tracking_domain) WHERE tracking_verified_at IS NOT NULL;

-- The hint is what may be shown of an address: too little to write to, enough to recognise. It goes with the person.
ALTER TABLE suppressions
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN hint text NOT NULL DEFAULT '';
CREATE UNIQUE INDEX suppressions_id ON suppressions (workspace_id, id);
CREATE INDEX suppressions_at ON suppressions (workspace_id, at, id);

-- Everything people agreed to or refused, as it was said: the proof outlives the next word. Nothing changes a row.
CREATE TABLE consent_records (
    workspace_id uuid        NOT NULL,
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    contact_id   uuid        NOT NULL,
    channel      text        NOT NULL,
    topic        text        NOT NULL,
    state        text        NOT NULL CHECK (state IN ('granted', 'denied', 'unknown')),
    source       text        NOT NULL,
    proof        jsonb,
    at           timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE INDEX consent_records_contact ON consent_records (workspace_id, contact_id, id);
INSERT INTO consent_records (workspace_id, contact_id, channel, topic, state, source, proof, at)
SELECT workspace_id, contact_id, channel, topic, state, source, proof, at FROM consents ORDER BY workspace_id, at, contact_id, channel, topic;

-- Messages in a row that an address did not take for a while. Whatever is delivered ends the row.
CREATE TABLE soft_bounces (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    channel      text        NOT NULL,
    address_hmac bytea       NOT NULL,
    count        smallint    NOT NULL CHECK (count > 0),
    last_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, channel, address_hmac)
);

-- Who may report about our messages, and by what we know that it is them.
CREATE TABLE receipt_sources (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    id           uuid        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('resend', 'sendgrid', 'ses', 'mailgun', 'twilio', 'lob', 'generic')),
    name         text        NOT NULL CHECK (name <> ''),
    topic_arn    text        NOT NULL,                  -- of ses; '' for the others
    secret       bytea,                                 -- sealed
    created_at   timestamptz NOT NULL,
    last_at      timestamptz,                           -- of the last genuine report
    PRIMARY KEY (workspace_id, id)
);

-- What providers reported, once by their own key. The row is committed before they get their answer; a pump works on it afterwards.
CREATE TABLE receipts (
    workspace_id    uuid        NOT NULL,
    source_id       uuid        NOT NULL,
    key             text        NOT NULL,
    kind            text        NOT NULL,
    body            jsonb       NOT NULL,
    status          text        NOT NULL CHECK (status IN ('queued', 'done', 'failed', 'ignored')),
    reason          text,
    message_id      uuid,                               -- once it was found
    received_at     timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    attempts        smallint    NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, source_id, key),
    FOREIGN KEY (workspace_id, source_id) REFERENCES receipt_sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX receipts_due ON receipts (next_attempt_at) WHERE status = 'queued';
CREATE INDEX receipts_message ON receipts (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX receipts_received ON receipts (received_at);
CREATE INDEX delivery_attempts_provider ON delivery_attempts (workspace_id, provider_msg_id) WHERE provider_msg_id IS NOT NULL;

-- Where a workspace reads what people answer. Instants are machine time.
CREATE TABLE mailboxes (
    workspace_id  uuid        NOT NULL REFERENCES workspaces (id),
    host          text        NOT NULL,
    port          integer     NOT NULL CHECK (port BETWEEN 1 AND 65535),
    security      text        NOT NULL CHECK (security IN ('tls', 'starttls', 'none')),
    username      text        NOT NULL,
    secret        bytea       NOT NULL,                 -- sealed
    folder        text        NOT NULL,
    address       text        NOT NULL,                 -- replies go to it, with a token behind a plus
    active        boolean     NOT NULL,
    uid_validity  bigint      NOT NULL DEFAULT 0,
    last_uid      bigint      NOT NULL DEFAULT 0,
    next_check_at timestamptz NOT NULL,
    lease_until   timestamptz,
    checked_at    timestamptz,
    last_error    text        NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id)
);
CREATE INDEX mailboxes_due ON mailboxes (next_check_at) WHERE active;

-- What was found in a mailbox, once: a person's answer, a machine's, or that a message came back.
CREATE TABLE replies (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    key          text        NOT NULL,                  -- of the mail: its Message-ID, else its place in the mailbox
    kind         text        NOT NULL CHECK (kind IN ('reply', 'auto', 'bounce', 'other')),
    reason       text        NOT NULL,
    message_id   uuid,
    contact_id   uuid,
    at           timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE INDEX replies_contact ON replies (workspace_id, contact_id) WHERE contact_id IS NOT NULL;

-- +goose Down
DROP TABLE replies, mailboxes, receipts, receipt_sources, soft_bounces, consent_records;
DROP INDEX delivery_attempts_provider;
DROP INDEX suppressions_at, suppressions_id;
ALTER TABLE suppressions DROP COLUMN hint, DROP COLUMN id;
DROP INDEX workspaces_tracking_domain;
ALTER TABLE workspaces DROP COLUMN tracking_verified_at, DROP COLUMN tracking_domain, DROP COLUMN soft_bounces;
ALTER TABLE messages DROP COLUMN complained_at;
