package engine

// sendEmailConfig says which mail goes out and on what ground.
type sendEmailConfig struct {
	Creative string    `json:"creative"`
	Sender   string    `json:"sender"`
	Class    string    `json:"class"`
	Topic    string    `json:"topic"`
	Expires  *Duration `json:"expires"`
}

// The classes of a message: marketing needs the person's consent, transactional answers something they did.
const (
	ClassMarketing     = "marketing"
	ClassTransactional = "transactional"
)

// ChannelEmail is the channel of e-mail in creatives, messages and consents.
const ChannelEmail = "email"

var defaultExpiry = Duration{Amount: 24, Unit: Hours}

var _ = Define(Spec[sendEmailConfig]{
	Kind: Kind{
		Kind: "send_email", Family: FamilyMessage, Order: 1,
		Title:   "Send an e-mail",
		Purpose: "Sends one e-mail to the person, if they agreed to get it.",
		Synonyms: []string{"mail", "email", "e-mail", "newsletter", "message",
			"wyślij", "wiadomość", "письмо", "почта", "рассылка", "отправить"},
		Fields: []Field{
			{Key: "creative", Type: TypeRef, Of: "creative", Label: "Message", Required: true},
			{Key: "sender", Type: TypeRef, Of: "sender", Label: "From", Help: "Empty: the workspace's own sender."},
			{Key: "class", Type: TypeSelect, Label: "Kind of message", Default: ClassMarketing,
				Help: "Transactional is for receipts and the like: it needs no consent and no unsubscribe link.",
				Options: []Option{
					{Value: ClassMarketing, Label: "Marketing"},
					{Value: ClassTransactional, Label: "Transactional"},
				}},
			{Key: "topic", Type: TypeRef, Of: "topic", Label: "Topic", Help: "People who left this topic do not get the message."},
			{Key: "expires", Type: TypeDuration, Label: "Not later than", Min: new(1.0), Default: defaultExpiry,
				Help: "When it cannot leave within this time after it was due, it is not sent at all."},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Run: func(c sendEmailConfig, m *Moment) Outcome {
		expires := defaultExpiry
		if c.Expires != nil {
			expires = *c.Expires
		}
		m.Do(SendMessage{
			Seq: m.Seq, Node: m.Node, Channel: ChannelEmail,
			Creative: slugOf(c.Creative), Sender: slugOf(c.Sender), Class: c.class(), Topic: slugOf(c.Topic),
			Quiet: m.Run.Quiet, Due: m.At, ExpiresAt: AddDuration(m.At, expires, nil, m.Zone),
		})
		return leave(portNext, nil)
	},
})

// class is the class of the message; a config that does not say so is marketing, the stricter one.
func (c sendEmailConfig) class() string {
	if c.Class == "" {
		return ClassMarketing
	}
	return c.Class
}

// sends makes the mail visible to checks and to the plan, whatever kinds of message there will be.
func (c sendEmailConfig) sends() sending {
	return sending{Creative: slugOf(c.Creative), Channel: ChannelEmail, Class: c.class()}
}
