package engine

// sendSMSConfig says which text goes to the person's phone, by which way and from whom.
type sendSMSConfig struct {
	messageConfig

	Via    string `json:"via"`
	Sender string `json:"sender"`
}

// maxSenderName is the longest name carriers show instead of a number.
const maxSenderName = 11.0

var _ = Define(Spec[sendSMSConfig]{
	Kind: Kind{
		Kind: "send_sms", Family: FamilyMessage, Order: 2,
		Title:   "Send a text message",
		Purpose: "Sends a text to the person's phone, as an SMS or by WhatsApp, if they agreed to get it there.",
		Synonyms: []string{"sms", "text", "phone", "whatsapp", "message",
			"sms-a", "wiadomość tekstowa", "telefon", "смс", "сообщение", "телефон", "ватсап"},
		Fields: messageFields(
			Field{Key: "via", Type: TypeSelect, Label: "By", Default: ChannelSMS, Help: "Each way needs a consent of its own.",
				Options: []Option{
					{Value: ChannelSMS, Label: "SMS"},
					{Value: ChannelWhatsApp, Label: "WhatsApp"},
				}},
			Field{Key: "sender", Type: TypeText, Label: "Sender name", Max: new(maxSenderName),
				Help:   "What the phone shows instead of a number. Empty: the workspace's own name.",
				ShowIf: []ShowIf{{Key: "via", In: []string{ChannelSMS}}}}),
		Ports: []PortSpec{{ID: portNext}},
	},
	Run: func(c sendSMSConfig, m *Moment) Outcome { return c.send(m, c.channel(), c.Sender) },
})

func (c sendSMSConfig) channel() string {
	if c.Via == ChannelWhatsApp {
		return ChannelWhatsApp
	}
	return ChannelSMS
}

func (c sendSMSConfig) sends() sending { return c.sending(c.channel()) }
