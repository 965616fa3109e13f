-- name: Contact :one
SELECT * FROM contacts WHERE workspace_id = @workspace_id AND id = @id;

-- name: ContactsByID :many
SELECT * FROM contacts WHERE workspace_id = @workspace_id AND id = ANY(@ids::uuid[]) ORDER BY id;

-- name: LockContacts :many
-- The mutex of a person: every change of a person or of a person's runs takes it first, sorted, to exclude deadlocks.
SELECT * FROM contacts WHERE workspace_id = @workspace_id AND id = ANY(@ids::uuid[]) ORDER BY id FOR NO KEY UPDATE;

-- name: ContactsByIdentity :many
-- Who has an identity; and by kind and value, whom one leads to that a merged contact had.
SELECT e.id, ''::text AS kind, ''::text AS value FROM contacts e WHERE e.workspace_id = @workspace_id AND e.external_id = ANY(@external_ids::text[])
UNION ALL
SELECT m.id, '', '' FROM contacts m WHERE m.workspace_id = @workspace_id AND m.email_folded = ANY(@emails::text[])
UNION ALL
SELECT p.id, '', '' FROM contacts p WHERE p.workspace_id = @workspace_id AND p.phone = ANY(@phones::text[])
UNION ALL
SELECT a.contact_id, a.kind, a.value FROM contact_aliases a WHERE a.workspace_id = @workspace_id AND (a.kind = 'external_id' AND a.value = ANY(@external_ids::text[])
    OR a.kind = 'email' AND a.value = ANY(@emails::text[]) OR a.kind = 'phone' AND a.value = ANY(@phones::text[]));

-- name: AddAliases :exec
INSERT INTO contact_aliases (workspace_id, kind, value, contact_id)
SELECT @workspace_id, unnest(@kinds::text[]), unnest(@vals::text[]), @contact_id
ON CONFLICT (workspace_id, kind, value) DO UPDATE SET contact_id = excluded.contact_id;

-- name: MoveAliases :exec
UPDATE contact_aliases SET contact_id = sqlc.arg(winner)::uuid WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser)::uuid;

-- name: FollowMerges :exec
-- Whoever was merged into the loser leads to the winner.
UPDATE contacts SET merged_into = sqlc.arg(winner)::uuid WHERE workspace_id = @workspace_id AND merged_into = sqlc.arg(loser)::uuid;

-- name: DropAliases :exec
DELETE FROM contact_aliases a USING (SELECT unnest(@kinds::text[]) AS kind, unnest(@vals::text[]) AS value) AS x
WHERE a.workspace_id = @workspace_id AND a.kind = x.kind AND a.value = x.value;

-- name: EraseAliases :many
DELETE FROM contact_aliases WHERE workspace_id = @workspace_id AND contact_id = @contact_id RETURNING kind, value;

-- name: InsertContacts :many
-- Rows whose identity somebody else just took are left out of the answer.
INSERT INTO contacts (workspace_id, id, external_id, email, email_folded, phone, first_name, last_name, name_folded, last_name_folded, zone, language,
    fields, folded, tags, lists, source, created_at, updated_at)
SELECT @workspace_id, r.id, r.external_id, r.email, r.email_folded, r.phone, r.first_name, r.last_name, r.name_folded, r.last_name_folded, r.zone,
    r.language, r.fields, r.folded, r.tags, r.lists, r.source, @now::timestamptz, @now::timestamptz
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb) AS r (id uuid, external_id text, email text, email_folded text, phone text, first_name text,
    last_name text, name_folded text, last_name_folded text, zone text, language text, fields jsonb, folded jsonb, tags text[], lists text[],
    source text)
ON CONFLICT DO NOTHING RETURNING id;

-- name: UpdateContacts :exec
-- The ids are those of the rows: they bound what is read whatever the planner believes about the table.
UPDATE contacts c SET external_id = r.external_id, email = r.email, email_folded = r.email_folded, phone = r.phone, first_name = r.first_name,
    last_name = r.last_name, name_folded = r.name_folded, last_name_folded = r.last_name_folded, zone = r.zone, language = r.language,
    fields = r.fields, folded = r.folded, tags = r.tags, lists = r.lists, updated_at = @now::timestamptz
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb) AS r (id uuid, external_id text, email text, email_folded text, phone text, first_name text,
    last_name text, name_folded text, last_name_folded text, zone text, language text, fields jsonb, folded jsonb, tags text[], lists text[])
WHERE c.workspace_id = @workspace_id AND c.id = r.id AND c.id = ANY(@ids::uuid[]);

-- name: EraseContact :exec
-- With those who were merged into the person.
UPDATE contacts SET external_id = NULL, email = NULL, email_folded = NULL, phone = NULL, first_name = '', last_name = '', name_folded = '',
    last_name_folded = '', zone = '', language = '', fields = '{}', folded = NULL, tags = '{}', lists = '{}', updated_at = @now, erased_at = @now
WHERE workspace_id = @workspace_id AND (id = @id OR merged_into = @id);

-- name: MarkMerged :exec
UPDATE contacts SET external_id = NULL, email = NULL, email_folded = NULL, phone = NULL, tags = '{}', lists = '{}', updated_at = @now,
    merged_into = sqlc.arg(winner)::uuid
WHERE workspace_id = @workspace_id AND id = @id;

-- name: CountContacts :one
SELECT count(*) FROM contacts WHERE workspace_id = @workspace_id AND erased_at IS NULL AND merged_into IS NULL;

-- name: Consents :many
SELECT * FROM consents WHERE workspace_id = @workspace_id AND contact_id = @contact_id ORDER BY channel, topic;

-- name: ConsentsOf :many
SELECT * FROM consents WHERE workspace_id = @workspace_id AND contact_id = ANY(@contact_ids::uuid[]) ORDER BY contact_id, channel, topic;

-- name: DeleteConsents :exec
DELETE FROM consents WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: SetConsents :exec
INSERT INTO consents (workspace_id, contact_id, channel, topic, state, source, proof, at)
SELECT @workspace_id, r.contact_id, r.channel, r.topic, r.state, r.source, r.proof, r.at
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb) AS r (contact_id uuid, channel text, topic text, state text, source text, proof jsonb, at timestamptz)
ON CONFLICT (workspace_id, contact_id, channel, topic)
DO UPDATE SET state = excluded.state, source = excluded.source, proof = excluded.proof, at = excluded.at;

-- name: Suppress :exec
INSERT INTO suppressions (workspace_id, channel, address_hmac, reason, contact_id, source, at, id, hint)
VALUES (@workspace_id, @channel, @address_hmac, @reason, @contact_id, @source, @now, @id, @hint)
ON CONFLICT (workspace_id, channel, address_hmac) DO UPDATE SET reason = excluded.reason, contact_id = excluded.contact_id,
    source = excluded.source, at = excluded.at, hint = excluded.hint
WHERE suppressions.reason = 'unsubscribed' AND excluded.reason <> 'unsubscribed' OR excluded.reason = 'erased';

-- name: Unsuppress :exec
DELETE FROM suppressions WHERE workspace_id = @workspace_id AND channel = @channel AND address_hmac = @address_hmac AND reason = ANY(@reasons::text[]);

-- name: RecordConsents :exec
INSERT INTO consent_records (workspace_id, contact_id, channel, topic, state, source, proof, at)
SELECT @workspace_id, r.contact_id, r.channel, r.topic, r.state, r.source, r.proof, r.at
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb)
    AS r (contact_id uuid, channel text, topic text, state text, source text, proof jsonb, at timestamptz);

-- name: ConsentRecords :many
SELECT * FROM consent_records WHERE workspace_id = @workspace_id AND contact_id = @contact_id ORDER BY id DESC LIMIT @max_rows;

-- name: MoveConsentRecords :exec
UPDATE consent_records SET contact_id = sqlc.arg(winner)::uuid WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser)::uuid;

-- name: DeleteConsentRecords :exec
DELETE FROM consent_records WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: CountSoftBounce :one
INSERT INTO soft_bounces AS b (workspace_id, channel, address_hmac, count, last_at) VALUES (@workspace_id, @channel, @address_hmac, 1, @now)
ON CONFLICT (workspace_id, channel, address_hmac) DO UPDATE SET count = least(b.count + 1, 1000), last_at = excluded.last_at
RETURNING b.count >= (SELECT w.soft_bounces FROM workspaces w WHERE w.id = @workspace_id) AS enough;

-- name: EndSoftBounces :exec
DELETE FROM soft_bounces WHERE workspace_id = @workspace_id AND channel = @channel AND address_hmac = @address_hmac;

-- name: SuppressionByID :one
SELECT * FROM suppressions WHERE workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: DeleteSuppression :exec
DELETE FROM suppressions WHERE workspace_id = @workspace_id AND id = @id;

-- name: ListSuppressions :many
SELECT s.*, c.email, c.phone, c.first_name, c.last_name FROM suppressions s
LEFT JOIN contacts c ON c.workspace_id = s.workspace_id AND c.id = s.contact_id
WHERE s.workspace_id = @workspace_id AND (@reason::text = '' OR s.reason = @reason) AND (@channel::text = '' OR s.channel = @channel)
    AND (cardinality(@hashes::bytea[]) = 0 OR s.address_hmac = ANY(@hashes::bytea[]))
    AND (sqlc.narg(before_at)::timestamptz IS NULL OR (s.at, s.id) < (sqlc.narg(before_at)::timestamptz, sqlc.arg(before_id)::uuid))
ORDER BY s.at DESC, s.id DESC LIMIT @max_rows;

-- name: CountSuppressions :many
SELECT reason, count(*) AS n FROM suppressions WHERE workspace_id = @workspace_id GROUP BY reason ORDER BY reason;

-- name: ForgetSuppressedContact :exec
UPDATE suppressions SET contact_id = NULL, hint = '' WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(contact_id)::uuid;

-- name: MoveSuppressions :exec
UPDATE suppressions SET contact_id = sqlc.arg(winner)::uuid WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser)::uuid;

-- name: Suppressions :many
SELECT * FROM suppressions WHERE workspace_id = @workspace_id AND channel = @channel AND address_hmac = ANY(@address_hmacs::bytea[]);

-- name: PostInbox :exec
-- Internal events of changed contacts; events.React meets them with funnels after the commit.
INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
SELECT @workspace_id, r.contact_id, r.name, @now::timestamptz, @now::timestamptz, r.props, @chain::smallint
FROM jsonb_to_recordset(sqlc.arg(rows)::jsonb) AS r (n int, contact_id uuid, name text, props jsonb)
ORDER BY r.n;
