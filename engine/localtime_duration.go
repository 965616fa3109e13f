package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Unit is what a Duration counts.
type Unit string

// The units of a Duration. Minutes and hours are exact, days and weeks are calendar days.
const (
	Minutes Unit = "minutes"
	Hours   Unit = "hours"
	Days    Unit = "days"
	Weeks   Unit = "weeks"
)

// longest bounds a Duration of each unit to five years.
var longest = map[Unit]int{Minutes: 5 * 366 * 24 * 60, Hours: 5 * 366 * 24, Days: 5 * 366, Weeks: 5 * 53}

// Duration is a span of time as people say it: {"amount":3,"unit":"days"}. Its JSON is strict, and between nothing and
// five years.
type Duration struct {
	Amount int  `json:"amount"`
	Unit   Unit `json:"unit"`
}

// UnmarshalJSON refuses unknown members, fractions, unknown units and amounts out of bounds.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	var wire struct {
		Amount *float64 `json:"amount"`
		Unit   *Unit    `json:"unit"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wire); err != nil {
		return fmt.Errorf("%s is not a duration: write it as {\"amount\": 3, \"unit\": \"days\"}", shorten(string(raw), 60))
	}
	if wire.Amount == nil || wire.Unit == nil {
		return fmt.Errorf("a duration needs an amount and a unit, such as 3 days")
	}
	if *wire.Amount != math.Trunc(*wire.Amount) || math.Abs(*wire.Amount) > 1e9 {
		return fmt.Errorf("a duration counts whole minutes, hours, days or weeks, not %g", *wire.Amount)
	}
	read := Duration{Amount: int(*wire.Amount), Unit: *wire.Unit}
	if err := read.Check(); err != nil {
		return err
	}
	*d = read
	return nil
}

// Check tells what is wrong with the duration, or nil.
func (d Duration) Check() error {
	most, known := longest[d.Unit]
	switch {
	case !known:
		return fmt.Errorf("the unit %q is not known: use minutes, hours, days or weeks", d.Unit)
	case d.Amount < 0:
		return fmt.Errorf("a duration cannot be less than nothing: %d %s", d.Amount, d.Unit)
	case d.Amount > most:
		return fmt.Errorf("%d %s is too long: at most %d %s (five years)", d.Amount, d.Unit, most, d.Unit)
	}
	return nil
}

// Exact is the length of a duration in minutes or hours; ok is false for days and weeks, which depend on the calendar.
func (d Duration) Exact() (length time.Duration, ok bool) {
	switch d.Unit {
	case Minutes:
		return time.Duration(d.Amount) * time.Minute, true
	case Hours:
		return time.Duration(d.Amount) * time.Hour, true
	default:
		return 0, false
	}
}

// Window is the length of "within the last N": a day is 24 hours here, whatever the clocks do.
func (d Duration) Window() time.Duration {
	if exact, ok := d.Exact(); ok {
		return exact
	}
	return time.Duration(d.days()) * 24 * time.Hour
}

// IsZero tells a duration of nothing.
func (d Duration) IsZero() bool { return d.Amount == 0 }

// String says the duration: "1 day", "3 weeks".
func (d Duration) String() string {
	unit := string(d.Unit)
	if d.Amount == 1 && len(unit) > 1 {
		unit = unit[:len(unit)-1]
	}
	return fmt.Sprintf("%d %s", d.Amount, unit)
}

func (d Duration) days() int {
	if d.Unit == Weeks {
		return 7 * d.Amount
	}
	return d.Amount
}

// TimeOfDay is a time on the clock's face, to the minute: "09:00".
type TimeOfDay struct {
	Hour   int
	Minute int
}

// ParseTimeOfDay reads "09:00", from 00:00 to 23:59.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	face, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return TimeOfDay{}, fmt.Errorf("%q is not a time of day: write it as 09:00, from 00:00 to 23:59", text)
	}
	return TimeOfDay{Hour: face.Hour(), Minute: face.Minute()}, nil
}

// UnmarshalJSON reads the string form.
func (t *TimeOfDay) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("%s is not a time of day: write it as \"09:00\"", shorten(string(raw), 60))
	}
	read, err := ParseTimeOfDay(text)
	if err == nil {
		*t = read
	}
	return err
}

// MarshalJSON writes the string form.
func (t TimeOfDay) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// String writes "09:00".
func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", t.Hour, t.Minute) }

func (t TimeOfDay) sinceMidnight() time.Duration {
	return time.Duration(t.Hour)*time.Hour + time.Duration(t.Minute)*time.Minute
}

// ParseWeekday reads "mon" to "sun".
func ParseWeekday(text string) (time.Weekday, error) {
	switch text {
	case "mon":
		return time.Monday, nil
	case "tue":
		return time.Tuesday, nil
	case "wed":
		return time.Wednesday, nil
	case "thu":
		return time.Thursday, nil
	case "fri":
		return time.Friday, nil
	case "sat":
		return time.Saturday, nil
	case "sun":
		return time.Sunday, nil
	default:
		return 0, fmt.Errorf("%q is not a weekday: use mon, tue, wed, thu, fri, sat or sun", text)
	}
}

// shorten cuts a text for a message to at most n runes.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
