package ai

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func (e *editor) quietHours(c clause, verb string) bool {
	if !c.says("thing", "quiet") {
		return false
	}
	there := e.steps("quiet")
	if verb == "remove" && len(there) > 0 && !c.says("word", "from") {
		for _, id := range there {
			e.op(Op{Do: opRemove, At: id})
		}
		return true
	}
	from, to := "21:00", "08:00"
	if times := c.timesOfDay(); len(times) >= 2 {
		from, to = times[0], times[1]
	} else {
		e.note("edit_quiet_default", from, to)
	}
	if len(there) > 0 {
		e.op(Op{Do: opUpdate, At: there[0], Fields: []NamedText{{"from", from}, {"to", to}}})
		return true
	}
	e.op(Op{Do: opPut, How: putAfter, At: e.entry(), Steps: []Step{{ID: e.fresh("quiet"), Do: doQuietHours, From: from, Until: to}}})
	return true
}

func (e *editor) throttle(c clause, verb string) bool {
	if !c.says("thing", "throttle") && verb != "throttle" {
		return false
	}
	if there := e.steps("throttle"); verb == "remove" && len(there) > 0 {
		e.op(Op{Do: opRemove, At: there[0]})
		return true
	}
	count := 0
	for _, t := range c.tokens {
		if t.kind == aNumber && t.num >= 1 && count == 0 {
			count = int(t.num)
		}
	}
	if count == 0 {
		return false
	}
	unit := "hours"
	for i := range c.tokens {
		if u := c.unitAt(i); u == "days" || u == "minutes" || u == "hours" {
			unit = u
		}
	}
	if strings.HasPrefix(fold(c.text), "dzien") || strings.Contains(fold(c.text), "dziennie") {
		unit = "days"
	}
	if there := e.steps("throttle"); len(there) > 0 {
		e.op(Op{Do: opUpdate, At: there[0], Fields: []NamedText{{"count", strconv.Itoa(count)}, {"per", "1 " + unit}}})
		return true
	}
	e.op(Op{Do: opPut, How: putAfter, At: e.entry(), Steps: []Step{{ID: e.fresh("limit"), Do: doThrottle, Max: count, Per: strings.TrimSuffix(unit, "s")}}})
	return true
}

// discount changes a percentage in all messages, from the one named or the only one there is.
func (e *editor) discount(c clause, verb string) bool {
	figures := c.percents()
	if len(figures) == 0 || verb == "add" || verb == "rename" || c.says("thing", "split", "condition") {
		return false
	}
	from, to := 0, figures[len(figures)-1]
	switch {
	case len(figures) >= 2:
		from = figures[0]
	default:
		known := e.percentsThere()
		if len(known) != 1 {
			if len(known) == 0 {
				e.note("edit_no_discount", strconv.Itoa(to))
				e.heard++
			} else {
				options := make([]string, 0, len(known))
				for _, p := range known {
					options = append(options, fmt.Sprintf("%d%% → %d%%", p, to))
				}
				e.question(e.say.line("edit_which", e.say.line("offer_word")), options)
			}
			return true
		}
		from = known[0]
	}
	if !slices.Contains(e.percentsThere(), from) {
		e.note("edit_no_discount", strconv.Itoa(from))
	}
	for _, sign := range []string{"%", " %", "\u00a0%"} {
		e.op(Op{Do: opReplace, Find: strconv.Itoa(from) + sign, Text: strconv.Itoa(to) + sign})
	}
	return true
}

var percentThere = regexp.MustCompile(`(\d+)[ \x{00a0}]?%`)

func (e *editor) percentsThere() []int {
	var out []int
	for _, key := range sortedKeys(e.b.Creatives) {
		for _, m := range percentThere.FindAllStringSubmatch(string(quote(e.b.Creatives[key])), -1) {
			if n := atoi(m[1], 0); !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// split tests a message against a copy of itself.
func (e *editor) split(c clause, verb string) bool {
	if !c.says("thing", "split") {
		return false
	}
	if there := e.steps("split"); verb == "remove" && len(there) > 0 {
		e.op(Op{Do: opRemove, At: there[0]})
		return true
	}
	thing, ok := c.find("thing", "email", "sms", "push", "letter", "message")
	if !ok {
		thing = mark{class: "thing", value: "message"}
	}
	all := e.steps(thing.value)
	if n, _ := c.ordinal(thing); n == 0 && len(c.ids) == 0 && len(all) > 1 {
		all = all[:1] // a test is of the first message unless another one is named
	} else {
		ids, asked := e.targets(c, thing)
		if asked || len(ids) == 0 {
			return asked
		}
		all = ids
	}
	if len(all) == 0 {
		e.question(e.say.line("edit_none", e.say.line("o_email")), e.say.options("edit_none_options"))
		return true
	}
	target := all[0]
	share := 50
	for i, t := range c.tokens {
		if t.kind == aNumber && i+2 < len(c.tokens) && c.tokens[i+1].kind == aComma && c.tokens[i+2].kind == aNumber && t.num+c.tokens[i+2].num == 100 {
			share = int(t.num)
		}
	}
	key := bare(decodeConfig((&editing{builder: &builder{draft: Draft{Bundle: e.b}}}).nodeOf(target).Config).Creative)
	block, message := e.fresh("b"), slug(key+"-b")
	next := cmp.Or(e.leadsTo(target), "end")
	e.op(
		Op{Do: opPut, How: putBlock, At: block, Next: next, Steps: []Step{{ID: e.fresh("send"), Do: kindIn(e.g, target), Message: message}}},
		Op{Do: opPut, How: putBefore, At: target, Steps: []Step{{ID: e.fresh("split"), Do: doSplit, Arms: []Arm{{"A", share, target}, {"B", 100 - share, block}}}}},
		Op{Do: opMessage, At: message, Brief: "B", CopyOf: key},
	)
	e.note("edit_copy_b")
	return true
}

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

func (e *editor) move(c clause, verb string) bool {
	if verb != "move" {
		return false
	}
	thing, ok := c.find("thing", "email", "sms", "push", "letter", "wait", "tag", "notify", "quiet", "throttle", "message")
	if !ok {
		return false
	}
	ids, asked := e.targets(c, thing)
	if asked || len(ids) == 0 {
		return asked
	}
	how, at, asked := e.place(c, thing)
	if asked {
		return true
	}
	if how == putBefore {
		for _, x := range e.g.Edges {
			if x.To == at {
				at = x.From
				break
			}
		}
	}
	e.op(Op{Do: opMove, At: ids[0], After: at})
	return true
}

// channelThings are the things that are messages.
var channelThings = []string{"email", "sms", "push", "letter"}

// swap sends a message by another channel.
func (e *editor) swap(c clause, verb string) bool {
	var named []mark
	for _, m := range c.said {
		if m.class == "thing" && slices.Contains(append(slices.Clone(channelThings), "message"), m.value) {
			if n := len(named); n > 0 && named[n-1].at == m.at {
				continue
			}
			named = append(named, m)
		}
	}
	if len(named) < 2 || verb != "swap" && verb != "change" || !slices.Contains(channelThings, named[len(named)-1].value) {
		return false
	}
	from, to := named[0], named[len(named)-1]
	if from.value == to.value {
		return false
	}
	ids, asked := e.targets(c, from)
	if asked || len(ids) == 0 {
		return asked
	}
	for _, id := range ids {
		e.op(Op{Do: opPut, How: putReplace, At: id, Steps: []Step{{ID: e.fresh("send"), Do: "send_" + to.value, Message: e.fresh(to.value)}}})
	}
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

// wait sets, adds or removes a wait.
func (e *editor) wait(c clause, verb string) bool {
	thing, ok := c.find("thing", "wait")
	amount, unit, _, timed := c.span()
	if !ok {
		pronoun := verb == "change" && timed && !c.says("thing", append(slices.Clone(channelThings), "message", "tag")...)
		if !pronoun {
			return false
		}
		thing = mark{class: "thing", value: "wait"}
	}
	switch {
	case verb == "remove":
		ids, asked := e.targets(c, thing)
		for _, id := range ids {
			e.op(Op{Do: opRemove, At: id})
		}
		return asked || len(ids) > 0
	case verb == "add" && !timed:
		e.question(e.say.line("edit_how_long"), e.say.options("edit_how_long_options"))
		return true
	case verb == "add":
		how, at, asked := e.place(c, thing)
		if asked {
			return true
		}
		e.op(Op{Do: opPut, How: how, At: at, Steps: []Step{{ID: e.fresh("wait"), Do: doWait, N: amount, Unit: unit}}})
		return true
	case !timed:
		e.question(e.say.line("edit_how_long"), e.say.options("edit_how_long_options"))
		return true
	}
	ids, asked := e.targets(c, thing)
	if asked {
		return true
	}
	for _, id := range ids {
		e.op(Op{Do: opUpdate, At: id, Fields: e.longer(id, amount, unit)})
	}
	return len(ids) > 0
}

// longer writes the new length of a wait: its duration, or how long it waits for something at most.
func (e *editor) longer(id string, amount int, unit string) []NamedText {
	for _, n := range e.g.Nodes {
		if n.ID == id && waitsForSomething(n) {
			return []NamedText{{"timeout_h", strconv.Itoa(max(1, int(float64(amount)*hoursPer[unit])))}}
		}
	}
	return []NamedText{{"n", strconv.Itoa(amount)}, {"wait", unit}}
}

// channel adds or removes a message.
func (e *editor) channel(c clause, verb string) bool {
	thing, ok := c.find("thing", channelThings...)
	if !ok {
		thing, ok = c.find("thing", "message")
		if !ok || thing.value == "message" && verb == "add" {
			return false
		}
	}
	switch verb {
	case "remove":
		ids, asked := e.targets(c, thing)
		for _, id := range ids {
			e.op(Op{Do: opRemove, At: id})
		}
		return asked || len(ids) > 0
	case "add":
	default:
		return false
	}
	how, at, asked := e.place(c, thing)
	if asked {
		return true
	}
	var steps []Step
	if amount, unit, _, timed := c.span(); timed {
		steps = append(steps, Step{ID: e.fresh("wait"), Do: doWait, N: amount, Unit: unit})
	}
	message := e.fresh(thing.value)
	steps = append(steps, Step{ID: e.fresh("send"), Do: "send_" + thing.value, Message: message})
	brief := ""
	if len(c.quote) > 0 {
		brief = c.quote[0]
	}
	e.op(Op{Do: opPut, How: how, At: at, Steps: steps}, Op{Do: opMessage, At: message, Brief: brief, Subject: brief})
	return true
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
