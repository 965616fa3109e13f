package engine

// CanCut tells whether a run is in a wait that ends by time, so that a person may end it. Whoever waits for an answer from
// outside is in none: only the answer tells by which port to go on.
func CanCut(plan *Plan, run Run) bool {
	node := plan.nodes[run.Node]
	return run.Status == Active && !run.Deadline.IsZero() && node != nil && (node.kind == "wait" || node.kind == KindThrottle)
}

// cut ends the wait that holds the run as if its time had come now: by timeout where the wait has one, else by next.
func (w *walk) cut() {
	node := w.plan.nodes[w.run.Node]
	port := node.ports[0].ID
	for _, p := range node.ports {
		if p.ID == portTimeout {
			port = portTimeout
		}
	}
	until := w.run.Deadline
	w.run.Seq++
	w.leave(node, Outcome{Port: port, At: w.in.Now, Detail: map[string]any{"until": until, "cut": true}})
}
