package ai

import (
	"slices"
	"strings"
)

// namedEvents finds an event written in the alphabet of the API, such as order_shipped, and what is said to be the trigger outright.
func (r *reading) namedEvents(first int, add func(opening)) {
	for i, t := range r.tokens {
		if r.taken[i] || r.aside[i] || r.before(i, 3, "stop") {
			continue
		}
		if r.namesEvent(i) && !r.before(i, 2, "tag", "field", "list") && !r.formWord(i-1) && !r.asksNamed(i, first) {
			add(opening{Trigger: Trigger{Kind: "api_event", Ref: eventSlug(t.raw)}, strength: 6, at: i, from: i, to: i + 1})
		}
	}
}

// asksNamed tells whether an event named behind what starts the funnel is one that people are asked about or that ends it: "if no portal_login
// event".
func (r *reading) asksNamed(i, first int) bool {
	denied := r.before(i, 3, "not", "without") && r.startsElsewhere(i)
	if i < first && !r.before(i, 6, "stop") && !denied || r.starting(i, 12) {
		return false
	}
	from, _ := r.sentence(i)
	asked := false
	for j := from; j < i; j++ {
		asked = asked || r.word(j, "if", "not", "without", "stop") && i-j < 10
	}
	if !asked {
		return false
	}
	for j := range i {
		if r.namesEvent(j) {
			return true
		}
	}
	return r.startsElsewhere(first)
}

// callsEvent tells whether a word is the one for an event.
func callsEvent(word string) bool {
	return slices.Contains([]string{"event", "zdarzenie", "zdarzenia", "событие", "события", "ивент", "эвент"}, word)
}

// namesEvent tells whether a name in the alphabet of the API stands at a place, or one that stands in brackets behind the word for an event.
func (r *reading) namesEvent(i int) bool {
	t := r.tokens[i]
	if i > 1 && t.kind == aWord && callsEvent(r.tokens[i-1].text) && r.tokens[i-2].text == "(" && i+1 < len(r.tokens) && r.tokens[i+1].text == ")" {
		return true
	}
	named := t.kind == aWord && strings.Contains(strings.Trim(t.raw, "_"), "_") || t.kind == aQuote && strings.Contains(t.raw, "_") && !strings.Contains(t.raw, " ")
	return named && eventSlug(t.raw) != "" && strings.EqualFold(t.raw, eventSlug(t.raw)) && !drawable.HasNode(t.text)
}

// named returns an event name written in the alphabet of the API, such as order_shipped; "" where there is none.
func (r *reading) named() string {
	name := ""
	r.namedEvents(len(r.tokens), func(o opening) {
		if name == "" {
			name = o.Ref
		}
	})
	return name
}
