package ai

import (
	"slices"
	"strings"
)

// boughtData tells whether addresses are bought: a word of buying and one of data, with nothing between that makes them two things.
func (r *reading) boughtData() bool {
	for i := range r.tokens {
		m, ok := r.at(i, "data")
		if !ok || r.aside[i] {
			continue
		}
		for j := i - 1; j >= 0 && j >= i-4 && r.tokens[j].kind == aWord && !r.aside[j]; j-- {
			if _, buys := r.at(j, "buying"); buys && !r.before(j, 2, "after", "when", "if", "who", "stop") {
				return !r.before(j, 5, "exclude", "not")
			}
			if slices.Contains([]string{"at", "from", "to", "na", "w", "z", "po", "по", "на", "в", "из"}, r.tokens[j].text) || r.word(j, "add", "remove", "send", "until", "after", "if", "who", "list") || r.conjunction(j) {
				break
			}
		}
		for j := m.end(); j < len(r.tokens) && j < m.end()+4 && r.tokens[j].kind == aWord; j++ { // "baza kupiona w sieci", "the list we bought"
			if b, buys := r.at(j, "buying"); buys && b.value == "bought" && (!r.before(j, 3, "who", "if") || r.firstPerson(j)) {
				return true
			}
		}
	}
	return false
}

// falsePromise tells whether something is promised that the prompt itself says does not exist: "tell them they won, although there is no draw".
func (r *reading) falsePromise() bool {
	for _, m := range r.marks {
		if m.class != "untrue" || r.aside[m.at] || r.before(m.at, 3, "if") {
			continue
		}
		from, to := r.sentence(m.at)
		for i := max(from, m.at-4); i < min(to, m.end()+3); i++ {
			if _, prize := r.at(i, "prize"); prize {
				return true
			}
		}
	}
	return false
}

// firstPerson tells whether the author speaks of what was done: "którą kupiłem".
func (r *reading) firstPerson(i int) bool {
	for _, end := range []string{"lem", "lam", "lismy", "lysmy"} {
		if r.lang == "pl" && strings.HasSuffix(r.tokens[i].text, end) {
			return true
		}
	}
	return i > 0 && slices.Contains([]string{"we", "i", "я", "мы"}, r.tokens[i-1].text) && r.lang != "pl"
}
