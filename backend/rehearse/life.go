package rehearse

import (
	"fmt"
	"slices"
	"time"

	"github.com/lejek/lejek/engine"
)

// maxSteps bounds one life: a funnel that goes round for ever within an instant ends there.
const maxSteps = 100_000

// witness counts what happens in one life.
type witness struct {
	*rehearsal

	zone     *time.Location // of the workspace
	capped   bool
	entered  bool
	waiting  map[heldMessage]bool
	standing []*stay
}

// heldMessage names a message that was held back once: it counts once.
type heldMessage struct {
	run    string
	seq    int
	reason string
}

// live takes one person through the period.
func (r *rehearsal) live(p *past) error {
	w := &witness{rehearsal: r, zone: engine.ZoneOf(r.house.Zone), waiting: map[heldMessage]bool{}}
	life := engine.NewLife(r.plan, r.house, p.Contact)
	life.Witness, life.Until, life.Shut, life.Self = w, r.options.To, p.shut, r.self
	if r.lines != nil {
		life.Ticket = func(run *engine.Run, wanted engine.TakeTicket) time.Time {
			s := r.lines.stand(p.Key.Contact, run, wanted)
			w.standing = append(w.standing, s)
			return s.until
		}
	}
	for _, sent := range p.sent {
		life.Got(sent.channel, sent.at)
	}
	for _, e := range p.events {
		switch {
		case e.counts: // it happened, but nobody met it
			life.Learn(e.Event)
		case e.At.Before(r.options.From):
			life.Recall(e.Event)
		default:
			life.Expect(e.Event)
		}
	}
	for n := 0; ; n++ {
		going, err := life.Step()
		if err != nil {
			return fmt.Errorf("rehearse with contact %s: %w", p.ID, err)
		}
		if !going {
			break
		}
		w.standing = slices.DeleteFunc(w.standing, func(s *stay) bool { return s.over(life.Now()) })
		if n == maxSteps {
			return fmt.Errorf("rehearse with contact %s: more than %d things happen to them", p.ID, maxSteps)
		}
	}
	for _, s := range w.standing {
		s.run = nil
	}
	for _, run := range life.Inside() {
		r.result.step(run.Node).Here++
	}
	if w.capped {
		r.result.OverCap++
	}
	if w.entered {
		r.result.Entered++
	}
	return nil
}

// Met implements engine.Witness.
func (w *witness) Met(event engine.Event, _ engine.Admission, refused string) {
	if refused != "" {
		w.result.Refused[refused]++
		return
	}
	w.entered = true
	w.result.Entries++
	w.result.day(event.At, w.zone).Entries++
}

// Visited implements engine.Witness.
func (w *witness) Visited(_ *engine.Run, visit engine.Visit) {
	if visit.Port != "" {
		w.result.step(visit.Node).Ports[visit.Port]++
	}
}

// Judged implements engine.Witness.
func (w *witness) Judged(run *engine.Run, m engine.SendMessage, at time.Time, j engine.Judgement) {
	w.capped = w.capped || j.Reason == engine.GateCap
	switch j.Passage {
	case engine.Leaves:
		w.result.Sent++
		w.result.day(at, w.zone).Sent[m.Channel]++
		w.result.Hours[at.Unix()/3600]++
	case engine.Waits:
		if held := (heldMessage{run.ID, m.Seq, j.Reason}); !w.waiting[held] {
			w.waiting[held] = true
			w.result.Held[j.Reason]++
		}
	default:
		w.result.Skipped[j.Reason]++
	}
}

// Lacks implements engine.Witness.
func (w *witness) Lacks(run *engine.Run, person *engine.Contact, m engine.SendMessage) string {
	return w.letters.Lacks(run, person, m.Creative, engine.ZoneOf(person.Zone, w.house.Zone))
}

// Sent implements engine.Witness: the message arrives and nobody does anything with it.
func (w *witness) Sent(run *engine.Run, m engine.SendMessage, at time.Time) []engine.Event {
	return engine.DeliveredEvents(run, m, at)
}

// Answer implements engine.Witness: a call goes the first way at once.
func (w *witness) Answer(_ *engine.Run, call engine.Call) engine.Event {
	w.assume(call.Node)
	return w.plan.FirstAnswer(call)
}

func (r *rehearsal) assume(node string) {
	if !slices.Contains(r.result.Assumed, node) {
		r.result.Assumed = append(r.result.Assumed, node)
	}
}
