package engine

import (
	"slices"
	"strings"
)

// givers knows which steps give the run variables, and which ways through the funnel lead past them. A step gives them by
// its first port only: by another one it has failed at what it was to bring. A step that is off gives nothing.
type givers struct {
	roots  []string            // entry and goals, where runs and closing steps begin
	next   map[string][]link   // by node
	giving map[string][]string // nodes by variable
	unsure map[string]bool     // variables that a giver may leave out
}

// link is one way out of a node.
type link struct {
	port  string
	first bool
	to    string
}

func (i *inspection) findGivers() {
	i.given = givers{next: map[string][]link{}, giving: map[string][]string{}, unsure: map[string]bool{}}
	i.eachNode(func(node *Node, _ *Checker) {
		n := i.nodes[node.ID]
		if nodeKinds[node.Kind].NoIn {
			i.given.roots = append(i.given.roots, node.ID)
		}
		for at, port := range n.ports {
			if to, linked := n.next[port.ID]; linked && (at == 0 || !n.off) {
				i.given.next[node.ID] = append(i.given.next[node.ID], link{port: port.ID, first: at == 0, to: to})
			}
		}
		if n.off || !i.bound[node.ID] {
			return
		}
		for _, name := range n.step.gives {
			i.given.giving[name] = append(i.given.giving[name], node.ID)
			i.given.unsure[name] = i.given.unsure[name] || !n.step.surely
		}
	})
}

// before names the variables that some way to a node gives, sorted.
func (g *givers) before(node string) []string {
	var names []string
	for name, nodes := range g.giving {
		if slices.ContainsFunc(nodes, func(giver string) bool { return g.leads(giver, node) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// leads tells whether a run that leaves a giver by its first port may come to a node.
func (g *givers) leads(giver, node string) bool {
	for _, l := range g.next[giver] {
		if l.first && (l.to == node || g.way([]string{l.to}, node, nil) != nil) {
			return true
		}
	}
	return false
}

// bypass is a way from a beginning to a node on which nothing gives the variable, as the links taken; nil when there is none or the
// path names no variable of the run.
func (g *givers) bypass(node, path string) []stretch {
	name := variableOf(path)
	if len(g.giving[name]) == 0 {
		return nil
	}
	return g.way(g.roots, node, g.giving[name])
}

// surely tells whether a variable is there on every way to a node.
func (g *givers) surely(node, path string) bool {
	name := variableOf(path)
	return len(g.giving[name]) > 0 && !g.unsure[name] && path == "vars."+name && g.bypass(node, path) == nil
}

// variableOf is the variable of the run a path lies in; "" is none.
func variableOf(path string) string {
	name, ofRun := strings.CutPrefix(path, "vars.")
	if !ofRun {
		return ""
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

// stretch is one link of a way.
type stretch struct{ from, port, to string }

// way finds the shortest way from one of some nodes to another that leaves no giver by its first port; nil is none.
func (g *givers) way(from []string, to string, avoid []string) []stretch {
	came := map[string]stretch{}
	seen := map[string]bool{}
	todo := slices.Clone(from)
	for _, id := range from {
		seen[id] = true
	}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		for _, l := range g.next[id] {
			if l.first && slices.Contains(avoid, id) || seen[l.to] && l.to != to {
				continue
			}
			came[l.to] = stretch{id, l.port, l.to}
			if l.to == to {
				return trace(came, to, from)
			}
			seen[l.to] = true
			todo = append(todo, l.to)
		}
	}
	return nil
}

// trace follows a way back from its end.
func trace(came map[string]stretch, to string, from []string) []stretch {
	var way []stretch
	for at := to; len(way) <= len(came); {
		last, there := came[at]
		if !there {
			break
		}
		way = append(way, last)
		if at = last.from; slices.Contains(from, at) {
			break
		}
	}
	slices.Reverse(way)
	return way
}

// wayOf says a way for people: the ways out that were chosen, or where it begins when nothing was.
func (i *inspection) wayOf(way []stretch) string {
	var choices []string
	for _, taken := range way {
		ports := i.nodes[taken.from].ports
		if len(ports) < 2 {
			continue
		}
		at := slices.IndexFunc(ports, func(p Port) bool { return p.ID == taken.port })
		label := taken.port
		if at >= 0 && ports[at].Label != "" {
			label = ports[at].Label
		}
		choices = append(choices, quote(label)+" of "+i.nameOf(taken.from))
	}
	if len(choices) == 0 {
		return i.nameOf(way[0].from)
	}
	if len(choices) > maxChoices {
		choices = choices[len(choices)-maxChoices:]
	}
	return strings.Join(choices, ", ")
}

// maxChoices is how many branches of a way are told: the last ones, nearest to the text.
const maxChoices = 3
