package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// QuietHours are hours in which marketing does not leave: from a clock time to another on the same day, or over midnight
// when To is not after From. Equal times are the whole day.
type QuietHours struct {
	From TimeOfDay      `json:"from"`
	To   TimeOfDay      `json:"to"`
	Days []time.Weekday `json:"days,omitempty"` // on which they begin; none is every day
}

// maxQuiet bounds the search for an open hour: hours that are quiet for longer are quiet for good.
const maxQuiet = 15 * 24 * time.Hour

// OpenFrom is the first instant, not before at, that lies in none of the quiet hours; hours are half-open, so that it is
// open at To. ok is false when there is none within two weeks.
func OpenFrom(at time.Time, quiet []QuietHours, zone *time.Location) (open time.Time, ok bool) {
	for open = at; ; {
		end, held := quietUntil(open, quiet, zone)
		if !held {
			return open, true
		}
		if open = end; open.Sub(at) > maxQuiet {
			return time.Time{}, false
		}
	}
}

// longestQuiet is the longest time one may have to wait for an end of quiet hours; ok is false if they never end.
func longestQuiet(quiet []QuietHours) (longest time.Duration, ok bool) {
	week := Date{Year: 2024, Month: time.January, Day: 1}
	for day := range 7 {
		for _, hours := range quiet {
			begin, _, there := hours.on(week.AddDays(day), time.UTC)
			if !there {
				continue
			}
			open, ever := OpenFrom(begin, quiet, time.UTC)
			if !ever {
				return 0, false
			}
			longest = max(longest, open.Sub(begin))
		}
	}
	return longest, true
}

// quietUntil is when the quiet hours around an instant end.
func quietUntil(at time.Time, quiet []QuietHours, zone *time.Location) (end time.Time, held bool) {
	for _, hours := range quiet {
		// Hours that hold at began on its day or on the day before.
		for day := range 2 {
			begin, over, there := hours.on(DateOf(at, zone).AddDays(-day), zone)
			if there && !at.Before(begin) && at.Before(over) && over.After(end) {
				end, held = over, true
			}
		}
	}
	return end, held
}

// on are the hours that begin on a day.
func (q QuietHours) on(day Date, zone *time.Location) (begin, end time.Time, there bool) {
	if len(q.Days) > 0 && !slices.Contains(q.Days, day.weekday()) {
		return begin, end, false
	}
	last := day
	if q.To.sinceMidnight() <= q.From.sinceMidnight() {
		last = day.AddDays(1)
	}
	return day.At(q.From, zone), last.At(q.To, zone), true
}

// MarshalJSON writes the days by name, as configs do.
func (q QuietHours) MarshalJSON() ([]byte, error) {
	names := make([]string, len(q.Days))
	for i, day := range q.Days {
		names[i] = weekdayNames[day]
	}
	return json.Marshal(quietJSON{From: q.From, To: q.To, Days: names})
}

// UnmarshalJSON reads {"from": "21:00", "to": "08:00", "days": ["sat", "sun"]}.
func (q *QuietHours) UnmarshalJSON(raw []byte) error {
	var read quietJSON
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	days := make([]time.Weekday, 0, len(read.Days))
	for _, name := range read.Days {
		day, err := ParseWeekday(name)
		if err != nil {
			return fmt.Errorf("quiet hours: %w", err)
		}
		days = append(days, day)
	}
	*q = QuietHours{From: read.From, To: read.To, Days: days}
	return nil
}

type quietJSON struct {
	From TimeOfDay `json:"from"`
	To   TimeOfDay `json:"to"`
	Days []string  `json:"days,omitempty"`
}

var weekdayNames = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Cap bounds how many marketing messages one person gets, over all funnels: Count within any stretch of Per hours.
type Cap struct {
	Count int `json:"count"`
	Per   int `json:"per"` // hours
}

// FreeFrom is the first instant, not before at, at which one more message keeps within the cap, when the person got
// messages at the given instants, in any order, and gets no more meanwhile. No cap is always free.
func (c *Cap) FreeFrom(at time.Time, sent []time.Time) time.Time {
	if c == nil || c.Count <= 0 || c.Per <= 0 {
		return at
	}
	per := time.Duration(c.Per) * time.Hour
	var recent []time.Time
	for _, t := range sent {
		if t.After(at.Add(-per)) && !t.After(at) {
			recent = append(recent, t)
		}
	}
	if len(recent) < c.Count {
		return at
	}
	slices.SortFunc(recent, time.Time.Compare)
	return recent[len(recent)-c.Count].Add(per)
}
