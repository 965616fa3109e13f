package eval

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// waits looks for each time, as often as it is named, as the length of one wait.
func waits(v *view, m Must) (met, asked bool) {
	var have []float64
	for _, s := range v.of("wait") {
		if h := s.wait(); h > 0 {
			have = append(have, h)
		}
	}
	for _, want := range m.Waits {
		at := slices.IndexFunc(have, func(h float64) bool { return m.near(h, want) })
		if at < 0 {
			return false, true
		}
		// a wait that repeats between all messages may be asked for once
		have = slices.Delete(have, at, at+1)
	}
	return true, len(m.Waits) > 0
}

// timing looks for each time as one wait or as the hours from entry to a message.
func timing(v *view, m Must) (met, asked bool) {
	return allOf(m.Timing, func(want float64) bool {
		for _, s := range v.of("wait") {
			if m.near(s.wait(), want) && s.wait() > 0 {
				return true
			}
		}
		return slices.ContainsFunc(v.paths, func(p path) bool {
			return slices.ContainsFunc(p.sends, func(s sent) bool { return !s.dated && m.near(s.at, want) })
		})
	}), len(m.Timing) > 0
}

// offsets looks for one way on which a message goes out at each of the hours.
func offsets(v *view, m Must) (met, asked bool) {
	for _, p := range v.paths {
		if allOf(m.Offsets, func(want float64) bool {
			return slices.ContainsFunc(p.sends, func(s sent) bool { return !s.dated && m.near(s.at, want) })
		}) {
			return true, len(m.Offsets) > 0
		}
	}
	return false, len(m.Offsets) > 0
}

func span(v *view, m Must) (met, asked bool) {
	if m.Span == nil {
		return false, false
	}
	last := -1.0
	for _, p := range v.paths {
		for _, s := range p.sends {
			last = max(last, s.at)
		}
	}
	return last >= m.Span.Min && (m.Span.Max == 0 || last <= m.Span.Max), true
}

func minGap(v *view, m Must) (met, asked bool) {
	if m.MinGap == nil {
		return false, false
	}
	return len(v.steps) > 0 && smallestGap(v) >= *m.MinGap-1e-9, true
}

// smallestGap is the least time between two messages on any way.
func smallestGap(v *view) float64 {
	least := math.Inf(1)
	for _, p := range v.paths {
		for i := 1; i < len(p.sends); i++ {
			if p.sends[i].dated && !p.sends[i-1].dated {
				continue
			}
			least = min(least, p.sends[i].at-p.sends[i-1].at)
		}
	}
	return least
}

// dates are the hours from a date, negative before it, at which the graph does something.
func (v *view) dates() []float64 {
	var out []float64
	for _, t := range v.entry().config.Triggers {
		if t.Kind == "date_field" {
			out = append(out, t.Offset.hours())
		}
	}
	for _, s := range v.of("wait") {
		if s.config.Mode == "date_field" {
			out = append(out, s.config.Offset.hours())
		}
	}
	for _, p := range v.paths {
		for _, s := range p.sends {
			if s.dated {
				out = append(out, s.day)
			}
		}
	}
	return out
}

func before(v *view, m Must) (met, asked bool) {
	dates := v.dates()
	return allOf(m.Before, func(want float64) bool {
		return slices.ContainsFunc(dates, func(h float64) bool { return h < 0 && m.near(-h, want) })
	}), len(m.Before) > 0
}

func dateOffsets(v *view, m Must) (met, asked bool) {
	dates := v.dates()
	for _, t := range v.entry().config.Triggers { // waits count on from a date that lets people in
		if t.Kind == "date_field" {
			for _, p := range v.paths {
				for _, s := range p.sends {
					if !s.dated {
						dates = append(dates, t.Offset.hours()+s.at)
					}
				}
			}
		}
	}
	return allOf(m.DateOffsets, func(want float64) bool {
		return slices.ContainsFunc(dates, func(h float64) bool { return math.Abs(h-want*24) < 0.5 })
	}), len(m.DateOffsets) > 0
}

func timeOfDay(v *view, m Must) (met, asked bool) {
	if m.TimeOfDay == "" {
		return false, false
	}
	for _, s := range v.of("wait") {
		if s.config.At == m.TimeOfDay {
			return true, true
		}
	}
	for _, t := range v.entry().config.Triggers {
		if t.At == m.TimeOfDay || t.Kind == "schedule" && clockOf(t.RRule) == m.TimeOfDay {
			return true, true
		}
	}
	return false, true
}

// part returns a member of an RRULE.
func part(rrule, name string) string {
	for p := range strings.SplitSeq(rrule, ";") {
		if value, ok := strings.CutPrefix(p, name+"="); ok {
			return value
		}
	}
	return ""
}

func clockOf(rrule string) string {
	hour, _ := strconv.Atoi(part(rrule, "BYHOUR"))
	minute, _ := strconv.Atoi(part(rrule, "BYMINUTE"))
	return pad(hour) + ":" + pad(minute)
}

func pad(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func schedule(v *view, m Must) (met, asked bool) {
	if m.Schedule == nil {
		return false, false
	}
	for _, t := range v.entry().config.Triggers {
		if t.Kind != "schedule" {
			continue
		}
		days := strings.ToLower(part(t.RRule, "BYDAY"))
		ok := allOf(m.Schedule.Days, func(d string) bool { return strings.Contains(days, strings.ToLower(d)[:2]) }) &&
			(len(m.Schedule.Days) == 0 || len(strings.Split(days, ",")) == len(m.Schedule.Days)) &&
			(m.Schedule.Time == "" || clockOf(t.RRule) == m.Schedule.Time) &&
			(m.Schedule.Day == 0 || part(t.RRule, "BYMONTHDAY") == strconv.Itoa(m.Schedule.Day))
		if ok {
			return true, true
		}
	}
	return false, true
}

// maxPerWeek looks that no seven days of any way hold more messages, or that a throttle sees to it.
func maxPerWeek(v *view, m Must) (met, asked bool) {
	if m.MaxPerWeek == nil {
		return false, false
	}
	for _, s := range v.of("throttle") {
		if s.config.Per.hours() == 168 && s.config.Count <= *m.MaxPerWeek {
			return true, true
		}
	}
	n := *m.MaxPerWeek
	for _, p := range v.paths {
		for i := n; i < len(p.sends); i++ {
			if p.sends[i].at-p.sends[i-n].at < 168-1e-9 {
				return false, true
			}
		}
	}
	return len(v.steps) > 0, true
}

// repeats looks for a loop of that length, a recurring time, or a pause before coming again.
func repeats(v *view, m Must) (met, asked bool) {
	if m.Repeat == nil {
		return false, false
	}
	want := *m.Repeat
	if m.near(v.entry().config.Reentry.Pause.hours(), want) {
		return true, true
	}
	for _, t := range v.entry().config.Triggers {
		if t.Kind != "schedule" {
			continue
		}
		period := map[string]float64{"DAILY": 24, "WEEKLY": 168, "MONTHLY": 720, "YEARLY": 8760, "HOURLY": 1}[part(t.RRule, "FREQ")]
		if n, err := strconv.Atoi(part(t.RRule, "INTERVAL")); err == nil && n > 0 {
			period *= float64(n)
		}
		if m.near(period, want) {
			return true, true
		}
	}
	for _, s := range v.steps {
		if v.lap(s.ID, s.ID, 0, map[string]bool{}, func(h float64) bool { return m.near(h, want) }) {
			return true, true
		}
	}
	return false, true
}

// lap looks for a way from a step back to itself whose waits add up to what is wanted.
func (v *view) lap(at, home string, h float64, seen map[string]bool, ok func(float64) bool) bool {
	for _, e := range v.out[at] {
		next := h + v.byID[at].wait()
		if e.To == home && ok(next) {
			return true
		}
		if e.To != home && !seen[e.To] {
			seen[e.To] = true
			if v.lap(e.To, home, next, seen, ok) {
				return true
			}
		}
	}
	return false
}
