-- The floor that the engine is measured against: what Postgres alone can do for the writes of one advance. One statement a
-- batch leases due runs, writes a message and two journal rows for each and moves the run on, over the product's own
-- tables, indexes and foreign keys. $1 now, $2 floor, $3 lane, $4 batch, $5 the next due instant.
WITH leased AS (
    SELECT workspace_id, id, funnel_id, version_id, contact_id, seq, wake_at
    FROM runs
    WHERE lane = $3 AND wake_at <= $1 AND wake_at >= $2
    ORDER BY wake_at
    LIMIT $4
    FOR UPDATE SKIP LOCKED
), message AS (
    INSERT INTO messages (workspace_id, id, run_id, seq, funnel_id, version_id, node, contact_id, channel, class, creative,
        provider_id, lane, status, due_at, next_attempt_at, expires_at, created_at)
    SELECT workspace_id, gen_random_uuid(), id, seq + 1, funnel_id, version_id, 'mail-1', contact_id, 'email', 'marketing', 'creative-1',
        '00000000-0000-0000-0000-000000000000', lane.n, 'queued', wake_at, wake_at, wake_at + interval '1 day', $1
    FROM leased, (SELECT $3::smallint AS n) AS lane
), lines AS (
    INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, port)
    SELECT workspace_id, id, seq + line.n, line.node, line.kind, wake_at, line.port
    FROM leased, (VALUES (1, 'mail-1', 'send_email', 'next'), (2, 'wait-2', 'wait', '')) AS line (n, node, kind, port)
)
UPDATE runs r
SET node = 'wait-2', seq = r.seq + 2, at = l.wake_at, wake_at = $5, deadline = $5, attempts = 0
FROM leased l
WHERE r.workspace_id = l.workspace_id AND r.id = l.id AND r.seq = l.seq
