package ai

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// RuleDraft is who a sentence means, as a rule, with what of it was not understood.
type RuleDraft struct {
	Rule     json.RawMessage // nil: nothing was understood
	Name     string          // what such a segment may be called
	Engine   string
	Language string   // of the notes
	Ignored  []string // parts of the sentence that no condition came of
	Notes    []string // failures of models first, then what was assumed
	Why      string   // why no model was asked: no_key, quota, off
}

// DraftRule reads who is meant by a sentence: "bought twice in 90 days but not in the last 30". No model is asked.
func DraftRule(req Request) RuleDraft {
	r := read(req.Prompt, req.Language)
	d := &ruleWords{reading: r, ws: req.Workspace, used: make([]bool, len(r.tokens))}
	for _, part := range d.parts() {
		d.part(part.from, part.to)
	}
	out := RuleDraft{Engine: Offline, Language: answerLanguage(req, r), Ignored: d.ignored()}
	if len(d.all) == 0 {
		return out
	}
	var rule any = map[string]any{"all": d.all}
	switch {
	case len(d.all) == 1:
		rule = d.all[0]
	case d.either:
		rule = map[string]any{"any": d.all}
	}
	raw := quote(rule)
	if _, problems := engine.DecodeRule(raw); len(problems) > 0 {
		return RuleDraft{Engine: Offline, Language: out.Language, Ignored: []string{req.Prompt}}
	}
	out.Rule, out.Name = raw, capital(short(strings.Join(strings.Fields(req.Prompt), " "), 60))
	return out
}

type ruleWords struct {
	*reading

	ws     *engine.Workspace
	all    []any
	either bool   // "or" stands between them
	event  string // the last one named: "but not in the last 30 days" is about it
	used   []bool
}

// parts cuts the sentence where another condition begins.
func (d *ruleWords) parts() []stretch {
	var out []stretch
	from := 0
	for i := range d.tokens {
		cut := d.tokens[i].kind != aWord && strings.ContainsAny(d.tokens[i].text, ",;.")
		or := slices.Contains([]string{"or", "lub", "albo", "или", "либо"}, d.tokens[i].text)
		cut = cut || or || slices.Contains(joins[d.lang], d.tokens[i].text)
		if !cut {
			continue
		}
		d.either = d.either || or
		d.used[i] = true
		if i > from {
			out = append(out, stretch{from: from, to: i})
		}
		from = i + 1
	}
	return append(out, stretch{from: from, to: len(d.tokens)})
}

// joins are the words between two conditions that hold together.
var joins = map[string][]string{"en": {"and", "but", "yet"}, "pl": {"i", "oraz", "ale", "lecz", "a"}, "ru": {"и", "но", "а"}}

func (d *ruleWords) part(from, to int) {
	name, kind, at := "", "", -1
	for i := from; i < to; i++ {
		if m, ok := d.at(i, "event"); ok && ruleEvents[m.value] {
			name, kind, at = d.eventName(m.value), m.value, i
			d.use(i, min(m.end(), to))
			break
		}
		if d.ws != nil && d.tokens[i].kind == aWord {
			if _, known := d.ws.Events[d.tokens[i].text]; known {
				name, at = d.tokens[i].text, i
				d.use(i, i+1)
				break
			}
		}
	}
	if name == "" {
		if d.membership(from, to) || d.value(from, to) {
			return
		}
	}
	not := d.negated(from, to)
	hours := d.span(from, to)
	if name == "" {
		if hours == 0 || d.event == "" {
			return
		}
		name = d.event // "but not in the last 30 days"
	}
	d.event = name
	figure := map[string]any{"name": name, "agg": "count", "op": "gte", "value": 1}
	if op, n, ok := d.count(from, to); ok {
		figure["op"], figure["value"] = op, n
	} else if sum, ok := d.sum(from, to); ok && kind == "payment_made" && at >= 0 {
		figure["agg"], figure["property"], figure["op"], figure["value"] = "sum", d.sumOf(name), "gt", sum
	}
	if hours > 0 {
		figure["within"] = lasting(hours)
	}
	leaf := map[string]any{"event": figure}
	if not {
		d.all = append(d.all, map[string]any{"not": leaf})
		return
	}
	d.all = append(d.all, leaf)
}

// ruleEvents are what sentences name that rules can ask for.
var ruleEvents = map[string]bool{
	"payment_made": true, "booking_made": true, "form_submit": true, "page_visit": true, "message_opened": true, "link_clicked": true, "message_replied": true,
}

// eventName is the event of the log behind what a sentence names: the one this workspace records, by the same knowledge as a plan's.
func (d *ruleWords) eventName(kind string) string {
	return Setting{Kinds: drawable, Workspace: d.ws}.eventName(kind, "")
}

// sumOf is the property of an event that says how much was paid: the one it is known with.
func (d *ruleWords) sumOf(name string) string {
	if d.ws != nil {
		for _, property := range []string{"amount", "total", "value", "price", "sum"} {
			if slices.Contains(d.ws.Events[name], property) {
				return property
			}
		}
	}
	return "amount"
}

func lasting(hours float64) map[string]any {
	switch {
	case math.Mod(hours, 24) == 0:
		return map[string]any{"amount": hours / 24, "unit": "days"}
	case math.Mod(hours, 1) == 0:
		return map[string]any{"amount": hours, "unit": "hours"}
	}
	return map[string]any{"amount": math.Round(hours * 60), "unit": "minutes"}
}

func (d *ruleWords) use(from, to int) {
	for i := max(from, 0); i < to && i < len(d.used); i++ {
		d.used[i] = true
	}
}

// negated tells whether a part says that something did not happen. "No more than" is a number's word.
func (d *ruleWords) negated(from, to int) bool {
	for i := from; i < to; i++ {
		if m, ok := d.wordAt(i, "not"); ok && !d.word(i, "most") {
			d.use(i, m.end())
			return true
		}
	}
	return false
}

// span is the time a part speaks of, in hours: "in the last 30 days", "przez 2 tygodnie", "за месяц".
func (d *ruleWords) span(from, to int) float64 {
	for i := from; i < to; i++ {
		n, ok := d.number(i)
		if !ok || d.used[i] {
			continue
		}
		unit := ""
		if i+1 < to {
			unit = d.unitAt(i + 1)
		}
		switch {
		case unit != "":
			d.use(d.spanFrom(from, i), i+2)
			return n * hoursPer[unit]
		case i > from && recentWords[d.tokens[i-1].text] && (i+1 >= to || !d.word(i+1, "times")): // "but not in the last 30"
			d.use(d.spanFrom(from, i), i+1)
			return n * 24
		}
	}
	for i := from; i < to; i++ { // "in the last week", "za miesiąc"
		if unit := d.unitAt(i); unit != "" && len([]rune(d.tokens[i].text)) > 2 {
			d.use(d.spanFrom(from, i), i+1)
			return hoursPer[unit]
		}
	}
	return 0
}

// spanFrom is where the words before a time that belong to it begin.
func (d *ruleWords) spanFrom(from, i int) int {
	for i > from && !d.used[i-1] && d.tokens[i-1].kind == aWord && (d.word(i-1, "within", "per") || spanWords[d.tokens[i-1].text]) {
		i--
	}
	return i
}

var recentWords = map[string]bool{"last": true, "past": true, "ostatnich": true, "ostatnie": true, "последние": true, "последних": true}

var spanWords = map[string]bool{
	"in": true, "the": true, "last": true, "past": true, "for": true, "during": true, "over": true, "a": true,
	"w": true, "ciagu": true, "ostatnich": true, "ostatnie": true, "ostatniego": true, "ostatnim": true, "przez": true, "od": true, "z": true,
	"за": true, "последние": true, "последних": true, "последнии": true, "в": true, "течение": true, "на": true, "протяжении": true,
}

// count is how often a part says something happened: "twice", "at least 3 times", "more than 5 times".
func (d *ruleWords) count(from, to int) (op string, n float64, ok bool) {
	for i := from; i < to; i++ {
		if m, twice := d.wordAt(i, "twice"); twice {
			d.use(i, m.end())
			return d.compared(from, i), 2, true
		}
		v, number := d.number(i)
		if !number || i+1 >= to || !d.word(i+1, "times") && !countWords[d.tokens[i+1].text] {
			continue
		}
		d.use(i, i+2)
		return d.compared(from, i), v, true
	}
	return "", 0, false
}

var countWords = map[string]bool{"orders": true, "purchases": true, "zamowien": true, "zamowienia": true, "zakupy": true, "zakupow": true, "заказа": true, "заказов": true, "покупки": true, "покупок": true}

// compared is how the words before a number compare. Without any it is at least: who bought three times has bought twice.
func (d *ruleWords) compared(from, at int) string {
	before := ""
	for i := max(from, at-3); i < at; i++ {
		before += " " + d.tokens[i].text
	}
	for _, c := range comparisons {
		if strings.Contains(before+" ", " "+c.words+" ") {
			d.use(max(from, at-strings.Count(c.words, " ")-1), at)
			return c.op
		}
	}
	return "gte"
}

var comparisons = []struct{ words, op string }{
	{"no more than", "lte"}, {"at most", "lte"}, {"nie wiecej niz", "lte"}, {"najwyzej", "lte"}, {"не больше", "lte"}, {"не более", "lte"},
	{"more than", "gt"}, {"over", "gt"}, {"wiecej niz", "gt"}, {"ponad", "gt"}, {"больше", "gt"}, {"более", "gt"}, {"более чем", "gt"},
	{"less than", "lt"}, {"fewer than", "lt"}, {"mniej niz", "lt"}, {"меньше", "lt"}, {"менее", "lt"},
	{"exactly", "is"}, {"dokladnie", "is"}, {"ровно", "is"},
	{"at least", "gte"}, {"co najmniej", "gte"}, {"przynajmniej", "gte"}, {"не меньше", "gte"}, {"не менее", "gte"}, {"минимум", "gte"},
}

// sum is an amount of money a part speaks of: "for more than 500 zł".
func (d *ruleWords) sum(from, to int) (float64, bool) {
	for i := from; i < to; i++ {
		if v, ok := d.number(i); ok && !d.used[i] && d.compared(from, i) == "gt" {
			d.use(i, min(i+2, to))
			return v, true
		}
	}
	return 0, false
}

// membership reads "with tag vip", "on the list news", "in segment regulars", and names of segments without the word.
func (d *ruleWords) membership(from, to int) bool {
	for _, of := range []string{"tag", "list", "segment"} {
		for i := from; i < to; i++ {
			if !strings.HasPrefix(d.tokens[i].text, map[string]string{"tag": "tag", "list": "list", "segment": "segment"}[of]) &&
				!strings.HasPrefix(d.tokens[i].text, map[string]string{"tag": "тег", "list": "спис", "segment": "сегмент"}[of]) {
				continue
			}
			words := make([]string, 0, 3)
			for j := i + 1; j < to && len(words) < 4; j++ {
				words = append(words, strings.Trim(d.tokens[j].text, `"'«»„”“`))
			}
			name := d.known(of, words)
			if name == "" && len(words) > 0 {
				name = slug(words[0])
			}
			if name == "" {
				continue
			}
			not := d.negated(from, to)
			d.use(from, to)
			d.add(not, map[string]any{of: of + ":" + name})
			return true
		}
	}
	return false
}

// known is the workspace's name that words begin with, "" when it has none such.
func (d *ruleWords) known(of string, words []string) string {
	names := knownNames(d.ws, of)
	for n := len(words); n > 0; n-- {
		want := slug(strings.Join(words[:n], " "))
		if slices.Contains(names, want) {
			return want
		}
		if name := inflected(names, want); name != "" {
			return name
		}
	}
	return ""
}

func (d *ruleWords) add(not bool, leaf any) {
	if not {
		leaf = map[string]any{"not": leaf}
	}
	d.all = append(d.all, leaf)
}

// value reads a custom field of the workspace and what follows it: "city is Kraków", "miasto Gdynia", "plan: gold".
func (d *ruleWords) value(from, to int) bool {
	if d.ws == nil {
		return false
	}
	for i := from; i < to; i++ {
		for _, f := range d.ws.ContactFields() {
			said := slug(d.tokens[i].text)
			if said == "" || said != slug(f.Key) && said != slug(f.Label) {
				continue
			}
			j := i + 1
			for j < to && (d.tokens[j].kind != aWord && d.tokens[j].kind != aNumber && len(d.tokens[j].text) <= 1 || d.word(j, "not") || copulas[d.tokens[j].text]) {
				j++
			}
			if j >= to {
				continue
			}
			not := d.negated(from, to)
			value := map[string]any{"field": f.Key, "op": "is", "value": d.written(j, to)}
			for k := j; f.Type == "number" && k < to; k++ {
				if n, ok := d.number(k); ok {
					value["op"], value["value"] = d.compared(i, k), n
					break
				}
			}
			d.use(from, to)
			d.add(not, value)
			return true
		}
	}
	return false
}

var copulas = map[string]bool{"is": true, "are": true, "equals": true, "to": true, "jest": true, "rowna": true, "это": true, "равен": true, "равно": true}

// written is what stands between two tokens as the author wrote it.
func (d *ruleWords) written(from, to int) string {
	start, end := d.tokens[from].at, len(d.prompt)
	if to < len(d.tokens) {
		end = d.tokens[to].at
	}
	return strings.Trim(strings.TrimSpace(d.prompt[start:end]), `.,;:"'«»„”“`)
}

// ignored are the words no condition came of, but for those that say nothing by themselves.
func (d *ruleWords) ignored() []string {
	var out []string
	for i := 0; i < len(d.tokens); i++ {
		if d.used[i] || d.tokens[i].kind == aWord && fillers[d.tokens[i].text] || len([]rune(d.tokens[i].text)) <= 1 {
			continue
		}
		j := i
		for j+1 < len(d.tokens) && !d.used[j+1] {
			j++
		}
		if text := d.written(i, j+1); text != "" {
			out = append(out, text)
		}
		i = j
	}
	return out
}

var fillers = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq("people contacts customers clients those who that everybody everyone all with have has had they the of in on are is did do any ever also from only us a an " +
		"osoby osob ludzie klienci klientow ktorzy ktore co wszyscy z ze sie maja mieli jest sa tylko u nas na w kto " +
		"люди контакты клиенты кто которые те все с у нас нас есть в на что только") {
		out[word] = true
	}
	return out
}()
