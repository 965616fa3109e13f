package ai

import "slices"

// starting tells whether the words within n tokens before a place say that what follows starts the funnel: "triggered by", "starts as soon as",
// "launched when", "запускается, когда".
func (r *reading) starting(i, n int) bool {
	for j := i - 1; j >= 0 && j >= i-n && r.tokens[j].kind != aBreak && r.tokens[j].kind != aComma; j-- {
		if r.word(j, "trigger") && j >= i-7 {
			return true
		}
		for _, stem := range []string{"start", "launch", "begin", "kick", "fire", "startuj", "zaczyn", "rozpoczyn", "uruchami", "odpala", "rusza", "запуска", "начина", "старту", "срабатыва"} {
			if begunWith(r.tokens[j].text, stem) && j > 0 && (r.word(j+1, "when", "after", "if") || r.word(j+2, "when", "after", "if")) {
				return true
			}
		}
	}
	return false
}

// onlyNamed tells whether a word that may be a happening only names the thing to which another one happens: "replies to the newsletter",
// "newsletter is opened".
func (r *reading) onlyNamed(m mark) bool {
	if m.value != "list_join" || m.n > 1 || !begunWith(r.tokens[m.at].text, "newsletter") && !begunWith(r.tokens[m.at].text, "рассылк") {
		return false
	}
	from, to := r.clause(m.at)
	for i := from; i < to; i++ {
		if e, ok := r.eventAt(i); ok && i != m.at && slices.Contains([]string{"message_replied", "message_opened", "link_clicked"}, e.value) && !r.negatedAt(i) {
			return true
		}
	}
	return false
}

// opens tells whether a place stands in the first clause of a prompt that goes on with what shall be done: "bought the course -> ...".
func (r *reading) opens(i int) bool {
	for j := r.introduced(); j < i; j++ {
		if r.tokens[j].kind != aWord {
			return false
		}
	}
	for j := i; j < len(r.tokens); j++ {
		switch r.tokens[j].text {
		case "→", "\u2023", ":", "—", "–", "-", "=", "\n":
			return true
		case ",", ".", ";":
			return r.lang != "en" || j-i < 6
		}
		if r.sends(j) {
			return false
		}
	}
	return false
}

// introduced is where the prompt begins behind what only introduces its author: "Pilates studio here.", "Prowadzę gabinet fizjoterapii.",
// "стоматология."
func (r *reading) introduced() int {
	begin := 0
	for i, t := range r.tokens {
		if t.kind == aBreak && !r.arrowAt(i) && t.text != "?" || t.kind == aComma && t.text == ":" {
			begin = i + 1
			continue
		}
		if t.kind != aWord && t.text != "," && t.text != "-" && t.text != "–" && t.text != "—" || r.word(i, "if", "when", "after", "add", "remove", "notify", "trigger", "tag", "every") || r.sends(i) {
			return begin
		}
		for _, class := range []string{"event", "channel", "silence", "recur", "span", "weekday", "date"} {
			if _, is := r.at(i, class); is && (class != "date" || !r.heading(i)) {
				return begin
			}
		}
	}
	return 0
}

// heading tells whether a colon ends the words around a place.
func (r *reading) heading(i int) bool {
	_, to := r.clause(i)
	return to < len(r.tokens) && r.tokens[to].text == ":"
}

// fromWord tells whether something comes from what stands at a place: "from the form", "z formularza", "с сайта".
func (r *reading) fromWord(i int) bool {
	for j := i - 1; j >= 0 && j >= i-3 && r.tokens[j].kind == aWord; j-- {
		if slices.Contains([]string{"from", "via", "through", "z", "ze", "с", "из", "через"}, r.tokens[j].text) {
			return true
		}
	}
	return false
}

// sinceEvent tells whether a time is counted from what stands at a place: "od zakupu", "с момента покупки", "from the purchase on".
func (r *reading) sinceEvent(m mark) bool {
	if !slices.Contains([]string{"payment_made", "contact_created", "booking_made", "list_join"}, m.value) {
		return false
	}
	words := map[string][]string{"en": {"from", "since"}, "pl": {"od"}, "ru": {"с", "со"}}[r.lang]
	for j := m.at - 1; j >= 0 && j >= m.at-3 && r.tokens[j].kind == aWord; j-- {
		if slices.Contains(words, r.tokens[j].text) {
			return r.before(j, 8, "every", "per", "over") || r.every(j)
		}
		if !r.stops(r.tokens[j].text) && !slices.Contains([]string{"momentu", "момента", "moment", "dnia", "дня", "day"}, r.tokens[j].text) {
			return false
		}
	}
	return false
}

// every tells whether a pace is named in the sentence before a place.
func (r *reading) every(i int) bool {
	from, _ := r.sentence(i)
	for j := from; j < i; j++ {
		if _, rate := r.at(j, "rate"); rate || r.word(j, "every") {
			return true
		}
		if _, recur := r.at(j, "recur"); recur {
			return true
		}
	}
	return false
}
