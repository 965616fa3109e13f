package ai

import "slices"

// meant decides how a list of times is meant, by its lead, its trail and what stands around. It may widen the last time to the word
// that says so.
func (r *reading) meant(lead, start, end int, list []timing) (kind timingKind, wait bool) {
	has := func(values ...string) bool {
		for i := lead; i < start; i++ {
			if r.word(i, values...) {
				return true
			}
		}
		return false
	}
	final := &list[len(list)-1]
	if lead > 0 && r.tokens[lead-1].text == "plus" && r.lang == "en" && r.any("word", "before") {
		return offsetTiming, false // "minus 3 days email, plus 2 days text"
	}
	if r.nothingFor(lead) {
		return gapTiming, true
	}
	switch {
	case r.describes(end):
		return aboutTiming, false
	case r.beforeDate(lead, start, end):
		return beforeTiming, false
	case lead == start && r.described(lead, end):
		return aboutTiming, false
	case r.sinceMessage(end, final):
		return gapTiming, false
	case r.since(lead, end, has):
		return sinceTiming, false
	case has("every") || r.word(end, "apart") || r.word(end, "every") && !r.isNumber(end+1) || r.ended(lead, "every"):
		return everyTiming, false
	case has("wait"):
		return gapTiming, true
	case has("another") || r.word(end, "another"):
		return gapTiming, false
	case has("within") && r.conditional(lead):
		return withinTiming, false
	case (has("after") || !has("within", "over")) && r.sinceStart(end, final):
		return offsetTiming, false
	case has("within", "over") && !has("after"):
		if r.conditional(lead) {
			return withinTiming, false
		}
		return spanTiming, false
	}
	return afterTiming, false
}

// sinceStart knows "3 days after the purchase" and "tydzień po wizycie": times from what starts the funnel.
func (r *reading) sinceStart(end int, last *timing) bool {
	if !r.word(end, "after", "later") && !r.countedFrom(end) {
		return false
	}
	if r.named() != "" && end+1 < len(r.tokens) && slices.Contains([]string{"it", "niego", "niej", "nim", "него", "нее"}, r.tokens[end+1].text) {
		last.n = end + 2 - last.at
		return true
	}
	for j := end; j < end+4 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		_, event := r.at(j, "event")
		_, date := r.at(j, "date")
		if m, channel := r.at(j, "channel"); channel && m.value != "any" && !event {
			return false
		}
		if event || date {
			last.n = j + 1 - last.at
			return true
		}
	}
	return false
}

// nothingFor tells whether a time is one of silence between two steps: "then nothing for 3 weeks", "potem cisza przez tydzień".
func (r *reading) nothingFor(lead int) bool {
	return lead > 0 && slices.Contains([]string{"nothing", "silence", "break", "cisza", "nic", "przerwa", "spokoj", "тишина", "ничего", "перерыв", "молчим"}, r.tokens[lead-1].text) && (lead < 2 || !r.word(lead-2, "not", "if", "stop"))
}

// countedFrom tells whether a word behind a time says from where it is counted: "tydzień od zapisu", "через неделю с момента подписки".
func (r *reading) countedFrom(end int) bool {
	return end < len(r.tokens) && slices.Contains(map[string][]string{"en": {"from", "since"}, "pl": {"od"}, "ru": {"с", "со", "от"}}[r.lang], r.tokens[end].text)
}

// sinceMessage knows "4 days after the text", "tydzień po pierwszym mailu": times from a message that has been named, which they do not name
// again.
func (r *reading) sinceMessage(end int, last *timing) bool {
	if !r.countedFrom(end) && (end >= len(r.tokens) || !slices.Contains([]string{"after", "following", "po", "после"}, r.tokens[end].text)) {
		return false
	}
	if next := end + 1; next < len(r.tokens) && slices.Contains([]string{"it", "that", "this", "nim", "niej", "tym", "него", "нее", "этого", "того"}, r.tokens[next].text) && r.begins(nil) < end && r.named() == "" && (next+1 >= len(r.tokens) || !r.unknownNoun(next+1)) {
		last.n, last.sent = next+1-last.at, true
		return true // "a week after it"
	}
	for j := end + 1; j < end+3 && j < len(r.tokens); j++ {
		if r.ordinalWord(j) > 0 && (j+1 >= len(r.tokens) || r.tokens[j+1].kind != aWord) && r.begins(nil) < end {
			last.n, last.sent = j+1-last.at, true
			return true // "three days after the second"
		}
		if r.tokens[j].text != "the" {
			break
		}
	}
	told := r.lang != "en"
	for j := end + 1; j < end+4 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if m, ok := r.at(j, "channel"); ok {
			behind := m.end()
			if behind < len(r.tokens) && r.ordinalAt(behind) { // "a week after mail 2"
				told, behind = true, behind+1
			}
			if _, topic := r.at(behind, "role"); topic && j > end+1 && r.tokens[j-1].text == "that" {
				return false // "a week after that push reminder"
			}
			if told {
				last.n, last.sent = behind-last.at, true
			}
			return told
		}
		told = told || slices.Contains([]string{"the", "that", "this", "our"}, r.tokens[j].text)
		if r.ordinalWord(j) == 0 && !slices.Contains(toldWords, r.tokens[j].text) {
			return false
		}
	}
	return false
}

// toldWords may stand between "after" and the message a time is counted from.
var toldWords = []string{"the", "that", "this", "our", "last", "previous", "tym", "tamtym", "poprzednim", "ostatnim", "ostatniego", "этого", "того", "последнего", "предыдущего", "нашего"}

// describes tells whether the word after a time is what the time is a property of: "14-day trial", "14-dniowy okres".
func (r *reading) describes(end int) bool {
	for j := end; !r.word(end, "after", "before", "later") && j < end+2 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if m, ok := r.at(j, "playbook"); ok && m.value == "trial_onboarding" {
			return true
		}
		if r.word(j, "valid") || r.word(j, "lasting") && j == end {
			return true
		}
	}
	return r.tokens[end-1].kind == aWord && (begunWith(r.tokens[end-1].text, "dniow") || begunWith(r.tokens[end-1].text, "дневн") || begunWith(r.tokens[end-1].text, "тидневн") || begunWith(r.tokens[end-1].text, "godzinn"))
}

// described tells whether what stands right before a time is what the time is a property of: "our trial lasts 14 days".
func (r *reading) described(lead, end int) bool {
	if r.word(end, "after", "later", "another", "apart") {
		return false
	}
	for j := lead - 1; j >= 0 && j >= lead-2 && r.tokens[j].kind == aWord; j-- {
		if m, ok := r.at(j, "playbook"); ok && m.value == "trial_onboarding" || r.word(j, "lasts") {
			return true
		}
	}
	return false
}

func begunWith(word, stem string) bool { return wordMatches(stem+"*", word) }

// since tells whether the time says for how long nothing happened: silence or a negated purchase stands close by in the clause, before
// any message.
func (r *reading) since(lead, end int, has func(...string) bool) bool {
	if has("every", "another", "wait", "before") || r.word(end, "apart") {
		return false
	}
	from, to := r.sentence(lead)
	for _, m := range r.marks {
		if m.class != "silence" || m.at < from || m.at >= to || r.asksSilence(m, from) {
			continue
		}
		about := m.end()
		if object, ok := r.at(about, "channel"); ok && m.n > 1 {
			about = object.end() // "have not opened a single email for 90 days"
		}
		behind := m.end() <= lead && lead-m.end() <= 3 && !r.messageBetween(about, lead) && (!has("after") || has("since"))
		ahead := m.at >= end && m.at-end <= 3 && !r.messageBetween(end, m.at) && !r.commaBetween(end, m.at) && !r.following(end, m.at-end, "if", "unless")
		inside := m.at <= lead && m.end() >= end
		if behind && !r.commaBetween(m.end(), lead) || ahead || inside {
			return true
		}
	}
	return false
}

// asksSilence tells whether what did not happen is a question about people who are in already: they did something before it in the sentence, or
// an event of the customer's own starts the funnel.
func (r *reading) asksSilence(m mark, from int) bool {
	if r.named() != "" && r.before(m.at, 3, "if", "unless") {
		return true
	}
	for i := from; i < m.at; i++ {
		if e, ok := r.eventAt(i); ok && !r.negatedAt(i) && slices.Contains([]string{"message_opened", "link_clicked", "page_visit", "form_submit"}, e.value) {
			return true
		}
	}
	return false
}

func (r *reading) commaBetween(from, to int) bool {
	for i := from; i < to && i < len(r.tokens); i++ {
		if r.tokens[i].kind == aComma || r.tokens[i].kind == aBreak {
			return true
		}
	}
	return false
}

func (r *reading) messageBetween(from, to int) bool {
	_, ok := r.find(from, to, "channel")
	return ok
}

// beforeDate knows "24h before the visit", "dzień przed", "за 2 дня до", and Russian "за сутки" in a reminder.
func (r *reading) beforeDate(lead, start, end int) bool {
	if r.word(end, "before") || r.ended(start, "before") {
		return true
	}
	if m, ok := r.at(start, "span"); ok && slices.Contains([]string{"before", "накануне", "eve", "wigilie", "przeddzien"}, r.tokens[m.end()-1].text) {
		return true // "the day before"
	}
	if r.lang == "pl" && start > 0 && r.tokens[start-1].text == "za" { // "za 30 dni wygasa"
		if date, ok := r.find(end, min(end+3, len(r.tokens)), "date"); ok && date.value != "visit" && date.value != "meeting" && !r.commaBetween(end, date.at) {
			return true
		}
	}
	if r.lang != "ru" || start == 0 || r.tokens[start-1].text != "за" || r.conditional(start) {
		return false
	}
	if end < len(r.tokens) && r.tokens[end].text == "до" {
		return true
	}
	// "напоминание за сутки и за 2 часа": not a span of a counted series
	if r.unitLong(start, end) {
		return false
	}
	from, to := r.sentence(lead)
	_, reminds := r.find(from, to, "role", "remind", "confirm")
	_, dated := r.find(0, len(r.tokens), "date")
	return reminds || dated || r.any("event", "booking_made")
}

// unitLong tells whether a counted series stands right before or after the time, so that it is how long the series takes.
func (r *reading) unitLong(start, end int) bool {
	for j := max(0, start-5); j < start; j++ {
		if r.isNumber(j) && r.countsMessages(j) {
			return true
		}
	}
	return r.isNumber(end) && r.countsMessages(end)
}

// conditional tells whether a place stands in an "if ..." clause, close behind the word.
func (r *reading) conditional(i int) bool {
	from, to := r.clause(i)
	if from > 0 && r.tokens[from-1].text == ")" { // "if he did not call (no event call_done) within a day"
		for from > 0 && r.tokens[from-1].text != "(" {
			from--
		}
		from, _ = r.clause(max(from-2, 0))
	}
	hasNot := false
	for j := from; j < to; j++ {
		if r.word(j, "if", "unless") && j <= i+1 {
			return true
		}
		hasNot = hasNot || r.word(j, "not")
	}
	if !hasNot {
		return false
	}
	_, event := r.find(from, to, "event")
	return event
}

// untilTheDay reads the times of a list that ends on the day of a date as times before it: "14 days, 3 days and on the day itself".
func (r *reading) untilTheDay(all []timing) {
	for k := len(all) - 1; k > 0; k-- {
		t := all[k]
		if t.kind != beforeTiming || t.hours != 0 || !r.countsFromDate() {
			continue
		}
		for j := k - 1; j >= 0 && all[j].kind == afterTiming && r.onlyJoins(all[j].end(), all[j+1].at); j-- {
			all[j].kind = beforeTiming
		}
	}
}

// onlyJoins tells whether nothing but commas and "and" stands in a range.
func (r *reading) onlyJoins(from, to int) bool {
	for i := from; i < to; i++ {
		if r.tokens[i].kind != aComma && !r.conjunction(i) {
			return false
		}
	}
	return true
}

// unknownNoun tells whether a word of no meaning to the grammar stands at a place.
func (r *reading) unknownNoun(i int) bool {
	return r.tokens[i].kind == aWord && len(r.byAt[i]) == 0 && !r.stops(r.tokens[i].text)
}
