package engine

import (
	"slices"
	"time"
)

// SimInput is whom a simulation follows, from when, and what happens to them on the way.
type SimInput struct {
	Contact Contact
	Event   *Event // that starts the run; nil makes one of the first trigger
	Start   time.Time
	Until   time.Time             // zero: two years after Start
	Events  []Event               // what happens on the way
	Assume  map[string]Assumption // by step: what the person does with its message, or how it comes out
	House   House                 // its zone yields to that of the bundle's workspace
}

// Assumption is what a person does with one message some time after it was sent, or how a step comes out that asks the
// world: a call, or a wait until something happens.
type Assumption struct {
	Opens   bool     `json:"opens,omitempty"`
	Clicks  bool     `json:"clicks,omitempty"` // and so opens it
	Replies bool     `json:"replies,omitempty"`
	Bounces bool     `json:"bounces,omitempty"` // and so gets nothing
	After   Duration `json:"after,omitzero"`
	Clicked string   `json:"clicked,omitempty"` // address of the link

	Port string         `json:"port,omitempty"` // by which the run leaves; "" is the first of a call, and that nothing happens of a wait
	Vars map[string]any `json:"vars,omitempty"` // what a call answers
}

// Timeline is what would happen. Nothing has been written or sent.
type Timeline struct {
	Trigger  string         `json:"trigger,omitempty"` // kind of the trigger that fired; "" none
	Refused  string         `json:"refused,omitempty"` // why the person is not let in
	Why      map[string]any `json:"why,omitempty"`     // what that was decided on
	Visits   []SimVisit     `json:"visits"`
	Messages []SimMessage   `json:"messages"`
	Status   Status         `json:"status"` // of the run in the end; Active when the simulation stopped before it
	Reason   string         `json:"reason,omitempty"`
	EndedAt  time.Time      `json:"ended_at,omitzero"`
	WaitsFor time.Time      `json:"waits_for,omitzero"` // when it is still active
	Assumed  []Assumed      `json:"assumed,omitempty"`  // what nobody can know beforehand, in the order it came up
}

// Assumed is how the simulation supposed a step to come out.
type Assumed struct {
	Node  string   `json:"node"`
	Name  string   `json:"name,omitempty"`
	Kind  string   `json:"kind"`
	Port  string   `json:"port,omitempty"`  // of a call or a wait
	Ports []string `json:"ports,omitempty"` // by which it may leave instead
	Does  string   `json:"does,omitempty"`  // with a message: nothing, opens, clicks, replies, bounces
	Said  bool     `json:"said"`            // the caller said so
}

// SimVisit is a line of the journal with the name its author gave the step.
type SimVisit struct {
	Visit

	Name string `json:"name,omitempty"`
}

// SimMessage is a message that would be sent.
type SimMessage struct {
	Seq      int       `json:"seq"`
	Node     string    `json:"node"`
	Name     string    `json:"name,omitempty"`
	At       time.Time `json:"at"`             // when it leaves; when it was judged, if it does not
	Held     string    `json:"held,omitempty"` // what held it back until then: quiet_hours, frequency_cap
	Channel  string    `json:"channel"`
	Creative string    `json:"creative"`
	Class    string    `json:"class"`
	Subject  string    `json:"subject,omitempty"`
	Skipped  string    `json:"skipped,omitempty"` // why it would not leave: a reason of Permission or Gate, or missing_value
	Missing  string    `json:"missing,omitempty"` // the variable without a value
}

// maxSimSteps bounds a simulation; one that goes on is cut there.
const maxSimSteps = 2000

// Simulate follows one person through a funnel in virtual time. It is pure and lives their Life. The error is an
// *UnsoundError.
func Simulate(bundle Bundle, in SimInput) (Timeline, error) {
	plan, err := Compile(bundle)
	if err != nil {
		return Timeline{}, err
	}
	if in.Until.IsZero() {
		in.Until = in.Start.AddDate(2, 0, 0)
	}
	if bundle.Workspace != nil {
		in.House.Zone = bundle.Workspace.Zone
	}
	s := &simulation{
		plan: plan, letters: NewLetters(bundle), in: in,
		timeline: Timeline{Visits: []SimVisit{}, Messages: []SimMessage{}},
	}
	s.life = NewLife(plan, in.House, in.Contact)
	s.life.Witness, s.life.Until, s.life.Single = s, in.Until, true
	if bundle.Workspace != nil {
		s.life.Self = bundle.Workspace.Self
	}
	s.run()
	return s.timeline, nil
}

// simulation witnesses the life of one person.
type simulation struct {
	plan     *Plan
	letters  *Letters
	in       SimInput
	life     *Life
	timeline Timeline
}

func (s *simulation) run() {
	event := s.plan.usualEvent(s.in.Start)
	if s.in.Event != nil {
		usual := event.Name
		event = *s.in.Event
		event.At = s.in.Start
		if event.Name == "" { // only its properties were said
			event.Name = usual
		}
	}
	for _, earlier := range s.plan.earlierLike(event) {
		s.life.Recall(earlier)
	}
	s.life.Expect(event)
	for _, e := range s.in.Events {
		if e.At.Before(s.in.Start) {
			s.life.Recall(e)
		} else {
			s.life.Expect(e)
		}
	}
	for range maxSimSteps {
		going, err := s.life.Step()
		if err != nil {
			panic("engine: simulation: " + err.Error()) // run and plan are of the simulation's own making
		}
		if _, active := s.life.Active(); !going || !active && len(s.life.letters) == 0 {
			break
		}
	}
	run, active := s.life.Active()
	switch {
	case run == nil:
		s.timeline.Status, s.timeline.EndedAt = Exited, s.in.Start
	case active:
		s.timeline.Status, s.timeline.WaitsFor = Active, run.WakeAt
	default:
		s.timeline.Status, s.timeline.Reason, s.timeline.EndedAt = run.Status, run.Reason, s.life.past.Last
		if run.Status == Parked {
			s.timeline.EndedAt = s.life.now
		}
	}
}

// Met implements Witness.
func (s *simulation) Met(_ Event, admission Admission, refused string) {
	if s.timeline.Trigger == "" {
		s.timeline.Trigger, s.timeline.Refused, s.timeline.Why = admission.Trigger, refused, admission.Detail
	}
}

// Visited implements Witness.
func (s *simulation) Visited(run *Run, visit Visit) {
	s.timeline.Visits = append(s.timeline.Visits, SimVisit{Visit: visit, Name: s.plan.NameOf(visit.Node)})
	if visit.Kind == KindThrottle && visit.Port == "" {
		visit.Detail["assumed"] = "first in line"
	}
	if visit.Port == "" {
		s.assumeWait(run, visit)
	}
}

// Judged implements Witness.
func (s *simulation) Judged(run *Run, m SendMessage, at time.Time, j Judgement) {
	i := slices.IndexFunc(s.timeline.Messages, func(known SimMessage) bool { return known.Seq == m.Seq })
	if i < 0 {
		i = len(s.timeline.Messages)
		s.timeline.Messages = append(s.timeline.Messages, SimMessage{
			Seq: m.Seq, Node: m.Node, Name: s.plan.NameOf(m.Node), Channel: m.Channel, Creative: m.Creative, Class: m.Class,
		})
	}
	message := &s.timeline.Messages[i]
	message.At, message.Skipped = at, ""
	message.Subject, message.Missing = s.letters.Title(run, &s.life.contact, m.Creative, s.zone()), ""
	switch j.Passage {
	case Waits:
		message.Held, message.At = j.Reason, j.Until
	case Skipped, Expired:
		message.Skipped = j.Reason
		if j.Reason == ReasonMissing {
			message.Missing = s.Lacks(run, &s.life.contact, m)
		}
	case Leaves:
	}
}

// Lacks implements Witness.
func (s *simulation) Lacks(run *Run, person *Contact, m SendMessage) string {
	return s.letters.Lacks(run, person, m.Creative, s.zone())
}

func (s *simulation) zone() *time.Location { return ZoneOf(s.life.contact.Zone, s.in.House.Zone) }
