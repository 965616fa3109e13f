package ai

import (
	"fmt"
	"math"
	"slices"
)

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
		if !r.speaksOfSending(i) {
			continue // "tomorrow from 10 to 14 there will be no power"
		}
		for j := max(a, i-8); j < min(b, end+3); j++ {
			quiet = quiet || r.word(j, "quiet", "not", "without", "night", "hush")
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
			if m, ok := r.at(j, "channel"); ok && quiet && j < i && (r.before(j, 1, "not", "without") || r.word(m.end(), "not") && m.end() < i) { // "dont text anyone 10pm to 9am"
				r.take(j, m.end())
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
			if r.before(m.at, 5, "not", "without") || r.following(m.end(), 3, "not", "without") || m.end() < len(r.tokens) && slices.Contains([]string{"off", "excluded", "wolne", "odpadaja", "пропускаем", "пропускать"}, r.tokens[m.end()].text) {
				w.limits = append(w.limits, Step{Do: doQuietHours, From: "00:00", Until: "00:00", Days: []string{"sat", "sun"}})
				r.take(m.at, m.end())
			}
			return
		}
		if m.value == "quiet" || r.before(m.at, 5, "not", "without") || r.following(m.end(), 5, "not", "without") {
			if !slices.ContainsFunc(w.limits, func(s Step) bool { return s.From == "21:00" }) {
				w.limits = append(w.limits, Step{Do: doQuietHours, From: "21:00", Until: "08:00"})
			}
			from, to := r.clause(m.at)
			r.take(m.at, m.end())
			for j := max(from, m.at-5); j < min(m.at+4, to); j++ {
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
	late, early := r.word(i, "after", "past") && !slices.Contains([]string{"in", "w", "za", "через", "в"}, r.tokens[i].text), r.word(i, "before")
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
	from, _ := r.clause(i)
	r.take(i, to)
	for j := max(from, i-8); j < i; j++ {
		if _, channel := r.at(j, "channel"); channel || r.word(j, "not", "send", "without") {
			r.take(j, j+1)
		}
	}
	return true
}

// hoursRange reads "10pm-8am", "między 21 a 8", "с 22 до 9".
func (r *reading) hoursRange(i int) (from, until, end int, ok bool) {
	start := i
	for start < len(r.tokens) && start < i+2 && r.word(start, "between", "at") {
		start++
	}
	if start == i && r.tokens[i].kind == aNumber && (r.any("playbook", "nps") || r.any("role", "survey") || r.any("score")) && !r.word(i+1, "am", "pm") && !r.word(i+2, "am", "pm") {
		return 0, 0, 0, false // "9-10 ask for a review"
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

func clockText(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60) }

// readLimits finds quiet hours, throttles, the most messages there may be, and the time of day. They are read first: their numbers are
// no times and no counts.
func (r *reading) readLimits(w *wish) {
	r.readQuiet(w)
	r.readLeastGap(w)
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

// speaksOfSending tells whether hours are those of messages: not where they stand in the words of a message that is told behind a colon.
func (r *reading) speaksOfSending(i int) bool {
	from, to := r.sentence(i)
	colon := -1
	for j := from; j < i; j++ {
		if r.tokens[j].text == ":" && j > from {
			if m, ok := r.at(j-1, "channel"); ok && m.end() == j {
				colon = j
			}
		}
	}
	if colon < 0 {
		return true
	}
	for j := colon; j < to; j++ {
		if _, channel := r.at(j, "channel"); channel || r.sends(j) || r.word(j, "only", "quiet", "night") {
			return true
		}
	}
	return false
}
