package engine

import (
	"encoding/json"
	"fmt"
	"time"
)

// Offset moves a date: {"amount":3,"unit":"days","direction":"before"}. Its JSON is strict. Days and weeks are calendar
// days of a zone, hours and minutes are exact.
type Offset struct {
	Duration

	Direction string `json:"direction"`
}

// The directions of an Offset.
const (
	Before = "before"
	After  = "after"
)

// UnmarshalJSON refuses unknown members and directions, and what is no Duration.
func (o *Offset) UnmarshalJSON(raw []byte) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return fmt.Errorf("%s is not an offset: write it as {\"amount\": 3, \"unit\": \"days\", \"direction\": \"before\"}", shorten(string(raw), 60))
	}
	var read Offset
	if err := json.Unmarshal(members["direction"], &read.Direction); err != nil || read.Direction != Before && read.Direction != After {
		return fmt.Errorf("an offset is before or after the date: say which as its direction")
	}
	delete(members, "direction")
	rest, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(rest, &read.Duration)
	}
	if err != nil {
		return err
	}
	*o = read
	return nil
}

// From is the instant the offset leads to from a date, at a time of day in the zone, or at the date's own: a day without a
// time begins at midnight.
func (o Offset) From(date dateValue, at *TimeOfDay, zone *time.Location) time.Time {
	amount := o.days()
	exact, isExact := o.Exact()
	if o.Direction == Before {
		amount, exact = -amount, -exact
	}
	if isExact {
		moved := date.instant(zone).Add(exact)
		if at == nil {
			return moved
		}
		return DateOf(moved, zone).At(*at, zone)
	}
	day, clock := date.face(zone)
	if at != nil {
		clock = at.sinceMidnight()
	}
	return ResolveLocal(day.AddDays(amount), clock, zone)
}

// face is what calendar and clock show at a date in a zone.
func (d dateValue) face(zone *time.Location) (Date, time.Duration) {
	if d.at.IsZero() {
		return d.day, d.clock
	}
	local := d.at.In(zone)
	return DateOf(d.at, zone), time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute +
		time.Duration(local.Second())*time.Second + time.Duration(local.Nanosecond())
}
