package ai

import (
	"regexp"
	"slices"
)

// The one grammar for times:
//
//	times  = [lead] value { separator [lead] value } [trail]
//	value  = number [unit] | "half an hour" and other fixed spans | unit alone after a lead
//	lead   = after, every, another, within, over, before, "day" ...; trail = before, later, apart, ...
//
// A value without a unit has that of the next one in the list, else that of the time before. Lead and trail, and what stands around,
// decide what the time is meant as.

// timingKind is how a time in a prompt is meant. Kinds are never mixed up: "2 days later" and "on day 2" are not the same
// in a series.
type timingKind string

const (
	gapTiming     timingKind = "gap"     // after the step before: "another week later", "wait 2 days"
	offsetTiming  timingKind = "offset"  // from the start: "on day 3", "3 days after the purchase"
	afterTiming   timingKind = "after"   // one or the other, by the whole prompt: "after 3 days"
	everyTiming   timingKind = "every"   // between all messages: "every 2 days"
	spanTiming    timingKind = "span"    // for the whole series: "over 10 days"
	beforeTiming  timingKind = "before"  // before a date: "24h before the visit"
	withinTiming  timingKind = "within"  // a limit for something to happen: "if they do not click within 2 days"
	sinceTiming   timingKind = "since"   // for how long nothing happened: "no order for 90 days"
	weekdayTiming timingKind = "weekday" // the next such day: "next Monday at 9"
	aboutTiming   timingKind = "about"   // describes a thing: "a 14-day trial"
)

// timing is one time named in a prompt.
type timing struct {
	hours float64
	kind  timingKind
	at, n int    // its tokens, with lead and trail
	list  int    // place of the first time of its list
	wait  bool   // a step of its own: "wait 2 days"
	day   bool   // a day of a calendar: "day 3"
	rel   bool   // counted from what it names: "3 days after the purchase"
	until string // the day of the week and the time of day
	sent  bool   // counted from a message it names: "4 days after the text"
}

func (t timing) end() int { return t.at + t.n }

// timings finds all times of a prompt, in order.
func (r *reading) timings() []timing {
	var out []timing
	last := "" // unit of the time before
	for i := 0; i < len(r.tokens); {
		if r.taken[i] || r.aside[i] {
			i++
			continue
		}
		found, end := r.dayTimes(i)
		if len(found) == 0 {
			found, end, last = r.timesAt(i, last)
		}
		if len(found) == 0 {
			i++
			continue
		}
		for k := range found {
			found[k].list = found[0].at
			r.understand(found[k].at, found[k].n)
		}
		out = append(out, found...)
		i = max(end, i+1)
	}
	r.untilTheDay(out)
	return out
}

var dayCode = regexp.MustCompile(`^(?:d|day|dzien|день)(\d{1,3})$`)

// dayTimes reads "day 0, 1, 3 and 7", "D3", "3rd day", "week 2", "на 5 день": days of a calendar that starts with the entry.
func (r *reading) dayTimes(i int) ([]timing, int) {
	t := r.tokens[i]
	if m, ok := r.wordAt(i, "theday"); ok && m.end() < len(r.tokens) {
		if e, happens := r.eventAt(m.end()); happens && e.value != "booking_made" { // "в день регистрации"
			return []timing{{kind: offsetTiming, at: i, n: e.end() - i}}, e.end()
		}
	}
	if m, ok := r.wordAt(i, "theday"); ok && r.countsFromDate() && (m.end() >= len(r.tokens) || r.tokens[m.end()].kind != aNumber) {
		return []timing{{kind: beforeTiming, at: i, n: m.n}}, m.end()
	}
	if r.word(i, "onday") && !r.isNumber(i+1) { // "on arrival day"
		if m, ok := r.at(i+1, "date"); ok && m.end() < len(r.tokens) && r.tokens[m.end()].text == "day" {
			return []timing{{kind: beforeTiming, at: i, n: m.end() + 1 - i}}, m.end() + 1
		}
	}
	if m := dayCode.FindStringSubmatch(t.text); t.kind == aWord && m != nil {
		return []timing{{hours: float64(atoi(m[1], 0)) * 24, kind: offsetTiming, at: i, n: 1, day: true}}, i + 1
	}
	if r.word(i, "day") && !r.isNumber(i-1) {
		unit := 24.0
		if u := r.unitAt(i); u == "weeks" || u == "months" {
			unit = hoursPer[u]
		}
		return r.numberList(i, i+1, unit)
	}
	if found, end := r.inARow(i); len(found) > 0 {
		return found, end
	}
	if days, end := r.ordinalDays(i); len(days) > 0 {
		return days, end
	}
	// "na 5 dzień", "5-го дня", "on the 3rd day", "в 3 день"
	from := i
	if r.word(i, "onday") {
		m, _ := r.wordAt(i, "onday")
		i = m.end()
	}
	if n, ok := r.number(i); ok && (i > from || !r.isNumber(i-1)) {
		j := i + 1
		suffixed := false
		if j < len(r.tokens) && r.tokens[j].kind == aWord && slices.Contains([]string{"st", "nd", "rd", "th", "го", "и", "ого"}, r.tokens[j].text) {
			suffixed = true
			j++
		}
		if r.word(j, "day") && !r.word(j+1, "before", "after", "later") && !(i == from && r.described(from, j+1)) && (suffixed || i > from && r.tokens[from].text != "в" && (r.lang == "en" || r.singularDay(j)) || r.singularDay(j) && n > 1) {
			return []timing{{hours: n * 24, kind: offsetTiming, at: from, n: j + 1 - from, day: true}}, j + 1
		}
	}
	return nil, 0
}

func (r *reading) isNumber(i int) bool {
	_, ok := r.number(i)
	return ok
}

func (r *reading) conjunction(i int) bool { return r.word(i, "and", "or") }

// countsMessages tells whether the number at i counts messages: "5 emails".
func (r *reading) countsMessages(i int) bool {
	if r.word(i+1, "am", "pm") || i < len(r.tokens) && r.tokens[i].kind == aClock {
		return false
	}
	for j := i + 1; j <= i+2 && j < len(r.tokens); j++ {
		if r.tokens[j].kind != aWord || r.unitAt(j) != "" {
			return false
		}
		if _, ok := r.at(j, "channel"); ok {
			return true
		}
	}
	return false
}

// ordinalAt tells whether the number at i numbers a message: "email 2".
func (r *reading) ordinalAt(i int) bool {
	if i == 0 || r.tokens[i].kind != aNumber {
		return false
	}
	m, ok := r.at(i-1, "channel")
	return ok && m.end() == i && r.unitAt(i+1) == "" && r.tokens[i].num <= 30
}

// duration reads a time at a place, or several that share a unit ("30, 14, 3 days"), and how many tokens it takes.
func (r *reading) duration(i int) ([]float64, int) {
	found, end, _ := r.timesAt(i, "")
	if len(found) == 0 || found[0].n == 0 || r.word(i, "now") {
		return nil, 0
	}
	hours := make([]float64, 0, len(found))
	for _, t := range found {
		hours = append(hours, t.hours)
	}
	return hours, end - i
}

// value is one time of a list.
type value struct {
	n    float64
	unit string // "" is still open
	at   int
	end  int
}

// timesAt reads a list of times that begins at i.
func (r *reading) timesAt(i int, last string) ([]timing, int, string) {
	lead := i
	start := i
	for r.leads(start) {
		if _, span := r.at(start, "span"); span {
			break // "na drugi dzień" begins like a lead
		}
		start += r.leadLength(start)
	}
	if start > lead && r.word(start, "first") && r.isNumber(start+1) && r.unitAt(start+2) != "" {
		start++ // "в течение первых двух суток"
	}
	v, ok := r.valueAt(start, start > lead || r.arrowAt(start-1) && r.arrowAt(start+1))
	if !ok {
		if r.word(i, "now") {
			m, _ := r.wordAt(i, "now")
			return []timing{{kind: offsetTiming, at: i, n: m.n}}, i + m.n, last
		}
		return nil, 0, last
	}
	values := []value{v}
	end := v.end
	for end < len(r.tokens) {
		next, ok := r.nextValue(end)
		if !ok {
			break
		}
		values = append(values, next)
		end = next.end
	}
	values, last = r.settleUnits(values, last)
	if len(values) == 0 {
		return nil, 0, last
	}
	end = values[len(values)-1].end
	trail := end
	for trail < len(r.tokens) && r.word(trail, "before", "later", "apart", "another", "every") {
		trail++
	}
	out := make([]timing, 0, len(values))
	for k, v := range values {
		from := v.at
		if k == 0 {
			from = lead
		}
		hours := v.n
		if v.unit != "span" {
			hours *= hoursPer[v.unit]
		}
		out = append(out, timing{hours: hours, at: from, n: v.end - from})
	}
	if trail > end {
		out[len(out)-1].n = trail - out[len(out)-1].at
	}
	kind, wait := r.meant(lead, start, end, out)
	for k := range out {
		out[k].kind, out[k].wait, out[k].rel = kind, wait, kind == offsetTiming
	}
	return out, trail, last
}

func (r *reading) wordAt(i int, value string) (mark, bool) {
	if i < 0 || i >= len(r.byAt) {
		return mark{}, false
	}
	for _, m := range r.byAt[i] {
		if m.class == "word" && m.value == value {
			return m, true
		}
	}
	return mark{}, false
}

var leadWords = []string{"after", "every", "another", "within", "over", "wait", "before", "since", "about"}

func (r *reading) leads(i int) bool {
	return i < len(r.tokens) && r.word(i, leadWords...) && !r.aside[i]
}

func (r *reading) leadLength(i int) int {
	n := 1
	for _, m := range r.byAt[i] {
		if m.class == "word" && slices.Contains(leadWords, m.value) {
			n = max(n, m.n)
		}
	}
	return n
}

// valueAt reads one time. A unit alone is one of it, where a lead stands before it or a word after it that goes with times.
func (r *reading) valueAt(i int, led bool) (value, bool) {
	if i >= len(r.tokens) || r.aside[i] {
		return value{}, false
	}
	if m, ok := r.at(i, "span"); ok {
		return value{n: parseSpan(m.value), unit: "span", at: i, end: m.end()}, true
	}
	if n, ok := r.number(i); ok {
		v := value{n: n, at: i, end: i + 1}
		if u := r.unitAt(i + 1); u != "" {
			v.unit, v.end = u, i+2
			return v, true
		}
		return v, r.tokens[i].kind == aNumber || led
	}
	if n := r.ordinalWord(i); n > 1 && led && r.ended(i, "every") && r.unitAt(i+1) != "" {
		return value{n: float64(n), unit: r.unitAt(i + 1), at: i, end: i + 2}, true // "every third day"
	}
	u := r.unitAt(i)
	if u == "days" && i > 0 && i+1 < len(r.tokens) && r.word(i, "day") && r.word(i-1, "within") && r.tokens[i+1].kind == aNumber && !r.measured(i+2) {
		return value{}, false // "в день 0, 2, 6"
	}
	if u == "" || len([]rune(r.tokens[i].text)) <= 2 {
		return value{}, false
	}
	if m, ok := r.at(i, "date"); ok && m.n > 1 { // "день рождения"
		return value{}, false
	}
	if led || r.word(i+1, "before", "later", "after", "wait") {
		return value{n: 1, unit: u, at: i, end: i + 1}, true
	}
	return value{}, false
}

// nextValue reads the next time of a list: a separator, perhaps a lead, a value. A new message between them ends the list.
func (r *reading) nextValue(i int) (value, bool) {
	j := i
	separated := false
	for j < len(r.tokens) && (r.tokens[j].kind == aComma && r.tokens[j].text != ":" || r.conjunction(j)) {
		separated = true
		j++
	}
	if r.tokens[min(j, len(r.tokens)-1)].kind == aNumber && !separated && r.unitless(i-1) { // "2-3 days"
		separated = true
	}
	if !separated || j >= len(r.tokens) {
		return value{}, false
	}
	led := false
	for r.leads(j) && !r.word(j, "another", "wait", "every") {
		led = true
		j += r.leadLength(j)
	}
	v, ok := r.valueAt(j, led)
	if !ok || r.countsMessages(v.at) || v.end < len(r.tokens) && r.tokens[v.end].kind == aPercent || r.word(v.end, "money", "percent") {
		return value{}, false
	}
	return v, true
}

func (r *reading) unitless(i int) bool { return i >= 0 && r.tokens[i].kind == aNumber }

// settleUnits gives values without a unit that of the next one; a list that ends without any has that of the time before, if it stands
// where only a time can. "2-3 days" is a range, of which the lower end is taken.
func (r *reading) settleUnits(values []value, last string) ([]value, string) {
	for k := len(values) - 2; k >= 0; k-- {
		if values[k].unit == "" {
			values[k].unit = values[k+1].unit
		}
	}
	end := len(values) - 1
	for end >= 0 && values[end].unit == "" {
		if last != "" && r.sharesUnit(values[end]) {
			values[end].unit = last
			break
		}
		end--
	}
	values = values[:end+1]
	for k := end - 1; k >= 0; k-- {
		if values[k].unit == "" {
			values[k].unit = values[k+1].unit
		}
	}
	if len(values) > 0 && values[end].unit != "span" {
		last = values[end].unit
	}
	if len(values) == 2 && values[1].at == values[0].end && r.tokens[values[0].at].kind == aNumber {
		values = []value{{n: values[0].n, unit: values[1].unit, at: values[0].at, end: values[1].end}}
	}
	return values, last
}

// sharesUnit tells whether a number without a unit can only be a time, in the unit of the one before: "after 5", "14 days before an email, 3
// before a text", "за 14 дней письмо, за 5 пуш".
func (r *reading) sharesUnit(v value) bool {
	if r.measured(v.end) || v.n > 400 {
		return false
	}
	if v.end < len(r.tokens) && slices.Contains([]string{"before", "przed"}, r.tokens[v.end].text) && !r.word(v.at-1, "not", "at") {
		return true
	}
	if r.countsMessages(v.at) {
		_, plural := r.at(v.end, "plural")
		return r.lang == "ru" && v.n > 1 && v.at > 0 && r.tokens[v.at-1].text == "за" && !plural
	}
	return r.word(v.at-1, "after")
}

// measured tells whether what follows a number says that it is no time.
func (r *reading) measured(i int) bool {
	return i < len(r.tokens) && (r.tokens[i].kind == aPercent || r.word(i, "money", "percent", "times"))
}
