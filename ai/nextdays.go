package ai

import (
	"cmp"
	"slices"
	"strings"
)

// readNextDays finds days of the week that are waited for: "next Monday at 9", "czekaj do środy", "в ближайшую пятницу в 17:00". What recurs is none.
func (r *reading) readNextDays() {
	r.days = nil
	r.each("weekday", func(m mark) {
		if r.taken[m.at] || r.aside[m.at] || !r.onceADay(m) {
			return
		}
		from, led := r.nextDayFrom(m.at)
		end, clock := r.clockOfDay(m.end())
		if !led && clock == "" {
			return
		}
		r.take(from, end)
		r.understand(from, end-from)
		r.days = append(r.days, timing{hours: 24, kind: weekdayTiming, at: from, n: end - from, list: from, until: strings.TrimSpace(m.value + " " + clock), wait: true})
	})
}

// onceADay tells whether a day of the week is a single one: not each, not one of several, not one that is left out.
func (r *reading) onceADay(m mark) bool {
	if r.silentDay(m.at) || r.everyDay(m.at) && !r.ended(m.at, "until") || r.weekOfMonth(m.at) != 0 && !r.comingAt(m.at-1) || r.before(m.at, 3, "every") || r.ended(m.at, "every") || r.any("recur") && !r.comingAt(m.at-1) {
		return false
	}
	for i := m.at - 3; i < m.end()+3; i++ {
		if i == m.at || i < 0 || i >= len(r.tokens) {
			continue
		}
		if _, day := r.at(i, "weekday"); day {
			return false
		}
	}
	return true
}

func (r *reading) comingAt(i int) bool {
	if i < 0 {
		return false
	}
	_, ok := r.at(i, "coming")
	return ok
}

// nextDayFrom is where the words that lead to a day of the week begin, and whether they say that it is the next one.
func (r *reading) nextDayFrom(i int) (from int, led bool) {
	from = i
	for from > 0 && i-from < 4 && r.tokens[from-1].kind == aWord {
		j := from - 1
		switch {
		case r.comingAt(j), r.word(j, "until") && r.tokens[j].text != "and":
			led = true
		case slices.Contains([]string{"the", "on", "w", "we", "в", "во", "dopiero", "только"}, r.tokens[j].text):
		case r.word(j, "wait") || slices.Contains([]string{"hold", "ждем", "ждать", "czekamy"}, r.tokens[j].text):
			return from, true
		default:
			return from, led
		}
		from = j
	}
	return from, led
}

// clockOfDay reads the time of day behind a day of the week.
func (r *reading) clockOfDay(i int) (end int, clock string) {
	for j := i; j < len(r.tokens) && j < i+3; j++ {
		if minutes, end, ok := r.clockAt(j); ok && r.unitAt(end) == "" {
			return end, clockText(minutes)
		}
		if r.tokens[j].kind == aNumber && r.tokens[j].num <= 24 && j > i && r.ended(j, "at", "atclock") && r.unitAt(j+1) == "" && !r.countsMessages(j) {
			return j + 1, clockText(int(r.tokens[j].num) * 60)
		}
		if r.tokens[j].kind != aComma && !r.word(j, "at", "atclock") && !slices.Contains([]string{"godz", "godzina", "godzinie", "godziny"}, r.tokens[j].text) {
			break
		}
	}
	return i, ""
}

// withDays puts the days of the week that are waited for among the other times.
func (r *reading) withDays(times []timing) []timing {
	times = append(times, r.days...)
	slices.SortStableFunc(times, func(a, b timing) int { return cmp.Compare(a.at, b.at) })
	return times
}
