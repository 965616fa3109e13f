package ai

import "slices"

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

// limitAt reads a number that limits: "max 500 emails per hour", "at most one message a day", "not more than 2 a week", "one per 2 days",
// "max 5".
func (r *reading) limitAt(w *wish, i int, n float64) {
	if i > 0 && slices.Contains([]string{"ни", "ani", "single"}, r.tokens[i-1].text) {
		return // "ни одного письма"
	}
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
		w.limits = append(w.limits, Step{Do: doThrottle, Max: int(n), Per: rateUnit(min(per, 168))})
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
	case most && n <= 200 && (channel || r.endsCount(i+1) && !forbidden):
		w.cap = int(n)
		r.take(from, max(j, i+1))
	}
}

// rateUnit is the unit a limit counts in.
func rateUnit(hours float64) string {
	if hours < 0.5 {
		return "minute"
	}
	return map[float64]string{1: "hour", 24: "day", 168: "week"}[hours]
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
		w.at, w.atToken = clockText(minutes), i
		from := i
		if i > 0 && r.ended(i, "at", "atclock") {
			from = i - 1
		}
		r.take(from, end)
		return
	}
}
