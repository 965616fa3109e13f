package creative

// words are the texts we add to a message, in its language.
type words struct {
	why         string
	unsubscribe string
	view        string
}

var allWords = map[string]words{
	"en": {
		why:         "You get this e-mail because you agreed to hear from us.",
		unsubscribe: "Unsubscribe",
		view:        "View in browser",
	},
	"pl": {
		why:         "Dostajesz tę wiadomość, bo mamy Twoją zgodę na kontakt.",
		unsubscribe: "Wypisz się",
		view:        "Zobacz w przeglądarce",
	},
	"ru": {
		why:         "Вы получили это письмо, потому что согласились на рассылку.",
		unsubscribe: "Отписаться",
		view:        "Открыть в браузере",
	},
}

// languageOf is the language of the added texts: the wanted one if we speak it, else English.
func languageOf(wanted string) string {
	if _, ok := allWords[wanted]; ok {
		return wanted
	}
	return "en"
}
