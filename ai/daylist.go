package ai

import (
	"slices"
	"strings"
)

// ordinalDays reads days that are numbered and named behind their numbers: "on the 1st, 3rd and 6th day", "w 2., 5. i 9. dniu",
// "на 1, 3 и 6 день", "первый, третий и шестой день". One day alone is read by dayTimes, unless its number is a word.
func (r *reading) ordinalDays(i int) ([]timing, int) {
	from := i
	if r.word(i, "onday") {
		m, _ := r.wordAt(i, "onday")
		i = m.end()
	}
	var days []float64
	ordinal := false // a number has the form of one
	for i < len(r.tokens) {
		n, end, formed := r.dayNumber(i)
		if n < 0 {
			break
		}
		days, ordinal = append(days, n), ordinal || formed
		i = end
		if per, end := r.dayNamed(i, ordinal, len(days) > 1, i-1 > from); per > 0 && (len(days) > 1 || formed && r.tokens[i-1].kind == aWord && i-1 > from) {
			out := make([]timing, 0, len(days))
			for _, day := range days {
				out = append(out, timing{hours: day * per, kind: offsetTiming, at: from, n: end - from, day: true})
			}
			return out, end
		}
		next := i
		for next < len(r.tokens) && (r.tokens[next].kind == aComma && r.tokens[next].text == "," || r.conjunction(next)) {
			next++
		}
		if next == i {
			break
		}
		if r.word(next, "onday") && next+1 < len(r.tokens) {
			if n, _, _ := r.dayNumber(next + 1); n >= 0 {
				next++
			}
		}
		i = next
	}
	return nil, 0
}

// dayNumber reads the number of a day, in digits with or without the ending of an ordinal, or as a word: "3", "3rd", "3-й", "third".
func (r *reading) dayNumber(i int) (n float64, end int, ordinal bool) {
	if i >= len(r.tokens) || r.aside[i] {
		return -1, i, false
	}
	if k := r.ordinalWord(i); k > 0 {
		return float64(k), i + 1, true
	}
	t := r.tokens[i]
	if t.kind != aNumber || t.num > 400 {
		return -1, i, false
	}
	if next := i + 1; next < len(r.tokens) && r.tokens[next].kind == aWord {
		end := r.tokens[next]
		if end.at == t.end && slices.Contains([]string{"st", "nd", "rd", "th"}, end.text) || end.at == t.end+1 && r.prompt[t.end] == '-' {
			return t.num, next + 1, true
		}
	}
	return t.num, i + 1, t.end < len(r.prompt) && r.prompt[t.end] == '.'
}

// dayNamed tells whether a place names the days that numbers before it count, and the hours of one: as "dzień" or "день" after a number, which
// is no plural of it.
func (r *reading) dayNamed(i int, ordinal, many, led bool) (per float64, end int) {
	unit := r.unitAt(i)
	if unit != "days" && unit != "weeks" || r.word(i+1, "before", "later", "another") && r.tokens[i+1].text != "po" && r.tokens[i+1].text != "после" && r.tokens[i+1].text != "after" {
		return 0, i
	}
	word := r.tokens[i].text
	singular := slices.Contains([]string{"day", "week", "dzien", "dniu", "dnia", "tydzien", "tygodniu", "день", "дню", "неделю", "неделе"}, word)
	switch {
	case ordinal && (singular || word == "days" || word == "дни" || word == "dni"), singular && many, singular && led && r.lang != "en" && word != "dnia":
		return hoursPer[unit], i + 1
	case many && led && word == "дни":
		return hoursPer[unit], i + 1
	}
	return 0, i
}

// inARow reads days that follow one another, each with a message of its own: "three days in a row", "przez 5 dni z rzędu", "три дня подряд".
func (r *reading) inARow(i int) ([]timing, int) {
	from := i
	if r.leads(i) {
		i += r.leadLength(i)
	}
	n, ok := r.number(i)
	unit := r.unitAt(i + 1)
	if !ok || n < 2 || n > 31 || n != float64(int(n)) || unit != "days" && unit != "weeks" {
		return nil, 0
	}
	end := i + 2
	switch {
	case r.follows(end, "in", "a", "row"):
		end += 3
	case r.follows(end, "on", "end"), r.follows(end, "z", "rzedu"), r.follows(end, "pod", "rzad"):
		end += 2
	case r.follows(end, "running"), r.follows(end, "straight"), r.follows(end, "подряд"), r.follows(end, "кряду"):
		end++
	default:
		return nil, 0
	}
	out := make([]timing, 0, int(n))
	for k := range int(n) {
		out = append(out, timing{hours: float64(k) * hoursPer[unit], kind: offsetTiming, at: from, n: end - from, day: true})
	}
	return out, end
}

// follows tells whether words stand one after the other from a place on.
func (r *reading) follows(i int, words ...string) bool {
	for k, word := range words {
		if i+k >= len(r.tokens) || r.tokens[i+k].text != word {
			return false
		}
	}
	return true
}

// numberList reads numbers separated by commas or "and" after the word at "from".
func (r *reading) numberList(from, i int, per float64) ([]timing, int) {
	var out []timing
	end := i
	for j := i; j < len(r.tokens); j++ {
		t := r.tokens[j]
		switch {
		case t.kind == aNumber && r.unitAt(j+1) == "" && !(len(out) > 0 && r.countsMessages(j) && t.num*per <= out[len(out)-1].hours) && !r.ordinalAt(j):
			for part := range strings.SplitSeq(t.raw, ",") {
				out = append(out, timing{hours: parseSpan(part) * per, kind: offsetTiming, at: from, n: j + 1 - from, day: true})
			}
			end = j + 1
			continue
		case len(out) > 0 && (t.kind == aComma || r.conjunction(j)) && j+1 < len(r.tokens) && (r.tokens[j+1].kind == aNumber || r.conjunction(j+1)):
			continue
		}
		break
	}
	return out, end
}

// countsFromDate tells whether the prompt speaks of days before or after a date, so that "on the day" is one of them.
func (r *reading) countsFromDate() bool {
	return r.any("date") && (r.any("word", "before") || r.any("playbook", "birthday", "renewal", "invoice_dunning"))
}

// singularDay tells whether the word is "day" in the singular, as ordinals have it: "7 dnia", "5 день".
func (r *reading) singularDay(i int) bool {
	return slices.Contains([]string{"dnia", "dniu", "dzien", "день", "дню"}, r.tokens[i].text)
}
