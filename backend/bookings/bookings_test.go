package bookings_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

type desk struct {
	*spinetest.World

	bookings *bookings.Bookings
}

func setup(t *testing.T, now time.Time) *desk {
	t.Helper()
	w := spinetest.New(t)
	if !now.IsZero() {
		w.Jump(now)
	}
	b := &bookings.Bookings{DB: w.Pool, Clock: w.Clock, People: w.People, Key: signed.NewKey(spinetest.Secret), BaseURL: "https://lejek.example"}
	w.Calls.Inside("book_slot", b.BookSlot)
	return &desk{w, b}
}

func everyDay(from, to string) bookings.Hours {
	hours := bookings.Hours{}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		hours[day] = []bookings.Opening{{From: from, To: to}}
	}
	return hours
}

func (d *desk) resource(in bookings.Input) (r store.Resource) {
	d.Helper()
	if in.Name == "" {
		in.Name = "Consultation"
	}
	d.Tx(func(tx store.Tx) (err error) {
		r, err = d.bookings.Create(d.Context(), tx, d.Workspace, in)
		return err
	})
	return r
}

func (d *desk) book(r store.Resource, contact uuid.UUID, from time.Time, key string) (booking store.Booking, isNew bool, err error) {
	err = store.InTx(d.Context(), d.Pool, d.Clock, func(tx store.Tx) (err error) {
		booking, isNew, err = d.bookings.Book(d.Context(), tx, r, bookings.Wish{Contact: contact, From: from, Source: bookings.SourceAPI, Key: key})
		return err
	})
	return booking, isNew, err
}

func (d *desk) slots(r store.Resource, from, to time.Time) []string {
	d.Helper()
	free, err := d.bookings.Slots(d.Context(), d.Pool, r, from, to, d.Clock.Now())
	require.NoError(d, err)
	said := []string{}
	for _, slot := range free {
		said = append(said, slot.From.UTC().Format("02 15:04"))
	}
	return said
}

func at(text string) time.Time {
	parsed, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return parsed
}

func TestFault53_FiftyParallelBookingsOfOneSlot(t *testing.T) {
	t.Parallel()
	d := setup(t, at("2026-12-01 06:00"))
	r := d.resource(bookings.Input{Hours: everyDay("09:00", "17:00"), SlotMinutes: 30, BufferMinutes: 10})
	slot := at("2026-12-01 09:00")
	people := make([]uuid.UUID, 50)
	for i := range people {
		people[i] = d.Contact(fmt.Sprintf("p%d@example.com", i))
	}
	var mu sync.Mutex
	won, lost := 0, []error{}
	var group sync.WaitGroup
	start := make(chan struct{})
	for _, person := range people {
		group.Go(func() {
			<-start
			_, _, err := d.book(r, person, slot, "")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else {
				lost = append(lost, err)
			}
		})
	}
	close(start)
	group.Wait()
	require.Equal(t, 1, won)
	require.Len(t, lost, 49)
	for _, err := range lost {
		require.Equal(t, fault.Conflict, fault.CodeOf(err), "%v", err)
		taken, ok := fault.Public(err).Details.(bookings.Taken)
		require.True(t, ok)
		require.Len(t, taken.Alternatives, 3)
		require.Equal(t, at("2026-12-01 09:40"), taken.Alternatives[0].From, "the next free one, behind the buffer")
	}
	require.Equal(t, 1, d.Count("SELECT count(*) FROM bookings WHERE state = 'booked'"))
	d.Settle()
	require.Equal(t, 1, d.Count("SELECT count(*) FROM events WHERE name = 'booking_made'"))
	d.Audit()
}

func TestFault53_CancelAndRebookRaceForTheSameSlot(t *testing.T) {
	t.Parallel()
	d := setup(t, at("2026-12-01 06:00"))
	r := d.resource(bookings.Input{Hours: everyDay("09:00", "10:00"), SlotMinutes: 30})
	first, second := at("2026-12-01 09:00"), at("2026-12-01 09:30")
	for range 5 {
		a, _, err := d.book(r, d.Contact("a@example.com"), first, "")
		require.NoError(t, err)
		b, _, err := d.book(r, d.Contact("b@example.com"), second, "")
		require.NoError(t, err)
		errs := make([]error, 3)
		var group sync.WaitGroup
		for i, body := range []func(tx store.Tx) error{
			func(tx store.Tx) error { _, err := d.bookings.Cancel(t.Context(), tx, d.Workspace, a.ID); return err },
			func(tx store.Tx) error {
				_, err := d.bookings.Rebook(t.Context(), tx, d.Workspace, b.ID, first)
				return err
			},
			func(tx store.Tx) error {
				_, _, err := d.bookings.Book(t.Context(), tx, r, bookings.Wish{Contact: a.ContactID, From: first, Source: bookings.SourceAPI})
				return err
			},
		} {
			group.Go(func() { errs[i] = store.InTx(t.Context(), d.Pool, d.Clock, body) })
		}
		group.Wait()
		require.NoError(t, errs[0])
		for _, err := range errs[1:] {
			if err != nil {
				require.Equal(t, fault.Conflict, fault.CodeOf(err), "%v", err)
			}
		}
		require.Zero(t, d.Count(`SELECT count(*) FROM bookings x JOIN bookings y ON x.id < y.id AND x.state = 'booked' AND y.state = 'booked'
			AND x.starts_at < y.free_at AND y.starts_at < x.free_at`))
		d.Exec("UPDATE bookings SET state = 'cancelled', cancelled_at = coalesce(cancelled_at, $1)", d.Clock.Now())
	}
	d.Settle()
	d.Audit()
}

func TestSlotsFollowTheClocksOfTheResource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now      string
		zone     string
		hours    bookings.Hours
		minutes  int
		from, to string
		want     []string
	}{
		"AnHourThatComesTwiceIsTwoHours": { // 25 October 2026, 03:00 becomes 02:00 in Warsaw
			"2026-10-24 12:00", "Europe/Warsaw", bookings.Hours{"sun": {{From: "01:00", To: "04:00"}}}, 60, "2026-10-24 20:00", "2026-10-25 20:00",
			[]string{"24 23:00", "25 00:00", "25 01:00", "25 02:00"},
		},
		"AnHourThatIsSkippedIsNone": { // 29 March 2026, 02:00 becomes 03:00 in Warsaw
			"2026-03-28 12:00", "Europe/Warsaw", bookings.Hours{"sun": {{From: "01:00", To: "04:00"}}}, 60, "2026-03-28 20:00", "2026-03-29 20:00",
			[]string{"29 00:00", "29 01:00"},
		},
		"OpeningInsideTheGapIsWhenItEnds": {
			"2026-03-28 12:00", "Europe/Warsaw", bookings.Hours{"sun": {{From: "02:30", To: "04:00"}}}, 30, "2026-03-28 20:00", "2026-03-29 20:00",
			[]string{"29 01:00", "29 01:30"},
		},
		"OpeningInsideTheFoldIsTheFirstTime": {
			"2026-10-24 12:00", "Europe/Warsaw", bookings.Hours{"sun": {{From: "02:30", To: "03:00"}}}, 30, "2026-10-24 20:00", "2026-10-25 20:00",
			[]string{"25 00:30", "25 01:00", "25 01:30"},
		},
		"ADayToItsEnd": {
			"2026-11-30 00:00", "America/New_York", bookings.Hours{"mon": {{From: "22:00", To: "24:00"}}}, 60, "2026-11-30 00:00", "2026-12-02 00:00",
			[]string{"01 03:00", "01 04:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t, at(c.now))
			r := d.resource(bookings.Input{Zone: c.zone, Hours: c.hours, SlotMinutes: c.minutes})
			require.Equal(t, c.want, d.slots(r, at(c.from), at(c.to)))
			for i := range c.want { // each is a slot of its own and can be booked once
				free, err := d.bookings.Slots(t.Context(), d.Pool, r, at(c.from), at(c.to), d.Clock.Now())
				require.NoError(t, err)
				require.Len(t, free, len(c.want)-i)
				_, _, err = d.book(r, d.Contact("a@example.com"), free[0].From, "")
				require.NoError(t, err)
			}
			require.Empty(t, d.slots(r, at(c.from), at(c.to)))
		})
	}
}

func TestBook(t *testing.T) {
	t.Parallel()
	d := setup(t, at("2026-12-01 06:00"))
	r := d.resource(bookings.Input{Hours: everyDay("09:00", "12:00"), SlotMinutes: 60, BufferMinutes: 15, NoticeMinutes: 240, HorizonDays: 2})
	anna := d.Contact("anna@example.com")
	require.Equal(t, []string{"01 10:15", "02 09:00", "02 10:15"}, d.slots(r, at("2026-12-01 00:00"), at("2026-12-10 00:00")), "not within the notice, not beyond the horizon")

	for name, from := range map[string]time.Time{
		"WithinTheNotice": at("2026-12-01 09:00"), "BeyondTheHorizon": at("2026-12-03 09:00"), "BetweenSlots": at("2026-12-01 10:30"),
		"WhileClosed": at("2026-12-01 20:00"), "LongAgo": at("2020-12-01 09:00"),
	} {
		_, _, err := d.book(r, anna, from, "")
		require.Equal(t, fault.Conflict, fault.CodeOf(err), name)
		require.NotEmpty(t, fault.Public(err).Details.(bookings.Taken).Alternatives, name)
	}

	one, isNew, err := d.book(r, anna, at("2026-12-01 10:15"), "order-7")
	require.NoError(t, err)
	require.True(t, isNew)
	again, isNew, err := d.book(r, anna, at("2026-12-02 09:00"), "order-7")
	require.NoError(t, err)
	require.False(t, isNew)
	require.Equal(t, one.ID, again.ID)

	token := d.bookings.ManageURL(d.Workspace, one.ID)[len("https://lejek.example/book/manage/"):]
	seen, _, err := d.bookings.ByToken(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, one.ID, seen.ID)
	_, _, err = d.bookings.ByToken(t.Context(), token[1:]+"A")
	require.Equal(t, fault.NotFound, fault.CodeOf(err))

	d.Tx(func(tx store.Tx) error {
		moved, err := d.bookings.Rebook(t.Context(), tx, d.Workspace, one.ID, at("2026-12-02 09:00"))
		require.Equal(t, at("2026-12-02 09:00"), moved.StartsAt)
		return err
	})
	d.Tx(func(tx store.Tx) error {
		_, err := d.bookings.Cancel(t.Context(), tx, d.Workspace, one.ID)
		require.NoError(t, err)
		_, err = d.bookings.Cancel(t.Context(), tx, d.Workspace, one.ID)
		return err
	})
	d.Settle()
	require.Equal(t, 2, d.Count("SELECT count(*) FROM events WHERE name = 'booking_made'"))
	require.Equal(t, 2, d.Count("SELECT count(*) FROM events WHERE name = 'booking_cancelled'"))
	require.Equal(t, 1, d.Count("SELECT count(*) FROM events WHERE name = 'booking_cancelled' AND (props->>'rebooked')::bool"))
	err = store.InTx(t.Context(), d.Pool, d.Clock, func(tx store.Tx) error {
		_, err := d.bookings.Cancel(t.Context(), tx, store.NewID(), one.ID)
		return err
	})
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "of another workspace")
}

func TestHoursAreChecked(t *testing.T) {
	t.Parallel()
	d := setup(t, time.Time{})
	for name, c := range map[string]struct {
		in    bookings.Input
		field string
	}{
		"ClosesBeforeItOpens": {bookings.Input{Name: "x", SlotMinutes: 30, Hours: everyDay("17:00", "09:00")}, "hours."},
		"Overlaps":            {bookings.Input{Name: "x", SlotMinutes: 30, Hours: bookings.Hours{"mon": {{"09:00", "12:00"}, {"11:00", "13:00"}}}}, "hours.mon.1"},
		"NoSuchDay":           {bookings.Input{Name: "x", SlotMinutes: 30, Hours: bookings.Hours{"monday": nil}}, "hours.monday"},
		"NoTime":              {bookings.Input{Name: "x", SlotMinutes: 30, Hours: everyDay("9", "17:00")}, "hours."},
		"NoName":              {bookings.Input{SlotMinutes: 30}, "name"},
		"NoSlot":              {bookings.Input{Name: "x"}, "slot_minutes"},
		"NoZone":              {bookings.Input{Name: "x", SlotMinutes: 30, Zone: "Mars/Base"}, "zone"},
	} {
		err := store.InTx(t.Context(), d.Pool, d.Clock, func(tx store.Tx) error {
			_, err := d.bookings.Create(t.Context(), tx, d.Workspace, c.in)
			return err
		})
		var public *fault.Error
		require.ErrorAs(t, err, &public, name)
		require.Contains(t, public.Fields[0].Path, c.field, name)
	}
}
