package ai

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameNear reads the name at a noun such as "tag": behind it, or before it in English.
func (r *reading) nameNear(i int) (string, int) {
	if name, end := r.nameAfter(i + 1); name != "" {
		return name, end
	}
	return r.nameBefore(i), i + 1
}

// nameBefore reads the name in "the complaint tag".
func (r *reading) nameBefore(i int) string {
	if i == 0 || r.tokens[i-1].kind != aQuote && (r.lang != "en" || r.tokens[i-1].kind != aWord) {
		return ""
	}
	t := r.tokens[i-1]
	if t.kind == aWord && (r.stops(t.text) || slices.Contains([]string{"this", "that", "gets", "get", "tag", "a"}, t.text) || r.word(i-1, "add", "remove", "gets")) {
		return ""
	}
	r.understand(i-1, 1)
	return short(t.raw, 40)
}

// nameAfter reads a name from a place on: a quotation, or the next word that is no cue of the grammar, with its numbers and what follows
// it in capitals.
func (r *reading) nameAfter(i int) (string, int) {
	for j := i; j < len(r.tokens) && j < i+4; j++ {
		t := r.tokens[j]
		switch t.kind {
		case aQuote:
			return short(t.raw, 40), j + 1
		case aWord:
			if r.word(j, "named") || j+1 < len(r.tokens) && r.tokens[j+1].kind == aQuote && r.personWord(j) || slices.Contains([]string{"is", "as", "the", "a", "them", "him", "her", "o", "jako", "ich", "их", "как", "with", "to"}, t.text) {
				continue
			}
			if j+1 < len(r.tokens) && r.joined(j+1) { // "at-risk"
				end := j + 2
				for end < len(r.tokens) && r.joined(end) {
					end++
				}
				return short(r.prompt[t.at:r.tokens[end-1].end], 40), end
			}
			if r.tagged(j) {
				return t.raw, j + 1
			}
			if r.conjunction(j) || r.word(j, "remove", "add", "send", "then", "after", "if", "stop", "not", "tag", "now") || r.stops(t.text) && !isCapital(t.raw) && utf8.RuneCountInString(t.text) < 4 {
				return "", 0
			}
			end := j + 1
			name := t.raw
			if isCapital(t.raw) && r.namesOn(end) { // "Big spenders"
				name = r.prompt[t.at:r.tokens[end].end]
				end++
			}
			for end < len(r.tokens) && end < j+3 && (isCapital(t.raw) && r.tokens[end].kind == aWord && isCapital(r.tokens[end].raw) || r.joined(end)) {
				name = strings.TrimSpace(r.prompt[r.tokens[j].at:r.tokens[end].end])
				end++
			}
			return short(name, 40), end
		case aComma:
			if t.text != ":" {
				return "", 0
			}
		default:
			return "", 0
		}
	}
	return "", 0
}

// personWord tells whether a word only says whom a name before or behind it is given to: "tags the contact 'hot'".
func (r *reading) personWord(i int) bool {
	return slices.ContainsFunc([]string{"contact", "lead", "client", "customer", "person", "guest", "patient", "member", "kontakt", "klient", "osob", "gosc", "pacjent", "контакт", "клиент", "лид", "гост", "пациент"}, func(stem string) bool { return begunWith(r.tokens[i].text, stem) })
}

// tagged tells whether a word right behind "tag" ends its clause, so that it can be nothing but the tag's name: "поставить тег про, ...".
func (r *reading) tagged(j int) bool {
	return j > 0 && r.word(j-1, "tag") && !r.conjunction(j) && (j+1 == len(r.tokens) || r.tokens[j+1].kind == aComma || r.tokens[j+1].kind == aBreak) && !slices.Contains([]string{"too", "on", "off", "off", "go", "ja", "им", "ему", "again", "now"}, r.tokens[j].text)
}

// namesOn tells whether a word in small letters goes on with a name that begins with a capital: it means nothing to the grammar, and the
// name ends behind it.
func (r *reading) namesOn(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].kind != aWord || isCapital(r.tokens[i].raw) || r.stops(r.tokens[i].text) && utf8.RuneCountInString(r.tokens[i].text) < 6 || r.unitAt(i) != "" || r.joined(i) {
		return false
	}
	for _, m := range r.byAt[i] {
		if m.class != "people" && m.class != "playbook" && m.value != "people" {
			return false
		}
	}
	return true
}

// joined tells whether a token is written together with the one before it: "no-show", "lead-magnet".
func (r *reading) joined(i int) bool {
	between := r.prompt[r.tokens[i-1].end:r.tokens[i].at]
	return r.tokens[i].kind == aWord && (between == "-" || between == "_")
}

func isCapital(s string) bool {
	if s == "I" || strings.HasPrefix(s, "I'") || strings.HasPrefix(s, "I’") {
		return false
	}
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(c)
}

// phraseBefore reads the name in "from the abandoned cart list": all words since the preposition.
func (r *reading) phraseBefore(verb, list int) (string, int) {
	for j := list - 1; j > verb && j >= list-5; j-- {
		if r.tokens[j].kind == aQuote {
			return short(r.tokens[j].raw, 40), j
		}
		if r.tokens[j].kind != aWord {
			return "", list
		}
		if slices.Contains([]string{"from", "to", "on", "off", "the", "our", "my", "a", "your"}, r.tokens[j].text) {
			if j+1 == list {
				return "", list
			}
			return short(r.prompt[r.tokens[j+1].at:r.tokens[list-1].end], 40), j
		}
	}
	return "", list
}
