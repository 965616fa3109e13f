package ai

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

func configMap(n engine.Node) fields {
	config := fields{}
	_ = json.Unmarshal(n.Config, &config) // a broken config is written anew
	if config == nil {
		config = fields{}
	}
	return config
}

// update changes members of a step. Those the plan has words for are compiled anew, and only what they compile to is replaced; the
// others are fields of the step's kind.
func (e *editing) update(op Op) {
	id, ok := e.must(op.At)
	if !ok {
		return
	}
	node := e.nodeOf(id)
	was := (&decompiler{b: e.draft.Bundle, nodes: map[string]engine.Node{}}).step(node, sentBefore(e.draft.Bundle.Graph, id))
	is := was
	is.Arms = slices.Clone(was.Arms)
	planned := false
	for _, f := range op.Fields {
		switch {
		case f.Name == "name":
			e.rename(id, f.Value)
		case f.Name == "off":
			e.switchOff(id, f.Value == "true")
		case setWord(&is, f.Name, f.Value):
			planned = true
		case e.setField(node, f.Name, f.Value):
		default:
			e.fault("FIELD_UNKNOWN", op.At, "a step of the kind "+node.Kind+" has no field "+f.Name)
		}
	}
	e.touch("node", id)
	if !planned {
		return
	}
	if was.Event == doOpaque || was.Do == doOpaque {
		was = Step{}
	}
	old, fresh := e.configOf(was, id), e.configOf(is, id)
	if fresh == nil {
		e.fault("FIELD_INVALID", op.At, "this cannot be set on the step")
		return
	}
	for key := range old {
		if _, stays := fresh[key]; !stays {
			fresh[key] = nil
		}
	}
	e.setMembers(id, fresh)
}

func (e *editing) rename(id, name string) {
	for i := range e.draft.Bundle.Graph.Nodes {
		if e.draft.Bundle.Graph.Nodes[i].ID == id {
			e.draft.Bundle.Graph.Nodes[i].Name = short(name, 100)
		}
	}
}

func (e *editing) switchOff(id string, off bool) {
	for i := range e.draft.Bundle.Graph.Nodes {
		if e.draft.Bundle.Graph.Nodes[i].ID == id {
			e.draft.Bundle.Graph.Nodes[i].Off = off
		}
	}
}

// setWord changes one member of a step by its name in the plan; false when the step has none of that name.
func setWord(s *Step, name, value string) bool {
	number := func(into *int) bool {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err == nil && n >= 0 && n <= maxNumber {
			*into = n
		}
		return err == nil
	}
	branch := s.Do == doIf || s.Do == doGoal || s.Do == doWaitUntil
	switch {
	case s.Do == doWait && name == "n":
		return number(&s.N)
	case s.Do == doWait && (name == "wait" || name == "unit"):
		s.Unit = value
		return hoursPer[value] > 0
	case s.Do == doWait && name == "at":
		s.At = value
	case s.Do == doWaitUntil && name == "timeout_h":
		return number(&s.TimeoutHours)
	case (s.Do == doWait || s.Do == doWaitUntil) && name == "wait_until":
		s.Do, s.Event, s.Ref = doWaitUntil, value, ""
	case branch && (name == s.Do || name == "event" || name == "if" && s.Do == doIf):
		s.Event, s.Ref = value, ""
	case branch && name == "ref":
		s.Ref = value
	case s.Do == doIf && name == "op":
		s.Op = value
	case s.Do == doIf && name == "value":
		s.Value = value
	case (s.Do == doAddTag || s.Do == doRemoveTag) && name == "name", (s.Do == doAddTag || s.Do == doRemoveTag) && name == "tag":
		s.Name = value
	case s.Do == doSetField && name == "value":
		s.Value = value
	case s.Do == doSetField && name == "field":
		s.Field = value
	case s.Do == doSplit && strings.HasPrefix(name, "pct."):
		arm := strings.TrimPrefix(name, "pct.")
		for i := range s.Arms {
			if strings.EqualFold(s.Arms[i].Label, arm) || string(rune('a'+i)) == strings.ToLower(arm) {
				return number(&s.Arms[i].Pct)
			}
		}
		return false
	default:
		return false
	}
	return true
}

// setField sets a plain field of a step's kind.
func (e *editing) setField(n engine.Node, name, value string) bool {
	for _, k := range e.set.Kinds.nodes {
		if k.Kind != n.Kind {
			continue
		}
		for _, f := range k.Fields {
			if f.Key != name {
				continue
			}
			var v any = value
			switch f.Type {
			case engine.TypeNumber:
				number, ok := atof(value)
				if !ok {
					return false
				}
				v = number
			case engine.TypeBool:
				v = value == "true"
			case engine.TypeMulti:
				v = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
			case engine.TypeDuration:
				amount, unit, _ := strings.Cut(strings.TrimSpace(value), " ")
				v = duration(atoi(amount, 1), unit)
			case engine.TypeRef:
				if f.Of == "creative" {
					return false
				}
				v = e.ref(f.Of, value)
			case engine.TypeText, engine.TypeMerge, engine.TypeLines, engine.TypeTimeOfDay, engine.TypeDateTime, engine.TypeSelect, engine.TypeEventName:
			default:
				return false
			}
			e.setMembers(n.ID, fields{name: v})
			return true
		}
	}
	return false
}

// configOf compiles one step and gives its config; nil for one that cannot be compiled.
func (e *editing) configOf(s Step, node string) fields {
	if s.Do == "" {
		return fields{}
	}
	b := &builder{spec: e.spec, set: e.set, say: e.say, ids: map[string]bool{}, count: map[string]int{}, ways: map[string]string{}, last: sentBefore(e.draft.Bundle.Graph, node)}
	b.draft.Steps = map[string]string{}
	switch s.Do {
	case doIf:
		b.condition(s, 0)
	case doGoal:
		b.order = []*built{{part: Part{Steps: []Step{s}}}}
		b.draft.Bundle.Graph.Nodes = slices.Clone(e.draft.Bundle.Graph.Nodes)
		before := len(b.draft.Bundle.Graph.Nodes)
		b.goals()
		b.draft.Bundle.Graph.Nodes = b.draft.Bundle.Graph.Nodes[before:]
	case doSplit:
		arms, _ := configMap(e.nodeOf(node))["arms"].([]any)
		for i, a := range s.Arms {
			if i < len(arms) {
				if arm, ok := arms[i].(map[string]any); ok {
					arm["weight"], arm["label"] = a.Pct, a.Label
				}
			}
		}
		return fields{"arms": arms}
	default:
		b.step(s, 0)
	}
	if len(b.draft.Bundle.Graph.Nodes) == 0 {
		return nil
	}
	for _, n := range b.draft.Notes {
		if !slices.Contains(e.draft.Notes, n) {
			e.draft.Notes = append(e.draft.Notes, n)
		}
	}
	return configMap(b.draft.Bundle.Graph.Nodes[0])
}

// message changes the words of a message there is. One that is new gets its words when it is written.
func (e *editing) message(op Op) {
	key := slug(op.At)
	if node, ok := e.known[op.At]; ok {
		if ref := bare(decodeConfig(e.nodeOf(node).Config).Creative); ref != "" {
			key = ref
		}
	}
	e.touch("text", key)
	if _, ok := e.base.Creatives[key]; ok {
		for _, n := range e.draft.Bundle.Graph.Nodes {
			if bare(decodeConfig(n.Config).Creative) == key {
				e.touch("node", n.ID)
			}
		}
		e.draft.Bundle.Creatives[key] = reword(e.draft.Bundle.Creatives[key], op)
		return
	}
	for node, step := range e.draft.Steps { // the group of the step that sends it
		if n := e.nodeOf(node); step != "" && bare(decodeConfig(n.Config).Creative) == key {
			e.touch("node", node)
		}
	}
}

// reword puts words into a message and leaves the rest of it as it is.
func reword(c engine.Creative, op Op) engine.Creative {
	if op.Subject != "" && c.Channel == engine.ChannelEmail {
		c.Subject = short(strings.ReplaceAll(op.Subject, "\n", " "), 150)
	}
	if op.Body == "" {
		return c
	}
	switch c.Channel {
	case engine.ChannelEmail, engine.ChannelLetter:
		var paragraphs []string
		for _, p := range blankLines.Split(op.Body, -1) {
			paragraphs = append(paragraphs, strings.Join(strings.Fields(p), " "))
		}
		c.Blocks = slices.Clone(c.Blocks)
		at := slices.IndexFunc(c.Blocks, func(b engine.Block) bool { return b.Type == "text" })
		if at < 0 {
			c.Blocks = slices.Insert(c.Blocks, 0, engine.Block{ID: "text", Type: "text"})
			at = 0
		}
		c.Blocks[at].Doc = richText(paragraphs)
	default:
		c.Text = strings.TrimSpace(op.Body)
	}
	return c
}

// replaceText puts one piece of text in the place of another, in all messages or one.
func (e *editing) replaceText(op Op) {
	if op.Find == "" || op.Find == op.Text {
		return
	}
	for _, key := range sortedKeys(e.base.Creatives) {
		if op.At != "" && slug(op.At) != key {
			continue
		}
		was := string(quote(e.draft.Bundle.Creatives[key]))
		find, text := inJSON(op.Find), inJSON(op.Text)
		is := replaceFigure(was, find, text)
		if is == was {
			continue
		}
		var c engine.Creative
		if json.Unmarshal([]byte(is), &c) != nil {
			continue
		}
		e.draft.Bundle.Creatives[key] = c
		e.touch("text", key)
		for _, n := range e.draft.Bundle.Graph.Nodes {
			if bare(decodeConfig(n.Config).Creative) == key {
				e.touch("node", n.ID)
			}
		}
	}
}

var withDefault = regexp.MustCompile(`event\.\w+ ?\| ?default\(([^)]*)\)`)

// variables takes what stands in its place for a variable of the start that the new start does not bring. One without is left, and the
// validator names it.
func (e *editing) variables() {
	starts := -1
	for i, op := range e.ops {
		if op.Do == opSetting && strings.HasPrefix(op.At, "trigger") && e.take(i) {
			starts = i
		}
	}
	if starts < 0 {
		return
	}
	for _, p := range NewErrors(e.base, e.draft.Bundle, e.set.Workspace) {
		key := bare(decodeConfig(e.nodeOf(p.Node).Config).Creative)
		if p.Code != "VAR_UNKNOWN" || key == "" {
			continue
		}
		was := string(quote(e.draft.Bundle.Creatives[key]))
		var c engine.Creative
		if is := withDefault.ReplaceAllString(was, "$1"); is != was && json.Unmarshal([]byte(is), &c) == nil {
			e.draft.Bundle.Creatives[key] = c
			e.touchOp(starts, "node", p.Node)
			e.touchOp(starts, "text", key)
		}
	}
}

func inJSON(s string) string {
	q := string(quote(s))
	return q[1 : len(q)-1]
}

// replaceFigure replaces a text where it is not the end of a longer number: 10% is no part of 110%.
func replaceFigure(s, find, text string) string {
	var out strings.Builder
	for {
		at := strings.Index(s, find)
		if at < 0 {
			return out.String() + s
		}
		longer := at > 0 && s[at-1] >= '0' && s[at-1] <= '9' && find[0] >= '0' && find[0] <= '9'
		out.WriteString(s[:at])
		if longer {
			out.WriteString(find)
		} else {
			out.WriteString(text)
		}
		s = s[at+len(find):]
	}
}
