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
	for j := range i {
		if r.tokens[j].kind != aWord {
			return false
		}
	}
	for j := i; j < len(r.tokens); j++ {
		switch r.tokens[j].text {
		case "→", ":", "—", "–", "-", "=", "\n":
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

// fromWord tells whether something comes from what stands at a place: "from the form", "z formularza", "с сайта".
func (r *reading) fromWord(i int) bool {
	for j := i - 1; j >= 0 && j >= i-3 && r.tokens[j].kind == aWord; j-- {
		if slices.Contains([]string{"from", "via", "through", "z", "ze", "с", "из", "через"}, r.tokens[j].text) {
			return true
		}
	}
	return false
}
