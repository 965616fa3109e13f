package ai

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

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

// channel adds or removes a message.
func (e *editor) channel(c clause, verb string) bool {
	thing, ok := c.find("thing", channelThings...)
	if !ok {
		thing, ok = c.find("thing", "message")
		if !ok || thing.value == "message" && verb == "add" {
			return false
		}
	}
	if said, spoken := c.find("verb", "add"); verb == "add" && spoken { // "before the first email add a push"
		for _, m := range c.said {
			if m.class == "thing" && m.at > said.at && thing.at < said.at && slices.Contains(channelThings, m.value) {
				thing = m
				break
			}
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
	brief := ""
	if len(c.quote) > 0 {
		brief = c.quote[0]
	}
	messages := make([]Op, 0, 2)
	for _, m := range c.messagesFrom(thing) {
		message := e.fresh(m.value)
		steps = append(steps, Step{ID: e.fresh("send"), Do: "send_" + m.value, Message: message})
		messages = append(messages, Op{Do: opMessage, At: message, Brief: brief, Subject: brief})
	}
	e.op(append([]Op{{Do: opPut, How: how, At: at, Steps: steps}}, messages...)...)
	return true
}

// messagesFrom are the messages an instruction names beside the first: "an SMS and a push". What stands behind a word of place is where they go.
func (c clause) messagesFrom(first mark) []mark {
	out := []mark{first}
	for _, m := range c.said {
		if m.class == "place" && m.at > first.at && m.value != "end" {
			break
		}
		if m.class == "thing" && m.at > first.at && slices.Contains(channelThings, m.value) {
			out = append(out, m)
		}
	}
	return out
}
