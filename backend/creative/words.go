package creative

// Word names a text we add to a message. It is said in the language of the person who gets the message.
type Word string

// The texts of the footer.
const (
	WordWhy         Word = "why"
	WordUnsubscribe Word = "unsubscribe"
	WordView        Word = "view"
)

var words = map[string]map[Word]string{
	"en": {
		WordWhy:         "You get this e-mail because you agreed to hear from us.",
		WordUnsubscribe: "Unsubscribe",
		WordView:        "View in browser",
	},
	"pl": {
		WordWhy:         "Dostajesz tę wiadomość, bo mamy Twoją zgodę na kontakt.",
		WordUnsubscribe: "Wypisz się",
		WordView:        "Zobacz w przeglądarce",
	},
	"ru": {
		WordWhy:         "Вы получили это письмо, потому что согласились на рассылку.",
		WordUnsubscribe: "Отписаться",
		WordView:        "Открыть в браузере",
	},
}

// say gives the word in the first of the languages that we speak, else in English.
func (w Word) say(languages ...string) string {
	for _, language := range languages {
		if text, ok := words[language][w]; ok {
			return text
		}
	}
	return words["en"][w]
}
