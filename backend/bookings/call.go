package bookings

import (
	"context"
	"time"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// The ports of the step book_slot.
const (
	portBooked = "booked"
	portFull   = "full"
)

// tries bounds how many slots of a race a step loses before it counts as full.
const tries = 20

// BookSlot answers the step book_slot: it takes the first free slot within the span, or the one that begins at the given time. It is a
// calls.Inside; the person is locked.
func (b *Bookings) BookSlot(ctx context.Context, tx store.Tx, call calls.Request) (calls.Answer, error) {
	var want engine.BookSlotRequest
	if err := call.Read(&want); err != nil {
		return calls.Answer{}, err
	}
	r, err := b.Resource(ctx, tx, call.Workspace, want.Resource)
	if fault.CodeOf(err) == fault.NotFound {
		return full("gone", want), nil
	}
	if err != nil {
		return calls.Answer{}, err
	}
	from, until := call.Due, want.Until
	exact := want.Rule == engine.BookFromEvent
	if exact {
		at, err := engine.ParseMoment(want.From, engine.ZoneOf(r.Zone))
		if err != nil {
			return full("no_time", want), nil //nolint:nilerr // the event's word, told in the journal
		}
		from, until = at, at.Add(time.Nanosecond)
	}
	for range tries {
		free, err := b.slots(ctx, tx, r, from, until, tx.Now, noBooking)
		if err != nil {
			return calls.Answer{}, err
		}
		if len(free) == 0 {
			break
		}
		booking, _, err := b.Book(ctx, tx, r, Wish{Contact: call.Contact, From: free[0].From, Source: SourceFunnel, Key: "call:" + call.Key, Chain: call.Chain})
		if fault.CodeOf(err) == fault.Conflict {
			from = free[0].From.Add(time.Nanosecond) // somebody was faster
			continue
		}
		if err != nil {
			return calls.Answer{}, err
		}
		return b.booked(booking), nil
	}
	return full("full", want), nil
}

func (b *Bookings) booked(booking store.Booking) calls.Answer {
	at := booking.StartsAt.UTC().Format(time.RFC3339)
	return calls.Answer{
		Port: portBooked,
		Vars: map[string]any{"booking_at": at, "booking_url": b.ManageURL(booking.WorkspaceID, booking.ID)},
		Why:  map[string]any{"booking": booking.ID.String(), "from": at},
	}
}

func full(why string, want engine.BookSlotRequest) calls.Answer {
	return calls.Answer{Port: portFull, Why: map[string]any{"why": why, "resource": want.Resource}}
}
