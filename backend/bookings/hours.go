package bookings

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Opening is from when to when something is open on a day, on the clock's face: "09:00" to "17:00", or to "24:00".
type Opening struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Hours are the openings by weekday: mon, tue, wed, thu, fri, sat, sun.
type Hours map[string][]Opening

// Slot is a half-open interval that can be booked.
type Slot struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// midnight is the end of a day on a clock's face.
const midnight = "24:00"

// face is a time of day since midnight.
func face(text string) (time.Duration, error) {
	if text == midnight {
		return 24 * time.Hour, nil
	}
	at, err := engine.ParseTimeOfDay(text)
	if err != nil {
		return 0, err
	}
	return time.Duration(at.Hour)*time.Hour + time.Duration(at.Minute)*time.Minute, nil
}

// check says what is wrong with hours, and puts the openings of a day in order.
func (h Hours) check() []fault.Field {
	var wrong []fault.Field
	no := func(day string, n int, format string, args ...any) {
		wrong = append(wrong, fault.Field{Path: fmt.Sprintf("hours.%s.%d", day, n), Message: fmt.Sprintf(format, args...)})
	}
	for day, openings := range h {
		if _, err := engine.ParseWeekday(day); err != nil {
			wrong = append(wrong, fault.Field{Path: "hours." + day, Message: "This is not a day. Use mon, tue, wed, thu, fri, sat or sun."})
			continue
		}
		slices.SortStableFunc(openings, func(a, b Opening) int { return compareFaces(a.From, b.From) })
		last := time.Duration(0)
		for n, opening := range openings {
			from, err := face(opening.From)
			to, err2 := face(opening.To)
			switch {
			case err != nil || err2 != nil || from == 24*time.Hour:
				no(day, n, "Write times of day as 09:00 and 17:30.")
			case to <= from:
				no(day, n, "It must close after it opens. Hours over midnight are two openings: until 24:00, and from 00:00 on the next day.")
			case from < last:
				no(day, n, "This opening overlaps with the one before. Make them one.")
			}
			last = max(last, to)
		}
	}
	return wrong
}

func compareFaces(a, b string) int {
	x, _ := face(a)
	y, _ := face(b)
	return int(x - y)
}

// calendar is a resource ready to be asked for slots.
type calendar struct {
	hours        Hours
	zone         *time.Location
	slot, buffer time.Duration
}

func calendarOf(r store.Resource) (calendar, error) {
	c := calendar{
		zone: engine.ZoneOf(r.Zone), slot: time.Duration(r.SlotMinutes) * time.Minute, buffer: time.Duration(r.BufferMinutes) * time.Minute,
	}
	if err := json.Unmarshal(r.Hours, &c.hours); err != nil {
		return c, fmt.Errorf("hours of resource %s: %w", r.ID, err)
	}
	return c, nil
}

var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// slots are all slots that begin in [from, to), booked or not, in order.
func (c calendar) slots(from, to time.Time) []Slot {
	var found []Slot
	days := int(to.Sub(from)/(24*time.Hour)) + 3
	for n := -1; n <= days; n++ {
		day := engine.DateOf(from, c.zone).AddDays(n)
		weekday := time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, time.UTC).Weekday()
		for _, opening := range c.hours[weekdays[weekday]] {
			opens, _ := face(opening.From)
			closes, _ := face(opening.To)
			end := engine.ResolveLocal(day, closes, c.zone)
			for at := engine.ResolveLocal(day, opens, c.zone); !at.Add(c.slot).After(end); at = at.Add(c.slot + c.buffer) {
				if !at.Before(from) && at.Before(to) {
					found = append(found, Slot{at, at.Add(c.slot)})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b Slot) int { return a.From.Compare(b.From) })
	return slices.CompactFunc(found, func(a, b Slot) bool { return a.From.Equal(b.From) })
}

// offers tells whether a slot begins at an instant.
func (c calendar) offers(at time.Time) bool { return len(c.slots(at, at.Add(time.Nanosecond))) > 0 }

// without leaves out the slots that meet something booked. Both are in order.
func (c calendar) without(slots []Slot, busy []store.BusyTimesRow) []Slot {
	free := slots[:0:0]
	for _, slot := range slots {
		until := slot.To.Add(c.buffer)
		taken := slices.ContainsFunc(busy, func(b store.BusyTimesRow) bool { return b.StartsAt.Before(until) && slot.From.Before(b.FreeAt) })
		if !taken {
			free = append(free, slot)
		}
	}
	return free
}
