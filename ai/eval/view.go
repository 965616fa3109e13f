package eval

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
)

// config is what the checks need of the settings of any step.
type config struct {
	Triggers []trigger `json:"triggers"`
	Reentry  struct {
		Rule  string   `json:"rule"`
		Pause duration `json:"pause"`
	} `json:"reentry"`
	Mode     string          `json:"mode"`
	Weekdays []string        `json:"weekdays"`
	For      duration        `json:"for"`
	Timeout  duration        `json:"timeout"`
	At       string          `json:"at"`
	Field    string          `json:"field"`
	Offset   *offset         `json:"offset"`
	Event    named           `json:"event"`
	Rule     json.RawMessage `json:"rule"`
	Creative string          `json:"creative"`
	Via      string          `json:"via"`
	Tag      string          `json:"tag"`
	List     string          `json:"list"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Count    int             `json:"count"`
	Per      duration        `json:"per"`
	Arms     []struct {
		Weight int `json:"weight"`
	} `json:"arms"`
}

type trigger struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	Offset *offset `json:"offset"`
	At     string  `json:"at"`
	RRule  string  `json:"rrule"`
	Field  string  `json:"field"`
}

type named struct {
	Name string `json:"name"`
}

type duration struct {
	Amount float64 `json:"amount"`
	Unit   string  `json:"unit"`
}

type offset struct {
	Amount    float64 `json:"amount"`
	Unit      string  `json:"unit"`
	Direction string  `json:"direction"`
}

var hoursPer = map[string]float64{"minutes": 1.0 / 60, "hours": 1, "days": 24, "weeks": 168}

func (d duration) hours() float64 { return d.Amount * hoursPer[d.Unit] }

// hours is negative before the date.
func (o *offset) hours() float64 {
	if o == nil {
		return 0
	}
	h := o.Amount * hoursPer[o.Unit]
	if o.Direction == "before" {
		return -h
	}
	return h
}

// step is a node with its settings read.
type step struct {
	engine.Node

	config config
}

func (s step) sends() bool { return strings.HasPrefix(s.Kind, "send_") }

func (s step) channel() string { return strings.TrimPrefix(s.Kind, "send_") }

// wait is how long a person who does nothing stays; 0 for a date, whose time nobody knows beforehand.
func (s step) wait() float64 {
	if s.Kind != "wait" {
		return 0
	}
	switch s.config.Mode {
	case "duration":
		return s.config.For.hours()
	case "until_event", "until_rule":
		return s.config.Timeout.hours()
	default:
		return 0
	}
}

// view is a draft as the checks see it.
type view struct {
	steps []step
	byID  map[string]step
	out   map[string][]engine.Edge
	paths []path
	text  string
}

// path is one way through the graph: its messages, each with the hours from entry, and the gaps between.
type path struct {
	sends []sent
	dated bool    // a date lies on the way: hours behind it count from there
	day   float64 // what makes hours from entry hours from that date
}

type sent struct {
	step  step
	at    float64
	dated bool    // behind a wait for a date, so that At says nothing
	day   float64 // hours from that date, negative before it
	floor float64
}

func look(b engine.Bundle) *view {
	v := &view{byID: map[string]step{}, out: map[string][]engine.Edge{}}
	for _, n := range b.Graph.Nodes {
		s := step{Node: n}
		_ = json.Unmarshal(n.Config, &s.config) // what does not fit is not there
		if s.config.Via == engine.ChannelWhatsApp {
			s.Kind = "send_" + s.config.Via // the same step, another channel
		}
		v.steps = append(v.steps, s)
		v.byID[n.ID] = s
	}
	for _, e := range b.Graph.Edges {
		v.out[e.From] = append(v.out[e.From], e)
	}
	for _, s := range v.steps {
		if s.Kind == "entry" {
			v.walk(s.ID, 0, path{}, map[string]int{})
		}
	}
	var text strings.Builder
	for _, c := range b.Creatives {
		writeTexts(&text, c)
	}
	for _, s := range v.steps {
		text.WriteString(s.Name + "\n")
		if s.Kind == "notify_team" {
			text.Write(s.Node.Config)
		}
	}
	v.text = text.String()
	return v
}

func writeTexts(to *strings.Builder, c engine.Creative) {
	to.WriteString(c.Subject + "\n" + c.Preheader + "\n" + c.Title + "\n" + c.Text + "\n")
	for _, b := range c.Blocks {
		to.WriteString(b.Text + "\n" + b.URL + "\n")
		to.WriteString(docText(b.Doc) + "\n")
	}
}

// docText is the text of a rich document.
func docText(doc json.RawMessage) string {
	var n struct {
		Text    string            `json:"text"`
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(doc, &n) != nil {
		return ""
	}
	out := n.Text
	for _, c := range n.Content {
		out += docText(c)
	}
	if len(n.Content) > 0 {
		out += " "
	}
	return out
}

// limits of the walk: a graph with many branches has more ways than anybody needs to look at.
const (
	maxPaths = 4000
	maxLaps  = 3
)

func (v *view) walk(id string, at float64, p path, seen map[string]int) {
	if len(v.paths) >= maxPaths {
		return
	}
	s := v.byID[id]
	if seen[id] >= maxLaps {
		v.paths = append(v.paths, p)
		return
	}
	seen[id]++
	defer func() { seen[id]-- }()
	if s.sends() {
		p.sends = append(slices.Clone(p.sends), sent{step: s, at: at, dated: p.dated, day: at + p.day})
	}
	if s.Kind == "wait" && s.config.Mode == "date_field" {
		p.dated, p.day = true, s.config.Offset.hours()-at
	}
	edges := v.out[id]
	if len(edges) == 0 {
		v.paths = append(v.paths, p)
	}
	for _, e := range edges {
		h := at + s.wait()
		if s.Kind == "wait" && strings.HasPrefix(s.config.Mode, "until_") && e.Port == "next" && !v.meets(edges) {
			h = at // it happened at once
		}
		v.walk(e.To, h, p, seen)
	}
}

// meets tells whether all ways out lead to the same step.
func (v *view) meets(edges []engine.Edge) bool {
	for _, e := range edges {
		if e.To != edges[0].To {
			return false
		}
	}
	return len(edges) > 1
}

// of returns the steps of a kind.
func (v *view) of(kinds ...string) []step {
	var out []step
	for _, s := range v.steps {
		if slices.Contains(kinds, s.Kind) {
			out = append(out, s)
		}
	}
	return out
}

func (v *view) sends() []step {
	var out []step
	for _, s := range v.steps {
		if s.sends() {
			out = append(out, s)
		}
	}
	return out
}

func (v *view) entry() step {
	for _, s := range v.of("entry") {
		return s
	}
	return step{}
}

func bare(ref string) string { return ref[strings.IndexByte(ref, ':')+1:] }

// same compares names as people write them with the slugs of a graph.
func same(name, ref string) bool {
	return strings.EqualFold(strings.TrimSpace(name), bare(ref)) || ai.Slug(name) == bare(ref)
}
