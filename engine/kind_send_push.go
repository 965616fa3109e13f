package engine

// sendPushConfig says which notification goes to the person's devices.
type sendPushConfig struct{ messageConfig }

var _ = Define(Spec[sendPushConfig]{
	Kind: Kind{
		Kind: "send_push", Family: FamilyMessage, Order: 3,
		Title:   "Send a push notification",
		Purpose: "Shows a notification on the devices the person allowed it on.",
		Synonyms: []string{"push", "notification", "app", "browser",
			"powiadomienie", "aplikacja", "пуш", "уведомление", "приложение"},
		Fields: messageFields(),
		Ports:  []PortSpec{{ID: portNext}},
	},
	Run: func(c sendPushConfig, m *Moment) Outcome { return c.send(m, ChannelPush, "") },
})

func (c sendPushConfig) sends() sending { return c.sending(ChannelPush) }
