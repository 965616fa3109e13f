package engine

import (
	"encoding/json"
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

// Next is the person's next instant strictly after now, in their own zone, else in home. A date that comes every year comes
// first in its own year; the 29th of February comes on the 28th where there is none. ok is false when there is nothing to
// come.
func (w *DateWatch) Next(contact *Contact, home string, now time.Time) (next time.Time, ok bool) {
	date, ok := readDate(lookup(contact.Fields, w.Field))
	if !ok {
		return next, false
	}
	zone := ZoneOf(contact.Zone, home)
	if !w.Yearly {
		at := w.from(date, zone)
		return at, at.After(now)
	}
	day, clock := date.face(zone)
	this := DateOf(now, zone).Year
	// An offset takes it five years to either side at most.
	for year := max(day.Year, this-6); year <= max(day.Year, this+7); year++ {
		if at := w.from(dateValue{day: anniversary(day, year), clock: clock}, zone); at.After(now) {
			return at, true
		}
	}
	return next, false
}

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
