package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checkEdges follows every link; those that lead somewhere become part of the nodes.
func (i *inspection) checkEdges() {
	for at, edge := range i.bundle.Graph.Edges {
		place := "edges." + strconv.Itoa(at)
		_, fromKnown := i.index[edge.From]
		_, toKnown := i.index[edge.To]
		switch {
		case !fromKnown && !toKnown:
			i.problem.Error(CodeEdgeBroken, place, fmt.Sprintf("A link leads from %s to %s, and neither is there. Remove it.", quote(edge.From), quote(edge.To)))
			continue
		case !fromKnown:
			i.checker(edge.To).Error(CodeEdgeBroken, place, fmt.Sprintf("A link to %s begins at %s, which is not there. Remove it.", i.nameOf(edge.To), quote(edge.From))).
				with("from", edge.From)
			continue
		case !toKnown:
			i.checker(edge.From).Error(CodeEdgeBroken, place, fmt.Sprintf("A link from %s leads to %s, which is not there. Link it to a step, or remove it.", i.nameOf(edge.From), quote(edge.To))).
				with("to", edge.To).port(edge.Port)
			continue
		}
		i.checkEdge(edge, place)
	}
}

// checkEdge judges a link between two nodes that are there.
func (i *inspection) checkEdge(edge Edge, place string) {
	from, to := i.nodes[edge.From], i.nodes[edge.To]
	k := i.checker(edge.From)
	if to != nil && nodeKinds[to.kind].NoIn {
		k.Error(CodeEdgeBroken, place, fmt.Sprintf("A link leads into %s, but nothing can lead into a step of its kind. Remove it.", i.nameOf(edge.To))).
			with("to", edge.To).port(edge.Port)
		return
	}
	if from == nil {
		return // of an unknown kind, which is said already
	}
	if !slices.ContainsFunc(from.ports, func(p Port) bool { return p.ID == edge.Port }) {
		var known []string
		for _, port := range from.ports {
			known = append(known, port.ID)
		}
		k.Error(CodePortUnknown, place, fmt.Sprintf("A link leaves %s by %s, but its ways out are %s. Link it from one of these.",
			i.nameOf(edge.From), quote(edge.Port), strings.Join(known, ", "))).with("port", edge.Port).port(edge.Port)
		return
	}
	if first, taken := from.next[edge.Port]; taken {
		k.Error(CodePortTwice, place, fmt.Sprintf("Two links leave %s by %s: to %s and to %s. Remove one.",
			i.nameOf(edge.From), quote(edge.Port), i.nameOf(first), i.nameOf(edge.To))).with("port", edge.Port).port(edge.Port)
		return
	}
	from.next[edge.Port] = edge.To
}

// checkEntry looks for the one entry.
func (i *inspection) checkEntry() {
	var entries []string
	i.eachNode(func(node *Node, _ *Checker) {
		if node.Kind == KindEntry {
			entries = append(entries, node.ID)
		}
	})
	i.started = len(entries) > 0
	if !i.started {
		i.problem.Error(CodeEntryOne, "nodes", "This funnel has no start. Add one, with a trigger.")
	}
	for _, id := range entries[min(1, len(entries)):] {
		i.checker(id).Error(CodeEntryOne, "kind", fmt.Sprintf("This funnel has %d starts. Keep one; it can have several triggers.", len(entries))).
			with("count", strconv.Itoa(len(entries)))
	}
}

// checkReach looks for nodes that no way leads to, from the entry or from a goal.
func (i *inspection) checkReach() {
	seen := map[string]bool{}
	var todo []string
	i.eachNode(func(node *Node, _ *Checker) {
		if nodeKinds[node.Kind].NoIn {
			todo = append(todo, node.ID)
		}
	})
	if !i.started {
		return // without a start nothing is reached, and that is said already
	}
	// A link that is a problem of its own still leads somewhere: one mistake is one problem.
	follow := map[string][]string{}
	for _, edge := range i.bundle.Graph.Edges {
		if from := i.nodes[edge.From]; from != nil && from.endsHere() {
			continue
		}
		follow[edge.From] = append(follow[edge.From], edge.To)
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[id] {
			seen[id] = true
			todo = append(todo, follow[id]...)
		}
	}
	for at, node := range i.bundle.Graph.Nodes {
		if !seen[node.ID] && i.index[node.ID] == at {
			i.checker(node.ID).Error(CodeUnreachable, "id", fmt.Sprintf("No way leads to %s. Link a step to it, or remove it.", i.nameOf(node.ID))).
				with("name", node.Name)
		}
	}
}
