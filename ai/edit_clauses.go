package ai

import (
	"cmp"
	"slices"
	"strings"
)

// trigger changes what starts the funnel.
func (e *editor) trigger(c clause, verb string) bool {
	m, ok := c.find("thing", "trigger")
	if !ok || verb == "rename" || verb == "remove" {
		return false
	}
	if place, at := c.find("place", "start", "before", "after"); at && place.at < m.at && (verb == "add" || verb == "notify") {
		return false
	}
	kind, ref := "", ""
	switch {
	case c.says("thing", "tag"):
		thing, _ := c.find("thing", "tag")
		kind, ref = "tag_added", c.nameNear(thing)
	case c.says("thing", "list"):
		thing, _ := c.find("thing", "list")
		kind, ref = "list_join", c.nameNear(thing)
	case c.named() != "":
		kind, ref = "api_event", c.named()
	case c.says("event"):
		event, _ := c.find("event")
		kind = event.value
	default:
		kind = c.slots().Trigger.Kind
		ref = c.slots().Trigger.Ref
	}
	if kind == "" || (kind == "tag_added" || kind == "list_join") && ref == "" {
		e.question(e.say.line("ask_trigger"), e.say.options("ask_trigger_options"))
		return true
	}
	e.op(Op{Do: opSetting, At: "trigger_kind", Text: kind}, Op{Do: opSetting, At: "trigger_ref", Text: ref})
	return true
}

// nameNear is the name said after a thing, or before it, or in quotes.
func (c clause) nameNear(thing mark) string {
	if len(c.quote) > 0 {
		return c.quote[0]
	}
	for i := thing.end(); i < len(c.tokens) && i < thing.end()+3; i++ {
		t := c.tokens[i]
		if t.kind != aWord || c.has(i, "word") || c.has(i, "place") || c.has(i, "verb") || slices.Contains([]string{"is", "added", "called", "named", "jest", "o", "nazwie", "jako", "с", "именем"}, t.text) {
			if t.kind != aWord || c.has(i, "verb") || c.has(i, "place") && c.lang != "ru" {
				break
			}
			continue
		}
		name := t.raw
		for j := i + 1; j+1 < len(c.tokens) && c.tokens[j].raw == "-"; j += 2 {
			name += "-" + c.tokens[j+1].raw
		}
		return name
	}
	if thing.at > 0 && c.tokens[thing.at-1].kind == aWord && !c.has(thing.at-1, "verb") && !c.has(thing.at-1, "word") && !slices.Contains([]string{"the", "a", "an", "this", "that", "new"}, c.tokens[thing.at-1].text) {
		return c.tokens[thing.at-1].raw
	}
	return ""
}

// goal sets what ends the funnel.
func (e *editor) goal(c clause, verb string) bool {
	if !c.says("thing", "goal") {
		return false
	}
	there := e.steps("goal")
	if verb == "remove" {
		for _, id := range there {
			e.op(Op{Do: opRemove, At: id})
		}
		if len(there) == 0 {
			e.question(e.say.line("edit_none", e.say.line("o_goal")), e.say.options("edit_goal_which_options"))
		}
		return true
	}
	event, ref := "", ""
	if m, ok := c.find("event"); ok {
		event = m.value
	} else if name := c.named(); name != "" {
		event, ref = "api_event", name
	}
	switch {
	case event == "":
		e.question(e.say.line("edit_goal_which"), e.say.options("edit_goal_which_options"))
	case len(there) == 1 && verb != "add":
		e.op(Op{Do: opUpdate, At: there[0], Fields: []NamedText{{"goal", event}, {"ref", ref}}})
	default:
		e.op(Op{Do: opPut, How: putAfter, At: e.entry(), Steps: []Step{{ID: e.fresh("goal"), Do: doGoal, Event: event, Ref: ref}}})
	}
	return true
}

func (e *editor) notifyTeam(c clause, verb string) bool {
	thing, ok := c.find("thing", "notify")
	if !ok && verb != "notify" {
		return false
	}
	if there := e.steps("notify"); verb == "remove" {
		if len(there) == 0 {
			e.question(e.say.line("edit_none", e.say.line("o_notify")), e.say.options("edit_none_options"))
			return true
		}
		ids, asked := e.targets(c, thing)
		for _, id := range ids {
			e.op(Op{Do: opRemove, At: id})
		}
		return asked || len(ids) > 0
	}
	how, at, asked := e.place(c, thing)
	if asked {
		return true
	}
	text := e.say.line("edit_notify_text")
	if len(c.quote) > 0 {
		text = c.quote[0]
	}
	e.op(Op{Do: opPut, How: how, At: at, Steps: []Step{{ID: e.fresh("notice"), Do: doNotify, Text: text}}})
	return true
}

// condition asks whether a message was opened, clicked or followed by something, and reminds those where it was not.
func (e *editor) condition(c clause, verb string) bool {
	event, ok := c.find("event")
	if !ok || !c.says("thing", "condition") && !(c.says("word", "not") && verb == "add") {
		return false
	}
	sends := e.steps("message")
	if len(sends) == 0 {
		e.question(e.say.line("edit_none", e.say.line("o_email")), e.say.options("edit_none_options"))
		return true
	}
	at := ""
	if how, where, asked := e.place(c, mark{at: -1}); asked {
		return true
	} else if c.says("place", "after", "before") && how == putAfter {
		at = where
	}
	if at == "" || !strings.HasPrefix(kindIn(e.g, at), "send_") {
		mails := cmp.Or(len(e.steps("email")), 0)
		at = sends[len(sends)-1]
		if mails > 0 {
			at = e.steps("email")[mails-1]
		}
		for _, m := range c.said {
			if n, _ := c.ordinal(m); m.class == "thing" && slices.Contains([]string{"email", "message"}, m.value) && n > 0 && n <= len(e.steps(m.value)) {
				at = e.steps(m.value)[n-1]
			}
		}
	}
	amount, unit, _, timed := c.span()
	if !timed {
		amount, unit = 1, "days"
	}
	do := doSendEmail
	for _, m := range c.said {
		if m.class == "thing" && slices.Contains([]string{"sms", "push"}, m.value) {
			do = "send_" + m.value
		}
	}
	block, op := e.fresh("block"), "is"
	next := cmp.Or(e.leadsTo(at), "end")
	yes, no := "next", block
	if !c.says("word", "not") {
		yes, no = block, "next"
	}
	e.op(
		Op{Do: opPut, How: putBlock, At: block, Next: next, Steps: []Step{{ID: e.fresh("send"), Do: do, Message: e.fresh("reminder")}}},
		Op{Do: opPut, How: putAfter, At: at, Steps: []Step{
			{ID: e.fresh("wait"), Do: doWait, N: amount, Unit: unit},
			{ID: e.fresh("check"), Do: doIf, Event: event.value, Op: op, Yes: yes, No: no},
		}},
	)
	e.note("edit_condition_end")
	return true
}

// tags puts a tag on or takes it off, or removes the step that does.
func (e *editor) tags(c clause, verb string) bool {
	thing, ok := c.find("thing", "tag")
	if !ok || verb != "add" && verb != "remove" && verb != "change" && verb != "swap" {
		return false
	}
	name := c.nameNear(thing)
	there := e.steps("tag")
	if (verb == "change" || verb == "swap") && name != "" {
		ids, asked := e.targets(c, mark{"thing", "tag", thing.at, thing.n})
		for _, id := range ids {
			e.op(Op{Do: opUpdate, At: id, Fields: []NamedText{{"name", name}}})
		}
		return asked || len(ids) > 0
	}
	if verb == "remove" && (name == "" || slices.ContainsFunc(there, func(id string) bool { return e.tagOf(id) == slug(name) })) {
		for _, id := range there {
			if name == "" && len(there) == 1 || e.tagOf(id) == slug(name) {
				e.op(Op{Do: opRemove, At: id})
				return true
			}
		}
		ids, asked := e.targets(c, thing)
		for _, id := range ids {
			e.op(Op{Do: opRemove, At: id})
		}
		return asked || len(ids) > 0
	}
	if name == "" {
		return false
	}
	how, at, asked := e.place(c, thing)
	if asked {
		return true
	}
	do := doAddTag
	if verb == "remove" {
		do = doRemoveTag
	}
	e.op(Op{Do: opPut, How: how, At: at, Steps: []Step{{ID: e.fresh("tag"), Do: do, Name: name}}})
	return true
}

func (e *editor) tagOf(id string) string {
	for _, n := range e.g.Nodes {
		if n.ID == id {
			return bare(decodeConfig(n.Config).Tag)
		}
	}
	return ""
}

// otherStep removes a step of any other kind.
func (e *editor) otherStep(c clause, verb string) bool {
	thing, ok := c.find("thing", "condition", "split", "list", "quiet", "throttle")
	if !ok || verb != "remove" {
		return false
	}
	ids, asked := e.targets(c, thing)
	for _, id := range ids {
		e.op(Op{Do: opRemove, At: id})
	}
	return asked || len(ids) > 0
}
