package ai

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/lejek/lejek/engine"
)

// Setting is what a plan is compiled against.
type Setting struct {
	Kinds     Kinds
	Workspace *engine.Workspace // names the funnel may refer to; nil when unknown
	Language  string            // of notes and texts: en, pl, ru
}

// Draft is a compiled plan. Notes are sentences for the person about what was changed, substituted or left out; Problems are
// faults of the plan itself, with steps named as the plan names them, which the compiler mended as well as it could and a
// model can mend better.
type Draft struct {
	Bundle   engine.Bundle
	Notes    []string
	Problems []engine.Problem
	Steps    map[string]string // node id -> id in the plan
	Offsets  map[string]int    // message id -> hours from entry to its send, along the longest way
}

// Compile makes a bundle out of a plan: nodes and edges out of blocks, joins where branches meet, goals lifted out, entry and
// re-entry, one creative per message without its text (the texts come from [Write]). It never fails: what cannot be drawn is
// left out and said in Notes, so any Spec gives a graph that the validator can judge.
func Compile(s Spec, set Setting) Draft {
	b := &builder{spec: s, set: set, say: sayIn(cmp.Or(set.Language, s.Lang)), ids: map[string]bool{}, count: map[string]int{},
		ways: map[string]string{}}
	b.draft.Steps = map[string]string{}
	b.draft.Offsets = map[string]int{}
	b.mend()
	b.entry()
	b.walk()
	b.link()
	b.joins()
	b.sortEdges()
	b.draft.Bundle.Graph.Schema = engine.SchemaVersion
	b.creatives()
	return b.draft
}

// builder holds a compilation.
type builder struct {
	spec  Spec
	set   Setting
	say   phrases
	draft Draft

	ids   map[string]bool
	count map[string]int
	parts map[string]*built
	order []*built
	sends []string          // keys of the creatives that are sent, in order
	ways  map[string]string // creative -> the channel it is written for
	last  string            // the message a plain "opened" or "clicked" means: the one sent last before it
}

// built is a block with its nodes: head is the first node ("" for an empty block), tails are the ports its end leaves by.
type built struct {
	part  Part
	head  string
	tails []engine.Edge
	from  int    // hours from entry, along the longest way
	last  string // message sent last on the way here
	exits []exit
}

// exit is a port that leads to another block.
type exit struct {
	edge engine.Edge
	to   string
}

func (b *builder) note(key string, args ...string) {
	n := b.say.line(key, args...)
	if !slices.Contains(b.draft.Notes, n) {
		b.draft.Notes = append(b.draft.Notes, n)
	}
}

func (b *builder) problem(code, at, message string) {
	b.draft.Problems = append(b.draft.Problems, engine.Problem{Code: code, Severity: engine.Error, Node: at, Message: message})
}

// id gives the next free id of a kind: mail-1, mail-2, wait-1.
func (b *builder) id(stem string) string {
	for {
		b.count[stem]++
		id := stem + "-" + strconv.Itoa(b.count[stem])
		if !b.ids[id] {
			b.ids[id] = true
			return id
		}
	}
}

func (b *builder) node(stem, kind, name, planID string, config map[string]any) string {
	id := stem
	if stem != "entry" {
		id = b.id(stem)
	}
	b.draft.Bundle.Graph.Nodes = append(b.draft.Bundle.Graph.Nodes, engine.Node{ID: id, Kind: kind, Name: name, Config: quote(config)})
	b.draft.Steps[id] = planID
	return id
}

func (b *builder) edge(e engine.Edge) {
	b.draft.Bundle.Graph.Edges = append(b.draft.Bundle.Graph.Edges, e)
}

// walk draws the blocks that can be reached from the first one, breadth first.
func (b *builder) walk() {
	b.parts = map[string]*built{}
	byID := map[string]Part{}
	for _, p := range b.spec.Blocks {
		byID[p.ID] = p
	}
	if len(b.spec.Blocks) == 0 {
		return
	}
	queue := []*built{{part: b.spec.Blocks[0]}}
	b.parts[b.spec.Blocks[0].ID] = queue[0]
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		b.order = append(b.order, at)
		b.last = at.last
		hours := b.draw(at)
		for _, next := range b.targets(at) {
			if known, ok := b.parts[next]; ok {
				known.last = cmp.Or(known.last, b.last)
				continue
			}
			part, ok := byID[next]
			if !ok {
				continue
			}
			b.parts[next] = &built{part: part, from: hours, last: b.last}
			queue = append(queue, b.parts[next])
		}
	}
	for _, p := range b.spec.Blocks {
		if _, ok := b.parts[p.ID]; !ok && len(p.Steps) > 0 {
			b.note("block_unreachable", p.ID)
		}
	}
}

func (b *builder) targets(at *built) []string {
	var out []string
	for _, x := range at.exits {
		out = append(out, x.to)
	}
	return append(out, at.part.Next)
}

// draw makes the nodes of one block and returns the hours from entry at its end.
func (b *builder) draw(at *built) int {
	hours := at.from
	steps := at.part.Steps
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if s.Do == doGoal {
			continue // lifted out
		}
		var head string
		var tails []engine.Edge
		switch {
		case s.Do == doWaitUntil && i+1 < len(steps) && steps[i+1].Do == doIf && steps[i+1].Event == s.Event && steps[i+1].Ref == s.Ref && s.TimeoutHours > 0 && asksWhether(steps[i+1]):
			head = b.waitUntil(s)
			yes, no := engine.Edge{From: head, Port: "next"}, engine.Edge{From: head, Port: "timeout"}
			at.exits = append(at.exits, exit{yes, steps[i+1].Yes}, exit{no, steps[i+1].No})
			hours += s.TimeoutHours
			i = len(steps)
		case s.Do == doIf:
			head = b.condition(s, hours)
			at.exits = append(at.exits, exit{engine.Edge{From: head, Port: "yes"}, s.Yes}, exit{engine.Edge{From: head, Port: "no"}, s.No})
			i = len(steps)
		case s.Do == doBook && s.Yes != "":
			head, _ = b.step(s, hours)
			at.exits = append(at.exits, exit{engine.Edge{From: head, Port: "booked"}, s.Yes}, exit{engine.Edge{From: head, Port: "full"}, s.No})
			i = len(steps)
		case s.Do == doSplit:
			var exits []exit
			head, exits = b.split(s)
			at.exits = append(at.exits, exits...)
			i = len(steps)
		default:
			head, tails = b.step(s, hours)
			hours += waitHours(s)
		}
		for _, t := range at.tails {
			t.To = head
			b.edge(t)
		}
		if at.head == "" {
			at.head = head
		}
		at.tails = tails
	}
	return hours
}

// asksWhether tells whether a branch asks only if the event happened.
func asksWhether(s Step) bool { return s.Op == "" || s.Op == "is" || s.Op == "within_days" }

func waitHours(s Step) int {
	switch s.Do {
	case doWait:
		per := map[string]float64{"minutes": 1.0 / 60, "hours": 1, "days": 24, "weeks": 168}[s.Unit]
		return int(float64(s.N) * per)
	case doWaitUntil:
		return s.TimeoutHours
	default:
		return 0
	}
}

// head finds the first node of a block, going through empty blocks; "" is the end of the run.
func (b *builder) head(id string) string {
	for range len(b.parts) + 1 {
		p, ok := b.parts[id]
		if !ok {
			return ""
		}
		if p.head != "" {
			return p.head
		}
		id = p.part.Next
	}
	return ""
}

// link joins blocks to each other, and the entry to the first.
func (b *builder) link() {
	if len(b.order) > 0 {
		if to := b.head(b.order[0].part.ID); to != "" {
			b.edge(engine.Edge{From: "entry", Port: "next", To: to})
		}
	}
	for _, p := range b.order {
		for _, x := range p.exits {
			if to := b.head(x.to); to != "" {
				x.edge.To = to
				b.edge(x.edge)
			}
		}
		if to := b.head(p.part.Next); to != "" {
			for _, t := range p.tails {
				t.To = to
				b.edge(t)
			}
		}
	}
	b.goals()
}

// joins puts a join before a step that several branches lead to. Ways back, which make a loop, lead to the step itself.
func (b *builder) joins() {
	g := &b.draft.Bundle.Graph
	back := backEdges(g.Edges, "entry")
	into := map[string][]int{}
	from := map[string]map[string]bool{}
	for i, e := range g.Edges {
		if back[i] {
			continue
		}
		into[e.To] = append(into[e.To], i)
		if from[e.To] == nil {
			from[e.To] = map[string]bool{}
		}
		from[e.To][e.From] = true
	}
	for _, n := range append([]engine.Node(nil), g.Nodes...) {
		if len(from[n.ID]) < 2 || n.Kind == "join" {
			continue
		}
		id := b.node("join", "join", "", "", map[string]any{})
		for _, i := range into[n.ID] {
			g.Edges[i].To = id
		}
		b.edge(engine.Edge{From: id, Port: "next", To: n.ID})
	}
}

// sortEdges puts the edges into the order of the nodes they leave.
func (b *builder) sortEdges() {
	at := map[string]int{}
	for i, n := range b.draft.Bundle.Graph.Nodes {
		at[n.ID] = i
	}
	slices.SortStableFunc(b.draft.Bundle.Graph.Edges, func(x, y engine.Edge) int { return at[x.From] - at[y.From] })
}

// backEdges finds the edges that lead back to a step on the way to them.
func backEdges(edges []engine.Edge, root string) map[int]bool {
	out := map[string][]int{}
	for i, e := range edges {
		out[e.From] = append(out[e.From], i)
	}
	back, state := map[int]bool{}, map[string]int{}
	var visit func(string)
	visit = func(n string) {
		state[n] = 1
		for _, i := range out[n] {
			switch to := edges[i].To; state[to] {
			case 0:
				visit(to)
			case 1:
				back[i] = true
			}
		}
		state[n] = 2
	}
	visit(root)
	return back
}

// creatives makes an empty creative for each message that is sent; the texts come later.
func (b *builder) creatives() {
	if len(b.sends) == 0 {
		return
	}
	b.draft.Bundle.Creatives = map[string]engine.Creative{}
	for _, s := range b.sends {
		b.draft.Bundle.Creatives[s] = engine.Creative{Channel: b.ways[s], Blocks: []engine.Block{}}
	}
}
