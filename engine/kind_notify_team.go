package engine

import (
	"net/mail"
	"strings"
	"time"
)

// notifyTeamConfig says who of the team is told what.
type notifyTeamConfig struct {
	Via        string `json:"via"`
	Connection string `json:"connection"`
	To         string `json:"to"`
	Text       string `json:"text"`
}

// The ways to tell the team.
const (
	NotifyEmail    = "email"
	NotifySlack    = "slack"
	NotifyTelegram = "telegram"
)

// Notice is what a notify_team asks for. Without To, an e-mail goes to everybody of the team.
type Notice struct {
	Via        string   `json:"via"`
	Connection string   `json:"connection,omitempty"`
	To         []string `json:"to,omitempty"`
	Text       string   `json:"text"`
}

// noticePatience is after how long a notice is worth nothing any more.
const noticePatience = 6 * time.Hour

var byConnection = []ShowIf{{Key: "via", In: []string{NotifySlack, NotifyTelegram}}}

var _ = Define(Spec[notifyTeamConfig]{
	Kind: Kind{
		Kind: "notify_team", Family: FamilyAction, Order: 12,
		Title:   "Tell the team",
		Purpose: "Sends your own people a notice, by e-mail, Slack or Telegram. The person in the funnel gets nothing.",
		Synonyms: []string{"notify", "alert", "slack", "telegram", "internal", "sales", "powiadom zespół", "powiadomienie", "alert",
			"уведомить команду", "уведомление", "оповещение"},
		Fields: []Field{
			{Key: "via", Type: TypeSelect, Label: "By", Required: true, Default: NotifyEmail, Options: []Option{
				{Value: NotifyEmail, Label: "e-mail"}, {Value: NotifySlack, Label: "Slack"}, {Value: NotifyTelegram, Label: "Telegram"},
			}},
			{Key: "connection", Type: TypeRef, Of: "connection", Label: "Connection", Required: true, ShowIf: byConnection,
				Options: []Option{{Value: NotifySlack, Label: "Slack"}, {Value: NotifyTelegram, Label: "Telegram"}}},
			{Key: "to", Type: TypeText, Label: "To", Max: new(1000.0), ShowIf: []ShowIf{{Key: "via", In: []string{NotifyEmail}}},
				Help: "Addresses, with commas between. Empty: everybody in this workspace."},
			{Key: "text", Type: TypeLines, Label: "Text", Required: true, Max: new(4000.0)},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Check: notifyTeamConfig.check,
	Run:   notifyTeamConfig.run,
})

func (c notifyTeamConfig) check(k *Checker) {
	if _, wrong := c.addresses(); wrong != "" {
		k.Invalid("to", quote(wrong)+" is no e-mail address. Enter addresses with commas between.").with("value", wrong)
	}
	if workspace := k.bundle.Workspace; workspace != nil {
		for _, connection := range workspace.Connections {
			if connection.Slug == slugOf(c.Connection) && (connection.Kind == NotifySlack || connection.Kind == NotifyTelegram) && connection.Kind != c.Via {
				k.Invalid("connection", quote(connection.Slug)+" is a connection to "+connection.Kind+". Choose one to "+c.Via+".").with("value", connection.Kind)
			}
		}
	}
}

// addresses reads the addresses; wrong is the first that is none.
func (c notifyTeamConfig) addresses() (list []string, wrong string) {
	for part := range strings.FieldsFuncSeq(c.To, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\n' }) {
		if parsed, err := mail.ParseAddress(part); err != nil || parsed.Address != part {
			return nil, part
		}
		list = append(list, part)
	}
	return list, ""
}

func (c notifyTeamConfig) run(m *Moment) Outcome {
	text, err := fill(c.Text, m.mergeScope(), ContextPlain)
	if err != nil {
		return leave(portNext, map[string]any{"failed": err.Error()})
	}
	notice := Notice{Via: c.Via, Text: text}
	if c.Via == NotifyEmail {
		notice.To, _ = c.addresses()
	} else {
		notice.Connection = slugOf(c.Connection)
	}
	return m.tell("notify_team", notice, m.Now.Add(noticePatience))
}
