package engine

import (
	"fmt"
	"time"
)

// defaultMaxHops is how many nodes a run may be let into at one instant before it is parked, and about how many in one
// transition: a run with more to catch up on goes on in the next.
const defaultMaxHops = 50

// Why a run ended or parked.
const (
	ReasonFinished  = "finished"   // it came to the end of its way
	ReasonGoal      = "goal"       // a goal was reached, and its closing steps are done
	ReasonLoopLimit = "loop_limit" // parked: too many nodes at one instant
)

// Advance moves a run as far as it can go at Input.Now: through a wait that is over, to a goal that was reached, through
// nodes that take no time, until something holds it or it ends. It is pure: the same arguments give the same answer.
//
// Facts in hand come before the clock. A rule that is a goal is asked first. Then signals are heard in order of arrival,
// each by the goals, then by the node that holds the run; only when neither wants it may deadlines that lie before it
// pass: what comes while a run is overdue still counts, so that whoever orders gets no reminder because a worker was late.
// At last time passes until now. Every instant counted from is a due instant: the waits of a run that is woken late do not
// drift, and without signals it goes the way of one that was woken in time.
//
// A run that has come to the end of its way may have messages that have not left; for as long it Lingers, and Advance lets
// goals hear its signals. One that is reached takes it on; else it stays as it is.
//
// An error means that run and plan do not belong together, never that an author made a mistake.
func Advance(plan *Plan, run Run, in Input) (Transition, error) {
	if run.Status != Active && !run.Lingers() {
		return Transition{}, fmt.Errorf("advance run %s: it is %s, not active", run.ID, run.Status)
	}
	if plan.nodes[run.Node] == nil {
		return Transition{}, fmt.Errorf("advance run %s: its version has no step %q", run.ID, run.Node)
	}
	if in.Cut && !CanCut(plan, run) {
		return Transition{}, fmt.Errorf("cut the wait of run %s: it is in none", run.ID)
	}
	w := newWalk(plan, run, in)
	if run.Lingers() {
		w.over, w.run.Status, w.run.Reason = true, Active, ""
	}
	w.watchGoals(nil)
	w.enter(w.horizon(0))
	for i := range in.Signals {
		w.hear(&in.Signals[i])
		w.enter(w.horizon(i + 1))
	}
	w.heard = true
	for w.ask(nil, in.Now) {
		w.enter(in.Now)
	}
	if in.Cut && w.run.Seq == run.Seq && w.held() {
		w.cut()
		w.enter(in.Now)
	}
	if w.over {
		run.WakeAt = time.Time{}
		return Transition{Run: run}, nil
	}
	return w.transition(), nil
}

// Lingers tells that the run came to the end of its way without a goal: what it has not sent yet, a goal or a restart still takes back.
func (r Run) Lingers() bool { return r.Status == Done && r.Goal == "" }
