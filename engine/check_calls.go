package engine

import (
	"fmt"
	"slices"
	"strings"
)

// FunnelCalls is what is known of a live funnel that others may call.
type FunnelCalls struct {
	Callable bool     `json:"callable"`        // it can be started by hand
	Calls    []string `json:"calls,omitempty"` // slugs of the funnels it enters without a sure wait before
}

// CallsOf says which funnels a funnel enters without a sure wait before, and whether it can be called itself.
func CallsOf(bundle Bundle) FunnelCalls {
	i := inspect(bundle, false)
	calls := FunnelCalls{Callable: i.callable()}
	for _, call := range i.fastCalls() {
		if !slices.Contains(calls.Calls, call.funnel) {
			calls.Calls = append(calls.Calls, call.funnel)
		}
	}
	return calls
}

// Callable tells whether other funnels may start this one.
func (p *Plan) Callable() bool { return hasManual(p.triggers) }

func (i *inspection) callable() bool { return hasManual(i.triggers) }

func hasManual(triggers []trigger) bool {
	return slices.ContainsFunc(triggers, func(t trigger) bool { return t.event.Name == EventManualStart })
}

// funnelCall is a step that enters another funnel.
type funnelCall struct{ node, funnel string }

// fastCalls are the calls a person may come to at once, in the order of the document: on a way from a start or a goal on
// which nothing holds them for sure. Waiting for another funnel to end is no sure wait.
func (i *inspection) fastCalls() []funnelCall {
	seen := map[string]bool{}
	var todo []string
	i.eachNode(func(node *Node, _ *Checker) {
		if nodeKinds[node.Kind].NoIn {
			todo = append(todo, node.ID)
		}
	})
	links := i.fastLinks()
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[id] {
			seen[id] = true
			todo = append(todo, links[id]...)
		}
	}
	var calls []funnelCall
	i.eachNode(func(node *Node, _ *Checker) {
		bound := i.nodes[node.ID]
		if config, ok := bound.step.config.(enterConfig); ok && seen[node.ID] && !bound.off {
			calls = append(calls, funnelCall{node.ID, slugOf(config.Funnel)})
		}
	})
	return calls
}

// checkRings refuses a call that leads back to this funnel through others, without a sure wait anywhere.
func (i *inspection) checkRings() {
	workspace := i.bundle.Workspace
	if workspace == nil || workspace.Self == "" {
		return
	}
	for _, call := range i.fastCalls() {
		ring := workspace.wayBack(call.funnel)
		if ring == nil {
			continue
		}
		var names []string
		for _, slug := range ring {
			names = append(names, quote(slug))
		}
		i.checker(call.node).Error(CodeCycleNoWait, "funnel", fmt.Sprintf(
			"This funnel calls %s, which calls this one again, and nothing on the way holds a person for sure. They would go round at once. Put a wait of a minute or more before one of the calls.",
			strings.Join(names, ", which calls "))).with("steps", call.node).with("funnels", strings.Join(ring, ", "))
	}
}

// wayBack is the shortest chain of calls from a funnel to this one, without this one; nil when there is none.
func (w *Workspace) wayBack(from string) []string {
	if from == w.Self {
		return []string{from}
	}
	came := map[string]string{from: ""}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, next := range w.Calls[todo[0]].Calls {
			if next == w.Self {
				var chain []string
				for at := todo[0]; at != ""; at = came[at] {
					chain = append([]string{at}, chain...)
				}
				return chain
			}
			if _, seen := came[next]; !seen {
				came[next] = todo[0]
				todo = append(todo, next)
			}
		}
	}
	return nil
}

// checkCallable refuses a funnel that is known and cannot be started by hand.
func (k *Checker) checkCallable(key, slug string) {
	if k.bundle.Workspace == nil || !k.content {
		return
	}
	if calls, live := k.bundle.Workspace.Calls[slug]; live && !calls.Callable {
		k.Invalid(key, fmt.Sprintf("The funnel %s cannot be called: it does not start by hand. Add that to what starts it, and publish it.", quote(slug))).
			with("value", slug)
	}
}
