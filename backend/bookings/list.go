package bookings

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// noBooking is the id of no booking.
var noBooking uuid.UUID

// Query says which bookings to list.
type Query struct {
	Resource string     // slug; "" is all
	Contact  *uuid.UUID // nil is everybody
	Since    time.Time
	Cursor   string
	Limit    int
}

// List is one page of bookings, cancelled ones too, the next one first, and the cursor of the page after it.
func (b *Bookings) List(ctx context.Context, workspace uuid.UUID, q Query) (rows []store.BookingsRow, next string, err error) {
	params := store.BookingsParams{WorkspaceID: workspace, Resource: q.Resource, Contact: q.Contact, Since: q.Since, MaxRows: int32(q.Limit) + 1}
	if params.AfterAt, params.AfterID, err = readCursor(q.Cursor); err != nil {
		return nil, "", err
	}
	if rows, err = store.Q.Bookings(ctx, b.DB, params); err != nil {
		return nil, "", fault.Wrap(err, "list bookings")
	}
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		last := rows[len(rows)-1]
		next = base64.RawURLEncoding.EncodeToString([]byte(last.StartsAt.UTC().Format(time.RFC3339Nano) + " " + last.ID.String()))
	}
	return rows, next, nil
}

func readCursor(text string) (at time.Time, id uuid.UUID, err error) {
	if text == "" {
		return time.Unix(0, 0), uuid.Nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	when, which, ok := strings.Cut(string(raw), " ")
	if err == nil && ok {
		at, err = time.Parse(time.RFC3339Nano, when)
	}
	if err == nil && ok {
		id, err = uuid.Parse(which)
	}
	if err != nil || !ok {
		return at, id, fault.InvalidField("cursor", "This is not a cursor of ours. Hand in `next` of the page before.")
	}
	return at, id, nil
}

// Get is one booking with the slug of its resource.
func (b *Bookings) Get(ctx context.Context, workspace, id uuid.UUID) (store.Booking, store.Resource, error) {
	booking, err := store.Q.Booking(ctx, b.DB, store.BookingParams{WorkspaceID: workspace, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return booking, store.Resource{}, fault.New(fault.NotFound, "There is no such booking.")
	}
	if err != nil {
		return booking, store.Resource{}, fault.Wrap(err, "read a booking")
	}
	r, err := store.Q.ResourceByID(ctx, b.DB, store.ResourceByIDParams{WorkspaceID: workspace, ID: booking.ResourceID})
	return booking, r, fault.Wrap(err, "read a resource")
}
