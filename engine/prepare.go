package engine

import (
	"encoding/json"
	"time"
)

// prepareAhead is how long before the end of a wait the texts of the step after it are asked for: late enough that most people who leave
// early cost nothing, and that the person is told of as they are; early enough for a model that is away for a while.
const prepareAhead = time.Hour

// KindPrepare names the calls that prepare texts, among the calls of steps.
const KindPrepare = "ai_prepare"

// passedAtOnce are the kinds a run goes through in no time by their only port.
var passedAtOnce = map[string]bool{
	"send_email": true, "send_sms": true, "send_push": true, "send_letter": true, "notify_team": true, "join": true,
	"add_tag": true, "remove_tag": true, "add_to_list": true, "remove_from_list": true, "set_field": true, "quiet_hours": true,
}

// foresee finds the waits after which a run surely comes to a step that writes texts, if nothing but time moves it.
func (p *Plan) foresee() {
	p.early = map[string]*planNode{}
	for _, n := range p.order {
		wait, ok := n.step.config.(waitConfig)
		if !ok || n.off {
			continue
		}
		next := p.nodes[n.next[wait.ends()]]
		for hops := 0; next != nil && hops < len(p.nodes); hops++ {
			if _, writes := next.step.config.(aiGenerateConfig); writes && !next.off {
				p.early[n.id] = next
				break
			}
			if !next.off && (!passedAtOnce[next.kind] || len(next.ports) != 1) || len(next.ports) == 0 {
				break
			}
			next = p.nodes[next.next[next.ports[0].ID]]
		}
	}
}

// prepare asks for the texts of the step after the wait the run has just come to. Approved texts are there or not: nobody writes them now.
func (w *walk) prepare() {
	step := w.plan.early[w.run.Node]
	if step == nil || !w.held() || len(w.out.Visits) == 0 {
		return
	}
	last := w.out.Visits[len(w.out.Visits)-1]
	if last.Seq != w.run.Seq || last.Port != "" || last.Node != w.run.Node || !w.run.Deadline.After(w.in.Now) {
		return
	}
	config, ok := step.step.config.(aiGenerateConfig)
	if !ok || config.Texts == textsApproved {
		return
	}
	due := w.run.Deadline.Add(-prepareAhead)
	if due.Before(w.run.At) {
		due = w.run.At
	}
	w.out.Effects = append(w.out.Effects, Prepare{
		Seq: w.run.Seq, Node: w.run.Node, Step: step.id, Request: config.request(), Due: due, Until: w.run.Deadline,
	})
}

// Writing is a step that has texts written.
type Writing struct {
	Node    string
	Name    string // what the author called it
	Request WriteRequest
}

// Writings are the steps of a graph that have texts written, in the order of the document. Steps whose config cannot be read are left out:
// the validator speaks of them.
func Writings(g Graph) []Writing {
	var all []Writing
	for _, n := range g.Nodes {
		if n.Kind != KindAIGenerate || n.Off {
			continue
		}
		var c aiGenerateConfig
		if json.Unmarshal(n.Config, &c) == nil && len(c.Variables) > 0 {
			all = append(all, Writing{Node: n.ID, Name: n.Name, Request: c.request()})
		}
	}
	return all
}
