package ai

import (
	"encoding/json"
	"slices"
	"strconv"
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

// eventWord is the word of the plan for an event of the log, "" when it has none of its own.
func eventWord(name string) string {
	for _, word := range planEvents {
		if word != "api_event" && (name == word || ownEvents[word] == name || slices.Contains(aliases[word], name)) {
			return word
		}
	}
	if name == "list_joined" {
		return "list_join"
	}
	return ""
}

// ruleStep writes a rule as the question of a branch where the plan has words for it.
func ruleStep(s Step, do string, rule json.RawMessage, last string) Step {
	op := "is"
	if inner, ok := membersOf(rule)["not"]; ok {
		rule, op = inner, "is_not"
	}
	if alternatives, ok := membersOf(rule)["any"]; ok && do == doGoal { // "any message of the funnel is clicked"
		var each []json.RawMessage
		if json.Unmarshal(alternatives, &each) == nil && len(each) > 0 {
			s = ruleStep(s, do, each[0], last)
			s.Ref = ""
			return s
		}
	}
	var r struct {
		Field   string         `json:"field"`
		Op      string         `json:"op"`
		Value   any            `json:"value"`
		Tag     string         `json:"tag"`
		List    string         `json:"list"`
		Segment string         `json:"segment"`
		Consent map[string]any `json:"consent"`
		Message struct {
			Step string `json:"step"`
			Did  string `json:"did"`
		} `json:"message"`
		Event struct {
			Name   string          `json:"name"`
			Within spanConfig      `json:"within"`
			Where  json.RawMessage `json:"where"`
		} `json:"event"`
	}
	_ = json.Unmarshal(rule, &r) // what does not fit is opaque below
	s.Do, s.Op = do, op
	switch {
	case r.Message.Did != "":
		s.Event = map[string]string{"opened": "message_opened", "clicked": "link_clicked", "replied": "message_replied"}[r.Message.Did]
		if r.Message.Step != last {
			s.Ref = r.Message.Step
		}
	case r.Event.Name != "" && len(r.Event.Where) == 0:
		s.Event, s.Ref = "api_event", r.Event.Name
		if word := eventWord(r.Event.Name); word != "" {
			s.Event, s.Ref = word, ""
		}
		if h := r.Event.Within.hours(); h > 0 {
			s.Op, s.Value = map[bool]string{true: "not_within_days", false: "within_days"}[op == "is_not"], strconv.Itoa(int(h/24))
		}
	case r.Tag != "":
		s.Event, s.Ref = "tag", bare(r.Tag)
	case r.List != "":
		s.Event, s.Ref = "list", bare(r.List)
	case r.Segment != "":
		s.Event, s.Ref = "segment", bare(r.Segment)
	case r.Consent != nil:
		s.Event = "channel_ok"
		s.Ref, _ = r.Consent["channel"].(string)
	case r.Field != "":
		s.Event, s.Ref = "field", r.Field
		if op == "is" {
			s.Op = r.Op
		}
		s.Value = valueText(r.Value)
	}
	if s.Event == "" {
		s.Event = doOpaque
	}
	return s
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(quote(v))
	}
}
