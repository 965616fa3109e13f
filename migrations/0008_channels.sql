-- Messages beside e-mail, and what comes back from messages: devices, links, hits; texts a model wrote.

-- +goose Up
ALTER TABLE workspaces
    ADD COLUMN tracking boolean NOT NULL DEFAULT true,   -- opens and clicks of e-mail are noticed
    ADD COLUMN short_links boolean NOT NULL DEFAULT true; -- links in texts for a phone are shortened, and their clicks noticed
ALTER TABLE message_bodies ADD COLUMN pdf bytea;         -- of a letter

-- Where push notifications reach a person. The token is what the browser or the app got from its maker.
CREATE TABLE devices (
    workspace_id uuid        NOT NULL,
    id           uuid        NOT NULL,
    contact_id   uuid        NOT NULL,
    platform     text        NOT NULL CHECK (platform IN ('web', 'ios', 'android')),
    token        text        NOT NULL CHECK (token <> ''),
    created_at   timestamptz NOT NULL,
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, token),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE INDEX devices_contact ON devices (workspace_id, contact_id);

-- Links of texts for a phone, by a short code. A long token carries its target inside; where every character costs, the target stands
-- here instead. The row outlives the text: a link works for years.
CREATE TABLE short_links (
    workspace_id uuid        NOT NULL,
    message_id   uuid        NOT NULL,
    link         smallint    NOT NULL,                   -- its place in the message
    code         text        NOT NULL,
    url          text        NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, message_id, link),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id)
);
CREATE UNIQUE INDEX short_links_code ON short_links (code); -- the code is all a phone sends

-- Every fetch of a message's picture or link, as it came. Who made it is judged a little later, when its neighbours are known; only a
-- person's counts.
CREATE TABLE hits (
    workspace_id uuid        NOT NULL,
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    message_id   uuid        NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('open', 'click')),
    link         smallint    NOT NULL,                   -- its place in the message; 0 for an open
    url          text        NOT NULL,                   -- where the click leads; '' for an open and for the trap
    trap         boolean     NOT NULL,                   -- the link nobody sees
    method       text        NOT NULL,
    agent        text        NOT NULL,
    prefetch     boolean     NOT NULL,                   -- the request said so itself
    at           timestamptz NOT NULL,
    judge_at     timestamptz,                            -- null once judged
    class        text CHECK (class IN ('human', 'machine')),
    reason       text,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id),
    CHECK ((judge_at IS NULL) = (class IS NOT NULL))
);
CREATE INDEX hits_due ON hits (judge_at) WHERE judge_at IS NOT NULL;
CREATE INDEX hits_message ON hits (workspace_id, message_id, at);

-- What a model wrote for one step's wishes and one set of a person's values. Whoever holds the lease (machine time) is writing it.
CREATE TABLE ai_texts (
    workspace_id uuid        NOT NULL,
    wish         bytea       NOT NULL,                   -- hash of the variables asked for
    about        bytea       NOT NULL,                   -- HMAC of the values it was written from
    contact_id   uuid        NOT NULL,                   -- for whom it was written first: with them it goes
    vars         jsonb,                                  -- null until written
    lease_until  timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, wish, about),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE INDEX ai_texts_contact ON ai_texts (workspace_id, contact_id);

-- How much a workspace had written on a day (UTC).
CREATE TABLE ai_usage (
    workspace_id uuid    NOT NULL REFERENCES workspaces (id),
    day          date    NOT NULL,
    written      integer NOT NULL,
    PRIMARY KEY (workspace_id, day)
);

-- +goose Down
DROP TABLE ai_usage, ai_texts, hits, short_links, devices;
ALTER TABLE message_bodies DROP COLUMN pdf;
ALTER TABLE workspaces DROP COLUMN short_links, DROP COLUMN tracking;
