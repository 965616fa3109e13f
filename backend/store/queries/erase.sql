-- What erasing a person takes from the tables that hang on a contact, and what a merge gives over. The rows stay, for the
-- counts; what they say about the person goes.

-- name: EraseEvents :exec
UPDATE events SET props = NULL, folded = NULL, reaction = NULL, external_id = NULL WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseRuns :exec
UPDATE runs SET event = NULL, vars = NULL, key = NULL, last_error = NULL WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseJournal :exec
UPDATE journal j SET detail = NULL FROM runs r
WHERE r.workspace_id = @workspace_id AND r.contact_id = @contact_id AND j.workspace_id = r.workspace_id AND j.run_id = r.id AND j.detail IS NOT NULL;

-- name: EraseCalls :exec
UPDATE calls c SET request = '{}', answer = NULL, last_error = NULL FROM runs r
WHERE r.workspace_id = @workspace_id AND r.contact_id = @contact_id AND c.workspace_id = r.workspace_id AND c.run_id = r.id;

-- name: EraseMessageBodies :exec
DELETE FROM message_bodies b USING messages m
WHERE m.workspace_id = @workspace_id AND m.contact_id = @contact_id AND b.workspace_id = m.workspace_id AND b.message_id = m.id;

-- name: EraseMessages :exec
UPDATE messages SET to_address = NULL WHERE workspace_id = @workspace_id AND contact_id = @contact_id AND to_address IS NOT NULL;

-- name: EraseHits :exec
UPDATE hits h SET url = '', agent = '' FROM messages m
WHERE m.workspace_id = @workspace_id AND m.contact_id = @contact_id AND h.workspace_id = m.workspace_id AND h.message_id = m.id;

-- name: EraseShortLinks :exec
-- They still lead to the site, without what told the person from others.
UPDATE short_links l SET url = coalesce(substring(l.url from '^https?://[^/?#@]+'), '') FROM messages m
WHERE m.workspace_id = @workspace_id AND m.contact_id = @contact_id AND l.workspace_id = m.workspace_id AND l.message_id = m.id;

-- name: EraseDevices :exec
DELETE FROM devices WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseAITexts :exec
DELETE FROM ai_texts WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseInbox :exec
DELETE FROM inbox WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: MoveEvents :exec
UPDATE events SET contact_id = sqlc.arg(winner) WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser);

-- name: MoveInbox :exec
UPDATE inbox SET contact_id = sqlc.arg(winner) WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser);

-- name: MoveDevices :exec
UPDATE devices SET contact_id = sqlc.arg(winner) WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser);

-- name: MoveAITexts :exec
UPDATE ai_texts SET contact_id = sqlc.arg(winner) WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(loser);

-- name: MoveCampaignRecipients :exec
-- Somebody who is in a frozen audience twice stays in it once.
UPDATE campaign_recipients r SET contact_id = sqlc.arg(winner) WHERE r.workspace_id = @workspace_id AND r.contact_id = sqlc.arg(loser)
    AND NOT EXISTS (SELECT 1 FROM campaign_recipients w WHERE w.workspace_id = r.workspace_id AND w.campaign_id = r.campaign_id AND w.contact_id = sqlc.arg(winner));

-- name: MoveRollups :exec
INSERT INTO event_rollups AS w (workspace_id, contact_id, name, count, first_at, last_at)
SELECT l.workspace_id, sqlc.arg(winner)::uuid, l.name, l.count, l.first_at, l.last_at FROM event_rollups l
WHERE l.workspace_id = @workspace_id AND l.contact_id = sqlc.arg(loser)
ON CONFLICT (workspace_id, contact_id, name) DO UPDATE SET count = w.count + excluded.count,
    first_at = least(w.first_at, excluded.first_at), last_at = greatest(w.last_at, excluded.last_at);

-- name: DropRollups :exec
DELETE FROM event_rollups WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseReceipts :exec
DELETE FROM receipts r USING messages m
WHERE m.workspace_id = @workspace_id AND m.contact_id = @contact_id AND r.workspace_id = m.workspace_id AND r.message_id = m.id;

-- name: EraseReplies :exec
DELETE FROM replies WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(contact_id)::uuid;

-- name: EraseWebhookDeliveries :exec
DELETE FROM webhook_deliveries WHERE workspace_id = @workspace_id AND contact_id = sqlc.arg(contact_id)::uuid;

-- name: MoveReplies :exec
WITH moved AS (UPDATE webhook_deliveries w SET contact_id = sqlc.arg(winner)::uuid WHERE w.workspace_id = @workspace_id AND w.contact_id = sqlc.arg(loser)::uuid)
UPDATE replies r SET contact_id = sqlc.arg(winner)::uuid WHERE r.workspace_id = @workspace_id AND r.contact_id = sqlc.arg(loser)::uuid;
