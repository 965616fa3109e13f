-- +goose Up
-- What the author of a funnel expects of it, kept apart from the draft so that keeping a test never conflicts with an edit; publishing
-- copies the tests into the version. The report is what came of the last run of the stored draft.
CREATE TABLE funnel_tests (
    workspace_id uuid        NOT NULL,
    funnel_id    uuid        NOT NULL,
    tests        jsonb       NOT NULL CHECK (jsonb_typeof(tests) = 'array'),
    updated_at   timestamptz NOT NULL,
    updated_by   uuid,
    report       jsonb,
    tested_at    timestamptz,
    PRIMARY KEY (workspace_id, funnel_id),
    FOREIGN KEY (workspace_id, funnel_id) REFERENCES funnels (workspace_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE funnel_tests;
