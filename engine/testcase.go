package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TestCase is what an author expects of a funnel for one person: kept with it, and run whenever it is published. Only what
// the expectation names is compared.
type TestCase struct {
	Name   string                `json:"name"`
	Person TestPerson            `json:"person"`
	Start  time.Time             `json:"start"`           // when the person enters
	Event  *TestEvent            `json:"event,omitempty"` // that starts the run; without it the first trigger's usual one
	Events []TestEvent           `json:"events,omitempty"`
	Assume map[string]Assumption `json:"assume,omitempty"`
	Expect Expectation           `json:"expect"`
}

// TestPerson is who enters: the sample or nobody, with what differs from them.
type TestPerson struct {
	As       string         `json:"as"`               // PersonSample or PersonNobody
	Lot      string         `json:"lot,omitempty"`    // a contact's id: splits draw as they do for that contact
	Fields   map[string]any `json:"fields,omitempty"` // null takes a value away
	Tags     []string       `json:"tags,omitempty"`
	Lists    []string       `json:"lists,omitempty"`
	Segments []string       `json:"segments,omitempty"`
	Zone     string         `json:"zone,omitempty"`
	Consents []Consent      `json:"consents,omitzero"` // instead of agreeing to everything; an empty list is to nothing
}

// TestEvent is something that happens in a test. One before the start counts but meets nobody.
type TestEvent struct {
	Name       string         `json:"name,omitempty"`
	At         time.Time      `json:"at,omitzero"`
	Properties map[string]any `json:"properties,omitempty"`
}

// Expectation is what has to come of it. A member that is absent is not compared.
type Expectation struct {
	Refused  string            `json:"refused,omitempty"`  // why the person is not let in
	Path     []string          `json:"path,omitempty"`     // "step.port" of every step that was left, then the step that still holds the person
	Messages []ExpectedMessage `json:"messages,omitempty"` // all of them, in order; an empty list is none at all
	Ends     string            `json:"ends,omitempty"`     // status or reason: done, goal, unsubscribed, active ...
}

// MarshalJSON keeps an empty list of messages, which expects none.
func (e Expectation) MarshalJSON() ([]byte, error) {
	type plain Expectation
	if e.Messages == nil || len(e.Messages) > 0 {
		return json.Marshal(plain(e))
	}
	return json.Marshal(struct {
		plain
		Messages []ExpectedMessage `json:"messages"`
	}{plain(e), e.Messages})
}

// ExpectedMessage is one message. At is the instant it leaves; a zero one is not compared, nor is an empty Subject.
type ExpectedMessage struct {
	Step    string    `json:"step"`
	At      time.Time `json:"at,omitzero"`
	Subject string    `json:"subject,omitempty"`
	Skipped string    `json:"skipped,omitempty"` // why it does not leave; "" it does
}

// TestResult is what came of a test. It passed when nothing differs.
type TestResult struct {
	Name        string       `json:"name"`
	Passed      bool         `json:"passed"`
	Differences []Difference `json:"differences,omitempty"`
	Timeline    *Timeline    `json:"timeline,omitempty"` // what happened; nil when the funnel cannot run
}

// Difference is the first thing that came out otherwise, of its sort.
type Difference struct {
	What string `json:"what"`           // refused, path, message, ends, funnel
	Step string `json:"step,omitempty"` // where
	Want string `json:"want"`
	Got  string `json:"got"`
}

// The limits of tests kept with a funnel.
const (
	MaxTests      = 100
	maxTestEvents = 200
)

// DecodeTests reads the tests of a bundle, strictly; none is no error. The error says for people what cannot be read.
func DecodeTests(raw json.RawMessage) ([]TestCase, error) {
	tests := []TestCase{}
	if len(raw) == 0 || string(raw) == "null" {
		return tests, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&tests); err != nil {
		return nil, fmt.Errorf("the tests of this funnel cannot be read: %s", JSONFault(err))
	}
	if len(tests) > MaxTests {
		return nil, fmt.Errorf("a funnel keeps at most %d tests; this one has %d: take some away", MaxTests, len(tests))
	}
	names := map[string]bool{}
	for i, test := range tests {
		switch {
		case strings.TrimSpace(test.Name) == "":
			return nil, fmt.Errorf("test %d has no name: give it one that says what it shows", i+1)
		case names[test.Name]:
			return nil, fmt.Errorf("two tests are called %q: give one of them another name", test.Name)
		case test.Start.Year() < 1970 || test.Start.Year() > 2200:
			return nil, fmt.Errorf("test %q: its start is missing or too far away: give an instant from 1970 to 2200", test.Name)
		case test.Person.As != PersonSample && test.Person.As != PersonNobody:
			return nil, fmt.Errorf("test %q: the person is %q: choose %s or %s", test.Name, test.Person.As, PersonSample, PersonNobody)
		case !knownZone(test.Person.Zone):
			return nil, fmt.Errorf("test %q: there is no time zone %q: give a name such as Europe/Warsaw, or leave it out", test.Name, test.Person.Zone)
		case len(test.Events) > maxTestEvents:
			return nil, fmt.Errorf("test %q has %d events; %d are enough: take some away", test.Name, len(test.Events), maxTestEvents)
		}
		names[test.Name] = true
	}
	return tests, nil
}

func knownZone(name string) bool {
	_, err := LoadZone(name)
	return name == "" || err == nil
}

// Input is the simulation a test makes. The error is an *UnsoundError.
func (t TestCase) Input(bundle Bundle) (SimInput, error) {
	event, err := UsualEvent(bundle, t.Person.As == PersonSample)
	if err != nil {
		return SimInput{}, err
	}
	if t.Event != nil {
		if t.Event.Name != "" {
			event.Name = t.Event.Name
		}
		if t.Event.Properties != nil {
			event.Props = t.Event.Properties
		}
	}
	in := SimInput{Contact: t.Person.contact(bundle.Workspace), Event: &event, Start: t.Start, Assume: t.Assume}
	for _, e := range t.Events {
		in.Events = append(in.Events, Event{Name: e.Name, At: e.At, Props: e.Properties})
	}
	return in, nil
}

func (p TestPerson) contact(workspace *Workspace) Contact {
	contact := Nobody()
	if p.As == PersonSample {
		contact = Sample(workspace)
	}
	if p.Lot != "" {
		contact.ID = p.Lot
	}
	for key, value := range p.Fields {
		if value == nil {
			delete(contact.Fields, key)
		} else {
			contact.Fields[key] = value
		}
	}
	contact.Tags, contact.Lists, contact.Segments, contact.Zone = p.Tags, p.Lists, p.Segments, p.Zone
	if p.Consents != nil {
		contact.Consents = p.Consents
	}
	return contact
}

// RunTest simulates a test and compares what came of it. Neither the workspace's quiet hours nor its cap take part: a
// test says what the funnel does.
func RunTest(bundle Bundle, test TestCase) TestResult {
	result := TestResult{Name: test.Name}
	in, err := test.Input(bundle)
	if err == nil {
		var timeline Timeline
		if timeline, err = Simulate(bundle, in); err == nil {
			result.Timeline = &timeline
			result.Differences = test.Expect.compare(timeline)
		}
	}
	if err != nil {
		result.Differences = []Difference{{What: "funnel", Want: "a funnel that can run", Got: err.Error()}}
	}
	result.Passed = len(result.Differences) == 0
	return result
}

func (e Expectation) compare(t Timeline) []Difference {
	var list []Difference
	differ := func(what, step, want, got string) {
		if want != got {
			list = append(list, Difference{what, step, want, got})
		}
	}
	if e.Refused != "" || t.Refused != "" {
		differ("refused", "", e.Refused, t.Refused)
	}
	if e.Path != nil {
		i, step, want, got := parting(e.Path, t.Path())
		if i >= 0 {
			differ("path", step, want, got)
		}
	}
	if e.Messages != nil {
		for i := range max(len(e.Messages), len(t.Messages)) {
			want, got, step := "nothing", "nothing", ""
			if i < len(t.Messages) {
				step = t.Messages[i].Node
			}
			if i < len(e.Messages) {
				want, step = e.Messages[i].text(), e.Messages[i].Step
				if i < len(t.Messages) {
					got = e.Messages[i].like(t.Messages[i]).text()
				}
			} else {
				got = ExpectedMessage{Step: step, At: t.Messages[i].At, Skipped: t.Messages[i].Skipped}.text()
			}
			if want != got {
				differ("message", step, want, got)
				break
			}
		}
	}
	if e.Ends != "" && e.Ends != string(t.Status) {
		differ("ends", "", e.Ends, t.Reason)
	}
	return list
}

// parting is the first place at which two paths part; -1 when they do not.
func parting(want, got []string) (i int, step, wanted, came string) {
	wanted, came = "the end", "the end"
	for i = range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			came, step = got[i], got[i]
		case i >= len(got):
			wanted, step = want[i], want[i]
		case want[i] == got[i]:
			continue
		default:
			wanted, came, step = want[i], got[i], want[i]
		}
		step, _, _ = strings.Cut(step, ".")
		return i, step, wanted, came
	}
	return -1, "", "", ""
}

// like is the message with what the expectation does not name left out.
func (m ExpectedMessage) like(got SimMessage) ExpectedMessage {
	seen := ExpectedMessage{Step: got.Node, Skipped: got.Skipped}
	if !m.At.IsZero() {
		seen.At = got.At
	}
	if m.Subject != "" {
		seen.Subject = got.Subject
	}
	return seen
}

// text says a message in a line.
func (m ExpectedMessage) text() string {
	parts := []string{m.Step}
	if !m.At.IsZero() {
		parts = append(parts, "at "+m.At.UTC().Format("2006-01-02 15:04:05.999999"))
	}
	if m.Subject != "" {
		parts = append(parts, fmt.Sprintf("%q", m.Subject))
	}
	if m.Skipped != "" {
		parts = append(parts, "skipped: "+m.Skipped)
	}
	return strings.Join(parts, " ")
}

// Path is the way of the person as tests write it.
func (t Timeline) Path() []string {
	path := []string{}
	for _, visit := range t.Visits {
		if visit.Port != "" {
			path = append(path, visit.Node+"."+visit.Port)
		}
	}
	if last := len(t.Visits) - 1; t.Status == Active && last >= 0 && t.Visits[last].Port == "" {
		path = append(path, t.Visits[last].Node)
	}
	return path
}

// identity are fields that tell who somebody is: a test does not keep them of a real person.
var identity = []string{"email", "phone", "external_id", "first_name", "last_name", "street", "created_at", "updated_at"}

// Keep makes a test of a simulation: whoever it followed, doing the same, has to fare the same. Of a real person it keeps
// what rules may ask, but nothing that tells who they are: whoever the sample is instead of them has, lacks and agreed to the same.
func Keep(name, person string, workspace *Workspace, in SimInput, t Timeline) TestCase {
	test := TestCase{Name: name, Start: in.Start, Assume: in.Assume, Person: TestPerson{As: person}}
	if person == PersonReal {
		test.Person = TestPerson{
			As: PersonSample, Lot: in.Contact.ID, Fields: map[string]any{}, Tags: in.Contact.Tags, Lists: in.Contact.Lists, Segments: in.Contact.Segments,
			Zone: in.Contact.Zone, Consents: append([]Consent{}, in.Contact.Consents...),
		}
		for key, value := range in.Contact.Fields {
			if !slices.Contains(identity, key) {
				test.Person.Fields[key] = value
			}
		}
		for key := range Sample(workspace).Fields {
			if _, has := in.Contact.Fields[key]; !has {
				test.Person.Fields[key] = nil
			}
		}
	}
	if in.Event != nil {
		test.Event = &TestEvent{Name: in.Event.Name, Properties: in.Event.Props}
	}
	for _, e := range in.Events {
		test.Events = append(test.Events, TestEvent{Name: e.Name, At: e.At, Properties: e.Props})
	}
	test.Expect = Expectation{Refused: t.Refused, Path: t.Path(), Messages: []ExpectedMessage{}, Ends: t.Reason}
	if t.Reason == "" {
		test.Expect.Ends = string(t.Status)
	}
	for _, m := range t.Messages {
		test.Expect.Messages = append(test.Expect.Messages, ExpectedMessage{Step: m.Node, At: m.At, Skipped: m.Skipped})
	}
	return test
}
