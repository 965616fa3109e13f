package ai

import (
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
