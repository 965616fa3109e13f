package ai

// readLeastGap finds how far apart messages must be at least: "leave at least 4 days between them", "przerwa minimum tydzień", "интервал не меньше 3
// дней".
func (r *reading) readLeastGap(w *wish) {
	for i := range r.tokens {
		if r.taken[i] || r.aside[i] {
			continue
		}
		hours, n := r.duration(i)
		if unit := r.unitAt(i); len(hours) == 0 && unit != "" && i > 0 && r.leastBefore(i) { // "at least a week"
			hours, n = []float64{hoursPer[unit]}, 1
		}
		if len(hours) != 1 || hours[0] <= 0 {
			continue
		}
		from, to := r.clause(i)
		if r.begunBy(from, "if", "unless", "who") {
			continue
		}
		least, ok := r.spacingNear(i, i+n, from, to)
		if !ok {
			continue
		}
		w.minGap = max(w.minGap, hours[0])
		r.take(least.from, least.to)
	}
}

// spacingNear tells whether the words around a time in its clause say that it is the least time between messages, and where they stand.
func (r *reading) spacingNear(at, end, from, to int) (stretch, bool) {
	said := stretch{at, end}
	least, between := false, false
	for i := max(from, at-9); i < min(to, end+5); i++ {
		m, ok := r.at(i, "spacing")
		if !ok || r.taken[i] {
			continue
		}
		switch m.value {
		case "least":
			if m.end() < at-1 && !r.following(m.end(), at-m.end(), "between") && m.end() < at-3 || i > end+1 {
				continue
			}
			least = true
		case "between":
			if r.clockBehind(m.end()) {
				return said, false // "between 9 and 17"
			}
			between = true
		case "closer":
			if i > at || !r.before(i, 5, "not", "without") && !r.word(i, "not") || r.countedBetween(m.end(), at) {
				continue
			}
			least, between = true, true
		}
		said.from, said.to = min(said.from, i), max(said.to, m.end())
	}
	if r.lang == "ru" && at > from && (r.tokens[at].text == "от" || r.tokens[at-1].text == "от") {
		least = true // "промежуток от 48 часов"
	}
	for said.to < to && (r.stops(r.tokens[said.to].text) || r.messageBetween(said.to, said.to+1) || r.isNumber(said.to) && r.messageBetween(said.to+1, said.to+2)) {
		said.to++
	}
	for said.from > from && r.word(said.from-1, "not", "with", "without", "every") {
		said.from--
	}
	return said, least && between
}

// leastBefore tells whether a word for the least of something ends at a place.
func (r *reading) leastBefore(i int) bool {
	for j := max(0, i-3); j < i; j++ {
		if m, ok := r.at(j, "spacing"); ok && m.value == "least" && m.end() == i {
			return true
		}
	}
	return false
}

// countedBetween tells whether a range counts how many times: "not more often than two mails a week".
func (r *reading) countedBetween(from, to int) bool {
	for i := from; i < to; i++ {
		if n, ok := r.number(i); ok && n > 1 || r.word(i, "twice") {
			return true
		}
	}
	return false
}

// begunBy tells whether one of some words stands among the first two of a clause.
func (r *reading) begunBy(from int, values ...string) bool {
	return r.word(from, values...) || r.word(from+1, values...)
}

// clockBehind tells whether a time of day follows.
func (r *reading) clockBehind(i int) bool {
	_, end, ok := r.clockAt(i)
	return ok && r.unitAt(end) == "" && r.word(end, "and", "until")
}
