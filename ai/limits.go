package ai

import (
	"fmt"
	"math"
	"slices"
)

// clockAt reads a time of day: 18:30, 9am, "o 10 rano", "в 9 утра", "noon". It returns minutes since midnight and where it ends.
func (r *reading) clockAt(i int) (int, int, bool) {
	if i < 0 || i >= len(r.tokens) || r.aside[i] {
		return 0, 0, false
	}
	t := r.tokens[i]
	if m, ok := r.at(i, "hour"); ok {
		return atoi(m.value, 12) * 60, m.end(), true
	}
	minutes := -1
	switch {
	case t.kind == aClock:
		minutes = int(t.num)
	case t.kind == aNumber && t.num >= 0 && t.num <= 24 && t.num == float64(int(t.num)):
		minutes = int(t.num) % 24 * 60
	default:
		return 0, 0, false
	}
	end := i + 1
	at := r.ended(i, "atclock") && !r.ended(i-1, "every") && !r.ended(i, "every")
	for at && end < len(r.tokens) && r.word(end, "oclock") {
		end++
	}
	switch {
	case r.word(end, "am"):
		if minutes >= 12*60 {
			minutes -= 12 * 60
		}
		end++
	case r.word(end, "pm"):
		if minutes < 12*60 {
			minutes += 12 * 60
		}
		end++
	case t.kind != aClock:
		return minutes, end, at && r.unitAt(end) == ""
	}
	return minutes, end, true
}

func (r *reading) isPercent(i int) bool { return i < len(r.tokens) && r.tokens[i].kind == aPercent }

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60) }

// hoursRange reads "10pm-8am", "między 21 a 8", "с 22 до 9".
func (r *reading) hoursRange(i int) (from, until, end int, ok bool) {
	start := i
	for start < len(r.tokens) && start < i+2 && r.word(start, "between", "at") {
		start++
	}
	from, a, _ := r.clockAt(start)
	if a == 0 || r.isPercent(a) {
		return 0, 0, 0, false
	}
	b := a
	for b < len(r.tokens) && b < a+3 && (r.word(b, "until", "and", "before") || r.tokens[b].text == "–" || r.tokens[b].text == "—" || r.tokens[b].text == "a" || r.tokens[b].text == "to") {
		b++
	}
	until, end, _ = r.clockAt(b)
	if end == 0 {
		return 0, 0, 0, false
	}
	if r.word(end, "money", "percent", "times") || r.unitAt(end) != "" && !r.word(end, "oclock") || end < len(r.tokens) && r.tokens[end].kind == aPercent {
		return 0, 0, 0, false
	}
	return from, until, end, true
}

// readLimits finds quiet hours, throttles, the most messages there may be, and the time of day. They are read first: their numbers are
// no times and no counts.
func (r *reading) readLimits(w *wish) {
	r.readQuiet(w)
	for i := range r.tokens {
		if r.taken[i] || r.aside[i] {
			continue
		}
		if days, end := r.onceAt(i); days > 0 {
			w.reentry = max(w.reentry, days)
			from := i
			for from > 0 && i-from < 4 && !r.word(from, "most") {
				from--
			}
			r.take(from, end)
			continue
		}
		if n, ok := r.number(i); ok && n >= 1 {
			r.limitAt(w, i, n)
		}
	}
	r.readTimeOfDay(w)
}

func (r *reading) readQuiet(w *wish) {
	for i := range r.tokens {
		if r.taken[i] {
			continue
		}
		if r.word(i, "office") {
			w.limits = append(w.limits, Step{Do: doQuietHours, From: "18:00", Until: "09:00"}, Step{Do: doQuietHours, From: "00:00", Until: "00:00", Days: []string{"sat", "sun"}})
			m, _ := r.wordAt(i, "office")
			r.take(i, m.end())
			continue
		}
		if r.quietBeyond(w, i) {
			continue
		}
		from, until, end, ok := r.hoursRange(i)
		if !ok {
			continue
		}
		a, b := r.sentence(i)
		quiet, open := false, false
		for j := max(a, i-8); j < min(b, end+3); j++ {
			quiet = quiet || r.word(j, "quiet", "not", "without", "night")
			open = open || r.word(j, "only") || r.word(j, "between") && !quiet
		}
		switch {
		case quiet:
			w.limits = append(w.limits, Step{Do: doQuietHours, From: clockText(from), Until: clockText(until)})
		case open && from != until:
			w.limits = append(w.limits, Step{Do: doQuietHours, From: clockText(until), Until: clockText(from)})
		default:
			continue
		}
		r.take(i, end)
		for j := max(a, i-8); j < min(b, end+3); j++ {
			if r.word(j, "quiet", "night", "only", "between") || r.word(j, "not") || r.word(j, "send") && j < i {
				r.take(j, j+1)
			}
		}
	}
	r.quietDays(w)
	if len(w.limits) > 0 {
		return
	}
	r.each("word", func(m mark) {
		if m.value != "night" && m.value != "quiet" && m.value != "weekend" || r.taken[m.at] {
			return
		}
		if m.value == "weekend" {
			if r.before(m.at, 5, "not", "without") || m.end() < len(r.tokens) && slices.Contains([]string{"off", "excluded", "wolne", "odpadaja", "пропускаем", "пропускать"}, r.tokens[m.end()].text) {
				w.limits = append(w.limits, Step{Do: doQuietHours, From: "00:00", Until: "00:00", Days: []string{"sat", "sun"}})
				r.take(m.at, m.end())
			}
			return
		}
		if m.value == "quiet" || r.before(m.at, 5, "not", "without") || r.following(m.end(), 5, "not", "without") {
			if !slices.ContainsFunc(w.limits, func(s Step) bool { return s.From == "21:00" }) {
				w.limits = append(w.limits, Step{Do: doQuietHours, From: "21:00", Until: "08:00"})
			}
			from, _ := r.clause(m.at)
			r.take(m.at, m.end())
			for j := max(from, m.at-5); j < m.at+4 && j < len(r.tokens); j++ {
				if r.word(j, "send", "not") {
					r.take(j, j+1)
				}
			}
		}
	})
}

// quietDays reads days of the week on which nothing goes out: "not on Sundays", "nie pisz w niedziele", "не писать по воскресеньям".
func (r *reading) quietDays(w *wish) {
	var days []string
	r.each("weekday", func(m mark) {
		if !r.taken[m.at] && r.silentDay(m.at) && !slices.Contains(days, m.value) {
			days = append(days, m.value)
			from, _ := r.clause(m.at)
			for j := max(from, m.at-5); j <= m.at; j++ {
				if j == m.at || r.word(j, "send", "not") {
					r.take(j, j+1)
				}
			}
		}
	})
	if len(days) > 0 {
		w.limits = append(w.limits, Step{Do: doQuietHours, From: "00:00", Until: "00:00", Days: days})
	}
}

// silentDay tells whether a day of the week is named to be left out.
func (r *reading) silentDay(i int) bool {
	if r.before(i, 4, "every", "if", "when") {
		return false
	}
	for j := i - 1; j >= 0 && j >= i-6 && r.tokens[j].kind != aBreak; j-- {
		if r.word(j, "not", "without") {
			return true
		}
		if _, day := r.at(j, "weekday"); r.tokens[j].kind == aComma && !day {
			return false
		}
	}
	return false
}

// quietBeyond reads "nothing after 9pm", "nie przed 9": one end of the quiet hours, or both: "not before 9 and not after 20".
func (r *reading) quietBeyond(w *wish, i int) bool {
	late, early := r.word(i, "after", "past"), r.word(i, "before")
	if !late && !early || !r.before(i, 5, "not", "without") && (len(w.limits) == 0 || i == 0 || !r.conjunction(i-1)) {
		return false
	}
	end := i + 1
	for end < len(r.tokens) && end < i+3 && r.tokens[end].kind == aWord && !r.isNumber(end) && !r.word(end, "hour") {
		end++
	}
	minutes, to, ok := r.clockAt(end)
	if !ok && end < len(r.tokens) && r.tokens[end].kind == aNumber && r.tokens[end].num == math.Trunc(r.tokens[end].num) && r.tokens[end].num <= 24 {
		minutes, to, ok = int(r.tokens[end].num)*60, end+1, true
	}
	if !ok || r.unitAt(to) != "" && r.unitAt(to) != "hours" || to < len(r.tokens) && r.tokens[to].kind == aPercent || r.word(to, "money", "percent", "before", "after", "later") || late && minutes < 15*60 || early && minutes > 12*60 {
		return false
	}
	for k := range w.limits {
		q := &w.limits[k]
		if q.Do == doQuietHours && len(q.Days) == 0 {
			if late {
				q.From = clockText(minutes)
			} else {
				q.Until = clockText(minutes)
			}
			r.take(i, to)
			return true
		}
	}
	q := Step{Do: doQuietHours, From: "21:00", Until: "08:00"}
	if late {
		q.From = clockText(minutes)
	} else {
		q.Until = clockText(minutes)
	}
	w.limits = append(w.limits, q)
	from, _ := r.sentence(i)
	r.take(i, to)
	for j := max(from, i-8); j < i; j++ {
		if _, channel := r.at(j, "channel"); channel || r.word(j, "not", "send", "without") {
			r.take(j, j+1)
		}
	}
	return true
}

// limitAt reads a number that limits: "max 500 emails per hour", "at most one message a day", "not more than 2 a week", "one per 2 days",
// "max 5".
func (r *reading) limitAt(w *wish, i int, n float64) {
	most := false
	for k := i - 1; k >= 0 && k >= i-3 && r.tokens[k].kind == aWord; k-- {
		most = most || r.word(k, "most")
	}
	forbidden := !most && r.moreThan(i)
	most = most || forbidden
	j := i + 1
	channel := false
	for j < len(r.tokens) && j < i+4 && r.tokens[j].kind == aWord && !r.word(j, "per") && r.unitAt(j) == "" {
		if m, ok := r.at(j, "channel"); ok {
			channel = true
			j = m.end()
			break
		}
		if _, role := r.at(j, "role"); role && most {
			channel = true
		}
		if r.word(j, "times") {
			channel = true
		}
		j++
	}
	per, end := r.rateAt(j)
	if per == 0 && channel {
		for k := j; k < j+4 && k < len(r.tokens) && r.tokens[k].kind == aWord; k++ { // "2 wiadomości na klienta w tygodniu"
			if per, end = r.rateAt(k); per > 0 {
				break
			}
		}
	}
	if per == 0 && j != i+1 {
		per, end = r.rateAt(i + 1)
	}
	if m, ok := r.wordAt(end, "most"); ok && per > 0 && !most && (m.end() >= len(r.tokens) || r.tokens[m.end()].kind != aWord && r.tokens[m.end()].kind != aNumber) {
		most, end = true, m.end() // "one a week at most"
	}
	if n == 1 && per > 0 && !most && !channel && len(r.tokens[i].text) > 2 && r.unitsNear(i) { // "one lesson a day"
		w.every = per
		r.take(i, end)
		return
	}
	from := i
	for k := i - 1; most && k >= 0 && k >= i-4; k-- {
		if r.word(k, "most") {
			from = k
			break
		}
	}
	switch {
	case per > 0 && (n > 20 || r.following(end-1, 3, "people")) && (most || r.following(end, 2, "most")):
		w.limits = append(w.limits, Step{Do: doThrottle, Max: int(n), Per: map[float64]string{1: "hour", 24: "day", 168: "week"}[min(per, 168)]})
		r.take(from, end)
	case per > 0 && (channel || most):
		if !most && n > 1 {
			return // "5 emails per week" says how many
		}
		if !most && !r.before(i, 4, "not") { // "one email every 3 days" says how often
			w.every = per
			if r.countsElsewhere(i) {
				r.take(from, end)
			} else {
				r.take(j, end) // the message itself is one of the script
			}
			return
		}
		gap := per / n
		if gap > 24 {
			gap = float64((int(gap) + 23) / 24 * 24)
		}
		w.minGap = max(w.minGap, gap)
		r.take(from, end)
	case most && (channel || r.endsCount(i+1) && !forbidden):
		w.cap = int(n)
		r.take(from, max(j, i+1))
	}
}

// moreThan tells whether more than the number at i is ruled out by who must not get it: "nobody gets more than these two messages".
func (r *reading) moreThan(i int) bool {
	from, to := r.sentence(i)
	for k := i - 1; k >= from && k >= i-4; k-- {
		if slices.Contains([]string{"more", "wiecej", "больше", "более"}, r.tokens[k].text) {
			for j := from; j < to; j++ {
				if r.word(j, "not") {
					return true
				}
			}
		}
	}
	return false
}

// countsElsewhere tells whether another number than the one at i counts messages.
func (r *reading) countsElsewhere(i int) bool {
	for j := range r.tokens {
		if n, ok := r.number(j); ok && j != i && n > 1 && (r.countsMessages(j) || r.word(j+1, "parts")) {
			return true
		}
	}
	return false
}

// endsCount tells whether nothing after a number says what else it might measure.
func (r *reading) endsCount(i int) bool {
	return i >= len(r.tokens) || r.tokens[i].kind != aPercent && r.tokens[i].kind != aNumber && r.unitAt(i) == "" && !r.word(i, "money", "percent")
}

// rateAt reads "per hour", "a day", "на 2 дня", "dziennie", in hours.
func (r *reading) rateAt(i int) (float64, int) {
	if m, ok := r.at(i, "rate"); ok && !r.isLater(m.end()) {
		return parseSpan(m.value), m.end()
	}
	if !r.word(i, "per") {
		return 0, 0
	}
	for j := i + 1; j < i+4 && j < len(r.tokens); j++ {
		if u := r.unitAt(j); u != "" && !r.isLater(j+1) {
			n := 1.0
			if v, ok := r.number(j - 1); ok && j-1 > i {
				n = v
			}
			if r.tokens[j-1].text == "other" {
				n = 2 // "every other day"
			}
			return n * hoursPer[u], j + 1
		}
	}
	return 0, 0
}

// isLater tells whether "later" stands at a place: "an hour later" is no rate.
func (r *reading) isLater(i int) bool {
	return i < len(r.tokens) && r.lang == "en" && slices.Contains([]string{"later", "before", "after", "earlier", "afterwards"}, r.tokens[i].text)
}

// readTimeOfDay finds when in the day messages go out.
func (r *reading) readTimeOfDay(w *wish) {
	if w.at != "" {
		return
	}
	for i := range r.tokens {
		if r.taken[i] || r.aside[i] {
			continue
		}
		minutes, end, ok := r.clockAt(i)
		if !ok || r.unitAt(end) != "" && r.tokens[i].kind != aClock || r.word(end, "money", "percent") {
			continue
		}
		w.at = clockText(minutes)
		from := i
		if i > 0 && r.ended(i, "at", "atclock") {
			from = i - 1
		}
		r.take(from, end)
		return
	}
}
