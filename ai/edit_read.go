package ai

import (
	"embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed lexicon/edit/*.json
var editLexiconFiles embed.FS

// editLexicons are the words of changes, by language.
var editLexicons = func() map[string]*lexicon {
	out := map[string]*lexicon{}
	for _, lang := range languages {
		var file lexiconFile
		mustRead(editLexiconFiles, "lexicon/edit/"+lang+".json", &file)
		out[lang] = newLexicon(file)
	}
	return out
}()

// clause is one instruction: what to do, with what, where.
type clause struct {
	*reading
	said  []mark // by the words of changes
	text  string
	ids   []string // steps named by their id
	quote []string
}

// readEdit cuts a request for a change into instructions. Further lines that call a step by its label, as answers to a question do, or begin with
// its id say which step is meant.
func readEdit(prompt, lang string, b engine.Bundle) (clauses []clause, spoken string) {
	var hints, lines []string
	for line := range strings.SplitSeq(prompt, "\n") {
		id := idAtStart(strings.TrimSpace(line), b.Graph)
		if id == "" && len(lines) > 0 {
			id = labelled(line, b)
		}
		if id != "" && len(lines) > 0 {
			hints = append(hints, id)
			continue
		}
		lines = append(lines, line)
	}
	text := twoVersions.ReplaceAllString(strings.Join(lines, "\n"), "$1$2")
	spoken = editLanguage(text, lang)
	whole := clause{reading: read(text, spoken)}
	whole.said = editMarks(whole.tokens, spoken)
	for _, span := range whole.spans() {
		c := clause{reading: whole.part(span[0], span[1]), ids: slices.Clone(hints)}
		c.said = editMarks(c.tokens, spoken)
		var raw []string
		for _, t := range c.tokens {
			raw = append(raw, t.raw)
			if t.kind == aQuote {
				c.quote = append(c.quote, t.raw)
			}
		}
		c.text = strings.TrimSpace(strings.Join(raw, " "))
		c.ids = append(c.ids, idsIn(c.text, b.Graph)...)
		clauses = append(clauses, c)
	}
	return clauses, spoken
}

// twoVersions is how a test of two versions is written: "A/B".
var twoVersions = regexp.MustCompile(`(?i)([aа])\s?/\s?([bб])`)

var nodeID = regexp.MustCompile(`[a-z]+(?:-[a-z]+)*-\d+`)

func idAtStart(line string, g engine.Graph) string {
	if at := nodeID.FindStringIndex(line); at != nil && at[0] == 0 && kindIn(g, line[:at[1]]) != "" {
		return line[:at[1]]
	}
	return ""
}

func idsIn(text string, g engine.Graph) []string {
	var out []string
	joined := strings.NewReplacer(" - ", "-", "- ", "-").Replace(text)
	for _, id := range nodeID.FindAllString(joined, -1) {
		if kindIn(g, id) != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// editLanguage is the language whose words of changes a request has most of.
func editLanguage(text, hint string) string {
	lang := language(text, hint)
	if lang == "ru" || lang == "other" {
		return lang
	}
	tokens := tokenize(text)
	pl, en := len(editMarks(tokens, "pl")), len(editMarks(tokens, "en"))
	switch {
	case pl > en:
		return "pl"
	case en > pl:
		return "en"
	}
	return lang
}

// editMarks finds the words of changes, of each class the longest at each place. English names of channels are understood everywhere.
func editMarks(tokens []token, lang string) []mark {
	var out []mark
	for i, t := range tokens {
		if t.kind != aWord {
			continue
		}
		found := map[string]bool{}
		for k, l := range []*lexicon{editLexicons[lang], editLexicons["en"]} {
			if l == nil || k == 1 && lang == "en" {
				continue
			}
			for _, c := range l.cues[[]rune(t.text)[0]] {
				if k == 1 && !(c.class == "thing" && slices.Contains([]string{"email", "sms", "push"}, c.value)) || found[c.class] {
					continue
				}
				if n := c.at(tokens, i, false); n > 0 {
					out = append(out, mark{c.class, c.value, i, n})
					found[c.class] = true
				}
			}
		}
	}
	return out
}

// spans cuts at ends of sentences, and where a new verb begins after "and" or a comma.
func (c clause) spans() [][2]int {
	var out [][2]int
	from, verbs := 0, 0
	end := func(at int) {
		if at > from {
			out = append(out, [2]int{from, at})
		}
		from, verbs = at, 0
	}
	for i, t := range c.tokens {
		switch {
		case t.kind == aBreak:
			end(i)
			from = i + 1
			continue
		case c.has(i, "verb"):
			joined := i > 0 && (c.tokens[i-1].kind == aComma || c.saidAt(i-1, "word", "and"))
			if i > 1 && c.saidAt(i-1, "word", "and") && c.tokens[i-2].kind == aComma {
				joined = true
			}
			if verbs > 0 && joined {
				end(i)
			}
			verbs++
		}
	}
	end(len(c.tokens))
	return out
}

// part is a stretch of a reading, read by itself.
func (r *reading) part(from, to int) *reading {
	p := &reading{prompt: r.prompt, lang: r.lang, lex: r.lex, tokens: slices.Clone(r.tokens[from:to])}
	p.known, p.taken, p.aside = make([]bool, to-from), make([]bool, to-from), make([]bool, to-from)
	p.byAt = make([][]mark, to-from)
	for _, m := range r.marks {
		if m.at >= from && m.end() <= to {
			here := mark{m.class, m.value, m.at - from, m.n}
			p.marks = append(p.marks, here)
			p.byAt[here.at] = append(p.byAt[here.at], here)
		}
	}
	return p
}

func (c clause) has(i int, class string) bool {
	return slices.ContainsFunc(c.said, func(m mark) bool { return m.at == i && m.class == class })
}

func (c clause) saidAt(i int, class, value string) bool {
	return slices.ContainsFunc(c.said, func(m mark) bool { return m.at == i && m.class == class && m.value == value })
}

func (c clause) says(class string, values ...string) bool {
	_, ok := c.find(class, values...)
	return ok
}

// find is the first word of a class with one of the meanings, any meaning when none is given.
func (c clause) find(class string, values ...string) (mark, bool) {
	for _, m := range c.said {
		if m.class == class && (len(values) == 0 || slices.Contains(values, m.value)) {
			return m, true
		}
	}
	return mark{}, false
}

// verb is what to do. A channel as a verb ("text", "push") is none.
func (c clause) verb() string {
	if m, ok := c.find("verb", "undo", "rename", "write"); ok {
		return m.value
	}
	if m, ok := c.find("verb"); ok {
		return m.value
	}
	return ""
}

// span is the first time named, as an amount and a unit the plan writes; "from 2 to 3 days" gives the last.
func (c clause) span() (amount int, unit string, at int, ok bool) {
	for i := 0; i < len(c.tokens); i++ {
		hours, n := c.duration(i)
		if n == 0 && c.lang == "en" && i+1 < len(c.tokens) && (c.tokens[i].text == "a" || c.tokens[i].text == "an" || c.tokens[i].text == "one") {
			if u := c.unitAt(i + 1); u != "" {
				hours, n = []float64{hoursPer[u]}, 2
			}
		}
		if n == 0 || c.afterFrom(i) {
			continue
		}
		amount, unit = asAmount(hours[len(hours)-1])
		if u := c.unitAt(i + n - 1); u == "weeks" && unit == "days" && amount%7 == 0 {
			amount, unit = amount/7, u
		}
		return amount, unit, i, amount > 0
	}
	return 0, "", 0, false
}

// afterFrom tells whether a time is the old one: "from 2 days to 3 days", "instead of 2 days".
func (c clause) afterFrom(i int) bool {
	return i > 0 && (c.saidAt(i-1, "word", "from") || c.tokens[i-1].text == "of" || c.tokens[i-1].text == "zamiast" || c.tokens[i-1].text == "вместо")
}

// asAmount writes hours as whole minutes, hours or days.
func asAmount(hours float64) (int, string) {
	switch {
	case hours >= 24 && hours == float64(int(hours/24))*24:
		return int(hours / 24), "days"
	case hours == float64(int(hours)):
		return int(hours), "hours"
	default:
		return int(hours*60 + 0.5), "minutes"
	}
}

// percents are the figures with a percent sign or word, in order.
func (c clause) percents() []int {
	var out []int
	for i, t := range c.tokens {
		if t.kind != aNumber || t.num != float64(int(t.num)) {
			continue
		}
		next := i+1 < len(c.tokens) && (c.tokens[i+1].kind == aPercent || strings.HasPrefix(c.tokens[i+1].text, "procent") || strings.HasPrefix(c.tokens[i+1].text, "percent") || strings.HasPrefix(c.tokens[i+1].text, "процент"))
		if next || c.says("thing", "discount") && c.unitAt(i+1) == "" {
			out = append(out, int(t.num))
		}
	}
	return out
}

// ordinal is which of several is meant, near a place: "second", "2nd", "email 2", "last", "all"; 0 when it is not said.
func (c clause) ordinal(thing mark) (n int, all bool) {
	for _, m := range c.said {
		if m.class != "ord" || m.at < thing.at-3 || m.at > thing.end() {
			continue
		}
		switch m.value {
		case "all":
			return 0, true
		case "last":
			return -1, false
		default:
			n, _ = strconv.Atoi(m.value)
			return n, false
		}
	}
	for _, i := range []int{thing.at - 1, thing.at - 2, thing.end(), thing.end() + 1} {
		if i < 0 || i >= len(c.tokens) || c.tokens[i].kind != aNumber {
			continue
		}
		t := c.tokens[i]
		suffixed := i+1 < len(c.tokens) && slices.Contains([]string{"nd", "rd", "st", "th", "go", "й", "е", "го"}, c.tokens[i+1].text)
		after := i >= thing.end() && c.unitAt(i+1) == "" && (i+1 >= len(c.tokens) || c.tokens[i+1].kind != aPercent)
		if (suffixed || after) && t.num >= 1 && t.num <= 20 {
			return int(t.num), false
		}
	}
	return 0, false
}

// timesOfDay are the hours named, as configs write them: "21", "9pm", "22:00".
func (c clause) timesOfDay() []string {
	var out []string
	for i := 0; i < len(c.tokens); i++ {
		t := c.tokens[i]
		if t.kind != aNumber || t.num < 0 || t.num > 24 {
			continue
		}
		hour, minute := int(t.num), 0
		if i+2 < len(c.tokens) && c.tokens[i+1].kind == aComma && c.tokens[i+1].raw == ":" && c.tokens[i+2].kind == aNumber {
			minute = int(c.tokens[i+2].num)
			i += 2
		} else if whole, part, ok := strings.Cut(t.raw, "."); ok && len(part) == 2 {
			hour, minute = atoi(whole, 0), atoi(part, 0)
		}
		if i+1 < len(c.tokens) {
			switch c.tokens[i+1].text {
			case "pm":
				if hour < 12 {
					hour += 12
				}
			case "am":
				hour %= 12
			}
		}
		if minute < 60 {
			out = append(out, clockTime(strconv.Itoa(hour%24)+":"+string([]byte{byte('0' + minute/10), byte('0' + minute%10)})))
		}
	}
	return out
}
