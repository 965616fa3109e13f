package engine

import (
	"fmt"
	"time"
)

// Why somebody else than the run itself ended it.
const (
	ReasonUnsubscribed = "unsubscribed"
	ReasonReplaced     = "replaced" // by a newer trigger, under re-entry "restart"
	ReasonErased       = "erased"
	ReasonMerged       = "merged"
	ReasonStopped      = "stopped" // by a person
	ReasonLeft         = "left"    // by a step: exit_funnel, of this funnel or of another
)

// Exit ends a run from outside. Its messages that have not left are void.
func Exit(run Run, reason string) Transition {
	run.Status, run.Reason = Exited, reason
	run.WakeAt, run.Deadline = time.Time{}, time.Time{}
	return Transition{Run: run, Void: true, VoidBefore: run.Seq + 1}
}

// Retry lets a parked run try its node again.
func Retry(run Run, now time.Time) (Transition, error) {
	if run.Status != Parked {
		return Transition{}, fmt.Errorf("retry run %s: it is %s, not parked", run.ID, run.Status)
	}
	run.Status, run.Reason, run.WakeAt = Active, "", now
	return Transition{Run: run}, nil
}

// Skip takes a parked or waiting run past its node by the first port, due now.
func Skip(plan *Plan, run Run, now time.Time) (Transition, error) {
	node := plan.nodes[run.Node]
	if node == nil {
		return Transition{}, fmt.Errorf("skip a step of run %s: its version has no step %q", run.ID, run.Node)
	}
	if run.Status != Parked && run.Status != Active {
		return Transition{}, fmt.Errorf("skip a step of run %s: it is %s", run.ID, run.Status)
	}
	w := newWalk(plan, run, Input{Now: now})
	w.run.Status, w.run.Reason = Active, ""
	w.run.Seq++
	w.leave(node, Outcome{Port: node.ports[0].ID, At: now, Detail: map[string]any{"skipped": true}})
	return w.transition(), nil
}
