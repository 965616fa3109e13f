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
	for j := max(0, i-4); j < i; j++ {
		if r.word(j, "add") && r.tagByHouse(j) {
			return true
		}
	}
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
			if r.word(k, "when", "after", "if", "trigger") || r.word(k, "who") && r.lang == "ru" || slices.Contains([]string{"od", "с", "momentu", "момента"}, r.tokens[k].text) {
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
	begun := slices.Contains([]string{"to", "то"}, r.tokens[i-1].text) && r.lang != "en" || slices.Contains([]string{"first", "najpierw", "сначала", "тем", "им", "ему", "tym", "temu"}, r.tokens[i-1].text) || r.tokens[i-1].kind == aBreak || r.tokens[i-1].kind == aComma || r.conjunction(i-1) || r.word(i-1, "then")
	begun = begun || r.unitAt(i-1) != "" // "po 3 dniach tag x"
	bare := r.lang == "en" && !r.before(i, 2, "if", "who", "when", "after")
	happened := false
	for j := range i {
		for _, class := range []string{"event", "silence", "people", "score", "channel"} {
			_, ok := r.at(j, class)
			happened = happened || ok
		}
	}
	return r.arrowAt(i-1) || happened && (begun || bare && !r.word(i-1, "named") && !r.stops(r.tokens[i-1].text))
}

// tagByHouse tells whether somebody of the house gives a tag, which starts the funnel: "then we put the tag quote-sent on", "handlowiec dodaje
// tag x". Nothing has happened or been sent before it.
func (r *reading) tagByHouse(i int) bool {
	who := i > 0 && r.lang == "en" && slices.Contains([]string{"we", "i"}, r.tokens[i-1].text) || r.isTarget(i-1) || slices.Contains([]string{"dodajemy", "nadajemy", "przypisujemy", "ставим", "вешаем", "добавляем", "присваиваем"}, r.tokens[i].text)
	if !who || r.before(i, 6, "notify", "task") {
		return false
	}
	for j := range i {
		_, channel := r.at(j, "channel")
		_, event := r.eventAt(j)
		if channel || event || r.sends(j) {
			return false
		}
	}
	_, to := r.clause(i)
	for j := i + 1; j < to; j++ {
		if r.word(j, "tag") {
			return true
		}
	}
	return false
}

// sameTag is the tag that "the tag" means where no name is given: the one that starts the funnel, else the one named last.
func (r *reading) sameTag(i, j int) string {
	if _, to := r.clause(i); j+1 < to && !r.conjunction(j+1) && (j+2 < to || !slices.Contains([]string{"again", "off", "then", "ponownie", "снова", "обратно"}, r.tokens[j+1].text)) {
		return ""
	}
	if r.lang == "en" && (j == 0 || !slices.Contains([]string{"the", "that", "this"}, r.tokens[j-1].text)) {
		return ""
	}
	name := ""
	for k := range i {
		if r.word(k, "tag", "tagverb") {
			if found, _ := r.nameNear(k); found != "" {
				name = found
			}
		}
	}
	return name
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

// getsBehind tells whether a tag is what those get of whom the words before a comma speak: "kto oceni na 5, dostaje tag ambasador".
func (r *reading) getsBehind(i int) bool {
	from, _ := r.sentence(i)
	for j := i - 1; j >= from && j >= i-4; j-- {
		if r.word(j, "gets") && j > from && r.tokens[j-1].kind == aComma {
			for k := from; k < j-1; k++ {
				if r.word(k, "who", "if") {
					return true
				}
			}
		}
	}
	return false
}

// offList tells whether a word alone takes people off a list: "no click = off the newsletter list", "brak kliknięcia: won z listy".
func (r *reading) offList(i int) bool {
	return slices.Contains([]string{"off", "out", "won", "precz", "вон", "долои", "прочь"}, r.tokens[i].text) && (i == 0 || !r.word(i-1, "take", "opted")) && r.following(i, 5, "list")
}
