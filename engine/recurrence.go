package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Field types of triggers that keep time.
const (
	TypeRecurrence FieldType = "recurrence" // string, an RRULE of RFC 5545
	TypeZone       FieldType = "zone"       // string, an IANA name
	TypeAudience   FieldType = "audience"   // "segment:<slug>" or "list:<slug>"
)

// Recurrence is a recurring time, written as an RRULE of RFC 5545 such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0. Its
// days and hours are those of a clock's face in a zone.
type Recurrence struct {
	text   string
	option *rrule.ROption
}

// maxRecurrence bounds the text of a Recurrence.
const maxRecurrence = 500

// ParseRecurrence reads an RRULE. Only days, weeks, months, years and hours recur: who wants minutes wants an event.
func ParseRecurrence(text string) (Recurrence, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "RRULE:")
	if text == "" || len(text) > maxRecurrence {
		return Recurrence{}, fmt.Errorf("a recurring time is an RRULE such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9")
	}
	if strings.Contains(strings.ToUpper(text), "DTSTART") {
		return Recurrence{}, fmt.Errorf("a recurring time begins when the funnel is published: take DTSTART out")
	}
	if interval := ruleInterval.FindStringSubmatch(text); interval != nil && strings.Trim(interval[1], "0") == "" {
		return Recurrence{}, fmt.Errorf("a recurring time with INTERVAL=%s never comes again: use 1 or more", interval[1])
	}
	option, err := rrule.StrToROption(text)
	if err != nil {
		return Recurrence{}, fmt.Errorf("%q is no recurring time: write it as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", shorten(text, 60))
	}
	if option.Freq > rrule.HOURLY {
		return Recurrence{}, fmt.Errorf("a recurring time comes at most once an hour: use FREQ=HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY")
	}
	if len(option.Byminute)*max(1, len(option.Byhour)) > maxADay || len(option.Bysecond) > 1 || len(option.Byhour) > maxADay {
		return Recurrence{}, fmt.Errorf("a recurring time comes at most %d times a day", maxADay)
	}
	if len(option.Byminute) == 0 {
		option.Byminute = []int{0}
	}
	if len(option.Byhour) == 0 && option.Freq != rrule.HOURLY {
		option.Byhour = []int{0}
	}
	if len(option.Bysecond) == 0 {
		option.Bysecond = []int{0}
	}
	r := Recurrence{text: text, option: option}
	// 2024 is a leap year: whatever comes at all comes within the eight years after it.
	if _, ok := r.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Date{2024, 1, 1}, time.UTC); !ok {
		return Recurrence{}, fmt.Errorf("%q never comes: check days and months", shorten(text, 60))
	}
	return r, nil
}

const maxADay = 24

var ruleInterval = regexp.MustCompile(`(?i)(?:^|;)\s*INTERVAL\s*=\s*(-?\d*)`)

// farthest is how long the next time of a Recurrence may be away.
const farthest = 8 * 366 * 24 * time.Hour

// UnmarshalJSON reads the text.
func (r *Recurrence) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("a recurring time is a text such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9")
	}
	read, err := ParseRecurrence(text)
	if err == nil {
		*r = read
	}
	return err
}

// MarshalJSON writes the text.
func (r Recurrence) MarshalJSON() ([]byte, error) { return json.Marshal(r.text) }

// String is the RRULE as it was written.
func (r Recurrence) String() string { return r.text }

// Next is the first time strictly after an instant, in a zone; intervals are counted from the day it began. A clock time
// the zone skips gives the first instant after the gap, one it shows twice the first of the two. ok is false when there is
// none any more.
func (r Recurrence) Next(after time.Time, began Date, zone *time.Location) (next time.Time, ok bool) {
	if r.option == nil {
		return next, false
	}
	option := *r.option
	option.Dtstart = time.Date(began.Year, began.Month, began.Day, 0, 0, 0, 0, time.UTC)
	rule, err := rrule.NewRRule(option)
	if err != nil {
		return next, false
	}
	// Faces are counted as if the zone were UTC; the difference is less than two days.
	face := after.In(zone)
	from := time.Date(face.Year(), face.Month(), face.Day(), 0, 0, 0, 0, time.UTC).AddDate(0, 0, -2)
	limit := from.Add(farthest)
	for {
		from = rule.After(from, false)
		if from.IsZero() || from.After(limit) {
			return next, false
		}
		if at := resolveFace(from, zone); at.After(after) {
			return at, true
		}
	}
}

// Rezoned is what becomes of a coming time when the zone changes: it keeps its clock's face, so that a day's time comes once
// although the zone went west, and none is left out although it went east, where it may already have passed. ok is false for
// hours, which are counted from now on by the new clock.
func (r Recurrence) Rezoned(next time.Time, from, to *time.Location) (at time.Time, ok bool) {
	if r.option == nil || r.option.Freq == rrule.HOURLY {
		return at, false
	}
	face := next.In(from)
	return ResolveLocal(DateOf(face, from), time.Duration(face.Hour())*time.Hour+time.Duration(face.Minute())*time.Minute, to), true
}
