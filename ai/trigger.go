package ai

import (
	"slices"
	"strings"
)

// opening is something that may be what starts the funnel. The strongest one does.
type opening struct {
	Trigger

	strength int // 0 is none; 3 and more is said outright
	at       int
	from, to int // tokens that say it
}

// readTrigger finds what lets people in.
func (r *reading) readTrigger(w *wish, times []timing) {
	first := r.begins(times)
	var found []opening
	add := func(c opening) { found = append(found, c) }
	if w.trigger.strength > 0 {
		add(w.trigger)
	}
	r.readNamed(w, times, first, add)
	r.namedEvents(first, add)
	r.tagTriggers(first, add)
	r.dateTriggers(times, add)
	r.eventTriggers(first, add)
	r.peopleTriggers(first, times, add)
	for _, t := range times {
		if t.kind == sinceTiming {
			w.since = t.hours
		}
	}
	if len(found) == 0 {
		r.lastEvent(add)
	}
	if w.field != "" && r.startsElsewhere(first) {
		found = slices.DeleteFunc(found, func(o opening) bool { return o.Kind == "date_field" })
	}
	best := -1
	for i, c := range found {
		if best < 0 || c.strength > found[best].strength {
			best = i
		}
	}
	if best < 0 {
		return
	}
	w.trigger = found[best]
	r.bracketed(&w.trigger)
	r.take(w.trigger.from, w.trigger.to)
	w.oneOff = w.trigger.Kind == "manual"
}

// drawable is the whole catalogue, made once.
var drawable = Drawable()

// tagTriggers finds "when they get the tag x", "trigger = tag 'x'", "people with the tag x".
func (r *reading) tagTriggers(first int, add func(opening)) {
	r.each("word", func(m mark) {
		got := r.before(m.at, 4, "gets") && r.before(m.at, 6, "if", "when", "who") && !r.getsBehind(m.at) || r.tagComes(m.at)
		if m.value != "tag" || r.taken[m.at] || r.before(m.at, 4, "add", "remove") && !got {
			return
		}
		if _, to := r.sentence(m.at); m.at > first && r.following(m.at, to-m.at, "else") && r.before(m.at, 5, "who") {
			return // "to those who have the tag x, the others ..." is a question
		}
		name, end := r.nameNear(m.at)
		if name == "" {
			return
		}
		strength := 2
		if r.getsBehind(m.at) {
			return
		}
		if m.at > 0 && r.tokens[m.at-1].text == "(" {
			if m.at > first && !r.before(m.at, 8, "who") {
				return
			}
			strength = 5
		}
		if r.before(m.at, 6, "trigger", "gets", "who", "after", "if", "with") {
			strength = 5
		}
		if r.tagComes(m.at) {
			strength = 5
		} else if m.at > first && !r.before(m.at, 6, "trigger") {
			strength = min(strength, 3) // "after signup wait a day; whoever has the tag vip ..."
		}
		from := m.at
		if end == m.at+1 {
			from--
		}
		add(opening{Trigger: Trigger{Kind: "tag_added", Ref: name}, strength: strength, at: m.at, from: from, to: end})
	})
}

// dateFields are the fields of the dates people speak of.
var dateFields = map[string]string{
	"birthday": "birthday", "anniversary": "signup_date", "expiry": "renewal_date", "due": "due_date", "trial_end": "trial_ends_at", "date": "date",
	"departure": "departure_date", "delivery": "delivery_date",
}

// dateTriggers finds dates of a person: the birthday, the end of a contract, the visit.
func (r *reading) dateTriggers(times []timing, add func(opening)) {
	ahead := slices.ContainsFunc(times, func(t timing) bool { return t.kind == beforeTiming })
	r.each("date", func(m mark) {
		if r.taken[m.at] || r.before(m.at, 3, "stop") {
			return
		}
		switch m.value {
		case "visit":
			strength := 1
			if ahead || r.before(m.at, 2, "after") || r.any("role", "remind") {
				strength = 3
			}
			add(opening{Trigger: Trigger{Kind: "booking_made"}, strength: strength, at: m.at, from: m.at, to: m.at})
		case "meeting": // a webinar, a course: people sign up for it
			add(opening{Trigger: Trigger{Kind: "form_submit", Ref: r.tokens[m.at].raw}, strength: 2, at: m.at, from: m.at, to: m.at})
		default:
			strength := 1
			if m.value == "birthday" || m.value == "anniversary" || m.value == "expiry" {
				strength = 3
			}
			if ahead {
				strength += 3
			}
			c := opening{Trigger: Trigger{Kind: "date_field", Ref: dateFields[m.value]}, strength: strength, at: m.at, from: m.at, to: m.at}
			if m.value == "birthday" || m.value == "anniversary" {
				c.When = "yearly"
			}
			add(c)
		}
	})
}

// eventTriggers finds what happens: "when they buy", "after signing up", "new subscribers", "people who click".
func (r *reading) eventTriggers(first int, add func(opening)) {
	r.each("event", func(m mark) {
		if r.taken[m.at] || r.aside[m.at] || slices.Contains(noStarts, m.value) || m.value == r.awaits && !r.starting(m.at, 12) {
			return
		}
		for j := m.at; j < m.at+3 && j < len(r.tokens) && (m.value == "list_join" || m.value == "booking_made"); j++ {
			if _, ends := r.at(j, "date"); ends && j > m.at || j > m.at && (begunWith(r.tokens[j].text, "koncz") || begunWith(r.tokens[j].text, "wygas") || begunWith(r.tokens[j].text, "заканчив") || begunWith(r.tokens[j].text, "истек")) {
				if date, _ := r.at(j, "date"); date.value != "visit" && date.value != "meeting" {
					return // "subskrypcja kończy się"
				}
			}
		}
		if topic, ok := r.at(m.at-1, "role"); ok && topic.n > 1 && topic.end() > m.at && m.n == 1 {
			return // "запись вебинара" is a recording
		}
		if r.negatedAt(m.at) && m.value != "no_show" || m.value == "no_show" && r.any("event", "attended") {
			return
		}
		strength := 1
		switch {
		case r.starting(m.at, 12):
			strength = 6
		case r.ended(m.at, "after") || r.before(m.at, 3, "after", "when") || r.word(m.at, "when"):
			strength = 4
		case r.before(m.at, 5, "who", "if") && !r.spokenBetween(max(0, m.at-5), m.at):
			strength = 4
		case r.before(m.at, 2, "new"), m.at < first && r.opens(m.at):
			strength = 3
		}
		if m.value == "contact_created" && m.at > 0 && (slices.Contains([]string{"for", "to", "dla", "do", "для"}, r.tokens[m.at-1].text) || r.lang == "ru" && strings.HasSuffix(r.tokens[m.at].text, "ым") && m.n > 1) {
			strength = 4 // "for new leads"
		}
		if m.value == "contact_created" && m.at > 1 && r.tokens[m.at-2].text == "to" && slices.Contains([]string{"every", "each", "all", "any"}, r.tokens[m.at-1].text) {
			strength = 4 // "to every new contact"
		}
		if m.at > 0 && r.sinceEvent(m) {
			strength = max(strength, 5) // "8 lessons, one a week from the purchase"
		}
		if m.value == "form_submit" && r.fromWord(m.at) {
			strength = max(strength, 4) // "a new lead from the contact form"
		}
		if m.at > first {
			strength--
			if r.word(m.at, "verb") || strength < 3 {
				strength--
			}
			if r.before(m.at, 5, "if") && !r.starting(m.at, 12) {
				return
			}
		}
		if strength <= 0 {
			strength = 1
			if m.at > first {
				return
			}
		}
		if m.value == "message_replied" && strength < 3 {
			return
		}
		c := opening{Trigger: triggerOf(m.value), strength: strength, at: m.at, from: m.at, to: m.end()}
		r.describeTrigger(&c, m)
		add(c)
	})
}

// noStarts are happenings that start nothing.
var noStarts = []string{"react", "confirmed", "unsubscribed", "attended", "api_event"}

// lastEvent finds what starts the funnel where it stands behind what shall be done: "add the tag paying once the payment is received".
func (r *reading) lastEvent(add func(opening)) {
	_, to := r.sentence(0)
	r.each("event", func(m mark) {
		if m.at >= to || r.taken[m.at] || r.negatedAt(m.at) || slices.Contains(noStarts, m.value) || m.value == "no_show" || r.before(m.at, 6, "stop", "unless") {
			return
		}
		for j := m.at - 1; j >= 0 && j >= m.at-5; j-- {
			if r.word(j, "when", "after") {
				c := opening{Trigger: Trigger{Kind: m.value}, strength: 3, at: m.at, from: j, to: m.end()}
				if m.value == "message_replied" {
					c.Trigger = Trigger{Kind: "api_event", Ref: m.value}
				}
				r.describeTrigger(&c, m)
				if _, end := r.clause(m.at); end-c.to <= 3 && !r.messageBetween(c.to, end) {
					c.to = end
				}
				add(c)
				return
			}
		}
	})
}

// describeTrigger reads which form, list, page, link or sum is meant.
func (r *reading) describeTrigger(c *opening, m mark) {
	_, to := r.clause(m.at)
	from, _ := r.clause(m.at)
	if c.Kind == "contact_created" {
		for j := m.end(); j < to && j < m.end()+3; j++ {
			if name, end := r.nameAfter(j + 1); r.word(j, "list") && name != "" && (r.tokens[j+1].kind == aQuote || isCapital(name)) {
				c.Kind, c.Ref, c.to = "list_join", name, end // "new members of the list X"
				return
			}
		}
	}
	switch c.Kind {
	case "list_join":
		for j := from; j < to; j++ {
			if r.word(j, "list") {
				if name, end := r.nameNear(j); name != "" {
					c.Ref, c.to = name, max(c.to, end)
				}
			}
		}
		if c.Ref == "" {
			c.Ref = "newsletter"
		}
	case "form_submit":
		begin, end := r.sentence(m.at)
		if name, at, to := r.formNamed(begin, end); name != "" && at <= m.end()+6 {
			c.Ref, c.to = name, max(c.to, to)
			r.take(at, to)
		} else if q, at := r.quoted(m.at, min(to, m.end()+3)); q != "" {
			c.Ref, c.to = q, at+1
		} else if r.lang == "en" && m.at > 0 && r.tokens[m.at-1].kind == aWord && r.tokens[m.at].text == "form" && !r.stops(r.tokens[m.at-1].text) && !r.word(m.at-1, "after", "who") {
			c.Ref = r.tokens[m.at-1].raw + " form"
			c.from = m.at - 1
		}
	case "page_visit":
		r.describeVisit(c, from, to)
	case "link_clicked":
		if q, at := r.quoted(m.at, min(to, m.end()+6)); q != "" {
			c.Ref, c.to = q, at+1
		}
		if channel, ok := r.find(m.end(), min(to, m.end()+9), "channel"); ok && !r.spokenBetween(m.at, channel.at) && (channel.at < m.end()+4 || channel.end() == to && !r.joinedBetween(m.end(), channel.at) || r.ofOurs(m.end(), channel.at)) {
			c.to = max(c.to, channel.end())
		}
	case "message_opened", "api_event":
		if channel, ok := r.find(m.end(), min(to, m.end()+6), "channel"); ok && !r.spokenBetween(m.at, channel.at) {
			c.to = max(c.to, channel.end())
		}
	case "payment_made":
		for j := m.at; j < to; j++ {
			if r.word(j, "over", "above", "more") {
				if n, ok := r.number(j + 1); ok && (r.word(j+2, "money") || n >= 20 && r.unitAt(j+2) == "") {
					c.AtLeast, c.to = n, j+3
				}
			}
		}
	}
}

func (r *reading) describeVisit(c *opening, from, to int) {
	for j := from; j < to; j++ {
		if r.tokens[j].kind == aQuote {
			c.Ref = r.tokens[j].raw
		}
		if n, ok := r.number(j); ok && r.word(j+1, "times") && n > 1 {
			c.Times = int(min(n, 50))
		}
		if r.word(j, "twice") {
			c.Times = 2
		}
		if m, ok := r.at(j, "page"); ok && c.Ref == "" {
			c.Ref = "/" + m.value
		}
	}
	// a path such as /pricing is written with a slash that is no token
	if at := strings.Index(r.prompt, " /"); at >= 0 && at+2 < len(r.prompt) && r.prompt[at+2] >= 'a' && r.prompt[at+2] <= 'z' {
		c.Ref = strings.Trim(strings.Fields(r.prompt[at:])[0], ".,;:!?)'\"")
	}
}

// peopleTriggers finds groups: "inactive for 90 days", "VIP customers", "who spent over 1000", "everyone".
func (r *reading) peopleTriggers(first int, times []timing, add func(opening)) {
	r.each("silence", func(m mark) {
		if r.before(m.at, 4, "stop") || r.taken[m.at] {
			return
		}
		from, _ := r.sentence(m.at)
		if r.asksSilence(m, from) || m.at > first && r.before(m.at, 5, "who", "if") && r.silentReader(m) && !slices.ContainsFunc(times, func(t timing) bool { return t.kind == sinceTiming && t.hours >= 14*24 }) {
			return // "send it again to those who have not opened it"
		}
		strength := 3
		if r.before(m.at, 5, "who", "after") || m.n > 1 {
			strength = 4
		}
		if from, to := r.sentence(m.at); slices.ContainsFunc(times, func(t timing) bool { return t.kind == sinceTiming && t.at >= from && t.at < to && t.hours >= 14*24 }) && m.at < first {
			strength = 5
		}
		if _, ok := r.at(m.end(), "channel"); ok && (!r.countsMessages(m.end()-1) || m.n > 2) {
			r.take(m.end(), m.end()+1) // "have not opened our emails"
		}
		// "leaves a cart ... again after two days if they did not buy" asks on the way.
		if r.before(m.at, 4, "if", "unless") && (m.at > first || r.any("playbook") && !r.any("playbook", "winback", "sunset")) {
			return
		}
		add(opening{Trigger: Trigger{Kind: "segment_enter", Ref: r.silentName()}, strength: strength, at: m.at, from: m.at, to: m.end()})
	})
	r.each("people", func(m mark) {
		if r.taken[m.at] {
			return
		}
		c := opening{Trigger: Trigger{Kind: "segment_enter", Ref: r.tokens[m.at].raw}, strength: 2, at: m.at, from: m.at, to: m.at}
		switch m.value {
		case "vip":
			c.Ref = "VIP"
		case "spent":
			c.Ref, c.strength = r.prompt[r.tokens[m.at].at:r.tokens[min(m.end()+2, len(r.tokens)-1)].end], 4
			c.to = m.end()
		case "all":
			c.Trigger, c.strength = Trigger{Kind: "manual"}, 2
		case "manual":
			c.Trigger, c.strength = Trigger{Kind: "manual"}, 3
			if m.n > 1 || m.at < first {
				c.strength = 5
			}
		}
		add(c)
	})
	r.each("word", func(m mark) {
		if m.value != "segment" || r.taken[m.at] || r.before(m.at, 4, "add", "remove", "split") {
			return
		}
		name, end := r.nameNear(m.at)
		strength := 3
		if r.before(m.at, 5, "after", "if", "who") {
			strength = 4
		}
		if name != "" {
			add(opening{Trigger: Trigger{Kind: "segment_enter", Ref: name}, strength: strength, at: m.at, from: m.at, to: end})
		}
	})
}

// silentName names the segment of those who have been silent: its time belongs to the name.
func (r *reading) silentName() string {
	for _, t := range r.timings() {
		if t.kind == sinceTiming {
			return "inactive-" + trimNumber(t.hours/24)
		}
	}
	return "inactive"
}

// triggerOf is the trigger that hears of something the lexicon names.
func triggerOf(said string) Trigger {
	switch said {
	case "no_show":
		return Trigger{Kind: "tag_added", Ref: "no-show"}
	case "message_replied":
		return Trigger{Kind: "api_event", Ref: said} // the log has it, and no trigger of its own
	default:
		return Trigger{Kind: said}
	}
}
