package engine

import (
	"fmt"
	"reflect"
	"time"
)

// KindMoved is the kind of the line a move leaves in a run's journal.
const KindMoved = "moved"

// Stays tells what moving a run that a step holds does to its stay.
type Stays string

// What becomes of a stay.
const (
	StaysOn    Stays = "same"       // the same wait: it ends when it would have ended
	StaysAnew  Stays = "recomputed" // another wait of the same kind: counted again, from the instant they came
	StaysAgain Stays = "again"      // they come to the step now
	StaysNever Stays = "held"       // an answer is awaited that only the old step can take: nobody is moved to it
)

// Carries tells what moving a run from a step of one plan to a step of another does to a stay; held tells that the step
// holds the run now, which a parked one mostly is not.
func Carries(from *Plan, at string, to *Plan, node string, held bool) Stays {
	was, is := from.nodes[at], to.nodes[node]
	switch {
	case !held, was == nil, is == nil, was.kind != is.kind, is.off:
		return StaysAgain
	case was.kind != "wait":
		return StaysNever
	case reflect.DeepEqual(configOf(Node{Config: was.raw}), configOf(Node{Config: is.raw})):
		return StaysOn
	default:
		return StaysAnew
	}
}

// Move takes a run from the version it is on to a step of another one. It may be active, paused or parked; it becomes active
// and due now, and goes on by Advance. Messages of the visits so far are void. events is what happened to the person since
// the run began, oldest first: a goal of the new version that one of them is, or a rule that is true, is reached at once.
// Detail goes into the journal.
//
// Who waits stays the time they would have stayed (Carries); everybody else comes to the step now.
func Move(from, to *Plan, run Run, node string, events []Event, detail map[string]any, in Input) (Transition, error) {
	if run.Status == Done || run.Status == Exited {
		return Transition{}, fmt.Errorf("move run %s: it has ended", run.ID)
	}
	target := to.nodes[node]
	if target == nil {
		return Transition{}, fmt.Errorf("move run %s: the new version has no step %q", run.ID, node)
	}
	stays := Carries(from, run.Node, to, node, !run.Deadline.IsZero())
	run.Status, run.Reason = Active, ""
	switch stays {
	case StaysOn:
	case StaysAnew:
		run.Deadline = time.Time{}
	case StaysNever:
		return Transition{}, fmt.Errorf("move run %s: it waits for an answer at %q", run.ID, run.Node)
	default:
		run.Deadline = time.Time{}
		run.At = in.Now
	}
	w := newWalk(to, run, in)
	w.run.Node = node
	w.run.Seq++
	w.out.Visits = append(w.out.Visits, Visit{Seq: w.run.Seq, Node: node, Kind: KindMoved, At: in.Now, Detail: detail})
	w.out.Void, w.out.VoidBefore = true, w.run.Seq
	for i := 0; i < len(events) && w.run.Goal == ""; i++ {
		if w.plan.Listens(w.run.Key, events[i]) {
			w.watchGoals(&events[i])
		}
	}
	out := w.transition()
	if out.Run.Status == Active {
		out.Run.WakeAt = in.Now
	}
	return out, nil
}

// GoalEvents lists the names of events that are a goal, sorted.
func (p *Plan) GoalEvents() []string {
	names := set{}
	for _, goal := range p.goals {
		names.add(goal.step.wakes...)
	}
	return names.sorted()
}

// Has tells whether the plan has a step of that id that a run can be at.
func (p *Plan) Has(node string) bool { return p.nodes[node] != nil }
