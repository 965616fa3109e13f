-- name: Forms :many
SELECT * FROM forms WHERE workspace_id = @workspace_id AND archived_at IS NULL ORDER BY slug;

-- name: Form :one
SELECT * FROM forms WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL;

-- name: PublicForm :one
SELECT * FROM forms WHERE id = @id AND archived_at IS NULL;

-- name: InsertForm :one
INSERT INTO forms (workspace_id, id, slug, name, title, fields, consent_text, consent_topic, consent_required, double_opt_in, list, allowed_origins,
    redirect, thanks, created_at, updated_at)
VALUES (@workspace_id, @id, @slug, @name, @title, @fields, @consent_text, @consent_topic, @consent_required, @double_opt_in, @list, @allowed_origins,
    @redirect, @thanks, @now, @now) RETURNING *;

-- name: UpdateForm :one
UPDATE forms SET name = @name, title = @title, fields = @fields, consent_text = @consent_text, consent_topic = @consent_topic,
    consent_required = @consent_required, double_opt_in = @double_opt_in, list = @list, allowed_origins = @allowed_origins, redirect = @redirect,
    thanks = @thanks, updated_at = @now
WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL RETURNING *;

-- name: ArchiveForm :execrows
UPDATE forms SET archived_at = @now, updated_at = @now, slug = left(slug, 20) || '-' || id::text
WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL;

-- name: FormCounts :many
SELECT form_id, count(*) AS submissions, count(*) FILTER (WHERE state = 'received') AS waiting,
    max(at)::timestamptz AS last_at FROM form_submissions
WHERE workspace_id = @workspace_id AND state <> 'spam' GROUP BY form_id;

-- name: InsertSubmission :execrows
INSERT INTO form_submissions (workspace_id, id, form_id, contact_id, visitor_id, key, answers, consented, consent_text, state, reason, language,
    origin, ip_hash, at, confirmed_at)
VALUES (@workspace_id, @id, @form_id, @contact_id, @visitor_id, @key, @answers, @consented, @consent_text, @state, @reason, @language, @origin,
    @ip_hash, @at, @confirmed_at)
ON CONFLICT (workspace_id, form_id, key) WHERE key IS NOT NULL DO NOTHING;

-- name: SubmissionByKey :one
SELECT * FROM form_submissions WHERE workspace_id = @workspace_id AND form_id = @form_id AND key = @key;

-- name: Submission :one
SELECT * FROM form_submissions WHERE workspace_id = @workspace_id AND id = @id;

-- name: LockSubmission :one
SELECT * FROM form_submissions WHERE workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: ConfirmSubmission :exec
UPDATE form_submissions SET state = 'confirmed', contact_id = @contact_id, confirmed_at = @now WHERE workspace_id = @workspace_id AND id = @id;

-- name: Submissions :many
SELECT * FROM form_submissions WHERE workspace_id = @workspace_id AND form_id = @form_id
    AND (sqlc.narg(before)::uuid IS NULL OR id < sqlc.narg(before)::uuid)
ORDER BY id DESC LIMIT @max_rows;

-- name: LockVisitor :one
SELECT * FROM visitors WHERE workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: SeeVisitor :one
INSERT INTO visitors (workspace_id, id, contact_id, first_seen_at, last_seen_at, identified_at) VALUES (@workspace_id, @id, NULL, @now, @now, NULL)
ON CONFLICT (workspace_id, id) DO UPDATE SET last_seen_at = greatest(visitors.last_seen_at, excluded.last_seen_at) RETURNING *;

-- name: IdentifyVisitor :exec
UPDATE visitors SET contact_id = @contact_id, identified_at = @now WHERE workspace_id = @workspace_id AND id = @id;

-- name: InsertVisit :exec
INSERT INTO visitor_events (workspace_id, visitor_id, at, props) VALUES (@workspace_id, @visitor_id, @at, @props);

-- name: TakeVisits :many
DELETE FROM visitor_events WHERE workspace_id = @workspace_id AND visitor_id = @visitor_id RETURNING id, at, props;

-- name: TrimVisits :exec
-- Of an anonymous visitor only the newest visits are kept.
DELETE FROM visitor_events e WHERE e.workspace_id = @workspace_id AND e.visitor_id = @visitor_id AND e.id <= (
    SELECT n.id FROM visitor_events n WHERE n.workspace_id = @workspace_id AND n.visitor_id = @visitor_id ORDER BY n.id DESC OFFSET @keep LIMIT 1);

-- name: ForgetVisitors :execrows
DELETE FROM visitors v WHERE v.contact_id IS NULL AND v.last_seen_at < @before;

-- name: Resources :many
SELECT * FROM resources WHERE workspace_id = @workspace_id AND archived_at IS NULL ORDER BY slug;

-- name: Resource :one
SELECT * FROM resources WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL;

-- name: ResourceByID :one
SELECT * FROM resources WHERE workspace_id = @workspace_id AND id = @id;

-- name: PublicResource :one
SELECT * FROM resources WHERE id = @id AND archived_at IS NULL;

-- name: InsertResource :one
INSERT INTO resources (workspace_id, id, slug, name, description, zone, hours, slot_minutes, buffer_minutes, notice_minutes, horizon_days,
    created_at, updated_at)
VALUES (@workspace_id, @id, @slug, @name, @description, @zone, @hours, @slot_minutes, @buffer_minutes, @notice_minutes, @horizon_days, @now, @now)
RETURNING *;

-- name: UpdateResource :one
UPDATE resources SET name = @name, description = @description, zone = @zone, hours = @hours, slot_minutes = @slot_minutes,
    buffer_minutes = @buffer_minutes, notice_minutes = @notice_minutes, horizon_days = @horizon_days, updated_at = @now
WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL RETURNING *;

-- name: ArchiveResource :execrows
UPDATE resources SET archived_at = @now, updated_at = @now, slug = left(slug, 20) || '-' || id::text
WHERE workspace_id = @workspace_id AND slug = @slug AND archived_at IS NULL;

-- name: BusyTimes :many
SELECT starts_at, free_at FROM bookings
WHERE workspace_id = @workspace_id AND resource_id = @resource_id AND state = 'booked' AND starts_at < @until AND free_at > @since
    AND id <> @besides ORDER BY starts_at;

-- name: InsertBooking :one
INSERT INTO bookings (workspace_id, id, resource_id, contact_id, starts_at, ends_at, free_at, state, source, key, created_at, updated_at)
VALUES (@workspace_id, @id, @resource_id, @contact_id, @starts_at, @ends_at, @free_at, 'booked', @source, @key, @now, @now) RETURNING *;

-- name: Booking :one
SELECT * FROM bookings WHERE workspace_id = @workspace_id AND id = @id;

-- name: BookingByKey :one
SELECT * FROM bookings WHERE workspace_id = @workspace_id AND key = @key;

-- name: LockBooking :one
SELECT * FROM bookings WHERE workspace_id = @workspace_id AND id = @id FOR UPDATE;

-- name: CancelBooking :one
UPDATE bookings SET state = 'cancelled', cancelled_at = @now, updated_at = @now WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: MoveBooking :one
UPDATE bookings SET starts_at = @starts_at, ends_at = @ends_at, free_at = @free_at, updated_at = @now WHERE workspace_id = @workspace_id AND id = @id
RETURNING *;

-- name: Bookings :many
SELECT b.*, r.slug AS resource, r.name AS resource_name, c.email, c.first_name, c.last_name FROM bookings b
JOIN resources r ON r.workspace_id = b.workspace_id AND r.id = b.resource_id
JOIN contacts c ON c.workspace_id = b.workspace_id AND c.id = b.contact_id
WHERE b.workspace_id = @workspace_id AND (@resource::text = '' OR r.slug = @resource) AND (sqlc.narg(contact)::uuid IS NULL OR b.contact_id = sqlc.narg(contact))
    AND b.starts_at >= @since AND (b.starts_at, b.id) > (@after_at::timestamptz, @after_id::uuid)
ORDER BY b.starts_at, b.id LIMIT @max_rows;

-- name: LockPayment :one
SELECT * FROM payments WHERE workspace_id = @workspace_id AND provider = @provider AND external_id = @external_id FOR UPDATE;

-- name: InsertPayment :execrows
INSERT INTO payments (workspace_id, id, provider, external_id, contact_id, amount, refunded, currency, title, state, props, created_at, paid_at,
    refunded_at, updated_at)
VALUES (@workspace_id, @id, @provider, @external_id, NULL, @amount, 0, @currency, @title, 'created', '{}', @now, NULL, NULL, @now)
ON CONFLICT (workspace_id, provider, external_id) DO NOTHING;

-- name: UpdatePayment :one
UPDATE payments SET contact_id = @contact_id, amount = @amount, refunded = @refunded, title = @title, state = @state, props = @props,
    paid_at = @paid_at, refunded_at = @refunded_at, updated_at = @now
WHERE workspace_id = @workspace_id AND id = @id RETURNING *;

-- name: Payment :one
SELECT * FROM payments WHERE workspace_id = @workspace_id AND id = @id;

-- name: Payments :many
SELECT * FROM payments WHERE workspace_id = @workspace_id AND (sqlc.narg(contact)::uuid IS NULL OR contact_id = sqlc.narg(contact))
    AND (@state::text = '' OR state = @state) AND (sqlc.narg(before)::uuid IS NULL OR id < sqlc.narg(before)::uuid)
ORDER BY id DESC LIMIT @max_rows;

-- name: EraseSubmissions :exec
UPDATE form_submissions SET answers = '{}', ip_hash = NULL, visitor_id = NULL, origin = '', key = NULL
WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseVisitors :exec
DELETE FROM visitors WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: EraseBookings :exec
-- What lies ahead is cancelled, so that somebody else can have the slot.
UPDATE bookings SET key = NULL, updated_at = @now::timestamptz,
    state = CASE WHEN starts_at > @now THEN 'cancelled' ELSE state END,
    cancelled_at = CASE WHEN starts_at > @now THEN coalesce(cancelled_at, @now) ELSE cancelled_at END
WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: ErasePayments :exec
UPDATE payments SET title = '', props = '{}' WHERE workspace_id = @workspace_id AND contact_id = @contact_id;

-- name: MoveInbound :exec
WITH forms AS (UPDATE form_submissions s SET contact_id = sqlc.arg(winner)::uuid WHERE s.workspace_id = @workspace_id AND s.contact_id = sqlc.arg(loser)::uuid),
    seen AS (UPDATE visitors v SET contact_id = sqlc.arg(winner)::uuid WHERE v.workspace_id = @workspace_id AND v.contact_id = sqlc.arg(loser)::uuid),
    booked AS (UPDATE bookings b SET contact_id = sqlc.arg(winner)::uuid WHERE b.workspace_id = @workspace_id AND b.contact_id = sqlc.arg(loser)::uuid)
UPDATE payments p SET contact_id = sqlc.arg(winner)::uuid WHERE p.workspace_id = @workspace_id AND p.contact_id = sqlc.arg(loser)::uuid;
