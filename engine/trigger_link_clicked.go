package engine

import (
	"maps"
	"strings"
)

// linkClickedConfig names the messages and the link whose clicks count. A link that ends in * stands for every address that
// begins so.
type linkClickedConfig struct {
	Message messageRef `json:"message"`
	Link    string     `json:"link"`
}

var _ = DefineTrigger(TriggerSpec[linkClickedConfig]{
	Kind: Kind{
		Kind: "link_clicked", Family: FamilyTrigger, Order: 8,
		Title:    "Somebody clicks a link",
		Purpose:  "A person follows a link of a message for the first time. Programs that only check links do not count.",
		Synonyms: []string{"click", "link", "kliknięcie", "klika", "odnośnik", "клик", "ссылка", "перешёл"},
		Fields: []Field{
			messageField(),
			{Key: "link", Type: TypeText, Label: "Which link", Max: new(2000.0),
				Help: "Its address; * at the end takes all that begin so. Empty: any link."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c linkClickedConfig) TriggerEvent {
		usual := maps.Clone(c.Message.usual())
		if c.Link != "" {
			usual["url"] = strings.TrimSuffix(c.Link, "*")
		}
		return TriggerEvent{Name: "link_clicked", Props: internalEvents["link_clicked"], Usual: usual}
	},
	Matches: func(c linkClickedConfig, m *Moment) bool { return c.Message.picks(m) && c.leadsTo(m.signalProp("url")) },
})

func (c linkClickedConfig) leadsTo(url string) bool {
	if begin, some := strings.CutSuffix(c.Link, "*"); some {
		return strings.HasPrefix(url, begin)
	}
	return c.Link == "" || c.Link == url
}
