package ai

import (
	"slices"
	"strconv"
	"strings"
)

// readSchedule finds a recurring time: "every Monday at 8", "co miesiąc 1-go", "weekly newsletter", "каждую пятницу".
func (r *reading) readSchedule(w *wish) {
	var names []string
	at, from, to := -1, 0, 0
	kind := ""
	for i := range r.tokens {
		if r.taken[i] || r.aside[i] {
			continue
		}
		if m, ok := r.at(i, "weekday"); ok && !r.silentDay(i) && (r.before(i, 3, "every") || r.ended(i, "every") || len(names) > 0 || r.everyDay(i) || r.weekOfMonth(i) != 0 || r.any("recur", "weekly")) {
			if at < 0 {
				at, from = i, i
			}
			kind = "weekly"
			if r.before(i, 3, "every") && (r.isNumber(i-1) || r.ordinalWord(i-1) == 2 || r.tokens[i-1].text == "other") || r.any("recur", "biweekly") {
				kind = "biweekly" // "every other Tuesday"
			}
			if n := r.weekOfMonth(i); n != 0 {
				kind, names = "monthly", []string{strconv.Itoa(n) + m.value}
				at, from, to = min(at, i), r.monthFrom(i), r.monthTo(i)
				break
			}
			names = append(names, m.value)
			to = m.end()
			continue
		}
		if day, end := r.everyDate(i); day > 0 && kind == "" {
			kind, at, from, to = "monthly", i, i, end
			names = append(names, strconv.Itoa(day))
			continue
		}
		if m, ok := r.at(i, "recur"); ok && !r.limitsNear(i) && !r.until(i) && (m.value != "biweekly" || r.any("weekday")) && !r.describesTime(m) {
			if hours := r.paced(i, m); hours > 0 {
				w.every = hours
				r.take(m.at, m.end()-map[bool]int{true: 1}[r.word(m.end()-1, "over", "at")])
				continue
			}
			if kind == "" {
				kind, at, from, to = m.value, i, i, m.end()
			}
		}
	}
	if day, begin, end := r.edgeOfMonth(); kind == "" && day != 0 {
		kind, at, from, to = "monthly", begin, begin, end
		names = append(names, strconv.Itoa(day))
	}
	if name, _, _ := r.dateFieldNamed(); kind == "" || kind == "yearly" && name != "" {
		return
	}
	for from > 0 && r.word(from-1, "every", "in", "at") {
		from--
	}
	if kind == "workdays" {
		if !r.anyClock() {
			return // only a limit: "on weekdays only"
		}
		kind, names = "weekly", []string{"mon", "tue", "wed", "thu", "fri"}
	}
	when := kind
	if len(names) > 0 {
		when += " " + strings.Join(names, ",")
	}
	if kind == "monthly" && len(names) == 0 {
		if day, begin := r.dayOfMonth(from); day > 0 {
			when, from = when+" "+strconv.Itoa(day), begin
		} else {
			when, to = r.monthDay(when, to)
		}
	}
	clock := ""
	for i := range r.tokens {
		if minutes, end, ok := r.clockAt(i); ok && r.unitAt(end) == "" && !r.aside[i] {
			if _, _, _, hours := r.hoursRange(i); hours {
				continue
			}
			clock = clockText(minutes)
			start := i
			if r.ended(i, "at", "atclock") {
				start--
			}
			r.take(start, end)
			break
		}
	}
	if clock != "" {
		when += " " + clock
	}
	r.take(from, to)
	w.trigger = opening{Trigger: Trigger{Kind: "schedule", When: when, Ref: r.scheduleFor()}, strength: 5, at: at, from: from, to: to}
}

// monthDay reads the day of a month behind what recurs: "every month on the 5th", "co miesiąc pierwszego".
func (r *reading) monthDay(when string, to int) (string, int) {
	for j := to; j < len(r.tokens) && j < to+7; j++ {
		if _, _, clock := r.clockAt(j); clock {
			break
		}
		if r.word(j, "first") {
			return when + " 1", j + 1
		}
		if n, ok := r.number(j); ok && r.tokens[j].kind == aNumber && n >= 1 && n <= 31 && r.unitAt(j+1) != "hours" {
			return when + " " + trimNumber(n), j + 1
		}
	}
	return when, to
}

// dayOfMonth reads the day of a month before what recurs: "20 dnia każdego miesiąca", "on the 5th of each month". It returns where it begins.
func (r *reading) dayOfMonth(from int) (day, begin int) {
	for j := from - 1; j >= 0 && j >= from-4 && r.tokens[j].kind != aBreak && r.tokens[j].kind != aComma; j-- {
		if n, _, _ := r.dayNumber(j); n >= 1 && n <= 31 {
			return int(n), j
		}
	}
	return 0, from
}

// weekOfMonth tells which one of a month a day of the week is: "the first Monday of the month", "w pierwszy wtorek miesiąca"; -1 is the last,
// 0 none.
func (r *reading) weekOfMonth(i int) int {
	n := r.ordinalWord(i - 1)
	if i > 0 && (r.tokens[i-1].text == "last" || begunWith(r.tokens[i-1].text, "ostatni") || begunWith(r.tokens[i-1].text, "последн")) {
		n = -1
	}
	if n == 0 || n > 4 || r.monthTo(i) == i+1 {
		return 0
	}
	return n
}

// monthFrom and monthTo bound the words around a day of the week that say in which week of a month it is.
func (r *reading) monthFrom(i int) int {
	from := i - 1
	for from > 0 && (r.word(from-1, "every", "in", "at", "onday") || r.tokens[from-1].text == "the") {
		from--
	}
	return max(from, 0)
}

func (r *reading) monthTo(i int) int {
	for j := i + 1; j < len(r.tokens) && j < i+5 && r.tokens[j].kind == aWord; j++ {
		if r.unitAt(j) == "months" {
			return j + 1
		}
	}
	return i + 1
}

// describesTime tells whether a word for what recurs only describes a thing spoken of on the way: "an invitation to monthly giving".
func (r *reading) describesTime(m mark) bool {
	if m.n > 1 || r.anyClock() || r.any("weekday") {
		return false
	}
	first := r.begins(nil)
	return m.at > first && r.startsElsewhere(first)
}

func (r *reading) limitsNear(i int) bool { return r.before(i, 6, "most") }

// until tells whether what recurs goes on until something happens: a loop of one person, not a recurring time for all.
func (r *reading) until(i int) bool {
	from, to := r.sentence(i)
	for j := from; j < to; j++ {
		if r.word(j, "stop") {
			return true
		}
	}
	return false
}

// anyClock tells whether a time of day is named.
func (r *reading) anyClock() bool {
	for i := range r.tokens {
		if _, _, ok := r.clockAt(i); ok && !r.aside[i] {
			return true
		}
	}
	return false
}

// everyDay tells whether the name of a day stands in the form that means each of them: "on tuesdays", "we wtorki", "по вторникам".
func (r *reading) everyDay(i int) bool {
	word := r.tokens[i].text
	switch r.lang {
	case "pl":
		return slices.Contains([]string{"poniedzialki", "wtorki", "srody", "czwartki", "piatki", "soboty", "niedziele"}, word) && r.anyClock()
	case "ru":
		return strings.HasSuffix(word, "ам") || strings.HasSuffix(word, "ям")
	default:
		return strings.HasSuffix(word, "days")
	}
}

// paced tells how far apart messages are where a recurring time speaks of a series of one person, not of a time for all: "3 emails, one
// every week", "every day for two weeks after ...". 0 is a recurring time.
func (r *reading) paced(i int, m mark) float64 {
	hours := map[string]float64{"daily": 24, "weekly": 168, "monthly": 720, "biweekly": 336}[m.value]
	from, to := r.sentence(i)
	if day, _ := r.dayOfMonth(i); m.value == "monthly" && (day > 0 || r.word(m.end(), "first")) {
		return 0
	}
	units := r.unitsNear(i)
	if _, _, clock := r.clockAt(m.end()); clock && !units || r.any("weekday") {
		return 0
	}
	if units {
		return hours
	}
	lasts := r.following(m.end()-1, 4, "over") && (r.isNumber(m.end()) || r.isNumber(m.end()+1) || r.isNumber(m.end()+2))
	for j := from; j < to; j++ {
		if n, ok := r.number(j); ok && n > 1 && r.countsMessages(j) && abs(j-i) < 8 && !r.taken[j] {
			return hours
		}
	}
	if lasts {
		return hours
	}
	return 0
}

// scheduleFor is whom a recurring time is for.
func (r *reading) scheduleFor() string {
	for _, of := range []string{"segment", "list"} {
		for _, m := range r.marks {
			if m.class == "word" && m.value == of && !r.taken[m.at] {
				if name, end := r.nameNear(m.at); name != "" {
					r.take(m.at, end)
					return of + ":" + name
				}
			}
		}
	}
	if r.any("people", "vip") {
		return "segment:vip"
	}
	if r.any("silence") {
		return "segment:inactive"
	}
	return "list:newsletter"
}

// edgeOfMonth finds the first or last day of a month: "on the last day of the month", "w ostatni dzień miesiąca"; day is -1 for the last, 0
// where there is none.
func (r *reading) edgeOfMonth() (day, from, to int) {
	for i := range r.tokens {
		n := r.ordinalWord(i)
		if begunWith(r.tokens[i].text, "ostatni") || begunWith(r.tokens[i].text, "последн") || r.tokens[i].text == "last" {
			n = -1
		}
		if n != 1 && n != -1 || r.taken[i] || r.aside[i] || r.unitAt(i+1) != "days" {
			continue
		}
		if end := r.monthTo(i + 1); end > i+2 {
			return n, i, end
		}
	}
	return 0, 0, 0
}

// everyDate reads a day of each month that is named by its number only: "каждое 15-е число", "every 15th", "każdego 10-go".
func (r *reading) everyDate(i int) (day, end int) {
	if !r.word(i, "every") {
		return 0, 0
	}
	n, end, ordinal := r.dayNumber(i + 1)
	if n < 1 || n > 31 || r.tokens[i+1].kind != aNumber {
		return 0, 0
	}
	named := end < len(r.tokens) && (begunWith(r.tokens[end].text, "числ") || r.tokens[end].text == "dnia" && r.monthTo(end) > end+1)
	if !named && (!ordinal || r.unitAt(end) != "") {
		return 0, 0
	}
	if named {
		end++
	}
	return int(n), end
}
