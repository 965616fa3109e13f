package ai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Summary says a difference in sentences, one for each, in any of the languages. It reads the two documents and nothing else.
func Summary(diff []engine.Change, name string, before, after engine.Bundle, lang string) []string {
	say := sayIn(lang)
	was, is := tellerOf(before, lang), tellerOf(after, lang)
	out := []string{}
	add := func(key string, args ...string) {
		if line := say.line(key, args...); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if name != "" {
		add("d_name", name)
	}
	for _, c := range diff {
		title := is.title(c.Node)
		if title == "" {
			title = was.title(c.Node)
		}
		switch c.Code {
		case engine.ChangeStepAdded:
			if c.Kind != "join" {
				add("d_added", title)
			}
		case engine.ChangeStepRemoved:
			if c.Kind != "join" {
				add("d_removed", title)
			}
		case engine.ChangeStepMoved:
			if !slices.ContainsFunc(diff, func(o engine.Change) bool {
				return o.Code == engine.ChangeStepAdded || o.Code == engine.ChangeStepRemoved
			}) {
				add("d_moved", title)
			}
		case engine.ChangeStepReplaced:
			add("d_replaced", title)
		case engine.ChangeStepRenamed:
			add("d_renamed", was.sentenceOf(c.Node), valueText(c.To))
		case engine.ChangeStepOff:
			add("d_off", title)
		case engine.ChangeStepOn:
			add("d_on", title)
		case engine.ChangeTriggerAdded:
			add("d_trigger", is.startWords())
		case engine.ChangeTriggerRemoved:
			if !slices.ContainsFunc(diff, func(o engine.Change) bool { return o.Code == engine.ChangeTriggerAdded }) {
				add("d_trigger", is.startWords())
			}
		case engine.ChangeText:
			add("d_text", title)
		case engine.ChangePathEnds:
			add("d_ends", title)
		default:
			if from, to := was.sentenceOf(c.Node), is.sentenceOf(c.Node); from != to && from != "" {
				add("d_field", say.kind(c.Kind), from, to)
			} else {
				add("d_changed", title)
			}
		}
	}
	return out
}

func tellerOf(b engine.Bundle, lang string) *explainer {
	e := &explainer{b: b, say: sayIn(lang), nodes: map[string]engine.Node{}}
	for _, n := range b.Graph.Nodes {
		e.nodes[n.ID] = n
	}
	return e
}

// title names a step: what its author called it, with what it does.
func (e *explainer) title(id string) string {
	n, ok := e.nodes[id]
	if !ok {
		return ""
	}
	s := e.sentence(n)
	if n.Name != "" && !strings.Contains(s, n.Name) {
		return n.Name + " (" + s + ")"
	}
	return s
}

func (e *explainer) sentenceOf(id string) string {
	n, ok := e.nodes[id]
	if !ok {
		return ""
	}
	if n.Kind == "entry" {
		return e.startWords()
	}
	if n.Kind == doGoal {
		return e.happening(decodeConfig(n.Config))
	}
	if s := e.sentence(n); s != "" && s != e.say.kind(n.Kind) {
		return s
	}
	var plain []string
	m := membersOf(n.Config)
	for _, key := range sortedKeys(m) {
		var v any
		if json.Unmarshal(m[key], &v) == nil {
			plain = append(plain, valueText(v))
		}
	}
	return strings.TrimSpace(e.say.kind(n.Kind) + " " + strings.Join(plain, ", "))
}

func (e *explainer) startWords() string {
	for _, n := range e.b.Graph.Nodes {
		if n.Kind == "entry" {
			e.out.Reset()
			e.start(n)
			s := strings.TrimSpace(e.out.String())
			prefix := strings.SplitN(e.say.line("x_start", "\x00"), "\x00", 2)
			return strings.TrimSuffix(strings.TrimPrefix(s, prefix[0]), prefix[1])
		}
	}
	return ""
}
