package ai

import (
	"slices"
	"strings"
)

// tellsAnyone tells whether a word that is only ever said to people of the house is followed by somebody, whoever that is: "powiadom
// windykatora", "notify finance", "уведомление логисту", "tell Anna". It returns where the name ends.
func (r *reading) tellsAnyone(i int) (end int, ok bool) {
	m, said := r.wordAt(i, "notify")
	calls := r.tokens[i].text == "tell" || r.tokens[i].text == "inform"
	if !said && !calls || said && !slices.ContainsFunc(noticeStems, func(stem string) bool { return begunWith(r.tokens[i].text, stem) }) {
		return 0, false
	}
	j := i + 1
	if said {
		j = m.end()
	}
	for j < len(r.tokens) && r.tokens[j].kind == aWord && slices.Contains([]string{"the", "our", "my", "your", "a", "naszego", "naszej", "нашего", "нашему", "нашей", "for", "to", "dla", "do", "для"}, r.tokens[j].text) {
		j++
	}
	if j < len(r.tokens) && said && r.tokens[j].raw == "IT" {
		return j + 1, true
	}
	if j >= len(r.tokens) || r.tokens[j].kind != aWord || r.stops(r.tokens[j].text) || slices.Contains(outsiders, r.tokens[j].text) || r.word(j, "if", "when", "after", "people", "send", "by", "and", "then", "not") || r.unitAt(j) != "" || r.isNumber(j) {
		return 0, false
	}
	for _, class := range []string{"channel", "event", "people", "span", "weekday", "silence"} {
		if _, is := r.at(j, class); is {
			return 0, false
		}
	}
	for _, stem := range []string{"klient", "клиент", "custom", "subscri", "client", "buyer", "user", "member", "guest", "patient", "contact", "osob", "ludz", "subskryb", "kupuj", "uzytkown", "pacjent", "gosc", "kontakt", "czlonk", "пользовател", "подписчик", "покупател", "гост", "пациент", "контакт", "люд", "участник", "uczestnik", "rodzic", "родител", "parent", "student", "ученик", "uczn"} {
		if begunWith(r.tokens[j].text, stem) {
			return 0, false
		}
	}
	if !said && !isCapital(r.tokens[j].raw) && !(j > i+1 && slices.Contains([]string{"the", "our", "my"}, r.tokens[j-1].text) && r.unknownNoun(j)) {
		return 0, false
	}
	return j + 1, true
}

// noticeStems begin the words that tell the house, not the customer.
var noticeStems = []string{"notif", "alert", "powiad", "zawiad", "poinform", "уведом", "оповест", "оповещ", "сообщ", "эскал", "eskal", "escal"}

// outsiders are words for the customer.
var outsiders = []string{"them", "him", "her", "everyone", "everybody", "people", "all", "those", "anyone", "whoever", "each", "ich", "go", "ja", "jego", "jej", "im", "mu", "wszystkich", "tych", "ktorzy", "kto", "их", "его", "ее", "им", "ему", "ей", "всех", "тех", "кто", "о", "об", "о том", "ze", "zeby", "o", "что", "чтобы", "that", "about", "when", "if"}

// entersFunnel reads who goes on into another funnel by its name, whatever the verb: "przełącz go do lejka „Doradca”", "запускаем в воронку
// «Обучение»".
func (r *reading) entersFunnel(i int) (Step, int, bool) {
	if name, from := r.funnelBefore(i); name != "" {
		for j := from - 1; j >= 0 && j >= from-6 && r.tokens[j].kind == aWord; j-- {
			if slices.Contains([]string{"out", "from", "of", "leave", "exit"}, r.tokens[j].text) {
				r.take(j, i+1)
				return Step{Do: doExitFunnel, Name: name}, i + 1, true
			}
			if r.word(j, "enter") || slices.Contains([]string{"start", "into", "to", "enter"}, r.tokens[j].text) {
				r.take(j, i+1)
				return Step{Do: doEnterFunnel, Name: name}, i + 1, true
			}
		}
	}
	if !r.word(i, "funnel") || i < 2 || i+1 >= len(r.tokens) || !slices.Contains([]string{"do", "into", "to", "в"}, r.tokens[i-1].text) {
		return Step{}, 0, false
	}
	if t := r.tokens[i+1]; t.kind != aQuote && (t.kind != aWord || !isCapital(t.raw)) {
		return Step{}, 0, false
	}
	name, end := r.nameAfter(i + 1)
	if name == "" {
		return Step{}, 0, false
	}
	r.take(i-1, end)
	return Step{Do: doEnterFunnel, Name: name}, end, true
}

// leavesFunnel reads who is taken out of another funnel by its name: "вывести его из воронки «Обучение»", "pull them out of the flow Sale".
func (r *reading) leavesFunnel(i int) (Step, int, bool) {
	if r.tokens[i].kind != aWord || !slices.ContainsFunc([]string{"remov", "pull", "take", "kick", "drop", "wyrzuc", "usun", "wyjm", "wypisz", "zabierz", "вывед", "вывест", "выкин", "убер", "убра", "исключ"}, func(stem string) bool { return begunWith(r.tokens[i].text, stem) }) {
		return Step{}, 0, false
	}
	for j := i + 1; j < len(r.tokens) && j < i+6 && r.tokens[j].kind == aWord; j++ {
		if !r.word(j, "funnel") {
			continue
		}
		from := j - 1
		if r.lang == "en" && from > i && (r.tokens[from].text == "the" || r.tokens[from].text == "our") {
			from--
		}
		name, end := r.nameAfter(j + 1)
		if name == "" || end > j+6 || !slices.Contains([]string{"from", "of", "z", "ze", "из"}, r.tokens[from].text) || r.tokens[j+1].kind != aQuote && !isCapital(r.tokens[j+1].raw) {
			return Step{}, 0, false
		}
		r.take(i, end)
		return Step{Do: doExitFunnel, Name: name}, end, true
	}
	return Step{}, 0, false
}

// fieldAhead reads a field that stands before what is written into it: "в поле тариф записать Про", "w polu plan wpisz pro".
func (r *reading) fieldAhead(i int) (Step, int, bool) {
	if !r.word(i, "field") || i+2 >= len(r.tokens) || r.tokens[i+1].kind == aComma {
		return Step{}, 0, false
	}
	verb := i + 2
	if !r.word(verb, "set") || r.tokens[verb].text == "set" && r.lang != "en" {
		return Step{}, 0, false
	}
	value, end := r.nameAfter(verb + 1)
	if value == "" {
		return Step{}, 0, false
	}
	field := r.tokens[i+1].raw
	r.take(i, end)
	return Step{Do: doSetField, Field: field, Value: value}, end, true
}

// moveDeeds puts deeds that are said to come first or last where they belong: "tag them at-risk at the start".
func (w *wish) moveDeeds(r *reading) {
	var front, rest, back []beat
	for _, b := range w.script {
		switch {
		case b.kind == deedBeat && r.placedAt(b.at, startWords):
			front = append(front, b)
		case b.kind == deedBeat && (r.placedAt(b.at, endWords) || b.step.Name == allFunnels):
			back = append(back, b)
		default:
			rest = append(rest, b)
		}
	}
	if len(front)+len(back) > 0 {
		if len(back) > 0 {
			back = append([]beat{{kind: breakBeat, at: back[0].at, stop: true}}, back...)
		}
		w.script = slices.Concat(front, rest, back)
	}
}

var (
	startWords = []string{"at the start", "at the beginning", "at the very beginning", "up front", "first thing", "on entry", "na poczatku", "na samym poczatku", "na starcie", "na wejsciu", "na wstepie", "najpierw", "в начале", "в самом начале", "на старте", "на входе", "первым делом", "сначала", "вначале"}
	endWords   = []string{"at the end", "at the very end", "in the end", "na koncu", "na samym koncu", "na koniec", "в конце", "в самом конце", "под конец"}
)

// placedAt tells whether the clause around a place has one of some phrases.
func (r *reading) placedAt(i int, phrases []string) bool {
	from, to := r.clause(i)
	for _, phrase := range phrases {
		words := strings.Fields(phrase)
		for j := from; j+len(words) <= to; j++ {
			if r.follows(j, words...) {
				return true
			}
		}
	}
	return false
}

// comesFrom tells whether a system is only where people come from or appear: "every new contact that lands in the CRM".
func (r *reading) comesFrom(i int) bool {
	from, _ := r.clause(i)
	for j := i - 1; j >= from && j >= i-4; j-- {
		if slices.Contains([]string{"lands", "land", "landing", "appears", "arrives", "comes", "come", "shows", "enters", "trafia", "trafil", "pojawia", "pojawi", "wpada", "przychodzi", "попадает", "попал", "появляется", "появился", "приходит", "пришел", "from", "z", "из"}, r.tokens[j].text) {
			return true
		}
	}
	return false
}

// lettersGo tells whether it is a message that goes to a list: "the newsletter goes to list Readers".
func (r *reading) lettersGo(from, i int) bool {
	if !slices.Contains([]string{"go", "goes", "going", "idzie", "leci", "идет", "уходит"}, r.tokens[i].text) {
		return false
	}
	for j := from; j < i; j++ {
		if r.word(j, "who", "if") {
			return false
		}
		if _, channel := r.at(j, "channel"); channel || begunWith(r.tokens[j].text, "newsletter") || begunWith(r.tokens[j].text, "digest") || begunWith(r.tokens[j].text, "рассылк") || begunWith(r.tokens[j].text, "даиджест") {
			return true
		}
	}
	return false
}

// valueAhead reads what is put into a field that stands behind it: "put 'refunded' into the field status", "wpisz gold w pole plan".
func (r *reading) valueAhead(i int) (Step, int, bool) {
	if !r.word(i, "add", "set") || i+3 >= len(r.tokens) || r.tokens[i+1].kind != aQuote && (r.tokens[i+1].kind != aWord || r.word(i+1, "tag", "field", "list")) {
		return Step{}, 0, false
	}
	for j := i + 2; j < i+5 && j+1 < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if !r.word(j, "field") || !slices.Contains([]string{"into", "in", "to", "the", "w", "do", "в"}, r.tokens[j-1].text) {
			continue
		}
		field, end := r.nameAfter(j + 1)
		if field == "" {
			return Step{}, 0, false
		}
		r.take(i, end)
		return Step{Do: doSetField, Field: field, Value: r.tokens[i+1].raw}, end, true
	}
	return Step{}, 0, false
}

// allFunnels is the name of all funnels in a step that takes somebody out.
const allFunnels = "*"

// leavesAll reads "stop all running funnels for them", "остановить для него все воронки".
func (r *reading) leavesAll(i int) (Step, int, bool) {
	if r.tokens[i].kind != aWord || !slices.ContainsFunc([]string{"stop", "end", "cancel", "pause", "halt", "zatrzym", "zakoncz", "przerw", "wylacz", "останов", "прекрат", "выключ", "заверш", "out"}, func(stem string) bool { return begunWith(r.tokens[i].text, stem) }) {
		return Step{}, 0, false
	}
	all := false
	for j := i + 1; j < len(r.tokens) && j < i+7 && r.tokens[j].kind == aWord; j++ {
		all = all || slices.Contains([]string{"all", "every", "wszystkie", "wszystkich", "все", "всё", "всех"}, r.tokens[j].text)
		if all && (r.word(j, "funnel") || slices.Contains([]string{"funnels", "flows", "lejki", "lejkow", "sekwencje", "automations", "campaigns"}, r.tokens[j].text)) {
			r.take(i, j+1)
			return Step{Do: doExitFunnel, Name: allFunnels}, j + 1, true
		}
	}
	return Step{}, 0, false
}

// funnelBefore is the name in capitals that stands before the word for a funnel: "the Winter Course funnel".
func (r *reading) funnelBefore(i int) (name string, from int) {
	if r.lang != "en" || !r.word(i, "funnel") {
		return "", 0
	}
	from = i
	for from > 0 && (r.tokens[from-1].kind == aWord && isCapital(r.tokens[from-1].raw) || r.tokens[from-1].kind == aQuote && from == i) {
		from--
	}
	if from == i || from == 0 {
		return "", 0
	}
	if r.tokens[from].kind == aQuote {
		return short(r.tokens[from].raw, 40), from
	}
	return r.prompt[r.tokens[from].at:r.tokens[i-1].end], from
}

// otherFunnelAt reads who is put into another funnel, or taken out of one or of all.
func (r *reading) otherFunnelAt(i int) (Step, int, bool) {
	for _, try := range []func(int) (Step, int, bool){r.leavesAll, r.entersFunnel, r.leavesFunnel} {
		if step, end, ok := try(i); ok {
			return step, end, true
		}
	}
	return Step{}, 0, false
}

// chatAt reads a chat of the house with the people who read it, where no verb is needed: "в телеграм отделу продаж", "slack the sales team",
// "sprzedaży na telegram".
func (r *reading) chatAt(i int) (Step, int, bool) {
	chat := func(j int) string {
		if j >= len(r.tokens) || r.tokens[j].kind != aWord {
			return ""
		}
		switch {
		case begunWith(r.tokens[j].text, "telegram"), begunWith(r.tokens[j].text, "телеграм"), begunWith(r.tokens[j].text, "телег"):
			return "telegram"
		case begunWith(r.tokens[j].text, "slack"), begunWith(r.tokens[j].text, "слак"):
			return "slack"
		}
		return ""
	}
	at := i
	if r.isTarget(i) && chat(i) == "" {
		for at < i+4 && chat(at) == "" {
			at++
		}
		if at == i+4 || at == i+1 && r.lang == "en" || r.tokens[i+1].kind != aWord || !slices.Contains([]string{"on", "in", "via", "by", "na", "przez", "w", "в", "через", "по"}, r.tokens[at-1].text) {
			return Step{}, 0, false
		}
		r.take(i, at+1)
		return Step{Do: doNotify, To: chat(at)}, at + 1, true
	}
	if chat(i) == "" {
		return Step{}, 0, false
	}
	end := i + 1
	for end < len(r.tokens) && end < i+4 && r.tokens[end].kind == aWord && !r.isTarget(end) && (slices.Contains([]string{"to", "the", "our", "do", "dla", "для"}, r.tokens[end].text)) {
		end++
	}
	m, ok := r.at(end, "target")
	if !ok || chat(end) != "" {
		return Step{}, 0, false
	}
	r.take(i, m.end())
	return Step{Do: doNotify, To: chat(i)}, m.end(), true
}
