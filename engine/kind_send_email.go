package engine

// sendEmailConfig says which mail goes out, from whom and on what ground.
type sendEmailConfig struct {
	messageConfig

	Sender string `json:"sender"`
}

var _ = Define(Spec[sendEmailConfig]{
	Kind: Kind{
		Kind: "send_email", Family: FamilyMessage, Order: 1,
		Title:   "Send an e-mail",
		Purpose: "Sends one e-mail to the person, if they agreed to get it.",
		Synonyms: []string{"mail", "email", "e-mail", "newsletter", "message",
			"wyślij", "wiadomość", "письмо", "почта", "рассылка", "отправить"},
		Fields: messageFields(
			Field{Key: "sender", Type: TypeRef, Of: "sender", Label: "From", Help: "Empty: the workspace's own sender."}),
		Ports: []PortSpec{{ID: portNext}},
	},
	Run: func(c sendEmailConfig, m *Moment) Outcome { return c.send(m, ChannelEmail, slugOf(c.Sender)) },
})

func (c sendEmailConfig) sends() sending { return c.sending(ChannelEmail) }
