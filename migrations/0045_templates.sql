-- +goose Up
-- Funnels to begin with that people of the workspace made, beside those of the gallery.
CREATE TABLE funnel_templates (
    workspace_id uuid        NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    id           uuid        NOT NULL,
    name         text        NOT NULL CHECK (name <> ''),
    does         text        NOT NULL,
    draft        jsonb       NOT NULL, -- {graph, creatives}
    made_by      uuid,
    made_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- +goose Down
DROP TABLE funnel_templates;
