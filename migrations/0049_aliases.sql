-- Identities of contacts that were merged: they lead to the contact that took their owner in.

-- +goose Up

-- A row counts while no contact has the identity itself. Names of nobody: they go when the person is erased.
CREATE TABLE contact_aliases (
    workspace_id uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('external_id', 'email', 'phone')),
    value        text NOT NULL,                -- an e-mail address folded
    contact_id   uuid NOT NULL,
    PRIMARY KEY (workspace_id, kind, value),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts (workspace_id, id)
);
CREATE INDEX contact_aliases_contact ON contact_aliases (workspace_id, contact_id);

-- merged_into always names somebody who was not merged themselves.
CREATE INDEX contacts_merged ON contacts (workspace_id, merged_into) WHERE merged_into IS NOT NULL;
WITH RECURSIVE way AS (
    SELECT workspace_id, id, merged_into FROM contacts WHERE merged_into IS NOT NULL
    UNION SELECT w.workspace_id, w.id, c.merged_into FROM way w JOIN contacts c ON c.workspace_id = w.workspace_id AND c.id = w.merged_into
    WHERE c.merged_into IS NOT NULL
)
UPDATE contacts c SET merged_into = w.merged_into FROM way w JOIN contacts e ON e.workspace_id = w.workspace_id AND e.id = w.merged_into
WHERE c.workspace_id = w.workspace_id AND c.id = w.id AND e.merged_into IS NULL AND c.merged_into <> w.merged_into;

-- +goose Down
DROP INDEX contacts_merged;
DROP TABLE contact_aliases;
