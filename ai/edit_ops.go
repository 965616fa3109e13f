package ai

import (
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

func (e *editing) apply(op Op) {
	switch op.Do {
	case opPut:
		e.put(op)
	case opUpdate:
		e.update(op)
	case opRemove:
		e.remove(op)
	case opMove:
		e.move(op)
	case opBranch:
		e.branch(op)
	case opMessage:
		e.message(op)
	case opReplace:
		e.replaceText(op)
	case opSetting:
		e.setting(op)
	default:
		e.fault("FORM", op.At, "there is no operation "+op.Do)
	}
}

// find gives the node an edit means by an id: a node, a step it has put, or the block that begins with a node.
func (e *editing) find(id string) (string, bool) {
	if id == "trigger" {
		id = "entry"
	}
	for _, word := range []string{id, strings.TrimPrefix(id, "b-")} {
		if node, ok := e.known[word]; ok {
			if _, gone := e.gone[node]; gone {
				return "", false
			}
			return node, true
		}
	}
	if at, ok := e.builder.parts[id]; ok && at.head != "" {
		return at.head, true
	}
	return "", false
}

func (e *editing) must(id string) (string, bool) {
	node, ok := e.find(id)
	if !ok {
		e.fault("EDGE_BROKEN", id, "there is no step "+id+"; name a step of the funnel")
	}
	return node, ok
}

// target is where a way of a new step leads: "" ends the run.
func (e *editing) target(way, on string) string {
	switch {
	case strings.HasPrefix(way, "way on "):
		return on
	case slices.Contains(ends, strings.ToLower(way)):
		return ""
	}
	node, _ := e.find(way)
	return node
}

func (e *editing) edges() *[]engine.Edge { return &e.draft.Bundle.Graph.Edges }

// lead links a port to a step; "" unlinks it.
func (e *editing) lead(from, port, to string) {
	e.touch("edge", from+"."+port)
	edges := e.edges()
	for i, x := range *edges {
		if x.From == from && x.Port == port {
			if to == "" {
				*edges = slices.Delete(*edges, i, i+1)
			} else {
				(*edges)[i].To = to
			}
			return
		}
	}
	if to != "" {
		*edges = append(*edges, engine.Edge{From: from, Port: port, To: to})
	}
}

func (e *editing) leadsTo(from, port string) string {
	for _, x := range *e.edges() {
		if x.From == from && x.Port == port {
			return x.To
		}
	}
	return ""
}

// out are the ports of a step that go on together: the one asked for, else all that lead to the same place as the first.
func (e *editing) out(node, port string) (ports []string, to string, ok bool) {
	kind := e.kindOf(node)
	if port != "" && port != "out" {
		return []string{port}, e.leadsTo(node, port), true
	}
	if kind == "condition" || kind == doSplit {
		return nil, "", false
	}
	first := e.firstPort(kind)
	if kind == doGoal {
		first = "reached"
	}
	ports, to = []string{first}, e.leadsTo(node, first)
	if n := e.nodeOf(node); kind == "wait" && waitsForSomething(n) && e.leadsTo(node, "timeout") == to {
		ports = append(ports, "timeout")
	}
	return ports, to, true
}

func (e *editing) nodeOf(id string) engine.Node {
	for _, n := range e.draft.Bundle.Graph.Nodes {
		if n.ID == id {
			return n
		}
	}
	return engine.Node{}
}

func (e *editing) put(op Op) {
	at := e.builder.parts[e.parts[e.at]]
	if at == nil {
		return
	}
	if op.How == putBlock {
		e.finishPart(at, e.target(op.Next, ""))
		e.touchNew(at)
		return
	}
	node, ok := e.must(op.At)
	if !ok {
		return
	}
	e.touchNew(at)
	switch op.How {
	case putBefore:
		e.finishPart(at, node)
		e.replaceInto(node, at.head)
	case putReplace:
		ports, on, together := e.out(node, op.Port)
		if !together {
			on = e.leadsTo(node, firstLinked(e.base.Graph, node))
		}
		_ = ports
		e.finishPart(at, e.on(op, on))
		e.replaceInto(node, at.head)
		e.touch("node", node)
		e.gone[node] = at.head
	default:
		ports, on, together := e.out(node, op.Port)
		if !together {
			e.fault("PORT_UNKNOWN", op.At, "a branch has several ways out; name the port to put the steps after")
			return
		}
		e.finishPart(at, e.on(op, on))
		if at.head != "" {
			for _, p := range ports {
				e.lead(node, p, at.head)
			}
		}
	}
}

func firstLinked(g engine.Graph, node string) string {
	for _, x := range g.Edges {
		if x.From == node {
			return x.Port
		}
	}
	return ""
}

// on is where new steps go on: as before, unless the operation says otherwise.
func (e *editing) on(op Op, before string) string {
	if op.Next == "" || op.Next == wayNext {
		return before
	}
	return e.target(op.Next, before)
}

// finishPart leads the ends of a block of new steps on.
func (e *editing) finishPart(at *built, on string) {
	var ways []engine.Edge
	for _, t := range at.tails {
		ways = append(ways, engine.Edge{From: t.From, Port: t.Port, To: on})
	}
	for _, x := range at.exits {
		ways = append(ways, engine.Edge{From: x.edge.From, Port: x.edge.Port, To: e.target(x.to, on)})
	}
	for _, w := range ways {
		if w.To != "" {
			e.lead(w.From, w.Port, w.To)
		}
	}
}

// touchNew claims the steps of a block for the operation at work.
func (e *editing) touchNew(at *built) {
	for node, step := range e.draft.Steps {
		if slices.ContainsFunc(at.part.Steps, func(s Step) bool { return s.ID == step }) {
			e.touch("node", node)
		}
	}
	for _, x := range at.exits {
		if node, ok := e.find(x.to); ok {
			e.touch("edge", "into "+node)
			if !slices.ContainsFunc(e.base.Graph.Nodes, func(n engine.Node) bool { return n.ID == node }) {
				e.touch("node", node)
			}
		}
	}
}

// replaceInto leads all ways into a step to another one, but for those of the new steps themselves.
func (e *editing) replaceInto(node, head string) {
	if head == "" {
		return
	}
	fresh := map[string]bool{}
	for id := range e.draft.Steps {
		fresh[id] = true
	}
	for _, x := range slices.Clone(*e.edges()) {
		if x.To == node && !fresh[x.From] {
			e.lead(x.From, x.Port, head)
		}
	}
}

func (e *editing) remove(op Op) {
	node, ok := e.must(op.At)
	if !ok {
		return
	}
	if node == "entry" || e.kindOf(node) == "entry" {
		e.fault("ENTRY_ONE", op.At, "the start cannot be removed; change it instead")
		return
	}
	on := ""
	for _, n := range e.portsOf(node) {
		if on = e.leadsTo(node, n); on != "" {
			break
		}
	}
	e.touch("node", node)
	e.gone[node] = ""
	for _, x := range slices.Clone(*e.edges()) {
		if x.To == node && x.From != node {
			e.lead(x.From, x.Port, on)
		}
	}
	*e.edges() = slices.DeleteFunc(*e.edges(), func(x engine.Edge) bool { return x.From == node })
}

// portsOf are the linked ports of a step; of a branch those that go on without what it asked for come first.
func (e *editing) portsOf(node string) []string {
	var out []string
	for _, x := range *e.edges() {
		if x.From == node {
			out = append(out, x.Port)
		}
	}
	return out
}

func (e *editing) move(op Op) {
	node, ok := e.must(op.At)
	after, found := e.must(op.After)
	if !ok || !found || node == after {
		return
	}
	ports, on, together := e.out(node, "")
	if !together || e.kindOf(node) == doGoal || e.kindOf(node) == "entry" {
		e.fault("PORT_UNKNOWN", op.At, "only a step with one way out can be moved")
		return
	}
	e.touch("node", node)
	for _, x := range slices.Clone(*e.edges()) {
		if x.To == node {
			e.lead(x.From, x.Port, on)
		}
	}
	into, next, together := e.out(after, op.Port)
	if !together {
		e.fault("PORT_UNKNOWN", op.After, "a branch has several ways out; name the port")
		return
	}
	for _, p := range ports {
		e.lead(node, p, next)
	}
	for _, p := range into {
		e.lead(after, p, node)
	}
}

func (e *editing) branch(op Op) {
	node, ok := e.must(op.At)
	if !ok {
		return
	}
	to := e.target(op.To, "")
	if to == "" && !slices.Contains(ends, strings.ToLower(op.To)) {
		e.fault("EDGE_BROKEN", op.At, "leads to "+op.To+", which does not exist")
		return
	}
	e.touch("node", to)
	e.lead(node, op.Port, to)
}

// meet puts a join where ways come together that did not before.
func (e *editing) meet() {
	g := &e.draft.Bundle.Graph
	entry := ""
	old := map[string]bool{}
	for _, n := range e.base.Graph.Nodes {
		if old[n.ID] = true; n.Kind == "entry" {
			entry = n.ID
		}
	}
	back := backEdges(g.Edges, entry)
	for _, n := range slices.Clone(g.Nodes) {
		var into []int
		froms, fresh := map[string]bool{}, false
		for i, x := range g.Edges {
			if x.To == n.ID && !back[i] {
				into = append(into, i)
				froms[x.From] = true
				fresh = fresh || !old[x.From]
			}
		}
		if len(froms) < 2 || !fresh || n.Kind == "join" {
			continue
		}
		join := e.node("join", "join", "", "", map[string]any{})
		for _, i := range into {
			g.Edges[i].To = join
		}
		g.Edges = append(g.Edges, engine.Edge{From: join, Port: "next", To: n.ID})
	}
}
