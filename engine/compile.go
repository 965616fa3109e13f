package engine

import (
	"fmt"
	"maps"
	"slices"
)

// UnsoundError is why a funnel cannot run.
type UnsoundError struct{ Problems []Problem }

// Error says the first problem.
func (e *UnsoundError) Error() string {
	first := e.Problems[0]
	return fmt.Sprintf("the funnel cannot run: %s (%s, and %d more)", first.Message, first.Code, len(e.Problems)-1)
}

// Compile makes a funnel ready to run. It asks only for what running needs: the texts of messages, and whether references
// lead anywhere, were judged when the version was published. The error is an *UnsoundError.
func Compile(bundle Bundle) (*Plan, error) {
	bundle.Workspace = nil
	i := inspect(bundle, false)
	if hasError(i.problems) {
		return nil, &UnsoundError{Problems: slices.DeleteFunc(i.sorted(), func(p Problem) bool { return p.Severity != Error })}
	}
	plan := &Plan{nodes: i.nodes, triggers: i.triggers}
	for _, node := range bundle.Graph.Nodes {
		n := i.nodes[node.ID]
		n.title = TitleOf(node, bundle.Creatives)
		plan.order = append(plan.order, n)
		if n.step.reached != nil {
			plan.goals = append(plan.goals, n)
		}
		if config, ok := n.step.config.(entryConfig); ok {
			plan.entry, plan.filter, plan.reentry = n, config.Filter, config.Reentry
			plan.reentry.Rule = config.reentryRule()
			plan.keeps = config.KeepOnUnsubscribe
		}
	}
	plan.listen()
	plan.foresee()
	return plan, nil
}

// listen works out which events the plan has to hear of and which facts its rules need.
func (p *Plan) listen() {
	starts, mentions, facts, steps, goals := set{}, set{}, set{}, set{}, set{}
	for _, t := range p.triggers {
		starts.add(t.event.Name)
		facts.add(t.counts...)
	}
	for _, n := range p.order {
		hears := set{}
		hears.add(n.step.wakes...)
		for _, question := range n.step.watches {
			hears.add(changersOf(&question.Rule)...)
		}
		maps.Copy(mentions, hears)
		if n.step.reached != nil {
			maps.Copy(goals, hears)
		}
		if n.step.local {
			mentions.add("contact_updated") // their zone may have changed
		}
		for _, question := range slices.Concat(n.step.reads, n.step.watches) {
			facts.add(question.EventNames()...)
			steps.add(question.MessageSteps()...)
		}
	}
	p.starts, p.mentions = starts.sorted(), mentions.sorted()
	p.eventNames, p.steps, p.decides = facts.sorted(), steps.sorted(), goals.sorted()
}

// changersOf lists the events that may change a rule's answer.
func changersOf(rule *Rule) []string {
	names := set{}
	names.add(rule.EventNames()...)
	rule.walk("", func(_ string, leaf *Rule) {
		switch {
		case leaf.Field != "":
			names.add("contact_updated")
		case leaf.Tag != "":
			names.add("tag_added", "tag_removed")
		case leaf.List != "":
			names.add("list_joined", "list_left")
		case leaf.Segment != "":
			names.add("segment_entered", "segment_left")
		case leaf.Consent != nil:
			names.add("consent_changed", "unsubscribed")
		case leaf.Message != nil:
			names.add(messageEvents[leaf.Message.Did])
		}
	})
	return names.sorted()
}

// messageEvents are the events by which a message becomes what a rule asks for.
var messageEvents = map[string]string{
	"sent":      "message_sent",
	"delivered": "message_delivered",
	"opened":    "message_opened",
	"clicked":   "link_clicked",
	"replied":   "message_replied",
	"bounced":   "message_bounced",
}

// set is a set of names.
type set map[string]struct{}

func (s set) add(names ...string) {
	for _, name := range names {
		s[name] = struct{}{}
	}
}

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }
