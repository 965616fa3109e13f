package engine

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// What a person may do with a message.
const (
	DoesNothing = "nothing"
	DoesOpen    = "opens"
	DoesClick   = "clicks"
	DoesReply   = "replies"
	DoesBounce  = "bounces"
)

// assume notes how a step was supposed to come out, once.
func (s *simulation) assume(node string, a Assumed) Assumption {
	said, given := s.in.Assume[node]
	a.Node, a.Name, a.Kind, a.Said = node, s.plan.NameOf(node), s.plan.KindOf(node), given
	if !slices.ContainsFunc(s.timeline.Assumed, func(known Assumed) bool { return known.Node == node }) {
		s.timeline.Assumed = append(s.timeline.Assumed, a)
	}
	return said
}

// Sent implements Witness: the person does with the message what is assumed. Where that makes no difference nobody is
// told of it.
func (s *simulation) Sent(run *Run, m SendMessage, at time.Time) []Event {
	assumed := s.in.Assume[m.Node]
	if s.matters(m.Node) {
		s.assume(m.Node, Assumed{Does: assumed.does()})
	}
	later := AddDuration(at, assumed.After, nil, s.zone())
	if assumed.Bounces {
		return []Event{messageEvent("message_sent", run, m, at, nil), messageEvent("message_bounced", run, m, later, nil)}
	}
	events := DeliveredEvents(run, m, at)
	if assumed.Opens || assumed.Clicks {
		events = append(events, messageEvent("message_opened", run, m, later, nil))
	}
	if assumed.Clicks {
		events = append(events, messageEvent("link_clicked", run, m, later, map[string]any{"url": assumed.Clicked}))
	}
	if assumed.Replies {
		events = append(events, messageEvent("message_replied", run, m, later, nil))
	}
	return events
}

// does is the farthest a person goes with a message.
func (a Assumption) does() string {
	switch {
	case a.Bounces:
		return DoesBounce
	case a.Replies:
		return DoesReply
	case a.Clicks:
		return DoesClick
	case a.Opens:
		return DoesOpen
	default:
		return DoesNothing
	}
}

// matters tells whether anything in the funnel depends on what people do with the message of a step.
func (s *simulation) matters(node string) bool {
	if slices.Contains(s.plan.steps, node) {
		return true
	}
	return slices.ContainsFunc(s.plan.mentions, func(name string) bool { return aboutMessages(name) && name != "message_sent" })
}

// Answer implements Witness: a call comes out as assumed, by its first port where nothing is said.
func (s *simulation) Answer(run *Run, call Call) Event {
	node := s.plan.nodes[call.Node]
	ports := make([]string, len(node.ports))
	for i, port := range node.ports {
		ports[i] = port.ID
	}
	port := ports[0]
	if said := s.in.Assume[call.Node].Port; slices.Contains(ports, said) {
		port = said
	}
	said := s.assume(call.Node, Assumed{Port: port, Ports: ports})
	vars := map[string]any{}
	if port == ports[0] {
		vars = node.samples()
	}
	maps.Copy(vars, said.Vars)
	at := AddDuration(s.life.now, said.After, nil, s.zone())
	return CallAnswer(call.Seq, port, vars, time.Time{}, at, map[string]any{"assumed": true})
}

// FirstAnswer answers a call by the first way out of its step, at once, with made-up values for what the step gives.
func (p *Plan) FirstAnswer(call Call) Event {
	node := p.nodes[call.Node]
	return CallAnswer(call.Seq, node.ports[0].ID, node.samples(), time.Time{}, call.Due, map[string]any{"assumed": true})
}

// samples are values for the variables a step gives.
func (n *planNode) samples() map[string]any {
	vars := map[string]any{}
	for _, name := range n.step.gives {
		vars[name] = sampleText(name)
	}
	return vars
}

// assumeWait lets happen what somebody waits for, if that is assumed.
func (s *simulation) assumeWait(run *Run, visit Visit) {
	config, ok := s.plan.nodes[visit.Node].step.config.(waitConfig)
	if !ok || config.Mode != waitUntilEvent || aboutMessages(config.Event.Name) || s.foretold(config.Event.Name) {
		return
	}
	said := s.in.Assume[visit.Node]
	port := portTimeout
	if said.Port == portNext {
		port = portNext
	}
	s.assume(visit.Node, Assumed{Port: port, Ports: []string{portNext, portTimeout}})
	if port == portTimeout {
		return
	}
	after := said.After
	if after.IsZero() {
		after = Duration{Amount: 1, Unit: Hours}
	}
	props := map[string]any{}
	if config.Event.Where != nil {
		config.Event.Where.satisfy(props)
	}
	if key := s.plan.reentry.Key; run.Key != "" && key != "" {
		props[key] = run.Key
	}
	at := AddDuration(s.life.now, after, nil, s.zone())
	if !at.Before(run.Deadline) {
		at = run.Deadline.Add(-time.Second)
	}
	s.life.Expect(Event{Name: config.Event.Name, At: later(at, s.life.now), Props: props})
}

// foretold tells whether the caller said when events of a name come.
func (s *simulation) foretold(name string) bool {
	return slices.ContainsFunc(s.in.Events, func(e Event) bool { return e.Name == name })
}

// satisfy sets properties so that the rule is true, where its comparisons say how.
func (r *Rule) satisfy(props map[string]any) {
	r.walk("", func(_ string, leaf *Rule) {
		if leaf.Field == "" {
			return
		}
		value := leaf.Value
		if number, ok := value.(float64); ok {
			switch leaf.Op {
			case "gt", "is_not":
				value = number + 1
			case "lt":
				value = number - 1
			default: // the value itself will do
			}
		}
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		switch {
		case leaf.Op == "is_true":
			value = true
		case leaf.Op == "is_false":
			value = false
		case value == nil:
			value = sampleText(leaf.Field)
		}
		props[leaf.Field] = value
	})
}

// sampleText is a value for a variable of which only the name is known.
func sampleText(name string) any {
	short := name[strings.LastIndexByte(name, '.')+1:]
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(short, part) })
	}
	switch {
	case has("url", "link"):
		return "https://example.com/" + short
	case has("total", "amount", "price", "sum", "count", "quantity"):
		return 100.0
	case strings.HasSuffix(short, "_at") || has("date"):
		return "2026-12-24T09:00:00Z"
	default:
		return strings.ReplaceAll(short, "_", " ")
	}
}
