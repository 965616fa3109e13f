package api

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
)

// week is how far a question for slots without an end looks.
const week = 7 * 24 * time.Hour

// ListResources lists what can be booked.
func (h *handlers) ListResources(ctx context.Context, _ ListResourcesRequestObject) (ListResourcesResponseObject, error) {
	rows, err := h.Inbound.Bookings.Resources(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	return ListResources200JSONResponse{Items: each(rows, h.toResource)}, nil
}

// GetResource is one of them.
func (h *handlers) GetResource(ctx context.Context, request GetResourceRequestObject) (GetResourceResponseObject, error) {
	row, err := h.Inbound.Bookings.Resource(ctx, h.DB, workspace(ctx), request.Slug)
	return GetResource200JSONResponse(h.toResource(row)), err
}

// CreateResource makes one.
func (h *handlers) CreateResource(ctx context.Context, request CreateResourceRequestObject) (CreateResourceResponseObject, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Resource, error) {
		return h.Inbound.Bookings.Create(ctx, tx, workspace(ctx), fromResourceInput(*request.Body))
	})
	return CreateResource201JSONResponse(h.toResource(row)), err
}

// UpdateResource replaces all but the slug.
func (h *handlers) UpdateResource(ctx context.Context, request UpdateResourceRequestObject) (UpdateResourceResponseObject, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Resource, error) {
		return h.Inbound.Bookings.Change(ctx, tx, workspace(ctx), request.Slug, fromResourceInput(*request.Body))
	})
	return UpdateResource200JSONResponse(h.toResource(row)), err
}

// DeleteResource takes one out of use.
func (h *handlers) DeleteResource(ctx context.Context, request DeleteResourceRequestObject) (DeleteResourceResponseObject, error) {
	return DeleteResource204Response{}, h.inTx(ctx, func(tx store.Tx) error {
		return h.Inbound.Bookings.Archive(ctx, tx, workspace(ctx), request.Slug)
	})
}

// ListSlots lists the free slots.
func (h *handlers) ListSlots(ctx context.Context, request ListSlotsRequestObject) (ListSlotsResponseObject, error) {
	row, err := h.Inbound.Bookings.Resource(ctx, h.DB, workspace(ctx), request.Slug)
	if err != nil {
		return nil, err
	}
	now := h.Clock.Now()
	from := or(request.Params.From, now)
	free, err := h.Inbound.Bookings.Slots(ctx, h.DB, row, from, or(request.Params.To, from.Add(week)), now)
	return ListSlots200JSONResponse{Items: each(free, toSlot)}, err
}

func toSlot(s bookings.Slot) Slot { return Slot{From: s.From, To: s.To} }

// ListBookings lists bookings, the next one first.
func (h *handlers) ListBookings(ctx context.Context, request ListBookingsRequestObject) (ListBookingsResponseObject, error) {
	p := request.Params
	limit := 50
	if p.Limit != nil {
		limit = *p.Limit
	}
	rows, next, err := h.Inbound.Bookings.List(ctx, workspace(ctx), bookings.Query{
		Resource: orZero(p.Resource), Contact: p.Contact, Since: or(p.From, h.Clock.Now()), Cursor: orZero(p.Cursor), Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	return ListBookings200JSONResponse{Next: optional(next), Items: each(rows, func(row store.BookingsRow) Booking {
		name := strings.TrimSpace(row.FirstName + " " + row.LastName)
		if name == "" {
			name = orZero(row.Email)
		}
		return Booking{
			Id: row.ID, Resource: row.Resource, ResourceName: &row.ResourceName, ContactId: row.ContactID, ContactName: optional(name), From: row.StartsAt,
			To: row.EndsAt, State: BookingState(row.State), Source: BookingSource(row.Source), CreatedAt: row.CreatedAt, CancelledAt: row.CancelledAt,
			ManageUrl: h.Inbound.Bookings.ManageURL(row.WorkspaceID, row.ID),
		}
	})}, nil
}

// GetBooking is one booking.
func (h *handlers) GetBooking(ctx context.Context, request GetBookingRequestObject) (GetBookingResponseObject, error) {
	booking, r, err := h.Inbound.Bookings.Get(ctx, workspace(ctx), request.Id)
	return GetBooking200JSONResponse(h.toBooking(booking, r)), err
}

// CreateBooking books one slot.
func (h *handlers) CreateBooking(ctx context.Context, request CreateBookingRequestObject) (CreateBookingResponseObject, error) {
	in := request.Body
	isNew := false
	booking, err := change(ctx, h, func(tx store.Tx) (answer Booking, err error) {
		r, err := h.Inbound.Bookings.Resource(ctx, tx, workspace(ctx), in.Resource)
		if fault.CodeOf(err) == fault.NotFound {
			return answer, fault.InvalidField("resource", "There is no resource %q.", in.Resource)
		}
		if err != nil {
			return answer, err
		}
		contact, err := h.inboundPerson(ctx, tx, in.Contact, "booking")
		if err != nil {
			return answer, err
		}
		var booking store.Booking
		booking, isNew, err = h.Inbound.Bookings.Book(ctx, tx, r, bookings.Wish{Contact: contact, From: in.From, Source: bookings.SourceAPI, Key: orZero(in.Key)})
		return h.toBooking(booking, r), err
	})
	if err != nil {
		return nil, err
	}
	h.nudge("inbox")
	if !isNew {
		return CreateBooking200JSONResponse(booking), nil
	}
	return CreateBooking201JSONResponse(booking), nil
}

// inboundPerson finds or makes the person something came in for, and locks them.
func (h *handlers) inboundPerson(ctx context.Context, tx store.Tx, in InboundContact, source string) (uuid.UUID, error) {
	outcomes, err := h.People.UpsertMany(ctx, tx, workspace(ctx), []people.Input{fromInboundContact(in)}, people.Options{Source: source, KeepRefusals: true})
	if err != nil {
		return uuid.Nil, err
	}
	return outcomes[0].Contact.ID, outcomes[0].Err
}

func fromInboundContact(in InboundContact) people.Input {
	return people.Input{
		ID: orZero(in.Id), ExternalID: orZero(in.ExternalId), Email: orZero(in.Email), Phone: orZero(in.Phone), FirstName: in.FirstName, LastName: in.LastName,
	}
}

// CancelBooking frees the slot.
func (h *handlers) CancelBooking(ctx context.Context, request CancelBookingRequestObject) (CancelBookingResponseObject, error) {
	answer, err := h.changeBooking(ctx, request.Id, func(tx store.Tx) error {
		_, err := h.Inbound.Bookings.Cancel(ctx, tx, workspace(ctx), request.Id)
		return err
	})
	return CancelBooking200JSONResponse(answer), err
}

// RebookBooking moves a booking.
func (h *handlers) RebookBooking(ctx context.Context, request RebookBookingRequestObject) (RebookBookingResponseObject, error) {
	answer, err := h.changeBooking(ctx, request.Id, func(tx store.Tx) error {
		_, err := h.Inbound.Bookings.Rebook(ctx, tx, workspace(ctx), request.Id, request.Body.From)
		return err
	})
	return RebookBooking200JSONResponse(answer), err
}

func (h *handlers) changeBooking(ctx context.Context, id uuid.UUID, body func(tx store.Tx) error) (Booking, error) {
	if err := h.inTx(ctx, body); err != nil {
		return Booking{}, err
	}
	h.nudge("inbox")
	booking, r, err := h.Inbound.Bookings.Get(ctx, workspace(ctx), id)
	return h.toBooking(booking, r), err
}

func (h *handlers) toBooking(b store.Booking, r store.Resource) Booking {
	return Booking{
		Id: b.ID, Resource: r.Slug, ResourceName: optional(r.Name), ContactId: b.ContactID, From: b.StartsAt, To: b.EndsAt, State: BookingState(b.State),
		Source: BookingSource(b.Source), CreatedAt: b.CreatedAt, CancelledAt: b.CancelledAt, ManageUrl: h.Inbound.Bookings.ManageURL(b.WorkspaceID, b.ID),
	}
}
