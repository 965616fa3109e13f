package ai

import "slices"

// startsWithTag tells whether a tag at a place or right behind it is one that comes, not one to add.
func (r *reading) startsWithTag(i int) bool {
	for j := i; j < len(r.tokens) && j < i+6 && r.tokens[j].kind == aWord; j++ {
		if r.word(j, "tag") {
			return r.tagComes(j)
		}
	}
	return false
}

// tagComes tells whether the tag at a place is said to be added, as what starts something: "after the tag is added", "po dodaniu tagu",
// "когда добавили тег".
func (r *reading) tagComes(i int) bool {
	from, to := r.clause(i)
	for j := max(from, i-4); j < min(to, i+6); j++ {
		if !r.word(j, "added") {
			continue
		}
		if _, happened := r.find(from, min(i, j), "event"); happened {
			continue // "whoever pays for it gets the tag x"
		}
		for k := min(i, j) - 1; k >= from && k >= min(i, j)-4; k-- {
			if r.isNumber(k) && r.tokens[k].kind == aNumber || r.unitAt(k) != "" && !r.word(k, "when", "since") || r.sends(k) {
				break
			}
			if r.word(k, "when", "after", "if", "trigger") || slices.Contains([]string{"od", "с", "momentu", "момента"}, r.tokens[k].text) {
				return true
			}
		}
	}
	return false
}

// tagsHere tells whether a tag is something to do, not what lets people in: it stands alone behind what happened, as in "form sent -> tag
// lead", "visits pricing, tag hot".
func (r *reading) tagsHere(i int) bool {
	if i == 0 || r.before(i, 3, "add", "remove", "gets", "trigger") || r.before(i, 2, "with") && !r.conjunction(i-1) || r.before(i, 6, "trigger") {
		return false
	}
	if e, ok := r.eventEnding(i); ok && r.before(e.at, 3, "if") {
		return true // "if clicked tag x"
	}
	begun := slices.Contains([]string{"to", "то"}, r.tokens[i-1].text) && r.lang != "en" || r.tokens[i-1].kind == aBreak || r.tokens[i-1].kind == aComma || r.conjunction(i-1) || r.word(i-1, "then")
	begun = begun || r.unitAt(i-1) != "" // "po 3 dniach tag x"
	bare := r.lang == "en" && !r.before(i, 2, "if", "who", "when", "after")
	happened := false
	for j := range i {
		for _, class := range []string{"event", "silence", "people", "score", "channel"} {
			_, ok := r.at(j, class)
			happened = happened || ok
		}
	}
	return happened && (begun || bare && !r.word(i-1, "named") && !r.stops(r.tokens[i-1].text))
}

// eventEnding is what happens by the words that end right before a place.
func (r *reading) eventEnding(i int) (mark, bool) {
	for j := max(0, i-3); j < i; j++ {
		if e, ok := r.eventAt(j); ok && e.end() == i {
			return e, true
		}
	}
	return mark{}, false
}
