package engine

import (
	"cmp"
	"errors"
	"maps"
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
	Assume  map[string]Assumption // what the person does with the message of a step
}

// Assumption is what a person does with one message, some time after it was sent.
type Assumption struct {
	Opens   bool     `json:"opens,omitempty"`
	Clicks  bool     `json:"clicks,omitempty"` // and so opens it
	Replies bool     `json:"replies,omitempty"`
	Bounces bool     `json:"bounces,omitempty"` // and so gets nothing
	After   Duration `json:"after,omitzero"`
	Clicked string   `json:"clicked,omitempty"` // address of the link
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
	At       time.Time `json:"at"`
	Channel  string    `json:"channel"`
	Creative string    `json:"creative"`
	Class    string    `json:"class"`
	Subject  string    `json:"subject,omitempty"`
	Skipped  string    `json:"skipped,omitempty"` // why it would not leave: no_consent, missing_value
	Missing  string    `json:"missing,omitempty"` // the variable without a value
}

// Why a message would not leave.
const (
	SkippedConsent = "no_consent"
	SkippedMissing = "missing_value"
)

// maxSimSteps bounds a simulation; one that goes on is cut there.
const maxSimSteps = 2000

// Simulate follows one person through a funnel in virtual time. It is pure and drives Advance as a worker would: the
// events of an instant come before the waits that end there. The error is an *UnsoundError.
func Simulate(bundle Bundle, in SimInput) (Timeline, error) {
	plan, err := Compile(bundle)
	if err != nil {
		return Timeline{}, err
	}
	if in.Until.IsZero() {
		in.Until = in.Start.AddDate(2, 0, 0)
	}
	s := &simulation{
		plan: plan, bundle: &bundle, in: in, contact: ownContact(in.Contact),
		timeline: Timeline{Visits: []SimVisit{}, Messages: []SimMessage{}},
	}
	if bundle.Workspace != nil {
		s.zone = bundle.Workspace.Zone
	}
	s.run()
	return s.timeline, nil
}

// simulation is a run in virtual time.
type simulation struct {
	plan     *Plan
	bundle   *Bundle
	in       SimInput
	zone     string
	now      time.Time
	contact  Contact
	state    Run
	coming   []Event // by instant, then in order of arrival
	timeline Timeline
}

func (s *simulation) run() {
	s.now = s.in.Start
	event := s.plan.usualEvent(s.now)
	if s.in.Event != nil {
		usual := event.Name
		event = *s.in.Event
		event.At = s.now
		if event.Name == "" { // only its properties were said
			event.Name = usual
		}
	}
	s.happen(event)
	for _, e := range s.in.Events {
		s.expect(e)
	}
	admission := s.plan.Admit(event, s.input())
	s.timeline.Trigger, s.timeline.Refused, s.timeline.Why = admission.Trigger, admission.Refused, admission.Detail
	if !admission.Starts() {
		s.timeline.Status, s.timeline.EndedAt = Exited, s.now
		return
	}
	s.begin(admission, event)
	for range maxSimSteps {
		if s.state.Status != Active || !s.step() {
			break
		}
	}
	s.timeline.Status, s.timeline.Reason = s.state.Status, s.state.Reason
	if s.state.Status == Active {
		s.timeline.WaitsFor = s.state.WakeAt
	} else {
		s.timeline.EndedAt = s.now
	}
}

// begin starts a run. Seq goes on from an earlier one that it replaces, so that a visit is named by its seq alone.
func (s *simulation) begin(admission Admission, event Event) {
	seq := s.state.Seq
	s.state = Start(s.plan, "simulated", admission, event, s.now)
	s.state.Seq = seq
	s.advance(nil)
}

// restarts tells whether an event ends the run and starts another, under re-entry "restart".
func (s *simulation) restarts(event Event) (Admission, bool) {
	if s.plan.reentry.rule() != ReentryRestart {
		return Admission{}, false
	}
	admission := s.plan.Admit(event, s.input())
	return admission, admission.Starts()
}

// step lets time pass to the next instant at which anything happens; false when that lies beyond the simulation.
func (s *simulation) step() bool {
	next := s.state.WakeAt
	if len(s.coming) > 0 && !s.coming[0].At.After(next) {
		next = s.coming[0].At
	}
	if next.After(s.in.Until) {
		return false
	}
	if next.After(s.now) {
		s.now = next
	}
	var signals []Event
	for s.state.Status == Active && len(s.coming) > 0 && !s.coming[0].At.After(s.now) {
		event := s.coming[0]
		s.coming = s.coming[1:]
		s.happen(event)
		admission, again := s.restarts(event)
		leaves := s.leaves(event)
		if (again || leaves) && len(signals) > 0 {
			s.advance(signals)
			signals = nil
		}
		switch {
		case s.state.Status != Active:
		case again:
			s.begin(admission, event)
		case leaves:
			s.state = Exit(s.state, ReasonUnsubscribed).Run
		case slices.Contains(s.plan.mentions, event.Name):
			signals = append(signals, event)
		}
	}
	if s.state.Status == Active && (len(signals) > 0 || !s.state.WakeAt.After(s.now)) {
		s.advance(signals)
	}
	return true
}

// leaves tells an event by which the person unsubscribes from everything there is still to come.
func (s *simulation) leaves(event Event) bool {
	topic, _ := event.Props["topic"].(string)
	return event.Name == "unsubscribed" && topic == "" && s.plan.EndsOnUnsubscribe(s.state.Node)
}

func (s *simulation) input() Input { return Input{Now: s.now, Contact: s.contact, Zone: s.zone} }

// advance moves the run and takes what it asks for.
func (s *simulation) advance(signals []Event) {
	in := s.input()
	in.Signals = signals
	out, err := Advance(s.plan, s.state, in)
	if err != nil {
		panic("engine: simulation: " + err.Error()) // run and plan are of the simulation's own making
	}
	s.state = out.Run
	for _, visit := range out.Visits {
		s.timeline.Visits = append(s.timeline.Visits, SimVisit{Visit: visit, Name: s.plan.NameOf(visit.Node)})
	}
	if out.Void {
		s.void(out.VoidBefore)
	}
	for _, effect := range out.Effects {
		switch e := effect.(type) {
		case SendMessage:
			s.send(e)
		case ChangeContact:
			s.change(e)
		}
	}
}

// void takes back messages of the present instant that a goal has overtaken.
func (s *simulation) void(before int) {
	s.timeline.Messages = slices.DeleteFunc(s.timeline.Messages, func(m SimMessage) bool {
		return m.Seq < before && m.At.Equal(s.now)
	})
}

// change turns a change of the contact into the event it is.
func (s *simulation) change(c ChangeContact) {
	switch change, member := memberships[c.Op]; {
	case !member:
		s.expect(Event{Name: "contact_updated", At: s.now, Props: map[string]any{"fields": []any{c.Name}}})
	case change.changes(&s.contact, c.Name):
		s.expect(Event{Name: change.event, At: s.now, Props: map[string]any{change.prop: c.Name}})
	}
	s.contact = *s.contact.Changed(c.Op, c.Name, c.Value)
}

// send notes a message and lets the person do with it what is assumed.
func (s *simulation) send(m SendMessage) {
	message := SimMessage{
		Seq: m.Seq, Node: m.Node, Name: s.plan.NameOf(m.Node), At: m.Due,
		Channel: m.Channel, Creative: m.Creative, Class: m.Class,
	}
	s.fill(&message)
	if message.Skipped == "" && m.Class == ClassMarketing && !s.contact.agreed(m.Channel, m.Topic) {
		message.Skipped = SkippedConsent
	}
	s.timeline.Messages = append(s.timeline.Messages, message)
	if message.Skipped != "" {
		return
	}
	s.tell("message_sent", m.Node, s.now, nil)
	assumed := s.in.Assume[m.Node]
	later := AddDuration(s.now, assumed.After, nil, ZoneOf(s.contact.Zone, s.zone))
	if assumed.Bounces {
		s.tell("message_bounced", m.Node, later, nil)
		return
	}
	s.tell("message_delivered", m.Node, s.now, nil)
	if assumed.Opens || assumed.Clicks {
		s.tell("message_opened", m.Node, later, nil)
	}
	if assumed.Clicks {
		s.tell("link_clicked", m.Node, later, map[string]any{"url": assumed.Clicked})
	}
	if assumed.Replies {
		s.tell("message_replied", m.Node, later, nil)
	}
}

// fill writes the subject as the person would read it.
func (s *simulation) fill(m *SimMessage) {
	creative, there := s.bundle.Creatives[m.Creative]
	if !there {
		return
	}
	scope := &MergeScope{
		Fields: s.contact.Fields, Event: s.state.Event, Vars: s.state.Vars,
		Workspace:      map[string]any{"name": "Lejek", "address": "-"},
		UnsubscribeURL: "https://example.com/u", ViewURL: "https://example.com/v",
		Zone: ZoneOf(s.contact.Zone, s.zone),
	}
	texts, _ := creative.Texts()
	for _, text := range texts {
		merge, err := ParseMerge(text.Text)
		if err != nil {
			continue // the validator's business
		}
		filled, err := merge.Render(scope, ContextPlain)
		if fault := (*MergeError)(nil); errors.As(err, &fault) && fault.Fault == MergeMissing {
			m.Skipped, m.Missing = SkippedMissing, fault.Variable
		}
		if text.Field == "subject" && err == nil {
			m.Subject = filled
		}
	}
}

// tell expects an event about a message.
func (s *simulation) tell(name, step string, at time.Time, props map[string]any) {
	whole := map[string]any{PropRun: s.state.ID, PropStep: step}
	maps.Copy(whole, props)
	s.expect(Event{Name: name, At: at, Props: whole})
}

// expect puts an event among those to come, after the others of its instant.
func (s *simulation) expect(event Event) {
	at, _ := slices.BinarySearchFunc(s.coming, event, func(e, target Event) int {
		return cmp.Or(e.At.Compare(target.At), -1)
	})
	s.coming = slices.Insert(s.coming, at, event)
}
