package ai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// doOpaque is a step the plan's words cannot say. It may be moved or removed, and its plain settings changed.
const doOpaque = "opaque"

// Decompile writes a funnel as a plan whose steps have the ids of their nodes. What the plan cannot say becomes an opaque step;
// compiling the plan again would lose it, so edits change the graph itself and use the plan only to speak of it.
func Decompile(b engine.Bundle) Spec {
	d := &decompiler{b: b, nodes: map[string]engine.Node{}, out: map[string]map[string]string{}, into: map[string]int{}}
	for _, n := range b.Graph.Nodes {
		d.nodes[n.ID] = n
	}
	for _, e := range b.Graph.Edges {
		if d.out[e.From] == nil {
			d.out[e.From] = map[string]string{}
		}
		d.out[e.From][e.Port] = e.To
		d.into[e.To]++
	}
	spec := Spec{Status: StatusGraph, Assumptions: []string{}, Questions: []Question{}, Reentry: "never"}
	for _, n := range b.Graph.Nodes {
		switch n.Kind {
		case "entry":
			d.entry(&spec, n)
		case doGoal:
			d.goals = append(d.goals, d.step(n, ""))
		}
	}
	d.blocks(&spec)
	for _, slug := range sortedKeys(b.Creatives) {
		c := b.Creatives[slug]
		spec.Messages = append(spec.Messages, Brief{ID: slug, Brief: firstOf(c.Subject, c.Title, c.Name, short(c.Text, 80))})
	}
	return spec
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

type decompiler struct {
	b     engine.Bundle
	nodes map[string]engine.Node
	out   map[string]map[string]string
	into  map[string]int
	goals []Step
}

// through is the step a port leads to, looking through joins.
func (d *decompiler) through(id string) string {
	for range len(d.nodes) {
		if d.nodes[id].Kind != "join" {
			break
		}
		id = d.out[id]["next"]
	}
	return id
}

// heads are the steps blocks begin with: where the entry leads, where ways meet, and where branches lead.
func (d *decompiler) heads() []string {
	var heads []string
	seen := map[string]bool{}
	add := func(id string) {
		if id = d.through(id); id != "" && !slices.Contains(heads, id) {
			heads = append(heads, id)
		}
	}
	queue := []string{d.out["entry"]["next"]}
	for _, n := range d.b.Graph.Nodes {
		if n.Kind == "entry" {
			queue = []string{d.out[n.ID]["next"]}
		}
	}
	add(queue[0])
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		if d.into[id] > 1 {
			add(id)
		}
		ports := d.ports(id)
		forks := len(ports) > 1 && !d.together(id)
		for _, p := range ports {
			to := d.out[id][p]
			if forks || d.nodes[id].Kind == "condition" || d.nodes[id].Kind == doSplit {
				add(to)
			}
			queue = append(queue, to)
		}
	}
	return heads
}

// together tells whether all ways out of a step lead to the same place.
func (d *decompiler) together(id string) bool {
	n := d.nodes[id]
	if n.Kind == "condition" || n.Kind == doSplit {
		return false
	}
	first := ""
	for _, to := range d.out[id] {
		if first != "" && d.through(to) != first {
			return false
		}
		first = d.through(to)
	}
	if n.Kind == "wait" && waitsForSomething(n) {
		return len(d.out[id]) != 1
	}
	return true
}

func waitsForSomething(n engine.Node) bool {
	mode := decodeConfig(n.Config).Mode
	return mode == "until_event" || mode == "until_rule"
}

// ports are the linked ports of a step in their order.
func (d *decompiler) ports(id string) []string {
	var ports []string
	for _, e := range d.b.Graph.Edges {
		if e.From == id {
			ports = append(ports, e.Port)
		}
	}
	return ports
}

func (d *decompiler) blocks(spec *Spec) {
	heads := d.heads()
	name := func(id string) string {
		if id = d.through(id); id == "" {
			return ""
		}
		return "b-" + id
	}
	for i, head := range heads {
		part := Part{ID: name(head)}
		if i == 0 {
			part.Steps = append(part.Steps, d.goals...)
		}
		last := ""
		for id := head; id != ""; {
			n := d.nodes[id]
			step := d.step(n, d.sentBefore(id))
			switch {
			case n.Kind == "condition":
				step.Yes, step.No = name(d.out[id]["yes"]), name(d.out[id]["no"])
			case n.Kind == doSplit:
				for j := range step.Arms {
					step.Arms[j].To = name(d.out[id][armID(n, j)])
				}
			case len(d.out[id]) > 0 && !d.together(id):
				part.Steps = append(part.Steps, step, Step{ID: id + ".did", Do: doIf, Event: step.Event, Ref: step.Ref, Op: "is",
					Yes: name(d.out[id]["next"]), No: name(d.out[id]["timeout"])})
				last, id = "", ""
				continue
			}
			part.Steps = append(part.Steps, step)
			if last, id = id, ""; step.ends() {
				last = ""
				break
			}
			for _, p := range d.ports(last) {
				id = d.through(d.out[last][p])
				break
			}
			if slices.Contains(heads, id) {
				part.Next, id = name(id), ""
			}
		}
		spec.Blocks = append(spec.Blocks, part)
	}
	if len(heads) == 0 {
		spec.Blocks = []Part{{ID: "main", Steps: d.goals}}
	}
}

func armID(n engine.Node, i int) string {
	var c struct {
		Arms []struct {
			ID string `json:"id"`
		} `json:"arms"`
	}
	_ = json.Unmarshal(n.Config, &c) // a broken config has no arms
	if i < len(c.Arms) {
		return c.Arms[i].ID
	}
	return ""
}

// sentBefore is the message sent last before a step, on the first way to it.
func (d *decompiler) sentBefore(id string) string { return sentBefore(d.b.Graph, id) }

func sentBefore(g engine.Graph, id string) string {
	kinds := map[string]string{}
	for _, n := range g.Nodes {
		kinds[n.ID] = n.Kind
	}
	seen := map[string]bool{}
	queue := []string{id}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range g.Edges {
			if e.To != at || seen[e.From] {
				continue
			}
			if strings.HasPrefix(kinds[e.From], "send_") {
				return e.From
			}
			seen[e.From] = true
			queue = append(queue, e.From)
		}
	}
	return ""
}

// entry reads the first trigger and the rule of re-entry. Further triggers and the filter stay in the node.
func (d *decompiler) entry(spec *Spec, n engine.Node) {
	var c struct {
		Triggers []map[string]any `json:"triggers"`
		Reentry  struct {
			Rule  string     `json:"rule"`
			Pause spanConfig `json:"pause"`
			Key   string     `json:"key"`
		} `json:"reentry"`
	}
	_ = json.Unmarshal(n.Config, &c) // what does not fit is not spoken of
	if len(c.Triggers) > 0 {
		t := c.Triggers[0]
		spec.Trigger.Kind, _ = t["kind"].(string)
		for _, key := range []string{"name", "list", "tag", "segment", "form", "url", "field", "resource", "source", "audience", "link"} {
			if ref, ok := t[key].(string); ok && ref != "" {
				spec.Trigger.Ref = ref
				if key != "url" && key != "audience" && key != "link" {
					spec.Trigger.Ref = bare(ref)
				}
				break
			}
		}
		spec.Trigger.When, _ = t["rrule"].(string)
	}
	switch c.Reentry.Rule {
	case "after_exit":
		spec.Reentry = "always"
		if c.Reentry.Pause.Unit == "days" {
			spec.Reentry, spec.ReentryDays = "after_days", c.Reentry.Pause.Amount
		}
	case "restart":
		spec.Reentry = "restart"
	case "each":
		spec.Reentry, spec.ReentryKey = "each", c.Reentry.Key
	}
}

// step writes one node as a step; last is the message sent before it.
func (d *decompiler) step(n engine.Node, last string) Step {
	s := Step{ID: n.ID, Do: n.Kind, Name: ""}
	c := decodeConfig(n.Config)
	switch n.Kind {
	case "wait":
		return waitStep(s, n, c, last)
	case doSendEmail, doSendSMS, doSendPush, doSendLetter:
		s.Message = bare(c.Creative)
	case doAddTag, doRemoveTag:
		s.Name = bare(c.Tag)
	case doSetField:
		s.Field = bare(c.Field)
		_ = json.Unmarshal(membersOf(n.Config)["value"], &s.Value) // an expression; anything else stays in the node
	case "condition":
		return ruleStep(s, doIf, membersOf(n.Config)["rule"], last)
	case doSplit:
		for _, a := range c.Arms {
			s.Arms = append(s.Arms, Arm{Label: a.Label, Pct: a.Weight})
		}
	case doGoal:
		if c.Event.Name != "" {
			s.Do, s.Event, s.Ref = doGoal, "api_event", c.Event.Name
			if word := eventWord(c.Event.Name); word != "" {
				s.Event, s.Ref = word, ""
			}
			return s
		}
		return ruleStep(s, doGoal, membersOf(n.Config)["rule"], last)
	default:
		return actionStep(s, n)
	}
	return s
}

func membersOf(config json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(config, &m) // a broken config has no members
	return m
}

func waitStep(s Step, n engine.Node, c nodeConfig, last string) Step {
	switch c.Mode {
	case "", "duration":
		s.Do, s.N, s.Unit, s.At = doWait, c.For.Amount, c.For.Unit, c.At
	case "weekday":
		s.Do, s.Event, s.Ref = doWaitUntil, "weekday", strings.TrimSpace(strings.Join(c.Weekdays, " ")+" "+c.At)
	case "date":
		s.Do, s.Event, s.Ref = doWaitUntil, "date", c.Date
	case "date_field":
		s.Do, s.Event, s.Ref, s.At, s.BeforeHours = doWaitUntil, "date_field", bare(c.Field), c.At, beforeHours(n)
	case "until_event":
		s.Do, s.Event, s.Ref = doWaitUntil, "api_event", c.Event.Name
		if word := eventWord(c.Event.Name); word != "" {
			s.Event, s.Ref = word, ""
		}
		s.TimeoutHours = int(c.Timeout.hours())
	case "until_rule":
		s = ruleStep(s, doWaitUntil, membersOf(n.Config)["rule"], last)
		s.TimeoutHours = int(c.Timeout.hours())
	default:
		s.Do, s.Ref = doOpaque, n.Kind
	}
	return s
}
