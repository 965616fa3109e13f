package ai

import (
	"slices"
	"strings"
)

// readNamed finds what the prompt calls by its name: the field with the date messages are counted from, and the tag, list or segment that heads
// it. Both say what starts the funnel.
func (r *reading) readNamed(w *wish, times []timing, first int, add func(opening)) {
	r.headings(w, add)
	if form, at, to := r.formNamed(0, min(first, len(r.tokens))); form != "" && !r.before(at, 6, "not") {
		add(opening{Trigger: Trigger{Kind: "form_submit", Ref: form}, strength: 5, at: at, from: at, to: to})
	}
	name, from, to := r.dateFieldNamed()
	if name == "" {
		return
	}
	w.field, w.fieldAt = name, from
	r.take(from, to)
	o := opening{Trigger: Trigger{Kind: "date_field", Ref: name}, strength: 2, at: from, from: from, to: from}
	if !r.startsElsewhere(first) {
		o.strength = 7
		if r.any("date", "birthday", "anniversary") || r.any("recur", "yearly") {
			o.When = "yearly"
		}
	}
	if slices.ContainsFunc(times, func(t timing) bool { return t.kind == beforeTiming }) || r.any("date") {
		add(o)
	}
}

// startsElsewhere tells whether the prompt says before its first message what happens to let people in.
func (r *reading) startsElsewhere(first int) bool {
	found := false
	add := func(o opening) { found = found || o.strength >= 3 && o.at < first }
	r.eventTriggers(first, add)
	r.tagTriggers(first, add)
	r.headings(&wish{}, add)
	form, _, _ := r.formNamed(0, min(first, len(r.tokens)))
	return found || form != ""
}

// dateFieldNamed is the field of a date the prompt names: "(field arrival_date)", "vaccination_due is the field", "w polu data_wizyty",
// "до даты oplata_do"; "" where it names none.
func (r *reading) dateFieldNamed() (name string, from, to int) {
	for i := range r.tokens {
		if r.aside[i] || r.taken[i] {
			continue
		}
		if r.word(i, "field") && !r.before(i, 3, "set", "add", "remove") && !r.following(i+1, 4, "set") {
			if i+1 < len(r.tokens) && (r.tokens[i+1].kind == aQuote || r.tokens[i+1].kind == aWord && !r.stops(r.tokens[i+1].text) && len(r.byAt[i+1]) == 0 || r.snake(i+1)) {
				return r.tokens[i+1].raw, i, i + 2
			}
			if r.tokens[i].text == "field" && i > 0 && r.snake(i-1) {
				return r.tokens[i-1].raw, i - 1, i + 1
			}
		}
		if r.snake(i) && (r.isField(i+1) || r.dateWord(i-1)) {
			return r.tokens[i].raw, i, i + 1
		}
	}
	return "", 0, 0
}

// snake tells whether a name in the alphabet of the API stands at a place, in small letters with an underscore.
func (r *reading) snake(i int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == aWord && strings.Contains(strings.Trim(r.tokens[i].raw, "_"), "_")
}

// dateWord tells whether a plain word for a date stands at a place: "date", "daty", "даты".
func (r *reading) dateWord(i int) bool {
	return i >= 0 && i < len(r.tokens) && slices.Contains([]string{"date", "data", "daty", "dacie", "дата", "даты", "дате", "дату"}, r.tokens[i].text)
}

// headings finds a tag, list or segment that heads the prompt or a sentence of it, such as "tag 'x':", "список Пациенты: ...", "segment Śpiący
// -> ...", "leads from the fair go to the list Fair: ...".
func (r *reading) headings(w *wish, add func(opening)) {
	kinds := []struct{ word, kind string }{{"tag", "tag_added"}, {"list", "list_join"}, {"segment", "segment_enter"}}
	for i := range r.tokens {
		if i > 0 && r.tokens[i-1].kind != aBreak && i != r.introduced() || w.trigger.strength > 0 {
			continue
		}
		end := r.headingEnd(i)
		for k := i; k < end; k++ {
			for _, of := range kinds {
				if !r.word(k, of.word) || of.word == "tag" && k > i+3 || r.word(i, "add") && of.word != "list" {
					continue
				}
				if name, to := r.headName(k + 1); name != "" && to == end {
					strength := 4
					if i == r.introduced() {
						strength = 5
					}
					add(opening{Trigger: Trigger{Kind: of.kind, Ref: name}, strength: strength, at: k, from: i, to: end})
					return
				}
			}
		}
	}
}

// headName is a name with the number that ends it: "Спящие 45".
func (r *reading) headName(i int) (string, int) {
	name, end := r.nameAfter(i)
	if name != "" && end < len(r.tokens) && r.tokens[end].kind == aNumber && r.unitAt(end+1) == "" {
		return name + " " + r.tokens[end].raw, end + 1
	}
	return name, end
}

// headingEnd is where words end that head what follows them behind a colon, a dash or an arrow: they neither send anything nor tell what happens.
func (r *reading) headingEnd(i int) int {
	for j := i; j < len(r.tokens); j++ {
		t := r.tokens[j]
		if t.kind == aBreak && r.arrowAt(j) || t.kind == aComma && slices.Contains([]string{":", "-", "–", "—"}, t.text) {
			return j
		}
		_, channel := r.at(j, "channel")
		e, event := r.eventAt(j)
		if t.kind == aBreak || t.kind == aComma || channel || event && e.value != "contact_created" && e.value != "list_join" || r.sends(j) || r.word(j, "if", "when", "after", "remove", "notify") {
			break
		}
	}
	return 0
}

// inHeading tells whether a place stands in the words that head the prompt.
func (r *reading) inHeading(i int) bool {
	from := r.introduced()
	return i >= from && i < r.headingEnd(from)
}

// formNamed reads the name of a form, a quotation or words that begin with a capital: "форма «Пробный урок»", "formularz Test poziomujący",
// "quiz (форма quiz_kuhnya)".
func (r *reading) formNamed(from, to int) (name string, at, end int) {
	for i := from; i < to && i+1 < len(r.tokens); i++ {
		if !r.formWord(i) {
			continue
		}
		t := r.tokens[i+1]
		if r.lang == "en" && i > from && r.tokens[i-1].kind == aQuote && t.kind != aQuote {
			return short(r.tokens[i-1].raw, 60), i - 1, i + 1
		}
		switch {
		case t.kind == aQuote:
			return short(t.raw, 60), i, i + 2
		case r.snake(i + 1), t.kind == aWord && isCapital(t.raw):
			end := i + 2
			for end < len(r.tokens) && end < i+5 && (r.tokens[end].kind == aWord && isCapital(r.tokens[end].raw) || r.tokens[end].kind == aNumber && r.unitAt(end+1) == "" || r.namesOn(end) && !r.happens(end)) {
				end++
			}
			return r.prompt[t.at:r.tokens[end-1].end], i, end
		}
	}
	return "", 0, 0
}

// formWord tells whether the word for a form stands at a place.
func (r *reading) formWord(i int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == aWord && (begunWith(r.tokens[i].text, "formularz") || begunWith(r.tokens[i].text, "форм") || r.tokens[i].text == "form" || r.tokens[i].text == "forms")
}

// happens tells whether a word says that something has been done: "wysłany", "отправлена".
func (r *reading) happens(i int) bool {
	return r.word(i, "send", "added") || begunWith(r.tokens[i].text, "wysl") || begunWith(r.tokens[i].text, "wypeln") || begunWith(r.tokens[i].text, "отправл") || begunWith(r.tokens[i].text, "заполн")
}

// bracketed widens what starts the funnel to the words in front of the bracket in which its event is named: "once an order ships (order_sent)".
func (r *reading) bracketed(o *opening) {
	if o.Kind != "api_event" {
		return
	}
	open := o.from - 1
	for open > 0 && open > o.from-3 && r.tokens[open].text != "(" {
		open--
	}
	if open < 0 || r.tokens[open].text != "(" {
		return
	}
	for j := open - 1; j >= 0 && j >= open-9 && r.tokens[j].kind == aWord; j-- {
		if _, channel := r.at(j, "channel"); channel || r.sends(j) || r.taken[j] {
			return
		}
		if r.word(j, "if", "when", "after") {
			o.from = j
			return
		}
	}
}

// isField tells whether words say that a name before them is that of a field: "is a date field", "to pole z datą".
func (r *reading) isField(i int) bool {
	if i >= len(r.tokens) || !slices.Contains([]string{"is", "as", "jest", "to", "это", "-", "–", "—"}, r.tokens[i].text) {
		return false
	}
	for j := i + 1; j < len(r.tokens) && j < i+5 && r.tokens[j].kind == aWord; j++ {
		if r.word(j, "field") {
			return true
		}
	}
	return false
}

// onlyName is where a bracket ends that holds nothing but a name, such as "(tag referrer)" or "(field arrival_date)"; 0 is none.
func (r *reading) onlyName(i int) int {
	if i >= len(r.tokens) || r.tokens[i].text != "(" {
		return 0
	}
	for j := i + 1; j < len(r.tokens) && j < i+6; j++ {
		if r.tokens[j].text == ")" {
			if j > i+1 && (r.word(i+1, "tag", "field", "list", "segment") || r.formWord(i+1) || callsEvent(r.tokens[i+1].text) || r.snake(i+1) && j == i+2) {
				return j
			}
			return 0
		}
	}
	return 0
}

// ofOurs tells whether only words such as "link in any of our" stand in a range.
func (r *reading) ofOurs(from, to int) bool {
	for i := from; i < to; i++ {
		if r.tokens[i].kind != aQuote && !r.stops(r.tokens[i].text) && !r.word(i, "link", "within", "allof") {
			return false
		}
	}
	return true
}

// joinedBetween tells whether "and" stands in a range.
func (r *reading) joinedBetween(from, to int) bool {
	return slices.ContainsFunc(r.wordsBetween(from, to), r.conjunction)
}

// silentReader tells whether words of silence are about opening or clicking, as questions about a message are.
func (r *reading) silentReader(m mark) bool {
	for j := m.at; j < m.end(); j++ {
		for _, stem := range []string{"open", "click", "read", "otw", "klik", "czyt", "откр", "клик", "чит", "прочит"} {
			if begunWith(r.tokens[j].text, stem) {
				return true
			}
		}
	}
	return false
}
