package bookings

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
)

// The events of bookings.
const (
	eventMade      = "booking_made"
	eventCancelled = "booking_cancelled"
)

// States of a booking.
const (
	Booked    = "booked"
	Cancelled = "cancelled"
)

// Sources of a booking.
const (
	SourceAPI    = "api"
	SourcePage   = "page"
	SourceFunnel = "funnel"
)

const (
	day             = 24 * time.Hour
	maxSpan         = 31 * day // of one question for slots
	alternatives    = 3
	alternativeSpan = 14 * day
)

// Taken is in the details of the conflict of a slot that is not free: which are.
type Taken struct{ Alternatives []Slot }

// Wish is a booking somebody wants.
type Wish struct {
	Contact uuid.UUID // the caller has locked the person
	From    time.Time // beginning of a slot
	Source  string
	Key     string // the sender's; "" is none
	Chain   int16
}

// Slots are the free slots that begin in [from, to) and may be booked now: not before the notice is over, and within the horizon.
func (b *Bookings) Slots(ctx context.Context, db store.DB, r store.Resource, from, to, now time.Time) ([]Slot, error) {
	if to.Sub(from) > maxSpan {
		return nil, fault.InvalidField("to", "Ask for at most 31 days at once.")
	}
	return b.slots(ctx, db, r, from, to, now, uuid.Nil)
}

// slots leaves one booking out of account: the one that is to be moved.
func (*Bookings) slots(ctx context.Context, db store.DB, r store.Resource, from, to, now time.Time, besides uuid.UUID) ([]Slot, error) {
	calendar, err := calendarOf(r)
	if err != nil {
		return nil, err
	}
	earliest, latest := span(r, now)
	from, to = later(from, earliest), sooner(to, latest)
	if !from.Before(to) {
		return nil, nil
	}
	all := calendar.slots(from, to)
	if len(all) == 0 {
		return nil, nil
	}
	busy, err := store.Q.BusyTimes(ctx, db, store.BusyTimesParams{
		WorkspaceID: r.WorkspaceID, ResourceID: r.ID, Since: from, Until: to.Add(calendar.slot + calendar.buffer), Besides: besides,
	})
	if err != nil {
		return nil, fmt.Errorf("read what is booked: %w", err)
	}
	return calendar.without(all, busy), nil
}

// span is from when and until when slots may be booked now.
func span(r store.Resource, now time.Time) (earliest, latest time.Time) {
	earliest = now.Add(time.Duration(r.NoticeMinutes) * time.Minute)
	if r.NoticeMinutes == 0 {
		earliest = now.Add(time.Microsecond) // what begins now has begun
	}
	return earliest, now.Add(time.Duration(r.HorizonDays) * day)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Book takes a slot. When it is not free, or none, the error is a fault.Conflict with Taken in its details; the transaction goes on. isNew
// is false when the key was here before: then the booking is the first one. Nudge the pump "inbox" after the commit.
func (b *Bookings) Book(ctx context.Context, tx store.Tx, r store.Resource, wish Wish) (booking store.Booking, isNew bool, err error) {
	if wish.Key != "" {
		booking, err := store.Q.BookingByKey(ctx, tx, store.BookingByKeyParams{WorkspaceID: r.WorkspaceID, Key: &wish.Key})
		if !errors.Is(err, pgx.ErrNoRows) {
			return booking, false, fault.Wrap(err, "look for an earlier booking")
		}
	}
	calendar, err := calendarOf(r)
	if err != nil {
		return booking, false, err
	}
	from := wish.From.UTC()
	if earliest, latest := span(r, tx.Now); from.Before(earliest) || !from.Before(latest) || !calendar.offers(from) {
		return booking, false, b.taken(ctx, tx, r, from, uuid.Nil)
	}
	row := store.InsertBookingParams{
		WorkspaceID: r.WorkspaceID, ID: store.NewID(), ResourceID: r.ID, ContactID: wish.Contact, StartsAt: from, EndsAt: from.Add(calendar.slot),
		FreeAt: from.Add(calendar.slot + calendar.buffer), Source: wish.Source, Now: tx.Now,
	}
	if wish.Key != "" {
		row.Key = &wish.Key
	}
	booking, err = store.InTxV(ctx, tx, b.Clock, func(tx store.Tx) (store.Booking, error) { return store.Q.InsertBooking(ctx, tx, row) })
	switch {
	case store.IsCode(err, pgerrcode.ExclusionViolation):
		return booking, false, b.taken(ctx, tx, r, from, uuid.Nil)
	case store.Violated(err) == "bookings_key":
		booking, err := store.Q.BookingByKey(ctx, tx, store.BookingByKeyParams{WorkspaceID: r.WorkspaceID, Key: row.Key})
		return booking, false, fault.Wrap(err, "read an earlier booking")
	case err != nil:
		return booking, false, fmt.Errorf("keep a booking: %w", err)
	}
	return booking, true, b.tell(ctx, tx, r, booking, eventMade, wish.Chain, nil)
}

// taken is the refusal of a slot, with the free ones that come next.
func (b *Bookings) taken(ctx context.Context, tx store.Tx, r store.Resource, from time.Time, besides uuid.UUID) error {
	free, err := b.slots(ctx, tx, r, from, from.Add(alternativeSpan), tx.Now, besides)
	if err != nil {
		return err
	}
	if len(free) == 0 {
		if free, err = b.slots(ctx, tx, r, tx.Now, tx.Now.Add(alternativeSpan), tx.Now, besides); err != nil {
			return err
		}
	}
	free = free[:min(len(free), alternatives)]
	return fault.New(fault.Conflict, "This time cannot be booked: it is taken, over, or no slot. Choose another one.").WithDetails(Taken{free})
}

// lock is a booking under the locks of its person and its row.
func (*Bookings) lock(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (booking store.Booking, r store.Resource, err error) {
	seen, err := store.Q.Booking(ctx, tx, store.BookingParams{WorkspaceID: workspace, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return booking, r, fault.New(fault.NotFound, "There is no such booking.")
	}
	if err == nil {
		_, err = store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{seen.ContactID}})
	}
	if err == nil {
		booking, err = store.Q.LockBooking(ctx, tx, store.LockBookingParams{WorkspaceID: workspace, ID: id})
	}
	if err == nil {
		r, err = store.Q.ResourceByID(ctx, tx, store.ResourceByIDParams{WorkspaceID: workspace, ID: booking.ResourceID})
	}
	return booking, r, fault.Wrap(err, "read a booking")
}

// Cancel frees the slot. Cancelling twice is fine.
func (b *Bookings) Cancel(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (store.Booking, error) {
	booking, r, err := b.lock(ctx, tx, workspace, id)
	if err != nil || booking.State == Cancelled {
		return booking, err
	}
	booking, err = store.Q.CancelBooking(ctx, tx, store.CancelBookingParams{WorkspaceID: workspace, ID: id, Now: &tx.Now})
	if err != nil {
		return booking, fmt.Errorf("cancel a booking: %w", err)
	}
	return booking, b.tell(ctx, tx, r, booking, eventCancelled, 0, nil)
}

// Rebook moves a booking to another slot in one step: the old slot is kept unless the new one is sure. Funnels hear that the old time is
// cancelled and the new one made, both with rebooked.
func (b *Bookings) Rebook(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, from time.Time) (store.Booking, error) {
	from = from.UTC()
	old, r, err := b.lock(ctx, tx, workspace, id)
	switch {
	case err != nil:
		return old, err
	case old.State == Cancelled || r.ArchivedAt != nil:
		return old, fault.New(fault.Conflict, "This booking is cancelled, or cannot be moved any more. Book anew.")
	case old.StartsAt.Equal(from):
		return old, nil
	}
	calendar, err := calendarOf(r)
	if err != nil {
		return old, err
	}
	if earliest, latest := span(r, tx.Now); from.Before(earliest) || !from.Before(latest) || !calendar.offers(from) {
		return old, b.taken(ctx, tx, r, from, id)
	}
	moved, err := store.InTxV(ctx, tx, b.Clock, func(tx store.Tx) (store.Booking, error) {
		return store.Q.MoveBooking(ctx, tx, store.MoveBookingParams{
			WorkspaceID: workspace, ID: id, StartsAt: from, EndsAt: from.Add(calendar.slot), FreeAt: from.Add(calendar.slot + calendar.buffer), Now: tx.Now,
		})
	})
	if store.IsCode(err, pgerrcode.ExclusionViolation) {
		return old, b.taken(ctx, tx, r, from, id)
	}
	if err != nil {
		return old, fmt.Errorf("move a booking: %w", err)
	}
	more := map[string]any{"rebooked": true}
	if err := b.tell(ctx, tx, r, old, eventCancelled, 0, more); err != nil {
		return moved, err
	}
	return moved, b.tell(ctx, tx, r, moved, eventMade, 0, more)
}

func (b *Bookings) tell(ctx context.Context, tx store.Tx, r store.Resource, booking store.Booking, name string, chain int16, more map[string]any) error {
	props := map[string]any{
		"booking_id": booking.ID.String(), "resource": r.Slug, "resource_name": r.Name, "from": booking.StartsAt.UTC().Format(time.RFC3339),
		"to": booking.EndsAt.UTC().Format(time.RFC3339), "source": booking.Source, "booking_url": b.ManageURL(booking.WorkspaceID, booking.ID),
	}
	maps.Copy(props, more)
	return events.Post(ctx, tx, r.WorkspaceID, chain, events.Posting{Contact: booking.ContactID, Name: name, Props: props})
}

// ManageURL is where the person of a booking sees, moves and cancels it.
func (b *Bookings) ManageURL(workspace, booking uuid.UUID) string {
	return b.BaseURL + "/book/manage/" + b.Key.Make(signed.Booking, signed.Token{First: workspace, Second: booking})
}

// ByToken is the booking a manage link is about, with its resource.
func (b *Bookings) ByToken(ctx context.Context, token string) (booking store.Booking, r store.Resource, err error) {
	said, err := b.Key.Read(signed.Booking, token)
	if err != nil {
		return booking, r, fault.New(fault.NotFound, "There is no such booking.").WithErr(err)
	}
	booking, err = store.Q.Booking(ctx, b.DB, store.BookingParams{WorkspaceID: said.First, ID: said.Second})
	if errors.Is(err, pgx.ErrNoRows) {
		return booking, r, fault.New(fault.NotFound, "There is no such booking.")
	}
	if err == nil {
		r, err = store.Q.ResourceByID(ctx, b.DB, store.ResourceByIDParams{WorkspaceID: said.First, ID: booking.ResourceID})
	}
	return booking, r, fault.Wrap(err, "read a booking")
}
