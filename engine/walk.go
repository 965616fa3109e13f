package engine

import (
	"maps"
	"slices"
	"time"
)

// walk is a run on its way through one Advance.
type walk struct {
	plan    *Plan
	in      Input
	run     Run
	contact *Contact
	zone    *time.Location
	home    *time.Location
	due     time.Time // the deadline the run came with, until it leaves its node
	look    time.Time // when the node that holds the run wants to look again
	goals   time.Time // when a goal wants to look again
	hops    int       // nodes entered since time last passed
	total   int       // nodes entered
	heard   bool      // every signal was heard
	over    bool      // the run came to the end of its way before, and only goals hear
	out     Transition
}

func newWalk(plan *Plan, run Run, in Input) *walk {
	if in.MaxHops == 0 {
		in.MaxHops = defaultMaxHops
	}
	return &walk{
		plan: plan, in: in, run: run, contact: &in.Contact, due: run.Deadline,
		zone: ZoneOf(in.Contact.Zone, in.Zone), home: ZoneOf(in.Zone),
	}
}

// held tells that a node holds the run; otherwise it is on its way into one, or ended.
func (w *walk) held() bool { return w.run.Status == Active && !w.run.Deadline.IsZero() }

// horizon is how far time may pass before signal i is heard: the events of an instant come before the waits that end
// there. After the last signal that is now.
func (w *walk) horizon(i int) time.Time {
	if i < len(w.in.Signals) {
		return w.before(&w.in.Signals[i])
	}
	return w.in.Now
}

// before is the last instant before a signal, but not later than now.
func (w *walk) before(signal *Event) time.Time {
	return within(signal.At.Add(-1), time.Time{}, w.in.Now)
}

// hear offers a signal to the goals and to the node that holds the run, then, as the deadlines before it pass, to each
// node that holds the run after that.
func (w *walk) hear(signal *Event) {
	if !w.plan.Listens(w.run.Key, *signal) {
		return
	}
	for w.run.Status == Active {
		if w.watchGoals(signal) || w.ask(signal, time.Time{}) || !w.ask(nil, w.before(signal)) {
			return
		}
		w.enter(w.before(signal))
	}
}

// enter lets the run into nodes until one holds it, it ends, or it has made too many hops. At one instant that is a loop
// and parks the run; over time it is a run that was woken very late, which stays due and goes on in the next transition.
func (w *walk) enter(horizon time.Time) {
	for w.run.Status == Active && w.run.Deadline.IsZero() && !w.over {
		if w.hops == w.in.MaxHops {
			w.run.Status, w.run.Reason = Parked, ReasonLoopLimit
			return
		}
		if w.total >= w.in.MaxHops && w.heard {
			return
		}
		w.hops++
		w.total++
		node := w.plan.nodes[w.run.Node]
		w.run.Seq++
		if node.off {
			w.leave(node, Outcome{Port: node.ports[0].ID, Detail: map[string]any{"off": true}})
			continue
		}
		before := len(w.out.Effects)
		w.settle(node, w.decide(node, nil, horizon))
		if w.run.Status == Active && slices.ContainsFunc(w.out.Effects[before:], changesContact) {
			w.watchGoals(nil) // what a step changed of the person may be what a goal waits for
		}
	}
}

func changesContact(e Effect) bool {
	_, changes := e.(ChangeContact)
	return changes
}

// ask asks the node that holds the run whether it may leave: because of a signal, or because time has passed until the
// horizon. It tells whether the run left.
func (w *walk) ask(signal *Event, horizon time.Time) bool {
	if !w.held() {
		return false
	}
	node := w.plan.nodes[w.run.Node]
	w.run.Seq++
	outcome := w.decide(node, signal, horizon)
	if outcome.Port == "" {
		w.run.Seq--
		w.hold(outcome)
		return false
	}
	w.settle(node, outcome)
	return true
}

// decide puts one moment to a node and takes the effects it asks for.
func (w *walk) decide(node *planNode, signal *Event, horizon time.Time) Outcome {
	m := w.moment(node.id, signal, horizon)
	outcome := node.step.run(m)
	w.contact = m.Contact
	w.out.Effects = append(w.out.Effects, m.effects...)
	return outcome
}

func (w *walk) moment(node string, signal *Event, horizon time.Time) *Moment {
	return &Moment{
		Now: w.in.Now, At: w.run.At, Node: node, Seq: w.run.Seq, Run: w.run, Contact: w.contact,
		Zone: w.zone, Home: w.home, Signal: signal, Self: w.in.Self, horizon: horizon, due: w.due,
	}
}

// settle writes the visit of an outcome and lets the run stay or go on.
func (w *walk) settle(node *planNode, outcome Outcome) {
	if outcome.Port == "" {
		w.visit(node, Outcome{At: w.run.At, Detail: outcome.Detail})
		w.hold(outcome)
		return
	}
	w.leave(node, outcome)
}

func (w *walk) hold(outcome Outcome) {
	w.run.Deadline, w.look = outcome.Until, outcome.Look
}

// leave takes the run out of a node by a port; a port that leads nowhere ends it.
func (w *walk) leave(node *planNode, outcome Outcome) {
	if outcome.At.IsZero() {
		outcome.At = w.run.At
	}
	w.visit(node, outcome)
	if len(outcome.Vars) > 0 {
		vars := make(map[string]any, len(w.run.Vars)+len(outcome.Vars))
		maps.Copy(vars, w.run.Vars)
		maps.Copy(vars, outcome.Vars)
		w.run.Vars = vars
	}
	if outcome.At.After(w.run.At) {
		w.hops = 0
	}
	if outcome.Quiet != nil {
		w.run.Quiet = outcome.Quiet
	}
	w.run.At, w.run.Deadline, w.due, w.look = outcome.At, time.Time{}, time.Time{}, time.Time{}
	if outcome.Exit {
		w.run.Status, w.run.Reason = Done, ReasonLeft
		return
	}
	next, linked := node.next[outcome.Port]
	if linked {
		w.run.Node = next
		return
	}
	w.run.Status, w.run.Reason = Done, ReasonFinished
	if w.run.Goal != "" {
		w.run.Reason = ReasonGoal
	}
}

func (w *walk) visit(node *planNode, outcome Outcome) {
	w.out.Visits = append(w.out.Visits, Visit{
		Seq: w.run.Seq, Node: node.id, Kind: node.kind, At: outcome.At, Port: outcome.Port, Detail: outcome.Detail,
	})
}

// watchGoals asks the goals, in the order of the document, and takes the run to the first that is reached. Whoever has
// reached one is not watched any more.
func (w *walk) watchGoals(signal *Event) bool {
	if w.run.Goal != "" {
		return false
	}
	for _, goal := range w.plan.goals {
		m := w.moment(goal.id, signal, w.in.Now)
		arrival := goal.step.reached(m)
		if arrival.Reached {
			w.reach(goal, m, arrival)
			return true
		}
		w.goals = sooner(w.goals, arrival.Look)
	}
	return false
}

// reach takes the run to a goal: messages of the visits so far are void, those of the closing steps are not.
func (w *walk) reach(goal *planNode, m *Moment, arrival Arrival) {
	at := m.truthAt()
	switch {
	case m.Signal != nil:
		at = within(m.Signal.At, w.run.At, w.in.Now)
	case w.over:
		at = w.in.Now
	}
	w.run.Seq++
	w.run.Goal, w.run.Node = goal.id, goal.id
	w.out.Void, w.out.VoidBefore = true, w.run.Seq
	w.goals, w.over = time.Time{}, false
	w.leave(goal, Outcome{Port: portReached, At: at, Detail: arrival.Detail})
}

// transition is what the caller commits.
func (w *walk) transition() Transition {
	w.run.WakeAt = time.Time{}
	switch {
	case w.run.Status == Active && w.run.Deadline.IsZero():
		w.run.WakeAt = w.in.Now // it has more to catch up on
	case w.run.Status == Active:
		w.run.WakeAt = sooner(w.run.Deadline, sooner(w.later(w.look), w.later(w.goals)))
	}
	w.prepare()
	w.out.Run = w.run
	return w.out
}

// later keeps a wish to look again from making the run spin: it lies after now.
func (w *walk) later(look time.Time) time.Time {
	if look.IsZero() || look.After(w.in.Now) {
		return look
	}
	return w.in.Now.Add(time.Second)
}
