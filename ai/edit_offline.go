package ai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// editor turns instructions into operations by the built-in grammar.
type editor struct {
	g     engine.Graph
	b     engine.Bundle
	set   Setting
	say   phrases
	order []string // steps as they are met from the start
	edit  Edit
	n     int // of new messages and blocks
	heard int // instructions that were understood
}

// planEdit reads a request for a change. What it does not understand it says; when it understands nothing it asks.
func planEdit(req EditRequest, set Setting) Edit {
	clauses, _ := readEdit(req.Prompt, req.Language, req.Base)
	e := &editor{g: req.Base.Graph, b: req.Base, set: set, say: sayIn(set.Language), order: walkOrder(req.Base.Graph)}
	e.edit = Edit{Status: StatusOps}
	var lost []string
	for _, c := range clauses {
		if len(c.tokens) == 0 {
			continue
		}
		before := e.heard
		e.clause(c)
		if e.edit.Status != StatusOps {
			return e.edit
		}
		if e.heard == before && strings.TrimSpace(c.text) != "" {
			lost = append(lost, c.text)
		}
	}
	if e.heard == 0 {
		return e.question(e.say.line("edit_not_understood", short(req.Prompt, 120)), e.say.options("edit_what_options"))
	}
	for _, l := range lost {
		e.note("edit_part_ignored", short(l, 120))
	}
	return e.edit
}

// walkOrder lists the steps as a reader meets them: along the first way, then the others.
func walkOrder(g engine.Graph) []string {
	var out []string
	seen := map[string]bool{}
	var visit func(string)
	visit = func(id string) {
		if id == "" || seen[id] {
			return
		}
		seen[id] = true
		out = append(out, id)
		for _, x := range g.Edges {
			if x.From == id {
				visit(x.To)
			}
		}
	}
	for _, n := range g.Nodes {
		if n.Kind == "entry" {
			visit(n.ID)
		}
	}
	for _, n := range g.Nodes {
		visit(n.ID)
	}
	return out
}

func (e *editor) note(key string, args ...string) {
	if n := e.say.line(key, args...); !slices.Contains(e.edit.Notes, n) {
		e.edit.Notes = append(e.edit.Notes, n)
	}
}

func (e *editor) question(text string, options []string) Edit {
	e.edit = Edit{Status: StatusClarify, Questions: []Question{{Text: text, Options: options}}}
	e.heard++
	return e.edit
}

func (e *editor) op(ops ...Op) {
	e.edit.Ops = append(e.edit.Ops, ops...)
	e.heard++
}

func (e *editor) fresh(stem string) string {
	e.n++
	return "new-" + stem + "-" + strconv.Itoa(e.n)
}

// clause understands one instruction, or leaves it.
func (e *editor) clause(c clause) {
	verb := c.verb()
	for _, try := range []func(clause, string) bool{
		e.undo, e.words, e.rename, e.quietHours, e.throttle, e.discount, e.split, e.trigger, e.goal, e.notifyTeam, e.move, e.swap, e.condition,
		e.tags, e.wait, e.channel, e.otherStep,
	} {
		if try(c, verb) || e.edit.Status != StatusOps {
			return
		}
	}
}

func (e *editor) undo(_ clause, verb string) bool {
	if verb != "undo" {
		return false
	}
	e.edit.Undo = true
	e.heard++
	return true
}

// words are wishes that need somebody who writes.
func (e *editor) words(_ clause, verb string) bool {
	if verb != "write" {
		return false
	}
	e.edit = Edit{Status: StatusRefuse, Reason: e.say.line("edit_needs_model")}
	e.heard++
	return true
}

func (e *editor) rename(c clause, verb string) bool {
	if verb != "rename" {
		return false
	}
	name := ""
	if len(c.quote) > 0 {
		name = c.quote[len(c.quote)-1]
	} else {
		from := 0
		if m, ok := c.find("verb", "rename"); ok {
			from = m.end()
		}
		for i := from; i < len(c.tokens); i++ { // the words behind "to", else behind what is renamed
			if c.saidAt(i, "word", "to") && i+1 < len(c.tokens) || c.saidAt(i, "thing", "funnel") && i+1 < len(c.tokens) && !c.hasWordAfter(i, "to") {
				from = i + 1
				break
			}
		}
		var words []string
		for _, t := range c.tokens[from:] {
			words = append(words, t.raw)
		}
		name = strings.TrimSpace(strings.Join(words, " "))
	}
	if name == "" {
		return false
	}
	if m, ok := c.find("thing", "email", "sms", "push", "letter", "wait"); ok {
		ids, asked := e.targets(c, m)
		if asked {
			return true
		}
		for _, id := range ids {
			e.op(Op{Do: opUpdate, At: id, Fields: []NamedText{{"name", name}}})
		}
		return len(ids) > 0
	}
	e.op(Op{Do: opSetting, At: "name", Text: name})
	return true
}

func (c clause) hasWordAfter(i int, value string) bool {
	for _, m := range c.said {
		if m.class == "word" && m.value == value && m.at > i {
			return true
		}
	}
	return false
}

// kindsOf are the node kinds of a thing.
var kindsOf = map[string][]string{
	"wait": {"wait"}, "email": {doSendEmail}, "sms": {doSendSMS}, "push": {doSendPush}, "letter": {doSendLetter},
	"message": {doSendEmail, doSendSMS, doSendPush, doSendLetter}, "quiet": {"quiet_hours"}, "throttle": {"throttle"}, "notify": {"notify_team"},
	"goal": {doGoal}, "split": {doSplit}, "condition": {"condition"}, "tag": {doAddTag, doRemoveTag}, "list": {"add_to_list", "remove_from_list"},
}

func (e *editor) steps(thing string) []string {
	var out []string
	for _, id := range e.order {
		if slices.Contains(kindsOf[thing], kindIn(e.g, id)) {
			out = append(out, id)
		}
	}
	return out
}

// targets are the steps a thing means here. When it may be several and the person does not say which, they are asked.
func (e *editor) targets(c clause, thing mark) (ids []string, asked bool) {
	all := e.steps(thing.value)
	var named []string
	for _, id := range c.ids {
		if slices.Contains(all, id) {
			named = append(named, id)
		}
	}
	for _, q := range c.quote {
		for _, id := range all {
			if e.called(id, q) {
				named = append(named, id)
			}
		}
	}
	if len(named) > 0 {
		return named[:1], false
	}
	n, every := c.ordinal(thing)
	switch {
	case every:
		return all, false
	case n == -1 && len(all) > 0:
		return all[len(all)-1:], false
	case n > 0 && n <= len(all):
		return all[n-1 : n], false
	case n > len(all) || len(all) == 0:
		e.question(e.say.line("edit_none", e.say.line("o_"+thing.value)), e.say.options("edit_none_options"))
		return nil, true
	case len(all) == 1:
		return all, false
	}
	if near := e.besides(c, thing, all); near != "" {
		return []string{near}, false
	}
	e.which(thing.value, all)
	return nil, true
}

func (e *editor) called(id, name string) bool {
	for _, n := range e.g.Nodes {
		if n.ID == id {
			c := e.b.Creatives[bare(decodeConfig(n.Config).Creative)]
			return strings.EqualFold(n.Name, name) || strings.EqualFold(c.Subject, name) || strings.EqualFold(c.Name, name)
		}
	}
	return false
}

// besides is the thing before or after another step that is named: "the wait before the second email".
func (e *editor) besides(c clause, thing mark, all []string) string {
	place, ok := c.find("place", "after", "before")
	if !ok || place.at < thing.at {
		return ""
	}
	for _, m := range c.said {
		if m.class != "thing" || m.at <= place.at || m.value == "funnel" {
			continue
		}
		steps := e.steps(m.value)
		n, _ := c.ordinal(m)
		if n == -1 {
			n = len(steps)
		}
		if n == 0 && len(steps) == 1 {
			n = 1
		}
		if n < 1 || n > len(steps) {
			return ""
		}
		at := slices.Index(e.order, steps[n-1])
		if place.value == "before" {
			for i := at - 1; i >= 0; i-- {
				if slices.Contains(all, e.order[i]) {
					return e.order[i]
				}
			}
			return ""
		}
		for i := at + 1; i < len(e.order); i++ {
			if slices.Contains(all, e.order[i]) {
				return e.order[i]
			}
		}
	}
	return ""
}

// which asks which of several steps is meant. Each answer is what its step is called.
func (e *editor) which(thing string, all []string) {
	called := labelsOf(e.b, e.set.Language)
	options := make([]string, 0, len(all))
	for _, id := range all[:min(len(all), 6)] {
		options = append(options, called.of[id])
	}
	e.question(e.say.line("edit_which", e.say.line("o_"+thing)), options)
}

// place is where new steps go: before or after a step. Without a word it is the end.
func (e *editor) place(c clause, skip mark) (how, at string, asked bool) {
	if m, ok := c.find("place", "start"); ok && m.value == "start" {
		return putAfter, e.entry(), false
	}
	if place, ok := c.find("place", "after", "before"); ok && !c.says("place", "end") {
		for _, m := range c.said {
			if m.class != "thing" || m.at <= place.at || m.at == skip.at || m.value == "funnel" || len(kindsOf[m.value]) == 0 {
				if m.class == "thing" && m.value == "trigger" && m.at > place.at {
					return putAfter, e.entry(), false
				}
				continue
			}
			ids, asked := e.targets(c, m)
			if asked || len(ids) == 0 {
				return "", "", asked
			}
			at = ids[len(ids)-1]
			if place.value == "before" {
				return putBefore, ids[0], false
			}
			return putAfter, at, false
		}
	}
	if len(c.ids) > 0 && c.says("place", "after", "before") {
		if c.says("place", "before") {
			return putBefore, c.ids[0], false
		}
		return putAfter, c.ids[0], false
	}
	return putAfter, e.end(), false
}

func (e *editor) entry() string {
	for _, n := range e.g.Nodes {
		if n.Kind == "entry" {
			return n.ID
		}
	}
	return ""
}

// end is the step the longest way through the funnel ends with.
func (e *editor) end() string {
	type state struct {
		hours float64
		sends int
	}
	best, bestAt := state{-1, -1}, e.entry()
	onWay := map[string]bool{}
	var visit func(id string, s state)
	budget := 5000
	visit = func(id string, s state) {
		if budget--; onWay[id] || budget < 0 {
			return
		}
		onWay[id] = true
		defer delete(onWay, id)
		for _, n := range e.g.Nodes {
			if n.ID == id {
				c := decodeConfig(n.Config)
				if n.Kind == "wait" {
					s.hours += c.For.hours() + c.Timeout.hours()
				}
				if strings.HasPrefix(n.Kind, "send_") {
					s.sends++
				}
			}
		}
		leads := false
		for _, x := range e.g.Edges {
			if x.From == id {
				leads = true
				visit(x.To, s)
			}
		}
		if kind := kindIn(e.g, id); !leads && kind != "condition" && kind != doSplit && kind != "exit_funnel" && (s.sends > best.sends || s.sends == best.sends && s.hours > best.hours) {
			best, bestAt = s, id
		}
	}
	visit(e.entry(), state{})
	return bestAt
}

func (e *editor) leadsTo(id string) string {
	for _, x := range e.g.Edges {
		if x.From == id {
			return x.To
		}
	}
	return ""
}
