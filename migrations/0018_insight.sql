-- What a person did of the first steps, so that the list on the first page counts that and not what the sample brought.

-- +goose Up

CREATE TABLE first_steps (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id),
    user_id      uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    step         text        NOT NULL CHECK (step IN ('simulated', 'written', 'published', 'looked')),
    at           timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, user_id, step)
);

-- +goose Down
DROP TABLE first_steps;
