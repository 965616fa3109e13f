package engine

import (
	"fmt"
	"sync"
	"time"
)

// zones holds every location looked up so far: parsing tzdata costs more than a whole advance.
var zones sync.Map // string -> *time.Location

// LoadZone finds a zone by its IANA name. The empty name is UTC; "Local", the zone of this machine, is refused.
func LoadZone(name string) (*time.Location, error) {
	if name == "" || name == "UTC" {
		return time.UTC, nil
	}
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	if name == "Local" {
		return nil, fmt.Errorf("the time zone %q is not a place: choose one such as Europe/Warsaw", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known: choose one such as Europe/Warsaw", name)
	}
	zones.Store(name, zone)
	return zone, nil
}

// ZoneOf is the zone a person lives in: the first of the names that is a known zone (the contact's, then the
// workspace's), else UTC.
func ZoneOf(names ...string) *time.Location {
	for _, name := range names {
		if name == "" {
			continue
		}
		if zone, err := LoadZone(name); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Date is a calendar day without a place.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the day an instant falls on in a zone.
func DateOf(at time.Time, zone *time.Location) Date {
	y, m, d := at.In(zone).Date()
	return Date{y, m, d}
}

// AddDays moves by calendar days; 31 January + 1 is 1 February.
func (d Date) AddDays(n int) Date {
	y, m, day := time.Date(d.Year, d.Month, d.Day+n, 0, 0, 0, 0, time.UTC).Date()
	return Date{y, m, day}
}

// Start is the first instant of the day in a zone: midnight, or the end of the gap that swallowed it.
func (d Date) Start(zone *time.Location) time.Time {
	return ResolveLocal(d, 0, zone)
}

// At is the instant of a clock time on the day in a zone.
func (d Date) At(t TimeOfDay, zone *time.Location) time.Time {
	return ResolveLocal(d, t.sinceMidnight(), zone)
}

// String writes the day as 2026-12-24.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// widestOffset is more than any zone ever differed from UTC.
const widestOffset = 18 * time.Hour

// ResolveLocal finds the instant at which the clocks of a zone show the given day and clock time (the time since
// midnight on the clock's face). A time the clocks skip gives the first instant after the gap, a time they show twice
// gives the first of the two. time.Date decides neither case the same way in all zones, so it is not asked.
func ResolveLocal(day Date, clock time.Duration, zone *time.Location) time.Time {
	face := time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, time.UTC).Add(clock)
	// Walk through the periods of constant offset, oldest first. The first that reaches the wanted face either
	// contains it or begins past it.
	for from := face.Add(-widestOffset); ; {
		local := from.In(zone)
		_, offset := local.Zone()
		_, end := local.ZoneBounds()
		if !end.IsZero() && !end.After(from) {
			// Beyond its table of changes Go ends a period on the last day of each leap year, before that day is over.
			end = from.Add(time.Hour)
		}
		at := face.Add(-time.Duration(offset) * time.Second)
		switch {
		case at.Before(from):
			return from.UTC()
		case end.IsZero() || at.Before(end):
			return at.UTC()
		}
		from = end
	}
}

// AddDuration moves an instant by d. Minutes and hours are exact. Days and weeks are calendar days in the zone: the same
// clock time that many days later, or, with a time of day, at that time, a day later still if that is not after at. The
// time of day does not count for minutes and hours. The result is never before at.
func AddDuration(at time.Time, d Duration, timeOfDay *TimeOfDay, zone *time.Location) time.Time {
	if exact, ok := d.Exact(); ok {
		return at.Add(exact)
	}
	days := d.days()
	date := DateOf(at, zone).AddDays(days)
	if timeOfDay != nil {
		due := date.At(*timeOfDay, zone)
		for !due.After(at) {
			date = date.AddDays(1)
			due = date.At(*timeOfDay, zone)
		}
		return due
	}
	if days == 0 {
		return at
	}
	local := at.In(zone)
	clock := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute +
		time.Duration(local.Second())*time.Second + time.Duration(local.Nanosecond())
	due := ResolveLocal(date, clock, zone)
	for due.Before(at) { // the zone repeated a whole day
		date = date.AddDays(1)
		due = ResolveLocal(date, clock, zone)
	}
	return due
}

// NextWeekday is the first instant strictly after at when it is one of the days at the time of day in the zone. Without
// days, every day counts.
func NextWeekday(at time.Time, days []time.Weekday, timeOfDay TimeOfDay, zone *time.Location) time.Time {
	wanted := [7]bool{}
	for _, day := range days {
		wanted[day] = true
	}
	for date := DateOf(at, zone); ; date = date.AddDays(1) {
		if len(days) > 0 && !wanted[date.weekday()] {
			continue
		}
		if due := date.At(timeOfDay, zone); due.After(at) {
			return due
		}
	}
}

func (d Date) weekday() time.Weekday {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Weekday()
}

// ParseLocal reads a local date ("2026-12-24", its first instant) or date and time ("2026-12-24T09:00", seconds allowed)
// as the clocks of a zone show it.
func ParseLocal(text string, zone *time.Location) (time.Time, error) {
	date, clock, _, err := parseFace(text)
	if err != nil {
		return time.Time{}, err
	}
	return ResolveLocal(date, clock, zone), nil
}

// ParseDate reads "2026-12-24".
func ParseDate(text string) (Date, error) {
	date, _, wholeDay, err := parseFace(text)
	if err == nil && !wholeDay {
		err = fmt.Errorf("%q is a date with a time: write only the date, such as 2026-12-24", text)
	}
	return date, err
}

// parseFace reads what a calendar and a clock show; wholeDay tells that no time was given.
func parseFace(text string) (date Date, clock time.Duration, wholeDay bool, err error) {
	var face time.Time
	switch len(text) {
	case len("2006-01-02"):
		face, err = time.Parse("2006-01-02", text)
		wholeDay = true
	case len("2006-01-02T15:04"):
		face, err = time.Parse("2006-01-02T15:04", text)
	default:
		face, err = time.Parse("2006-01-02T15:04:05", text)
	}
	if err != nil || face.Year() < 1 {
		return Date{}, 0, false, fmt.Errorf("%q is not a date: write it as 2026-12-24 or 2026-12-24T09:00", text)
	}
	y, m, d := face.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return Date{y, m, d}, face.Sub(midnight), wholeDay, nil
}
