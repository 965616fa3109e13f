package ai

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// noun adds a message named by its channel. One channel named twice in a clause without a number or time between is one message.
func (r *reading) noun(nouns []beat, m mark, c stretch, inTime func(int) bool) []beat {
	b := beat{kind: sendBeat, at: m.at, word: m.end() - 1, noun: true, channel: m.value}
	switch {
	case m.value == "any":
		b.channel = ""
	case m.value == "email" && r.goodsBefore(m):
		b.channel = "letter"
	}
	if r.told(m) {
		b.frame, b.plural = true, true // "both emails on weekdays only"
		r.understand(m.at, m.n)
		return append(nouns, b)
	}
	if _, ok := r.at(m.at, "plural"); ok {
		b.plural = true
		b.frame = r.word(m.end(), "only") // "emails only between 9 and 20"
	}
	r.understand(m.at, m.n)
	counted := false
	for j := m.at - 1; j >= c.from && j >= m.at-3; j-- {
		if inTime(j) || r.taken[j] {
			break
		}
		if n := r.ordinalWord(j); n != 0 {
			b.ordinal, b.at = n, j
			break
		}
		if r.tokens[j].kind != aWord && r.tokens[j].kind != aNumber {
			break
		}
		if _, other := r.at(j, "channel"); other && j+1 != m.at {
			break
		}
		n, ok := r.number(j)
		if !ok {
			continue
		}
		if n >= 1 && n <= 60 && n == float64(int(n)) {
			counted = true
			if n > 1 || !slices.Contains([]string{"a", "an"}, r.tokens[j].text) {
				b.count = int(n)
			}
			b.at = j
			r.understand(j, 1)
		}
		break
	}
	// "email 2", "email x3"
	if b.count == 0 && b.ordinal == 0 && m.end() < c.to && r.ordinalAt(m.end()) {
		b.ordinal = int(r.tokens[m.end()].num)
		r.understand(m.end(), 1)
	}
	if n := len(nouns); n > 0 && b.channel == "" && nouns[n-1].noun && nouns[n-1].word == m.at-1 { // "a push message"
		nouns[n-1].plural = nouns[n-1].plural || b.plural
		return nouns
	}
	if n := len(nouns); n > 0 && r.beside(nouns[n-1], m) { // "a letter by post"
		nouns[n-1].plural = nouns[n-1].plural || b.plural
		return nouns
	}
	if n := len(nouns); n > 0 && !counted && b.ordinal == 0 && !b.plural {
		last := &nouns[n-1]
		if last.channel == b.channel || b.channel == "" || last.channel == "" || last.ordinal != 0 && !last.noun {
			between := slices.ContainsFunc(r.tokens[last.at:m.at], func(t token) bool { return t.kind == aComma })
			timeBetween := false
			for i := last.at; i < m.at; i++ {
				timeBetween = timeBetween || inTime(i)
			}
			if !between && !timeBetween {
				last.channel, last.noun = cmp.Or(last.channel, b.channel), true
				return nouns
			}
		}
	}
	return append(nouns, b)
}

// byMeans tells whether a clause is nothing but the channel something goes by: "by sms", "mailem", "по смс", "all of it by text".
func (r *reading) byMeans(c stretch, b beat) bool {
	at := b.word
	form := r.tokens[at].text
	by := r.lang == "pl" && (strings.HasSuffix(form, "em") || strings.HasSuffix(form, "ami") || begunWith(form, "poczt")) || r.lang == "ru" && (strings.HasSuffix(form, "ом") || strings.HasSuffix(form, "ами") || form == "смскои" || form == "почтои")
	for i := c.from; i < at; i++ {
		word := r.tokens[i].text
		by = by || slices.Contains([]string{"by", "via", "over", "through", "per", "przez", "по", "через", "на"}, word)
		if r.tokens[i].kind != aWord || r.taken[i] || !r.stops(word) && !r.word(i, "by", "allof", "only") && !slices.Contains([]string{"it", "as", "of", "goes", "everything", "wszystko", "calosc", "idzie", "всё", "все", "это"}, word) {
			return false
		}
	}
	return by && c.to <= at+2
}

// told tells whether a channel speaks of messages named elsewhere: "both emails", "wszystkie maile", "каждое письмо".
func (r *reading) told(m mark) bool {
	j := m.at - 1
	for j >= 0 && j >= m.at-3 && r.tokens[j].kind == aWord && (r.isNumber(j) || slices.Contains([]string{"the", "of", "these", "those", "nasze", "наши"}, r.tokens[j].text)) && !r.word(j, "allof") {
		j--
	}
	return j >= 0 && (r.word(j, "allof") || r.ended(j+1, "allof")) && r.tokens[j].text != "a"
}

// beside tells whether a channel names the message right before it once more.
func (r *reading) beside(last beat, m mark) bool {
	if last.channel == "letter" && m.value == "email" && begunWith(r.tokens[m.end()-1].text, "почт") && m.at-last.word <= 3 {
		return true // "открытку по почте"
	}
	if last.channel != m.value || m.at == 0 || r.tokens[m.at-1].kind != aWord {
		return false
	}
	for j := m.at - 1; j >= last.at && j >= m.at-3; j-- {
		if o, ok := r.at(j, "channel"); ok && o.value == m.value && o.end() == m.at {
			return true
		}
	}
	return false
}

// countedTopic reads "3 reminders": messages counted by what they do.
func (r *reading) countedTopic(m mark, c stretch, inTime func(int) bool) (beat, bool) {
	i := m.at - 1
	n, ok := r.number(i)
	if _, channel := r.at(m.at, "channel"); !ok || channel || m.value != "remind" || i < c.from || inTime(i) || r.taken[i] || n < 2 || n > 30 || n != math.Trunc(n) {
		return beat{}, false
	}
	for j := m.end(); j < c.to && j < m.end()+3; j++ {
		if _, channel := r.at(j, "channel"); channel {
			return beat{}, false
		}
	}
	r.understand(i, 1)
	return beat{kind: sendBeat, at: i, count: int(n), verb: true, plural: true}, true
}

// moreAt reads "2 more", "ещё 2": so many further messages, where no noun says it.
func (r *reading) moreAt(i int, inTime func(int) bool) (beat, bool) {
	n, ok := r.number(i)
	if !ok || n < 1 || n > 30 || n != float64(int(n)) || r.taken[i] || inTime(i) || r.tokens[i].kind != aNumber && n < 2 {
		return beat{}, false
	}
	end := i + 1
	if r.word(end, "further") {
		end++
	} else if !r.word(i-1, "further") {
		return beat{}, false
	}
	if r.countsMessages(i) || r.unitAt(end) != "" || !r.endsCount(end) {
		return beat{}, false
	}
	r.understand(i-1, end-i+1)
	return beat{kind: sendBeat, at: i, count: int(n), verb: true, plural: n > 1, further: true}, true
}

// ordinalWord reads "first", "second", "last" (-1); 0 is none.
func (r *reading) ordinalWord(i int) int {
	for k, word := range []string{"first", "second", "third", "fourth", "fifth", "sixth"} {
		if r.word(i, word) {
			return k + 1
		}
	}
	if r.word(i, "lastone") {
		return -1
	}
	return 0
}

func (r *reading) nounFollows(i, to int) bool {
	for j := i + 1; j < to && j < i+4; j++ {
		if _, ok := r.at(j, "channel"); ok {
			return true
		}
	}
	return false
}

// unitFollows tells whether an ordinal numbers something else: "the first week", "first order", "pierwszy zakup".
func (r *reading) unitFollows(i int) bool {
	if next := i + 1; i > 0 && next < len(r.tokens) && slices.Contains([]string{"с", "со", "z", "ze", "with"}, r.tokens[i-1].text) && r.unknownNoun(next) {
		return true // "письмо с первым заданием"
	}
	if next := i + 1; r.lang == "en" && next < len(r.tokens) && r.tokens[next].kind == aWord && len(r.byAt[next]) == 0 && !r.stops(r.tokens[next].text) && r.tokens[i].kind == aWord && r.unitAt(next) == "" {
		return true // "the last agency"
	}
	for j := i + 1; j < i+3 && j < len(r.tokens); j++ {
		_, event := r.eventAt(j)
		_, role := r.at(j, "role")
		if _, date := r.at(j, "date"); date && j == i+1 && !role {
			return true // "the first lesson"
		}
		if r.unitAt(j) != "" || event && !role || r.word(j, "times") {
			return j == i+1 || event
		}
	}
	return false
}

// giveRoles gives the messages of a clause their topics: all to the only one, else each to the nearest.
func (r *reading) giveRoles(nouns []beat, roles []mark) {
	for _, m := range roles {
		near := 0
		for k := range nouns {
			if abs(nouns[k].at-m.at) < abs(nouns[near].at-m.at) {
				near = k
			}
		}
		nouns[near].roles = append(nouns[near].roles, m.value)
		if nouns[near].role == "" {
			nouns[near].role = m.value
		}
	}
}
