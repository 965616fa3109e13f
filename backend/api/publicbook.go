package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// pageLife is how long the buttons of a page work after it was shown.
const pageLife = 2 * time.Hour

// bookBody is what a booking page shows.
type bookBody struct {
	Resource              store.Resource
	Days                  []bookDay
	Token, Message        string
	Name, Email           string
	Earlier, Later        string // dates of the weeks before and after; "" is none
	Booking               *store.Booking
	When, Zone, ManageURL string
	Cancelled             bool
}

type bookDay struct {
	Day   string
	Slots []bookSlot
}

type bookSlot struct{ Value, Label string }

// resourceAt is what the address of a booking page names.
func (s *Server) resourceAt(c echo.Context) (store.Resource, error) {
	id, err := publicID(c, "resource")
	if err != nil {
		return store.Resource{}, err
	}
	return s.Inbound.Bookings.Public(c.Request().Context(), id)
}

func (s *Server) showSlots(c echo.Context) error {
	r, err := s.resourceAt(c)
	if err != nil {
		return s.failPage(c, err)
	}
	return s.pageOfSlots(c, http.StatusOK, r, bookBody{})
}

// pageOfSlots shows a week of free slots, on the clocks of the resource.
func (s *Server) pageOfSlots(c echo.Context, status int, r store.Resource, body bookBody) error {
	code, words := speak(c)
	now, zone := s.Clock.Now(), engine.ZoneOf(r.Zone)
	from := now
	if day, err := engine.ParseDate(c.QueryParam("from")); err == nil {
		from = day.Start(zone)
	}
	if from.Before(now) || from.After(now.AddDate(1, 0, 0)) {
		from = now
	}
	free, err := s.Inbound.Bookings.Slots(c.Request().Context(), s.DB, r, from, from.Add(week), now)
	if err != nil {
		return s.failPage(c, err)
	}
	body.Resource, body.Zone = r, r.Zone
	body.Token = s.Inbound.Key.Make(signed.Page, signed.Token{First: r.ID, Second: uuid.New(), At: s.Machine.Now()})
	for _, slot := range free {
		local := slot.From.In(zone)
		day := dayOf(local, code)
		if n := len(body.Days); n == 0 || body.Days[n-1].Day != day {
			body.Days = append(body.Days, bookDay{Day: day})
		}
		last := &body.Days[len(body.Days)-1]
		last.Slots = append(last.Slots, bookSlot{slot.From.UTC().Format(time.RFC3339), local.Format("15:04 MST")})
	}
	if from.After(now) {
		body.Earlier = engine.DateOf(from.Add(-week), zone).String()
	}
	if from.Add(week).Before(now.Add(time.Duration(r.HorizonDays) * 24 * time.Hour)) {
		body.Later = engine.DateOf(from.Add(week), zone).String()
	}
	return showPage(c, status, "book", pageLook{Language: code, Title: r.Name, Words: words, Body: body}, "")
}

// readPage reads a form of one of our pages, and whether we have shown it for this thing lately: another site cannot have.
func (s *Server) readPage(c echo.Context, about uuid.UUID) (signed.Token, error) {
	if err := s.Inbound.Limits.Take(c.Request().Context(), "book:"+s.Inbound.Address(c.RealIP()), perVisitor); err != nil {
		return signed.Token{}, err
	}
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, maxForm)
	if err := c.Request().ParseForm(); err != nil {
		return signed.Token{}, bodyError(err)
	}
	token, err := s.Inbound.Key.Read(signed.Page, c.Request().PostFormValue("token"))
	if age := s.Machine.Now().Sub(token.At); err != nil || token.First != about || age < 0 || age > pageLife {
		return token, fault.New(fault.Forbidden, "This page has been open for long. Please load it again.")
	}
	return token, nil
}

func (s *Server) bookSlot(c echo.Context) error {
	r, err := s.resourceAt(c)
	if err != nil {
		return s.failPage(c, err)
	}
	shown, err := s.readPage(c, r.ID)
	if err != nil {
		return s.failPage(c, err)
	}
	form := c.Request().PostForm
	typed := bookBody{Name: store.Text(form.Get("name"), maxSource), Email: store.Text(form.Get("email"), 320)}
	_, words := speak(c)
	from, err := time.Parse(time.RFC3339, form.Get("from"))
	if err != nil {
		typed.Message = words["choose"]
		return s.pageOfSlots(c, http.StatusUnprocessableEntity, r, typed)
	}
	if _, _, err := people.Email(typed.Email); err != nil {
		typed.Message = words["email_wrong"]
		return s.pageOfSlots(c, http.StatusUnprocessableEntity, r, typed)
	}
	booking, err := s.bookForStranger(c.Request().Context(), r, typed, from, "page:"+shown.Second.String())
	if fault.CodeOf(err) == fault.Conflict {
		typed.Message = words["taken"]
		return s.pageOfSlots(c, http.StatusConflict, r, typed)
	}
	if err != nil {
		return s.failPage(c, err)
	}
	s.nudge("inbox")
	return c.Redirect(http.StatusSeeOther, "/book/manage/"+s.Inbound.Key.Make(signed.Booking, signed.Token{First: booking.WorkspaceID, Second: booking.ID}))
}

// bookForStranger books for whoever has the address. What they typed proves nothing, so somebody known keeps their name.
func (s *Server) bookForStranger(ctx context.Context, r store.Resource, typed bookBody, from time.Time, key string) (store.Booking, error) {
	return change(ctx, &s.handlers, func(tx store.Tx) (store.Booking, error) {
		upsert := func(in people.Input) (people.Outcome, error) {
			outcomes, err := s.People.UpsertMany(ctx, tx, r.WorkspaceID, []people.Input{in}, people.Options{Source: "booking", KeepRefusals: true})
			if err != nil {
				return people.Outcome{}, err
			}
			return outcomes[0], outcomes[0].Err
		}
		person, err := upsert(people.Input{Email: typed.Email})
		if err == nil && person.Created && typed.Name != "" {
			_, err = upsert(people.Input{ID: person.Contact.ID, FirstName: &typed.Name})
		}
		if err != nil {
			return store.Booking{}, err
		}
		booking, _, err := s.Inbound.Bookings.Book(ctx, tx, r, bookings.Wish{Contact: person.Contact.ID, From: from, Source: bookings.SourcePage, Key: key})
		return booking, err
	})
}

// showBooking shows a booking to whoever has its link. It changes nothing.
func (s *Server) showBooking(c echo.Context) error {
	booking, r, err := s.Inbound.Bookings.ByToken(c.Request().Context(), c.Param("token"))
	if err != nil {
		return s.failPage(c, err)
	}
	return s.pageOfBooking(c, http.StatusOK, booking, r, "")
}

func (s *Server) pageOfBooking(c echo.Context, status int, booking store.Booking, r store.Resource, message string) error {
	code, words := speak(c)
	local := booking.StartsAt.In(engine.ZoneOf(r.Zone))
	body := bookBody{
		Resource: r, Booking: &booking, Zone: r.Zone, Message: message, When: dayOf(local, code) + ", " + local.Format("15:04 MST"),
		Cancelled: booking.State == bookings.Cancelled || booking.StartsAt.Before(s.Clock.Now()),
		Token:     s.Inbound.Key.Make(signed.Page, signed.Token{First: booking.ID, Second: uuid.New(), At: s.Machine.Now()}),
	}
	if booking.State == bookings.Cancelled && message == "" {
		body.Message = words["cancelled"]
	}
	return showPage(c, status, "booking", pageLook{Language: code, Title: r.Name, Words: words, Body: body}, "")
}

func (s *Server) manageBooking(c echo.Context) error {
	ctx := c.Request().Context()
	booking, r, err := s.Inbound.Bookings.ByToken(ctx, c.Param("token"))
	if err != nil {
		return s.failPage(c, err)
	}
	if _, err := s.readPage(c, booking.ID); err != nil {
		return s.failPage(c, err)
	}
	if booking.StartsAt.Before(s.Clock.Now()) {
		return s.pageOfBooking(c, http.StatusConflict, booking, r, "")
	}
	booking, err = change(ctx, &s.handlers, func(tx store.Tx) (store.Booking, error) {
		return s.Inbound.Bookings.Cancel(ctx, tx, booking.WorkspaceID, booking.ID)
	})
	var public *fault.Error
	if err != nil && !errors.As(err, &public) {
		return err
	}
	if err != nil {
		return s.failPage(c, err)
	}
	s.nudge("inbox")
	return s.pageOfBooking(c, http.StatusOK, booking, r, "")
}
