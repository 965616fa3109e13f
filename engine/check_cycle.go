package engine

import (
	"fmt"
	"slices"
	"strings"
)

// checkCycles looks for loops in which nothing holds a run for sure. Without the nodes that always take a minute, no loop
// may be left: each strongly connected part of what remains is one problem.
func (i *inspection) checkCycles() {
	if len(i.index) < len(i.bundle.Graph.Nodes) {
		return // two steps share an id: nobody can tell which of them a link means
	}
	for _, loop := range i.fastLoops() {
		var names []string
		for _, id := range loop {
			names = append(names, i.nameOf(id))
		}
		message := fmt.Sprintf("%s form a loop without a sure wait, so a person would go round at once and for ever.", list(names))
		if len(loop) == 1 {
			message = fmt.Sprintf("%s leads to itself without a sure wait, so a person would go round at once and for ever.", names[0])
		}
		i.checker(loop[0]).Error(CodeCycleNoWait, "id",
			message+" Put a wait of a minute or more, or until a weekday, into the loop. A wait until a date or an event may be over at once.").
			with("steps", strings.Join(loop, ", "))
	}
}

// fastLoops finds the strongly connected parts that loop, by Tarjan's algorithm without recursion. Nodes stand in the
// order of the document.
func (i *inspection) fastLoops() [][]string {
	t := &tarjan{links: i.fastLinks(), number: map[string]int{}, low: map[string]int{}, open: map[string]bool{}}
	for _, node := range i.bundle.Graph.Nodes {
		if t.links[node.ID] != nil && t.number[node.ID] == 0 {
			t.visit(node.ID)
		}
	}
	byPlace := func(a, b string) int { return i.index[a] - i.index[b] }
	for _, loop := range t.loops {
		slices.SortFunc(loop, byPlace)
	}
	slices.SortFunc(t.loops, func(a, b []string) int { return byPlace(a[0], b[0]) })
	return t.loops
}

// fastLinks are the links between nodes that may take no time. A node that is off takes none.
func (i *inspection) fastLinks() map[string][]string {
	links := map[string][]string{}
	fast := func(id string) bool {
		node := i.nodes[id]
		return node != nil && (node.off || i.bound[id] && !node.step.slow)
	}
	i.eachNode(func(node *Node, _ *Checker) {
		if !fast(node.ID) {
			return
		}
		links[node.ID] = []string{}
		from := i.nodes[node.ID]
		if from.endsHere() {
			return
		}
		for at, port := range from.ports {
			if from.off && at > 0 {
				break // a node that is off is left by its first port only
			}
			if to, linked := from.next[port.ID]; linked && fast(to) {
				links[node.ID] = append(links[node.ID], to)
			}
		}
	})
	return links
}

// tarjan walks a graph depth first; number is the order of arrival from 1, low the oldest node a node leads back to.
type tarjan struct {
	links  map[string][]string
	number map[string]int
	low    map[string]int
	open   map[string]bool
	stack  []string
	loops  [][]string
}

func (t *tarjan) visit(root string) {
	type frame struct {
		id   string
		next int
	}
	frames := []frame{{id: root}}
	t.arrive(root)
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.next < len(t.links[f.id]) {
			to := t.links[f.id][f.next]
			f.next++
			if t.number[to] == 0 {
				t.arrive(to)
				frames = append(frames, frame{id: to})
			} else if t.open[to] {
				t.low[f.id] = min(t.low[f.id], t.number[to])
			}
			continue
		}
		id := f.id
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			parent := frames[len(frames)-1].id
			t.low[parent] = min(t.low[parent], t.low[id])
		}
		if t.low[id] == t.number[id] {
			t.close(id)
		}
	}
}

func (t *tarjan) arrive(id string) {
	t.number[id] = len(t.number) + 1
	t.low[id] = t.number[id]
	t.open[id] = true
	t.stack = append(t.stack, id)
}

// close takes the part that began at id off the stack and keeps it when it loops.
func (t *tarjan) close(id string) {
	at := slices.Index(t.stack, id)
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, member := range part {
		t.open[member] = false
	}
	if len(part) > 1 || slices.Contains(t.links[id], id) {
		t.loops = append(t.loops, part)
	}
}

// list joins names for a sentence: a, b and c.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
