package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Life is one person in front of one funnel in virtual time. It drives Admit, Refuses, Advance and the Gate as
// production does under a driven clock: of an instant come first its events, then the messages that were held until then,
// then the waits that end there, then their messages; what those bring about at the same instant comes after that. It is
// pure and for one goroutine.
type Life struct {
	Plan    *Plan
	House   House
	Witness Witness
	Until   time.Time            // nothing happens after it
	Single  bool                 // only a restart begins a second run
	Self    string               // slug of the funnel; "" is not known
	Shut    map[string]time.Time // since when the address of a channel is suppressed

	// Ticket is the slot a run gets at a throttle; nil gives the instant it came, as to somebody first in line.
	Ticket func(run *Run, wanted TakeTicket) time.Time

	contact Contact
	now     time.Time
	seq     int // Single: the next run numbers its visits on from here
	count   int // runs so far
	runs    []*lifeRun
	past    Past
	keys    map[string]bool // slots of re-entry "each"
	coming  []lifeEvent     // by instant, then in order of arrival
	letters []*lifeLetter
	sent    map[string][]time.Time // marketing, by channel
}

// House is what a workspace adds.
type House struct {
	Zone         string
	AllowUnknown bool // people who said nothing are written to
	Quiet        []QuietHours
	Caps         map[string]Cap // by channel
}

// Witness is told what happens in a life and says what others than the engine do in it.
type Witness interface {
	// Met tells of a trigger that fired. With a reason the person was not let in.
	Met(event Event, admission Admission, refused string)
	// Visited tells a line of the journal.
	Visited(run *Run, visit Visit)
	// Judged tells what became of a message at an instant; of one that waits, again until it no longer does.
	Judged(run *Run, message SendMessage, at time.Time, judgement Judgement)
	// Lacks is asked of a message that may leave: the variable without a value, "" when all are there.
	Lacks(run *Run, person *Contact, message SendMessage) string
	// Sent says what becomes of a message that left: events, none of them earlier.
	Sent(run *Run, message SendMessage, at time.Time) []Event
	// Answer answers a call; an event without a name is no answer.
	Answer(run *Run, call Call) Event
}

// ReasonMissing is why a message stays that could not be filled in.
const ReasonMissing = "missing_value"

type lifeEvent struct {
	Event

	only  *lifeRun // an answer that nobody else hears
	quiet bool     // it only counts
}

// lifeRun is a run with what the tables would keep for it.
type lifeRun struct {
	Run

	since      time.Time // when that which began it happened
	voidBefore int
	signals    []Event
	messages   map[string][]Event
}

type lifeLetter struct {
	SendMessage

	run  *lifeRun
	next time.Time
}

// NewLife begins a life with what was known of the person at the beginning.
func NewLife(plan *Plan, house House, person Contact) *Life {
	person.Messages = nil
	return &Life{Plan: plan, House: house, contact: ownContact(person), keys: map[string]bool{}, sent: map[string][]time.Time{}}
}

// Got notes marketing that the person gets from others, before or during the life: it counts for the cap.
func (l *Life) Got(channel string, at time.Time) { l.sent[channel] = append(l.sent[channel], at) }

// Recall lets an event of the time before the beginning count, and nothing more.
func (l *Life) Recall(event Event) { l.learn(event) }

// Learn lets an event of the time to come count when its instant comes, and nothing more.
func (l *Life) Learn(event Event) { l.expect(lifeEvent{Event: event, quiet: true}) }

// Expect puts an event among those to come, after the others of its instant.
func (l *Life) Expect(event Event) { l.expect(lifeEvent{Event: event}) }

func (l *Life) expect(event lifeEvent) {
	at, _ := slices.BinarySearchFunc(l.coming, event, func(e, target lifeEvent) int {
		return cmp.Or(e.At.Compare(target.At), -1)
	})
	l.coming = slices.Insert(l.coming, at, event)
}

// Active tells whether a run is under way, and returns the last one, if there was any.
func (l *Life) Active() (last *Run, active bool) {
	for _, run := range l.runs {
		last, active = &run.Run, active || run.Status == Active
	}
	return last, active
}

// Inside are the runs that are under way or parked.
func (l *Life) Inside() []*Run {
	var inside []*Run
	for _, run := range l.runs {
		if run.Status == Active || run.Status == Parked {
			inside = append(inside, &run.Run)
		}
	}
	return inside
}

// Now is the instant the life has come to.
func (l *Life) Now() time.Time { return l.now }

// Step lets time pass to the next instant at which anything happens; false when that lies beyond the end.
func (l *Life) Step() (bool, error) {
	next, ok := l.next()
	if !ok || !l.Until.IsZero() && next.After(l.Until) {
		return false, nil
	}
	l.now = later(l.now, next)
	for len(l.coming) > 0 && !l.coming[0].At.After(l.now) {
		event := l.coming[0]
		l.coming = l.coming[1:]
		l.meet(event)
	}
	l.deliver()
	for _, run := range slices.Clone(l.runs) {
		if len(run.signals) > 0 || run.Status == Active && !run.WakeAt.After(l.now) {
			if err := l.advance(run); err != nil {
				return false, err
			}
		}
	}
	l.deliver()
	l.runs = slices.DeleteFunc(l.runs, func(run *lifeRun) bool {
		return !l.Single && run.Status != Active && run.Status != Parked && !l.lingers(run)
	})
	return true, nil
}

// lingers tells that a run has come to the end of its way and has marketing left to send.
func (l *Life) lingers(run *lifeRun) bool {
	return run.Lingers() && slices.ContainsFunc(l.letters, func(letter *lifeLetter) bool { return letter.run == run && letter.Class == ClassMarketing })
}

// next is the earliest instant at which anything happens.
func (l *Life) next() (next time.Time, ok bool) {
	consider := func(at time.Time) {
		if !ok || at.Before(next) {
			next, ok = at, true
		}
	}
	if len(l.coming) > 0 {
		consider(l.coming[0].At)
	}
	for _, run := range l.runs {
		if run.Status == Active {
			consider(run.WakeAt)
		}
	}
	for _, letter := range l.letters {
		consider(letter.next)
	}
	return next, ok
}

// meet lets an event meet person, runs and funnel, in the order of production.
func (l *Life) meet(event lifeEvent) {
	if event.only != nil && event.only.Status != Active {
		return // nobody waits for the answer any more
	}
	if event.only != nil {
		event.only.signals = append(event.only.signals, event.Event)
		return
	}
	l.learn(event.Event)
	if event.quiet {
		return
	}
	_, mentioned := slices.BinarySearch(l.Plan.mentions, event.Name)
	_, decides := slices.BinarySearch(l.Plan.decides, event.Name)
	for _, run := range l.runs {
		if (mentioned && run.Status == Active || decides && l.lingers(run)) && !event.Precedes(run.since) {
			run.signals = append(run.signals, event.Event)
		}
	}
	for _, run := range l.runs {
		if run.Status == Active && l.Plan.Leaves(event.Event, run.Node, &l.contact) {
			l.end(run, ReasonUnsubscribed)
		}
	}
	if _, starts := slices.BinarySearch(l.Plan.starts, event.Name); starts {
		l.admit(event.Event)
	}
}

func (l *Life) admit(event Event) {
	if l.Single && l.past.Any && l.Plan.reentry.rule() != ReentryRestart {
		return
	}
	admission := l.Plan.Admit(event, l.input())
	if admission.Trigger == "" {
		return
	}
	refused := admission.Refused
	if refused == "" {
		past := l.past
		past.Key = l.keys[admission.Slot]
		for _, run := range l.runs {
			if run.Status == Active || run.Status == Parked {
				past.Inside, past.Older = true, event.When().Before(run.since)
			}
		}
		refused = admission.Reentry.Refuses(past, l.now, ZoneOf(l.contact.Zone, l.House.Zone))
	}
	if refused == "" && admission.Reentry.rule() == ReentryRestart {
		for _, run := range l.runs {
			if run.Status == Active || run.Status == Parked || l.lingers(run) {
				l.end(run, ReasonReplaced)
			}
		}
	}
	l.Witness.Met(event, admission, refused)
	if refused == "" {
		l.begin(admission, event)
	}
}

func (l *Life) begin(admission Admission, event Event) {
	l.count++
	id := "simulated"
	if l.count > 1 {
		id += "-" + strconv.Itoa(l.count)
	}
	run := &lifeRun{Run: Start(l.Plan, id, admission, event, l.now), since: event.When(), messages: map[string][]Event{}}
	run.Seq = l.seq
	l.runs = append(l.runs, run)
	l.past.Any = true
	l.keys[admission.Slot] = true
}

// end ends a run from outside: its messages that are held are void.
func (l *Life) end(run *lifeRun, reason string) {
	out := Exit(run.Run, reason)
	run.Run, run.voidBefore, run.signals = out.Run, out.VoidBefore, nil
	l.ended(run)
	l.void(run)
}

func (l *Life) ended(run *lifeRun) {
	l.past.Last = l.now
	if l.Single {
		l.seq = run.Seq
	}
}

// advance moves a run and takes what it asks for.
func (l *Life) advance(run *lifeRun) error {
	in := l.input()
	in.Signals, in.Contact.Messages = run.signals, run.messages
	run.signals = nil
	before := run.Run
	out, err := Advance(l.Plan, run.Run, in)
	if err != nil {
		return fmt.Errorf("a run in virtual time: %w", err)
	}
	run.Run = out.Run
	for _, visit := range out.Visits {
		l.Witness.Visited(&run.Run, visit)
	}
	if out.Void {
		run.voidBefore = out.VoidBefore
		l.void(run)
	}
	for _, effect := range out.Effects {
		switch e := effect.(type) {
		case SendMessage:
			if e.Seq >= run.voidBefore {
				l.letters = append(l.letters, &lifeLetter{SendMessage: e, run: run, next: e.Due})
			}
		case ChangeContact:
			l.change(e)
		case TakeTicket:
			l.pass(run, &out, e)
		case Call:
			if answer := l.Witness.Answer(&run.Run, e); answer.Name != "" {
				l.expect(lifeEvent{Event: answer, only: run})
			}
		}
	}
	if run.Goal != "" && before.Goal == "" {
		l.Expect(Event{Name: "goal_reached", At: l.now, Props: map[string]any{PropRun: run.ID, "goal": run.Goal}})
	}
	if (run.Status == Done || run.Status == Exited) && run.Seq != before.Seq {
		l.ended(run)
	}
	return nil
}

// pass gives a run its ticket.
func (l *Life) pass(run *lifeRun, out *Transition, wanted TakeTicket) {
	if run.Status != Active || wanted.Seq != run.Seq {
		return // it has gone on meanwhile
	}
	slot := wanted.At
	if l.Ticket != nil {
		slot = l.Ticket(&run.Run, wanted)
	}
	out.Stay(slot)
	run.Run = out.Run
}

func (l *Life) input() Input {
	return Input{Now: l.now, Contact: l.contact, Zone: l.House.Zone, Self: l.Self}
}

// later is the later of two instants.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
