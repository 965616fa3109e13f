package ai

import (
	"slices"
	"strconv"
	"strings"
)

func trimNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// readDeeds finds what the funnel does besides sending: tags, lists, notices, payments, bookings, fields, requests, other funnels.
func (r *reading) readDeeds(w *wish) {
	for i := 0; i < len(r.tokens); i++ {
		if r.taken[i] || r.aside[i] || r.inHeading(i) {
			continue
		}
		for _, try := range []func(int) (Step, int, bool){r.paymentAt, r.bookingAt, r.otherFunnelAt, r.fieldAt, r.tagAt, r.listAt, r.noticeAt, r.requestAt, r.funnelAt, r.writingAt} {
			if step, end, ok := try(i); ok {
				w.script = append(w.script, beat{kind: deedBeat, at: i, step: step})
				i = max(i, end-1)
				break
			}
		}
	}
}

// tagAt reads "add the tag vip", "tag them as hot", "remove 'trial'".
func (r *reading) tagAt(i int) (Step, int, bool) {
	do := ""
	switch {
	case i > 0 && r.tokens[i-1].text == "(" && r.word(i, "tag"), r.startsWithTag(i), r.tagByHouse(i), begunWith(r.tokens[i].text, "dodatkow"): // "po dodaniu tagu x"
		return Step{}, 0, false
	case r.word(i, "add") && r.word(i, "gets") && r.before(i, 4, "if", "when", "who") && !r.hasEventBefore(i): // "when somebody gets the tag x"
		return Step{}, 0, false
	case r.word(i, "add"):
		do = doAddTag
	case r.word(i, "remove"):
		do = doRemoveTag
	case r.word(i, "tagverb") && !r.before(i, 2, "if", "after", "when", "with", "trigger"):
		name, end := r.nameAfter(i + 1)
		if name == "" {
			return Step{}, 0, false
		}
		r.take(i, end)
		return Step{Do: doAddTag, Name: name}, end, true
	case r.word(i, "tag") && r.tagsHere(i):
		name, end := r.nameAfter(i + 1)
		if name == "" {
			return Step{}, 0, false
		}
		r.take(i, end)
		return Step{Do: doAddTag, Name: name}, end, true
	case r.word(i, "gets") && r.hasEventBefore(i) && !r.before(i, 4, "if"), r.word(i, "gets") && r.getsBehind(i+1):
		do = doAddTag
	default:
		return Step{}, 0, false
	}
	far := i + 6
	if r.word(i, "gets") {
		far = i + 11 // "gets a task for sales and the tag x"
	}
	for j := i + 1; j < len(r.tokens) && j < far && r.tokens[j].kind != aBreak; j++ {
		if j > i+1 && (r.word(j, "add", "remove") || r.word(i, "gets") && r.word(j, "gets")) {
			break
		}
		if r.word(j, "list", "field", "segment") {
			break
		}
		if r.word(j, "tag", "tagverb") {
			name, end := r.nameNear(j)
			if name == "" && !r.word(i, "gets") {
				name, end = r.sameTag(i, j), j+1
			}
			if name == "" {
				break
			}
			if r.word(i, "gets") && j > i+3 {
				r.take(i, i+1)
				r.take(j, end)
				return Step{Do: do, Name: name}, i + 1, true
			}
			r.take(i, end)
			return Step{Do: do, Name: name}, end, true
		}
	}
	// "usuń tag 'trial' i dodaj 'klient'": tags are what is spoken of
	if i+1 < len(r.tokens) && r.tokens[i+1].kind == aQuote && r.any("word", "tag") && do != "" && !r.word(i, "gets") {
		r.take(i, i+2)
		return Step{Do: do, Name: short(r.tokens[i+1].raw, 40)}, i + 2, true
	}
	return Step{}, 0, false
}

// hasEventBefore tells whether something happens in the sentence before a place.
func (r *reading) hasEventBefore(i int) bool {
	from, _ := r.sentence(i)
	_, ok := r.find(from, i, "event")
	return ok
}

// listAt reads "add to list Customers", "usuń z listy aktywnych", "move them to the VIP list".
func (r *reading) listAt(i int) (Step, int, bool) {
	do := ""
	switch {
	case r.word(i, "remove"), r.word(i, "take") && r.awayFromList(i), r.offList(i):
		do = doRemoveFromList
	case r.word(i, "add") && !begunWith(r.tokens[i].text, "dodatkow"):
		do = doAddToList
	default:
		return Step{}, 0, false
	}
	if from, _ := r.clause(i); do == doAddToList && i > from && r.lettersGo(from, i) {
		return Step{}, 0, false
	}
	for j := i + 1; j < len(r.tokens) && j < i+12 && r.tokens[j].kind != aBreak; j++ {
		if r.word(j, "add", "remove", "send", "field") || r.word(j, "tag") && !r.before(j, 4, "with") {
			break
		}
		if !r.word(j, "list") {
			continue
		}
		name, end := "", j+1
		from := j
		if r.lang == "en" {
			name, from = r.phraseBefore(i, j)
		}
		if name == "" {
			name, end = r.nameAfter(j + 1)
			end = max(end, j+1)
			from = j
			for n := 0; r.lang != "en" && name != "" && n < 2 && r.namesOn(end); n++ { // "z listy porzuconych koszyków"
				name += " " + r.tokens[end].raw
				end++
			}
		}
		if name == "" {
			name = "list"
			if book := r.any("playbook", "sunset", "winback"); book {
				name = "newsletter"
			}
		}
		r.take(i, i+1)
		r.take(from, end)
		return Step{Do: do, Name: name}, end, true
	}
	return Step{}, 0, false
}

// awayFromList tells whether something is taken off a list: the verb alone means many things.
func (r *reading) awayFromList(i int) bool {
	_, to := r.clause(i)
	for j := i + 1; j+1 < to; j++ {
		if slices.Contains([]string{"off", "from", "out"}, r.tokens[j].text) && r.following(j, 6, "list") {
			r.take(j, j+1)
			return true
		}
	}
	return false
}

// noticeAt reads "notify the team", "powiadom recepcję", "админу пришло уведомление": a word of telling and one of the house's own people.
func (r *reading) noticeAt(i int) (Step, int, bool) {
	if step, end, ok := r.chatAt(i); ok {
		return step, end, true
	}
	said := r.word(i, "notify", "task") || r.tellsHouse(i)
	_, target := r.at(i, "target")
	named, anyone := r.tellsAnyone(i)
	if !said && !target && !anyone {
		return Step{}, 0, false
	}
	_, to := r.sentence(i)
	end := i
	for j := i + 1; j < to && j < i+7; j++ {
		if _, sends := r.at(i, "channel"); r.word(j, "then", "if") || r.tokens[j].kind == aComma && (j > i+2 || sends) {
			break
		}
		_, person := r.at(j, "target")
		if said && person || target && r.word(j, "notify", "task", "calls") {
			end = j + 1
			break
		}
	}
	if end == i && anyone {
		end = named
	}
	if end == i {
		return Step{}, 0, false
	}
	if said && r.word(i, "task") && !r.any("target") {
		return Step{}, 0, false
	}
	for end < to && r.tokens[end].kind == aWord && (r.word(end, "notify", "calls") || r.isTarget(end)) {
		end++
	}
	if r.word(end, "by", "channel") || r.channelOnly(end) {
		end = r.channelEnd(end)
	}
	step := Step{Do: doNotify, Text: ""}
	for j := i; j < end; j++ {
		if m, ok := r.at(j, "target"); ok && (m.value == "slack" || m.value == "telegram") {
			step.To = m.value
		}
	}
	for j := i; j < end; j++ { // times between stay times
		if r.unitAt(j) == "" && !r.isNumber(j) {
			r.take(j, j+1)
		}
	}
	return step, end, true
}

// tellsHouse tells whether somebody of the house is told something: "tell the landlord's office", not "tell them about the office".
func (r *reading) tellsHouse(i int) bool {
	if !slices.Contains([]string{"tell", "inform", "let", "alert", "email", "message", "text", "remind", "przypomnij", "напомнить", "напомни", "сообщить", "сообщи", "написать", "напиши", "poinformuj", "napisz"}, r.tokens[i].text) {
		return false
	}
	for j := i + 1; j < len(r.tokens) && j < i+5 && r.tokens[j].kind == aWord && !r.conjunction(j); j++ {
		if r.isTarget(j) {
			return true
		}
		if slices.Contains([]string{"them", "him", "her", "everyone", "people", "about", "from", "by", "with", "of", "od", "z", "от", "с", "customer", "customers", "client", "clients", "what", "how", "klientowi", "klientom", "клиенту", "клиентам", "о", "об", "o"}, r.tokens[j].text) {
			return false
		}
	}
	return false
}

func (r *reading) isTarget(i int) bool {
	_, ok := r.at(i, "target")
	return ok
}

// channelOnly tells whether "by email" of a notice follows: it is how the team hears of it, not a message.
func (r *reading) channelOnly(i int) bool {
	return i+1 < len(r.tokens) && slices.Contains([]string{"by", "via", "on", "in", "na", "w", "в", "по", "przez"}, r.tokens[i].text) && r.channelEnd(i) > i
}

func (r *reading) channelEnd(i int) int {
	for j := i; j < i+3 && j < len(r.tokens); j++ {
		if m, ok := r.at(j, "target"); ok && (m.value == "slack" || m.value == "telegram") {
			return m.end()
		}
	}
	for j := i; j < i+2 && j < len(r.tokens); j++ {
		if m, ok := r.at(j, "channel"); ok && m.value == "email" && r.tokens[i].text != "w" {
			return m.end()
		}
	}
	return i
}

// paymentAt reads "collect a deposit of 50", "pobierz zaliczkę 50 zł", "взять предоплату 500 руб".
func (r *reading) paymentAt(i int) (Step, int, bool) {
	m, ok := r.wordAt(i, "collect")
	if !ok || r.before(i, 4, "if", "not", "unless", "stop") || r.before(i, 1, "after") {
		return Step{}, 0, false
	}
	_, to := r.clause(i)
	step := Step{Do: doPayment}
	end := m.end()
	for j := i; j < to && j < i+8; j++ {
		if r.tokens[j].kind != aNumber {
			continue
		}
		switch {
		case j+1 < len(r.tokens) && r.word(j+1, "money"):
			step.Amount, end = r.tokens[j].raw+" "+r.tokens[j+1].raw, j+2
		case j > 0 && r.tokens[j].at > 0 && strings.ContainsAny(r.prompt[max(0, r.tokens[j].at-4):r.tokens[j].at], "$€£₽"), strings.HasPrefix(strings.TrimSpace(r.prompt[r.tokens[j].end:]), "€"), strings.HasPrefix(strings.TrimSpace(r.prompt[r.tokens[j].end:]), "$"), strings.HasPrefix(strings.TrimSpace(r.prompt[r.tokens[j].end:]), "₽"):
			step.Amount, end = strings.TrimSpace(r.prompt[max(0, r.tokens[j].at-3):min(len(r.prompt), r.tokens[j].end+4)]), j+1
		}
	}
	r.take(i, end)
	return step, end, true
}

// bookingAt reads "book a slot for them", "zarezerwuj termin", "забронируй время": the funnel books, not the person.
func (r *reading) bookingAt(i int) (Step, int, bool) {
	m, ok := r.wordAt(i, "reserve")
	if !ok {
		m, ok = r.slotReserved(i)
	}
	if !ok || r.before(i, 3, "stop", "if", "who", "they", "not") && !r.hasEventBefore(i) {
		return Step{}, 0, false
	}
	r.take(i, m.end())
	name := "consultation"
	if q, at := r.quoted(m.end(), m.end()+2); q != "" {
		name = q
		r.take(at, at+1)
	}
	return Step{Do: doBook, Name: name}, m.end(), true
}

// slotReserved finds an order to reserve a time, whatever stands between: "reserve the next free valuation slot".
func (r *reading) slotReserved(i int) (mark, bool) {
	if r.tokens[i].kind != aWord || !slices.Contains([]string{"book", "reserve", "zarezerwuj", "rezerwuj", "umow", "zabukuj", "забронируи", "забронировать", "забронируите", "бронируем"}, r.tokens[i].text) || i > 0 && slices.Contains([]string{"to", "they", "people", "who", "clients", "customers"}, r.tokens[i-1].text) {
		return mark{}, false
	}
	for j := i + 1; j < len(r.tokens) && j < i+7 && r.tokens[j].kind == aWord; j++ {
		for _, stem := range []string{"slot", "termin", "слот", "время", "окно", "okienko"} {
			if begunWith(r.tokens[j].text, stem) {
				return mark{class: "word", value: "reserve", at: i, n: j + 1 - i}, true
			}
		}
	}
	return mark{}, false
}

// fieldAt reads "set the field plan to pro", "ustaw pole status na aktywny".
func (r *reading) fieldAt(i int) (Step, int, bool) {
	if step, end, ok := r.fieldAhead(i); ok {
		return step, end, true
	}
	if step, end, ok := r.valueAhead(i); ok {
		return step, end, true
	}
	if !r.word(i, "add", "set") {
		return Step{}, 0, false
	}
	for j := i + 1; j < len(r.tokens) && j < i+4; j++ {
		if !r.word(j, "field") {
			continue
		}
		field, end := r.nameAfter(j + 1)
		if field == "" {
			field, end = "status", j+1
		}
		value, to := r.nameAfter(end)
		if value == "" || r.tokens[end].kind == aComma {
			value, to = "yes", end
		}
		r.take(i, to)
		return Step{Do: doSetField, Field: field, Value: value}, to, true
	}
	return Step{}, 0, false
}

// requestAt reads "send it to our CRM", "call the webhook".
func (r *reading) requestAt(i int) (Step, int, bool) {
	m, ok := r.at(i, "request")
	if !ok || m.value == "crm" && r.comesFrom(i) || m.end() < len(r.tokens) && r.namesEvent(m.end()) {
		return Step{}, 0, false
	}
	name := "crm"
	if m.value != "crm" {
		name = "webhook"
	}
	r.take(i, m.end())
	for j := m.end(); j < len(r.tokens) && j < m.end()+4 && r.tokens[j].kind == aWord; j++ { // "webhook do naszego CRM"
		if more, ok := r.at(j, "request"); ok {
			r.take(j, more.end())
		}
	}
	return Step{Do: doRequest, Name: name}, m.end(), true
}

// funnelAt reads "move them to the funnel Onboarding", "exit the funnel".
func (r *reading) funnelAt(i int) (Step, int, bool) {
	enters, leaves := r.word(i, "enter"), r.word(i, "leave")
	for j := i + 1; (enters || leaves) && j < len(r.tokens) && j < i+6; j++ {
		if name, _ := r.funnelBefore(j); name != "" {
			return Step{}, 0, false // read from the word for the funnel on
		}
	}
	if !enters && !leaves {
		return Step{}, 0, false
	}
	for j := i + 1; j < len(r.tokens) && j < i+6 && r.tokens[j].kind == aWord; j++ {
		if !r.word(j, "funnel") {
			continue
		}
		name, end := r.nameNear(j)
		if leaves {
			if r.following(j+1, 3, "if") || name != "" && r.tokens[end-1].kind != aQuote {
				name, end = "", j+1
			}
			r.take(i, max(end, j+1))
			return Step{Do: doExitFunnel, Name: name}, end, true
		}
		if name == "" {
			return Step{}, 0, false
		}
		r.take(i, max(end, j+1))
		return Step{Do: doEnterFunnel, Name: name}, end, true
	}
	return Step{}, 0, false
}

// writingAt reads "an opening written by AI for each person".
func (r *reading) writingAt(i int) (Step, int, bool) {
	m, ok := r.wordAt(i, "aitext")
	if !ok {
		return Step{}, 0, false
	}
	r.take(i, m.end())
	return Step{Do: doGenerate}, m.end(), true
}
