package engine

// sendLetterConfig says which letter is printed for the person.
type sendLetterConfig struct{ messageConfig }

// LetterFields are the contact's fields the address of a letter is made from, in this order. Street and city must not be
// empty, or the letter reaches nobody.
var LetterFields = []string{"street", "postal_code", "city", "country"}

var _ = Define(Spec[sendLetterConfig]{
	Kind: Kind{
		Kind: "send_letter", Family: FamilyMessage, Order: 4,
		Title:   "Send a letter",
		Purpose: "Makes a page on paper, addressed by the fields street, postal_code, city and country.",
		Synonyms: []string{"letter", "post", "paper", "print", "pdf",
			"list", "list papierowy", "poczta", "wydruk", "бумажное письмо", "печать"},
		Fields: messageFields(),
		Ports:  []PortSpec{{ID: portNext}},
	},
	Run: func(c sendLetterConfig, m *Moment) Outcome { return c.send(m, ChannelLetter, "") },
})

func (c sendLetterConfig) sends() sending { return c.sending(ChannelLetter) }
