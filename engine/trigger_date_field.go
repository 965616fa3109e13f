package engine

import (
	"encoding/json"
	"strconv"
	"time"
)

// dateFieldConfig is a date that is kept of each person, and how far from it the funnel starts.
type dateFieldConfig struct {
	Field  string     `json:"field"`
	Offset *Offset    `json:"offset"`
	At     *TimeOfDay `json:"at"`
	Yearly bool       `json:"yearly"`
}

// DateWatch is a date of people a plan starts on: when it comes, the event date_reached happens to the person.
type DateWatch struct {
	Key    string     `json:"key"`   // the same for the same settings
	Field  string     `json:"field"` // key of the contact's field
	Offset *Offset    `json:"offset,omitempty"`
	At     *TimeOfDay `json:"at,omitempty"` // where the person lives; nil is the time of the date itself
	Yearly bool       `json:"yearly,omitempty"`
}

func (c dateFieldConfig) watch() *DateWatch {
	watch := &DateWatch{Field: slugOf(c.Field), Offset: c.Offset, At: c.At, Yearly: c.Yearly}
	settings, err := json.Marshal(watch)
	if err != nil {
		return watch // a struct of texts and numbers always is JSON
	}
	watch.Key = keyOfSettings(string(settings))
	return watch
}

// Coming is one time a date comes: when, and which of them it is. The day names it wherever the person lives and at whatever hour it is told.
type Coming struct {
	At  time.Time
	Day string
}

// Next is what comes to the person next, strictly after now, in their own zone, else in home. A date that comes every year comes
// first in its own year; the 29th of February comes on the 28th where there is none. ok is false when there is nothing to
// come.
func (w *DateWatch) Next(contact *Contact, home string, now time.Time) (next Coming, ok bool) {
	return w.Follow(contact, home, now, "", "")
}

// Follow is Next for somebody who has heard of the day told already, and waits for the day awaited: the first does not come again when
// they move west, and the second comes now when they have moved east, past its hour.
func (w *DateWatch) Follow(contact *Contact, home string, now time.Time, told, awaited string) (next Coming, ok bool) {
	date, ok := readDate(lookup(contact.Fields, w.Field))
	if !ok {
		return next, false
	}
	zone := ZoneOf(contact.Zone, home)
	day, clock := date.face(zone)
	first, last, this := day.Year, day.Year, DateOf(now, zone).Year
	if w.Yearly { // an offset takes it five years to either side at most
		first, last = max(day.Year, this-6), max(day.Year, this+7)
	}
	for year := first; year <= last; year++ {
		coming := Coming{At: w.from(date, zone), Day: date.named(year - day.Year)}
		if w.Yearly {
			coming.At = w.from(dateValue{day: anniversary(day, year), clock: clock}, zone)
		}
		switch {
		case coming.Day == told:
		case coming.At.After(now):
			return coming, true
		case coming.Day == awaited:
			coming.At = now
			return coming, true
		}
	}
	return next, false
}

// named is the date so many years later as a name that is the same in all zones.
func (d dateValue) named(years int) string {
	day, clock := d.day, d.clock
	if !d.at.IsZero() {
		day, clock = d.face(time.UTC)
	}
	day = anniversary(day, day.Year+years)
	if d.wholeDay {
		return day.String()
	}
	name := day.String() + "T" + (time.Time{}).Add(clock).Format("15:04:05.999999999")
	if !d.at.IsZero() {
		name += "Z"
	}
	return name
}

// occurrence names the coming that an event tells of: the same for every hour it may be told at, so that a new version with another hour
// does not start anybody twice for one day.
func (w *DateWatch) occurrence(m *Moment) string {
	day := m.signalProp(propDay)
	if day == "" {
		return ""
	}
	offset := "0d"
	if w.Offset != nil && !w.Offset.IsZero() {
		offset = strconv.Itoa(w.Offset.days()) + "d"
		if exact, ok := w.Offset.Exact(); ok {
			offset = exact.String()
		}
		if w.Offset.Direction == Before {
			offset = "-" + offset
		}
	}
	return "date:" + w.Field + ":" + offset + ":" + day
}

// propDay is the property of date_reached that says which day it is.
const propDay = "day"

func (w *DateWatch) from(date dateValue, zone *time.Location) time.Time {
	offset := w.Offset
	if offset == nil {
		offset = &Offset{Duration: Duration{Unit: Days}, Direction: After}
	}
	return offset.From(date, w.At, zone)
}

// anniversary is a day in another year.
func anniversary(day Date, year int) Date {
	leap := year%4 == 0 && year%100 != 0 || year%400 == 0
	if day.Month == time.February && day.Day == 29 && !leap {
		return Date{Year: year, Month: time.February, Day: 28}
	}
	return Date{Year: year, Month: day.Month, Day: day.Day}
}

var _ = DefineTrigger(TriggerSpec[dateFieldConfig]{
	Kind: Kind{
		Kind: "date_field", Family: FamilyTrigger, Order: 12,
		Title:   "A date of the contact comes",
		Purpose: "A birthday, a renewal, the end of a trial: days before or after a date you keep of each person, once or every year.",
		Synonyms: []string{"birthday", "anniversary", "date", "renewal", "expiry", "urodziny", "rocznica", "data", "odnowienie", "koniec umowy",
			"день рождения", "годовщина", "дата", "продление"},
		Fields: []Field{
			{Key: "field", Type: TypeRef, Of: "field", Label: "Date", Required: true, Help: "A field that holds a date, such as the birthday."},
			{Key: "offset", Type: TypeOffset, Label: "Before or after", Help: "Empty: on the day itself."},
			{Key: "at", Type: TypeTimeOfDay, Label: "At", Help: "Where the person lives. Empty: at the time the date itself has, which of a day is midnight.",
				Default: "09:00"},
			{Key: "yearly", Type: TypeBool, Label: "Every year", Help: "As for a birthday. The 29th of February comes on the 28th where there is none."},
		},
		Ports: []PortSpec{},
	},
	Check: func(c dateFieldConfig, k *Checker) { k.checkDateField("field", slugOf(c.Field)) },
	Event: func(c dateFieldConfig) TriggerEvent {
		usual := map[string]any{"field": slugOf(c.Field), "date": c.watch().Key}
		return TriggerEvent{Name: EventDateReached, Props: []string{"field", "date"}, Usual: usual}
	},
	Matches: func(c dateFieldConfig, m *Moment) bool { return m.signalProp("date") == c.watch().Key },
	Recurs:  func(c dateFieldConfig) bool { return c.Yearly },
	Date:    func(c dateFieldConfig) *DateWatch { return c.watch() },
})
