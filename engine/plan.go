package engine

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// Plan is a funnel made ready to run: configs decoded, rules compiled, edges followed. It never changes and may be shared
// by any number of goroutines and kept for as long as its version exists.
type Plan struct {
	entry      *planNode
	nodes      map[string]*planNode
	order      []*planNode // of the document
	goals      []*planNode
	triggers   []trigger
	filter     *Question
	reentry    Reentry
	keeps      bool // people who unsubscribe
	starts     []string
	mentions   []string
	decides    []string // mentions of goals
	eventNames []string
	steps      []string
	early      map[string][]*planNode // steps that write texts, by the wait time leads on from to them
}

// planNode is one node with its links.
type planNode struct {
	id    string
	kind  string
	name  string
	title Title
	off   bool
	raw   json.RawMessage // config, as the author left it
	step  step
	ports []Port
	next  map[string]string // node by port
}

// endsHere tells that no run goes on from the node.
func (n *planNode) endsHere() bool { return n.step.ends && !n.off }

// Starts lists the names of events that may start a run, sorted.
func (p *Plan) Starts() []string { return p.starts }

// Mentions lists the names of events that may move a run, sorted. Only these are worth handing to Advance as signals.
func (p *Plan) Mentions() []string { return p.mentions }

// Decides lists the names of events by which a goal may be reached, sorted: those a run that lingers still hears.
func (p *Plan) Decides() []string { return p.decides }

// EventNames lists the names of events the funnel's rules count or filter, sorted: the contact's Rollups and Events have
// to hold those.
func (p *Plan) EventNames() []string { return p.eventNames }

// MessageSteps lists the nodes whose messages the funnel's rules look at, sorted: the contact's Messages have to hold
// those.
func (p *Plan) MessageSteps() []string { return p.steps }

// Entry is the id of the entry node.
func (p *Plan) Entry() string { return p.entry.id }

// Reentry says how often one person may go through.
func (p *Plan) Reentry() Reentry { return p.reentry }

// KindOf is the kind of a node, "" when there is no such node.
func (p *Plan) KindOf(node string) string {
	if n := p.nodes[node]; n != nil {
		return n.kind
	}
	return ""
}

// TitleOf is what a node is called on its card; empty titles for one that is not there.
func (p *Plan) TitleOf(node string) Title {
	if n := p.nodes[node]; n != nil {
		return n.title
	}
	return Title{}
}

// NameOf is what the author called a node.
func (p *Plan) NameOf(node string) string {
	if n := p.nodes[node]; n != nil {
		return n.name
	}
	return ""
}

// Leaves tells whether an event ends a run at the node: the person has unsubscribed, and every message ahead is marketing by a channel
// they have left. Mails that are left for somebody who only left text messages keep the run. A funnel that listens to that event decides
// for itself, and the author may have switched this off. Contact is the person after the event, nil for one of whom nothing is known.
func (p *Plan) Leaves(event Event, node string, contact *Contact) bool {
	topic, _ := event.Props["topic"].(string)
	if event.Name != "unsubscribed" || topic != "" || p.keeps || slices.Contains(p.mentions, event.Name) {
		return false
	}
	just, _ := event.Props["channel"].(string)
	just = cmp.Or(just, ChannelEmail)
	messages := 0
	for id := range p.ahead(node) {
		n := p.nodes[id]
		message, sends := n.step.config.(sender)
		if !sends || n.off {
			continue
		}
		sending := message.sends()
		left := sending.Channel == just || contact != nil && contact.consent(sending.Channel, "") == saidDenied
		if sending.Class != ClassMarketing || !left {
			return false
		}
		messages++
	}
	return messages > 0
}

// Sending is a step that sends a message.
type Sending struct{ Node, Channel, Class, Topic string }

// Sendings are the steps that send messages, in the order of the document; those that are off are not.
func (p *Plan) Sendings() []Sending {
	var all []Sending
	for _, n := range p.order {
		if message, sends := n.step.config.(sender); sends && !n.off {
			s := message.sends()
			all = append(all, Sending{Node: n.id, Channel: s.Channel, Class: s.Class, Topic: s.Topic})
		}
	}
	return all
}

// ahead is every node a run at the given one may still be let into. A run that stays at a node is through with it, but
// an instant node it is parked at counts.
func (p *Plan) ahead(node string) map[string]bool {
	seen := map[string]bool{}
	todo := []string{node}
	for _, goal := range p.goals {
		todo = append(todo, goal.id)
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := p.nodes[id]
		if n == nil || seen[id] {
			continue
		}
		seen[id] = true
		if n.endsHere() {
			continue
		}
		todo = slices.AppendSeq(todo, maps.Values(n.next))
	}
	return seen
}
