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

// branchesAtOnce are the kinds a run goes through in no time by one of their ports, which nobody knows before.
var branchesAtOnce = map[string]bool{"condition": true, "split": true}

// mostPrepared is how many texts are prepared for one wait where a branch stands before them. Where more may be needed only those are that
// surely will be: of the others most would be written for nobody.
const mostPrepared = 3

// foresee finds the steps that write texts which a run may come to after each wait before time has to pass again, if nothing but time moves it.
func (p *Plan) foresee() {
	p.early = map[string][]*planNode{}
	for _, n := range p.order {
		wait, ok := n.step.config.(waitConfig)
		if !ok || n.off {
			continue
		}
		f := foresight{plan: p, seen: map[string]bool{}}
		f.from(n.next[wait.ends()], true)
		if f.sure+f.perhaps > mostPrepared {
			f.found = f.found[:f.sure]
		}
		if len(f.found) > 0 {
			p.early[n.id] = f.found
		}
	}
}

// foresight looks ahead from a wait. Surely passed steps are met before any branch, so that those found first are the sure ones.
type foresight struct {
	plan          *Plan
	seen          map[string]bool
	found         []*planNode
	sure, perhaps int
}

func (f *foresight) from(id string, sure bool) {
	for next := f.plan.nodes[id]; next != nil && !f.seen[next.id] && len(next.ports) > 0; next = f.plan.nodes[next.next[next.ports[0].ID]] {
		f.seen[next.id] = true
		_, writes := next.step.config.(aiGenerateConfig)
		switch {
		case next.off:
		case writes:
			f.write(next, sure)
		case branchesAtOnce[next.kind]:
			for _, port := range next.ports {
				f.from(next.next[port.ID], false)
			}
			return
		case !passedAtOnce[next.kind] || len(next.ports) != 1:
			return
		}
	}
}

// write notes a step that writes texts. Approved texts are there or not: nobody writes them now.
func (f *foresight) write(n *planNode, sure bool) {
	if config, ok := n.step.config.(aiGenerateConfig); !ok || config.Texts == textsApproved {
		return
	}
	f.found = append(f.found, n)
	if sure {
		f.sure++
	} else {
		f.perhaps++
	}
}

// prepare asks for the texts of the steps after the wait the run has just come to.
func (w *walk) prepare() {
	steps := w.plan.early[w.run.Node]
	if len(steps) == 0 || !w.held() || len(w.out.Visits) == 0 {
		return
	}
	last := w.out.Visits[len(w.out.Visits)-1]
	if last.Seq != w.run.Seq || last.Port != "" || last.Node != w.run.Node || !w.run.Deadline.After(w.in.Now) {
		return
	}
	due := w.run.Deadline.Add(-prepareAhead)
	if due.Before(w.run.At) {
		due = w.run.At
	}
	wish := Prepare{Seq: w.run.Seq, Node: w.run.Node, Due: due, Until: w.run.Deadline}
	for _, n := range steps {
		config, _ := n.step.config.(aiGenerateConfig)
		wish.Steps, wish.Requests = append(wish.Steps, n.id), append(wish.Requests, config.request())
	}
	w.out.Effects = append(w.out.Effects, wish)
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
