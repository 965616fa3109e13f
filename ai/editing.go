package ai

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// editing applies operations to a copy of a bundle. New steps are compiled together, so that they may lead to one another; then
// each operation joins its own into the graph. Nodes no operation names are the very same afterwards.
type editing struct {
	*builder
	base    engine.Bundle
	plan    Spec
	ops     []Op
	take    func(op int) bool
	parts   []string          // per operation the block of its new steps, "" without
	known   map[string]string // id in the edit -> node
	gone    map[string]string // removed node -> the one in its place, "" for none
	name    string
	touched [][]string
	at      int // the operation at work
}

// Apply carries out the operations for which take is true, nil for all. What cannot be carried out is a problem and leaves the
// bundle without it; the caller decides whether that stops the whole.
func Apply(base engine.Bundle, ops []Op, set Setting, take func(op int) bool) Edited {
	if take == nil {
		take = func(int) bool { return true }
	}
	e := &editing{base: base, plan: Decompile(base), ops: slices.Clone(ops), take: take, known: map[string]string{}, gone: map[string]string{}}
	e.parts, e.touched = make([]string, len(ops)), make([][]string, len(ops))
	e.builder = &builder{set: set, say: sayIn(set.Language), ids: map[string]bool{}, count: map[string]int{}, ways: map[string]string{}, parts: map[string]*built{}}
	e.draft.Steps, e.draft.Offsets = map[string]string{}, map[string]int{}
	e.draft.Bundle = engine.Bundle{Graph: engine.Graph{Schema: base.Graph.Schema, Nodes: slices.Clone(base.Graph.Nodes), Edges: slices.Clone(base.Graph.Edges)},
		Creatives: maps.Clone(base.Creatives), Layout: base.Layout, Workspace: base.Workspace, Tests: base.Tests}
	if e.draft.Bundle.Creatives == nil {
		e.draft.Bundle.Creatives = map[string]engine.Creative{}
	}
	for _, n := range base.Graph.Nodes {
		e.ids[n.ID], e.known[n.ID] = true, n.ID
	}
	e.compile()
	for i, op := range e.ops {
		e.at = i
		if take(i) {
			e.apply(op)
		}
	}
	e.sweep()
	e.meet()
	e.mentions()
	e.variables()
	return Edited{Bundle: e.draft.Bundle, Name: e.name, Notes: e.draft.Notes, Problems: e.draft.Problems, touched: e.touched}
}

func (e *editing) touch(kind, id string) { e.touchOp(e.at, kind, id) }

func (e *editing) touchOp(op int, kind, id string) {
	if id != "" {
		e.touched[op] = append(e.touched[op], kind+":"+id)
	}
}

// fault says what cannot be carried out.
func (e *editing) fault(code, at, message string) { e.problem(code, at, message) }

// compile draws all new steps, of whatever operation, beside the graph.
func (e *editing) compile() {
	e.freshMessages()
	e.spec = Spec{Trigger: e.plan.Trigger, Reentry: e.plan.Reentry, Messages: e.newMessages()}
	for i := range e.ops {
		op := &e.ops[i]
		if op.Do != opPut {
			continue
		}
		id := op.At
		if op.How != putBlock || id == "" {
			id = "op " + strconv.Itoa(i)
		}
		e.parts[i] = id
		steps := slices.Clone(op.Steps)
		for j := range steps {
			steps[j] = redirect(steps[j], "way on "+strconv.Itoa(i))
		}
		e.spec.Blocks = append(e.spec.Blocks, Part{ID: id, Steps: steps})
	}
	if len(e.spec.Blocks) == 0 {
		return
	}
	first := len(e.spec.Blocks)
	for i := range e.ops { // where branches may lead beside new blocks: on, and to steps there are
		if e.parts[i] != "" {
			e.spec.Blocks = append(e.spec.Blocks, Part{ID: "way on " + strconv.Itoa(i)})
		}
	}
	for _, n := range e.base.Graph.Nodes {
		e.spec.Blocks = append(e.spec.Blocks, Part{ID: n.ID}, Part{ID: "b-" + n.ID})
	}
	e.mend()
	nodes := len(e.draft.Bundle.Graph.Nodes)
	for _, p := range e.spec.Blocks[:first] {
		at := &built{part: p}
		e.drawPart(p.ID, at)
	}
	e.goals()
	for _, n := range e.draft.Bundle.Graph.Nodes[nodes:] {
		if id := e.draft.Steps[n.ID]; id != "" {
			e.known[id] = n.ID
		}
	}
}

// drawPart draws one block of new steps after the message that is sent before its place.
func (e *editing) drawPart(id string, at *built) {
	e.builder.parts[id] = at
	e.order = append(e.order, at)
	for i, part := range e.parts {
		if part != id {
			continue
		}
		op := e.ops[i]
		e.last = ""
		if node, ok := e.known[op.At]; ok {
			if e.last = sentBefore(e.base.Graph, node); op.How == putAfter && strings.HasPrefix(e.kindOf(node), "send_") {
				e.last = node
			}
		}
	}
	e.draw(at)
}

func (e *editing) kindOf(id string) string {
	for _, n := range e.draft.Bundle.Graph.Nodes {
		if n.ID == id {
			return n.Kind
		}
	}
	return ""
}

// redirect gives the word "next" in a step's branches the block that stands for it.
func redirect(s Step, on string) Step {
	to := func(way string) string {
		if way == wayNext {
			return on
		}
		return way
	}
	s.Yes, s.No = to(s.Yes), to(s.No)
	s.Arms = slices.Clone(s.Arms)
	for i := range s.Arms {
		s.Arms[i].To = to(s.Arms[i].To)
	}
	return s
}

// freshMessages renames messages of new steps that have the name of one there is, unless that one is meant to go out again.
func (e *editing) freshMessages() {
	renamed := map[string]string{}
	for i := range e.ops {
		op := &e.ops[i]
		op.Steps = slices.Clone(op.Steps)
		for j, s := range op.Steps {
			if !strings.HasPrefix(s.Do, "send_") {
				continue
			}
			old := s.Message
			if _, taken := e.base.Creatives[slug(old)]; !taken && slug(old) != "" {
				continue
			}
			id, ok := renamed[old]
			for n := 1; !ok; n++ {
				id = strings.TrimSuffix(stemOf(s.Do)+"-text-"+strconv.Itoa(n), "-")
				_, taken := e.base.Creatives[id]
				ok = !taken && !slices.Contains(slices.Collect(maps.Values(renamed)), id)
			}
			renamed[old] = id
			op.Steps[j].Message = id
		}
	}
	for i := range e.ops {
		if _, exists := e.base.Creatives[slug(e.ops[i].At)]; e.ops[i].Do == opMessage && renamed[e.ops[i].At] != "" && (e.ops[i].Brief != "" || e.ops[i].CopyOf != "" || !exists) {
			e.ops[i].At = renamed[e.ops[i].At]
		}
	}
}

func stemOf(do string) string {
	if do == doSendEmail {
		return "mail"
	}
	return channelOf(do)
}

// newMessages are the briefs that come with the operations.
func (e *editing) newMessages() []Brief {
	var out []Brief
	for _, op := range e.ops {
		if op.Do == opMessage {
			if _, exists := e.base.Creatives[slug(op.At)]; !exists {
				out = append(out, Brief{ID: op.At, Brief: op.Brief})
			}
		}
	}
	return out
}

// sweep takes out steps that nothing leads to any more because of the edit, new steps that were not taken, and messages no step sends.
func (e *editing) sweep() {
	g := &e.draft.Bundle.Graph
	left := e.untaken()
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n engine.Node) bool { return left[n.ID] })
	before, after := reachable(e.base.Graph), reachable(*g)
	old := map[string]bool{}
	for _, n := range e.base.Graph.Nodes {
		old[n.ID] = true
	}
	sent := map[string]bool{}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n engine.Node) bool {
		_, removed := e.gone[n.ID]
		lost := !after[n.ID] && (before[n.ID] || !old[n.ID])
		if lost && old[n.ID] {
			e.gone[n.ID] = e.gone[n.ID]
			for i, op := range e.ops {
				if op.Do != opMessage && e.take(i) && len(e.ops) == 1 {
					e.touchOp(i, "node", n.ID)
				}
			}
		}
		if !removed && !lost {
			sent[bare(decodeConfig(n.Config).Creative)] = true
		}
		return removed || lost
	})
	kept := map[string]bool{}
	for _, n := range g.Nodes {
		kept[n.ID] = true
	}
	g.Edges = slices.DeleteFunc(g.Edges, func(x engine.Edge) bool { return !kept[x.From] || !kept[x.To] })
	for key := range e.draft.Bundle.Creatives {
		if _, was := e.base.Creatives[key]; !sent[key] && (!was || e.sentBy(key)) {
			delete(e.draft.Bundle.Creatives, key)
		}
	}
	e.writeNew(sent)
}

// untaken are the new steps of operations that are not taken.
func (e *editing) untaken() map[string]bool {
	out := map[string]bool{}
	for i, part := range e.parts {
		at := e.builder.parts[part]
		if at == nil || e.take(i) {
			continue
		}
		for node, step := range e.draft.Steps {
			if step != "" && slices.ContainsFunc(at.part.Steps, func(s Step) bool { return s.ID == step }) {
				out[node] = true
			}
		}
	}
	return out
}

// sentBy tells whether a step of the base sends a message.
func (e *editing) sentBy(key string) bool {
	return slices.ContainsFunc(e.base.Graph.Nodes, func(n engine.Node) bool { return bare(decodeConfig(n.Config).Creative) == key })
}

// writeNew gives the new messages their built-in texts, or those the edit brings.
func (e *editing) writeNew(sent map[string]bool) {
	creatives := e.draft.Bundle.Creatives
	fresh := Draft{Bundle: engine.Bundle{Graph: e.draft.Bundle.Graph, Creatives: map[string]engine.Creative{}, Workspace: e.set.Workspace}, Offsets: e.draft.Offsets}
	for _, key := range e.sends {
		if _, exists := e.base.Creatives[key]; sent[key] && !exists {
			fresh.Bundle.Creatives[key] = engine.Creative{Channel: e.ways[key], Blocks: []engine.Block{}}
		}
	}
	if len(fresh.Bundle.Creatives) == 0 {
		return
	}
	newWriter(fresh, e.spec, e.set).write(&fresh, e.spec)
	maps.Copy(creatives, fresh.Bundle.Creatives)
	for i, op := range e.ops {
		key := slug(op.At)
		if _, isNew := fresh.Bundle.Creatives[key]; op.Do != opMessage || !isNew || !e.take(i) {
			continue
		}
		if from, ok := creatives[slug(op.CopyOf)]; ok && op.CopyOf != "" {
			from.Name = strings.TrimSpace(from.Name + " B")
			creatives[key] = from
		}
		creatives[key] = reword(creatives[key], op)
	}
}

// reachable are the steps that can be reached from the entry and the goals.
func reachable(g engine.Graph) map[string]bool {
	seen := map[string]bool{}
	var queue []string
	for _, n := range g.Nodes {
		if n.Kind == "entry" || n.Kind == doGoal {
			queue = append(queue, n.ID)
		}
	}
	next := map[string][]string{}
	for _, edge := range g.Edges {
		next[edge.From] = append(next[edge.From], edge.To)
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if !seen[id] {
			seen[id] = true
			queue = append(queue, next[id]...)
		}
	}
	return seen
}

// mentions mends rules that name a message which is not sent any more: they name what came in its place, else the message before.
func (e *editing) mentions() {
	for i, n := range e.draft.Bundle.Graph.Nodes {
		changed := n.Config
		for id, other := range e.gone {
			if !strings.Contains(string(changed), `"`+id+`"`) || !strings.HasPrefix(kindIn(e.base.Graph, id), "send_") {
				continue
			}
			if other == "" || !strings.HasPrefix(e.kindOf(other), "send_") {
				other = sentBefore(e.draft.Bundle.Graph, n.ID)
			}
			var config any
			if json.Unmarshal(changed, &config) != nil {
				continue
			}
			changed = quote(renameStep(config, id, other))
		}
		if string(changed) != string(n.Config) {
			e.draft.Bundle.Graph.Nodes[i].Config = changed
			for op := range e.ops {
				if slices.ContainsFunc(e.touched[op], func(key string) bool { return e.isGone(key) }) {
					e.touchOp(op, "node", n.ID)
				}
			}
		}
	}
}

func (e *editing) isGone(key string) bool {
	id, isNode := strings.CutPrefix(key, "node:")
	_, gone := e.gone[id]
	return isNode && gone
}

func kindIn(g engine.Graph, id string) string {
	for _, n := range g.Nodes {
		if n.ID == id {
			return n.Kind
		}
	}
	return ""
}

// renameStep puts another step in the place of one in what rules say of messages. In a list of alternatives a step without another is left out.
func renameStep(v any, from, to string) any {
	switch v := v.(type) {
	case map[string]any:
		if m, ok := v["message"].(map[string]any); ok && m["step"] == from && to != "" {
			m["step"] = to
		}
		for key, inner := range v {
			v[key] = renameStep(inner, from, to)
		}
		return v
	case []any:
		out := make([]any, 0, len(v))
		for _, inner := range v {
			if m, ok := inner.(map[string]any); ok && len(v) > 1 {
				if about, ok := m["message"].(map[string]any); ok && about["step"] == from {
					continue
				}
			}
			out = append(out, renameStep(inner, from, to))
		}
		return out
	default:
		return v
	}
}
