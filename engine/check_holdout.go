package engine

import (
	"fmt"
	"strings"
)

// checkHoldOuts warns of people who are held back and yet get messages: there is nothing left to compare the others with.
func (i *inspection) checkHoldOuts() {
	i.eachNode(func(node *Node, k *Checker) {
		split, ok := i.nodes[node.ID].step.config.(splitConfig)
		if !ok || node.Off || split.holdOut() == "" {
			return
		}
		port := split.holdOut()
		var names, steps []string
		for _, id := range i.sendersFrom(i.nodes[node.ID].next[port]) {
			names, steps = append(names, i.nameOf(id)), append(steps, id)
		}
		if len(steps) > 0 {
			k.Warning(CodeHoldOutSends, "arms", fmt.Sprintf(
				"The people held back by %s still get %s, so there is nothing to compare the others with. End their way before it, or take the mark away.",
				i.nameOf(node.ID), list(names))).with("steps", strings.Join(steps, ", ")).port(port)
		}
	})
}

// sendersFrom lists the messages a run can come to from a node, in the order of the document.
func (i *inspection) sendersFrom(start string) []string {
	seen := map[string]bool{}
	for todo := []string{start}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		node := i.nodes[id]
		if node == nil || seen[id] {
			continue
		}
		seen[id] = true
		if node.endsHere() {
			continue
		}
		for _, next := range node.next {
			todo = append(todo, next)
		}
	}
	var found []string
	i.eachNode(func(node *Node, _ *Checker) {
		if _, sends := i.nodes[node.ID].step.config.(sender); sends && !node.Off && seen[node.ID] {
			found = append(found, node.ID)
		}
	})
	return found
}
