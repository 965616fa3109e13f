-- What comes in from the outside world: forms, visits of pages, bookings, payments. All instants are business time.

-- +goose Up

-- Exclusion constraints over a uuid and a range need it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Browsers that ask not to be tracked (Do Not Track, Global Privacy Control) are left alone unless a workspace decides otherwise.
ALTER TABLE workspaces ADD COLUMN respect_do_not_track boolean NOT NULL DEFAULT true;

-- A form on the outside. Its id is its public address; its slug is how funnels name it.
CREATE TABLE forms (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    title text NOT NULL,
    fields jsonb NOT NULL CHECK (jsonb_typeof(fields) = 'array'), -- [{key, type, label, required, options, maps_to}]
    consent_text text NOT NULL, -- '' asks for none
    consent_topic text NOT NULL, -- '' is e-mail as a whole
    consent_required boolean NOT NULL,
    double_opt_in boolean NOT NULL,
    list text NOT NULL, -- joined by who sends it; '' is none
    allowed_origins text[] NOT NULL, -- sites that may send it from a browser, besides ourselves
    redirect text NOT NULL, -- where to after sending; '' shows `thanks`
    thanks text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    archived_at timestamptz, -- takes no more submissions
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug)
);
CREATE INDEX forms_public ON forms (id); -- the public address names no workspace

-- An anonymous browser, by an id it made itself. It gets a person only by proof: a signed token, a confirmed address, or a form that made
-- the person.
CREATE TABLE visitors (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    contact_id uuid,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    identified_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
) WITH (fillfactor = 80);
CREATE INDEX visitors_contact ON visitors (workspace_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX visitors_seen ON visitors (last_seen_at) WHERE contact_id IS NULL;

-- What nobody known has done yet. It becomes events of a person once the visitor has one, and is forgotten otherwise.
CREATE TABLE visitor_events (
    workspace_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    visitor_id uuid NOT NULL,
    at timestamptz NOT NULL,
    props jsonb NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, visitor_id) REFERENCES visitors (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX visitor_events_visitor ON visitor_events (workspace_id, visitor_id, id);

-- Every answer as it was sent. received: waits for the person to confirm the address; confirmed: it counts; spam: kept to look at, does nothing.
CREATE TABLE form_submissions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    form_id uuid NOT NULL,
    contact_id uuid,
    visitor_id uuid,
    key text, -- the sender's, so that a repeat is no second submission
    answers jsonb NOT NULL CHECK (jsonb_typeof(answers) = 'object'),
    consented boolean NOT NULL,
    consent_text text NOT NULL, -- as it was shown
    state text NOT NULL CHECK (state IN ('received', 'confirmed', 'spam')),
    reason text NOT NULL,
    language text NOT NULL,
    origin text NOT NULL,
    ip_hash bytea,
    at timestamptz NOT NULL,
    confirmed_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, form_id) REFERENCES forms (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE UNIQUE INDEX form_submissions_key ON form_submissions (workspace_id, form_id, key) WHERE key IS NOT NULL;
CREATE INDEX form_submissions_form ON form_submissions (workspace_id, form_id, id DESC);
CREATE INDEX form_submissions_contact ON form_submissions (workspace_id, contact_id) WHERE contact_id IS NOT NULL;

-- Something that can be booked by one person at a time: a consultant, a room, a test drive.
CREATE TABLE resources (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    slug text NOT NULL CHECK (slug ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    name text NOT NULL CHECK (name <> ''),
    description text NOT NULL,
    zone text NOT NULL, -- opening hours are local to it
    hours jsonb NOT NULL CHECK (jsonb_typeof(hours) = 'object'), -- {"mon": [{"from": "09:00", "to": "17:00"}]}
    slot_minutes int NOT NULL CHECK (slot_minutes BETWEEN 5 AND 1440),
    buffer_minutes int NOT NULL CHECK (buffer_minutes BETWEEN 0 AND 1440), -- free after each booking
    notice_minutes int NOT NULL CHECK (notice_minutes BETWEEN 0 AND 525600), -- how long ahead a slot must be
    horizon_days int NOT NULL CHECK (horizon_days BETWEEN 1 AND 366), -- how far ahead it may be
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    archived_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug)
);
CREATE INDEX resources_public ON resources (id); -- the public address names no workspace

-- The exclusion constraint decides all races for a slot; ranges are half-open, so a booking may begin the instant another one is over.
CREATE TABLE bookings (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    resource_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    free_at timestamptz NOT NULL, -- the end with the buffer behind it
    state text NOT NULL CHECK (state IN ('booked', 'cancelled')),
    source text NOT NULL CHECK (source IN ('api', 'page', 'funnel')),
    key text, -- the sender's, so that a repeat is no second booking
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    cancelled_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, resource_id) REFERENCES resources (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    CHECK (starts_at < ends_at AND ends_at <= free_at),
    CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
    CONSTRAINT bookings_one_at_a_time EXCLUDE USING gist (
        workspace_id WITH =, resource_id WITH =, tstzrange(starts_at, free_at, '[)') WITH &&
    ) WHERE (state = 'booked')
);
CREATE UNIQUE INDEX bookings_key ON bookings (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX bookings_resource ON bookings (workspace_id, resource_id, starts_at);
CREATE INDEX bookings_contact ON bookings (workspace_id, contact_id);
CREATE INDEX bookings_starts ON bookings (workspace_id, starts_at, id);

-- A payment as its provider tells it. Its state only ever rises: created, paid, refunded; reports may come twice and in any order.
-- Amounts are in thousandths of the currency's unit.
CREATE TABLE payments (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    id uuid NOT NULL,
    provider text NOT NULL CHECK (provider <> ''), -- api, stripe
    external_id text NOT NULL CHECK (external_id <> ''),
    contact_id uuid,
    amount bigint NOT NULL CHECK (amount >= 0),
    refunded bigint NOT NULL CHECK (refunded >= 0 AND refunded <= amount),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    title text NOT NULL,
    state text NOT NULL CHECK (state IN ('created', 'paid', 'refunded')),
    props jsonb NOT NULL CHECK (jsonb_typeof(props) = 'object'),
    created_at timestamptz NOT NULL,
    paid_at timestamptz,
    refunded_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, provider, external_id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id),
    CHECK ((state = 'created') = (paid_at IS NULL)),
    CHECK ((state = 'refunded') = (refunded_at IS NOT NULL))
);
CREATE INDEX payments_contact ON payments (workspace_id, contact_id) WHERE contact_id IS NOT NULL;

-- +goose Down
DROP TABLE payments, bookings, resources, form_submissions, visitor_events, visitors, forms;
ALTER TABLE workspaces DROP COLUMN respect_do_not_track;
