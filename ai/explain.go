package ai

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Explain says in sentences what a graph does, one step per line, branches indented. It reads the graph and nothing else, so
// it is true whoever drew it.
func Explain(b engine.Bundle, lang string) string {
	e := &explainer{b: b, say: sayIn(lang), nodes: map[string]engine.Node{}, ways: map[string][]engine.Edge{}, seen: map[string]bool{}}
	for _, n := range b.Graph.Nodes {
		e.nodes[n.ID] = n
	}
	for _, edge := range b.Graph.Edges {
		e.ways[edge.From] = append(e.ways[edge.From], edge)
	}
	for _, n := range b.Graph.Nodes {
		if n.Kind == "entry" {
			e.start(n)
			e.follow(n.ID, 0)
		}
	}
	for _, n := range b.Graph.Nodes {
		if n.Kind == "goal" {
			e.line(0, e.say.line("x_goal", e.happening(decodeConfig(n.Config))))
		}
	}
	return strings.TrimSpace(e.out.String())
}

type explainer struct {
	b     engine.Bundle
	say   phrases
	nodes map[string]engine.Node
	ways  map[string][]engine.Edge
	seen  map[string]bool
	out   strings.Builder
}

// nodeConfig is what explanations need of any config.
type nodeConfig struct {
	Triggers []triggerConfig `json:"triggers"`
	Mode     string          `json:"mode"`
	For      spanConfig      `json:"for"`
	Timeout  spanConfig      `json:"timeout"`
	At       string          `json:"at"`
	Offset   offsetConfig    `json:"offset"`
	Date     string          `json:"date"`
	Weekdays []string        `json:"weekdays"`
	Event    namedConfig     `json:"event"`
	Rule     ruleConfig      `json:"rule"`
	Creative string          `json:"creative"`
	Via      string          `json:"via"`
	Tag      string          `json:"tag"`
	Field    string          `json:"field"`
	Arms     []armConfig     `json:"arms"`
}

type triggerConfig struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	List string `json:"list"`
	Tag  string `json:"tag"`
}

type namedConfig struct {
	Name string `json:"name"`
}

type armConfig struct {
	Label  string `json:"label"`
	Weight int    `json:"weight"`
}

type spanConfig struct {
	Amount int    `json:"amount"`
	Unit   string `json:"unit"`
}

func (s spanConfig) hours() float64 { return float64(s.Amount) * hoursPer[s.Unit] }

type offsetConfig struct {
	spanConfig

	Direction string `json:"direction"`
}

type ruleConfig struct {
	Any     []ruleConfig   `json:"any"`
	Not     *ruleConfig    `json:"not"`
	Message didConfig      `json:"message"`
	Event   namedConfig    `json:"event"`
	Tag     string         `json:"tag"`
	List    string         `json:"list"`
	Field   string         `json:"field"`
	Consent map[string]any `json:"consent"`
}

type didConfig struct {
	Did string `json:"did"`
}

func decodeConfig(raw json.RawMessage) nodeConfig {
	var c nodeConfig
	_ = json.Unmarshal(raw, &c) // what does not fit is not spoken of
	return c
}

func (e *explainer) line(depth int, s string) {
	e.out.WriteString(strings.Repeat("  ", depth) + s + "\n")
}

func (e *explainer) start(n engine.Node) {
	var words []string
	for _, t := range decodeConfig(n.Config).Triggers {
		switch t.Kind {
		case "api_event":
			words = append(words, e.say.line("event_is", t.Name))
		case "list_join":
			words = append(words, e.say.line("joins", bare(t.List)))
		case "tag_added":
			words = append(words, e.say.line("gets_tag", bare(t.Tag)))
		case "contact_created":
			words = append(words, e.say.line("appears"))
		case "manual":
			words = append(words, e.say.line("by_hand"))
		default:
			words = append(words, e.say.kind(t.Kind))
		}
	}
	e.line(0, e.say.line("x_start", strings.Join(words, ", ")))
}

func bare(ref string) string { return ref[strings.IndexByte(ref, ':')+1:] }

func (e *explainer) follow(id string, depth int) {
	ways := e.ways[id]
	branches := e.nodes[id].Kind == "condition" || e.nodes[id].Kind == doSplit || len(ways) > 1 && !sameTarget(ways)
	if !branches {
		if len(ways) > 0 {
			e.step(ways[0].To, depth)
		}
		return
	}
	for _, w := range ways {
		e.line(depth, e.port(w)+":")
		e.step(w.To, depth+1)
	}
	if e.nodes[id].Kind == "condition" {
		for _, port := range []string{"yes", "no"} {
			if !slices.ContainsFunc(ways, func(w engine.Edge) bool { return w.Port == port }) {
				e.line(depth, e.port(engine.Edge{Port: port})+": "+e.say.line("x_end"))
			}
		}
	}
}

func sameTarget(ways []engine.Edge) bool {
	for _, w := range ways {
		if w.To != ways[0].To {
			return false
		}
	}
	return len(ways) > 0
}

func (e *explainer) port(w engine.Edge) string {
	switch w.Port {
	case "yes", "next", "reached":
		return e.say.line("x_yes")
	case "no":
		return e.say.line("x_no")
	case "timeout":
		return e.say.line("x_timeout")
	default:
		return strings.ToUpper(w.Port)
	}
}

func (e *explainer) step(id string, depth int) {
	n, ok := e.nodes[id]
	if !ok || depth > 12 {
		return
	}
	if e.seen[id] { // the way goes on where another one already went
		for next := e.ways[id]; n.Kind == "join" && len(next) > 0; next = e.ways[n.ID] {
			n = e.nodes[next[0].To]
		}
		e.line(depth, "→ "+e.sentence(n))
		return
	}
	e.seen[id] = true
	if s := e.sentence(n); s != "" {
		e.line(depth, s)
	}
	e.follow(id, depth)
}

func (e *explainer) sentence(n engine.Node) string {
	c := decodeConfig(n.Config)
	switch n.Kind {
	case "join":
		return ""
	case "wait":
		return e.wait(c)
	case "send_email":
		return e.say.line("x_mail", e.b.Creatives[bare(c.Creative)].Subject)
	case "condition":
		return e.say.line("x_check", e.rule(c.Rule))
	case "split":
		var arms []string
		for _, a := range c.Arms {
			arms = append(arms, a.Label+" "+strconv.Itoa(a.Weight)+" %")
		}
		return e.say.line("x_split", strings.Join(arms, ", "))
	case "add_tag":
		return e.say.line("x_tag", bare(c.Tag))
	case "remove_tag":
		return e.say.line("x_untag", bare(c.Tag))
	case "set_field":
		return e.say.line("x_field", bare(c.Field))
	case doSendSMS:
		if c.Via == engine.ChannelWhatsApp {
			return e.say.kind(doSendWhatsApp)
		}
		return e.say.kind(n.Kind)
	default:
		return e.say.kind(n.Kind)
	}
}

func (e *explainer) wait(c nodeConfig) string {
	switch c.Mode {
	case "date":
		return e.say.line("x_wait", strings.Replace(c.Date, "T", " ", 1))
	case "weekday":
		return e.say.line("x_wait", strings.Join(c.Weekdays, ", ")+" "+c.At)
	case "date_field":
		return strings.TrimSpace(e.dateWait(c) + " " + c.At)
	case "until_event", "until_rule":
		return e.say.line("x_wait_until", e.happening(c), e.say.hours(c.Timeout.hours()))
	default:
		return strings.TrimSpace(e.say.line("x_wait", e.say.hours(c.For.hours())) + " " + c.At)
	}
}

// dateWait tells a wait for a date of the person, or for a time before or after it.
func (e *explainer) dateWait(c nodeConfig) string {
	switch h := c.Offset.hours(); {
	case h == 0:
		return e.say.line("x_wait_date", bare(c.Field))
	case c.Offset.Direction == "before":
		return e.say.line("x_wait_before", e.say.hours(h), bare(c.Field))
	default:
		return e.say.line("x_wait_after", e.say.hours(h), bare(c.Field))
	}
}

// happening names an event or rule that a wait or goal watches.
func (e *explainer) happening(c nodeConfig) string {
	if c.Event.Name != "" {
		return e.event(c.Event.Name)
	}
	return e.rule(c.Rule)
}

func (e *explainer) event(name string) string {
	if phrase, ok := map[string]string{"message_opened": "opened", "link_clicked": "clicked", "message_replied": "replied"}[name]; ok {
		return e.say.line(phrase)
	}
	return e.say.line("event_is", name)
}

func (e *explainer) rule(r ruleConfig) string {
	switch {
	case r.Not != nil:
		return e.say.line("not_is", e.rule(*r.Not))
	case len(r.Any) > 0:
		return e.rule(r.Any[0])
	case r.Message.Did == "opened", r.Message.Did == "clicked", r.Message.Did == "replied":
		return e.say.line(r.Message.Did)
	case r.Event.Name != "":
		return e.event(r.Event.Name)
	case r.Tag != "":
		return e.say.line("gets_tag", bare(r.Tag))
	case r.List != "":
		return e.say.line("joins", bare(r.List))
	case r.Field != "":
		return r.Field
	default:
		return e.say.line("rule_is")
	}
}
