package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// aggOps are the comparisons that fit a figure: a number, or an instant.
var (
	numberOps = []Op{OpIs, OpIsNot, OpGT, OpGTE, OpLT, OpLTE, OpBetween, OpIsSet, OpIsNotSet}
	momentOps = []Op{OpIs, OpIsNot, OpBefore, OpAfter, OpGT, OpGTE, OpLT, OpLTE, OpBetween, OpWithinLast, OpNotWithinLast, OpInNext, OpIsSet, OpIsNotSet}
)

func (d *ruleDecoder) event(raw json.RawMessage, path string) *EventRule {
	members, ok := d.object(raw, path, "An event")
	if !ok {
		return nil
	}
	d.only(members, path, "name", "agg", "property", "op", "value", "within", "where")
	rule := &EventRule{Name: d.text(members["name"], joinPath(path, "name"), "The event"), Agg: Count}
	if members["agg"] != nil {
		rule.Agg = Agg(d.oneOf(members["agg"], joinPath(path, "agg"), "The figure", "count", "sum", "min", "max", "avg", "first", "last"))
	}
	ofProperty := slices.Contains([]Agg{Sum, Min, Max, Avg}, rule.Agg)
	switch property := joinPath(path, "property"); {
	case ofProperty:
		rule.Property = d.text(members["property"], property, "The property")
	case members["property"] != nil:
		d.invalidf(property, "The %s of an event takes no property. Remove it, or choose sum, min, max or avg.", rule.Agg)
	}
	d.eventOp(rule, members, path)
	if within := members["within"]; within != nil {
		rule.Within = d.duration(within, joinPath(path, "within"))
	}
	if where := members["where"]; where != nil {
		filter := d.rule(where, joinPath(path, "where"), 0, true)
		rule.Where = &filter
	}
	return rule
}

// eventOp reads the comparison of an event's figure; without one the event has to have happened.
func (d *ruleDecoder) eventOp(rule *EventRule, members map[string]json.RawMessage, path string) {
	if members["op"] == nil && members["value"] == nil {
		rule.Op = OpIsSet
		if rule.Agg == Count {
			rule.Op, rule.Value = OpGTE, 1.0
		}
		return
	}
	rule.Op = Op(d.text(members["op"], joinPath(path, "op"), "The comparison"))
	if operatorOf(rule.Op) == nil {
		d.value(rule.Op, nil, path) // says that it is not known
		return
	}
	allowed, kind := numberOps, kindNumber
	if rule.Agg == First || rule.Agg == Last {
		allowed, kind = momentOps, kindDate
	}
	if !slices.Contains(allowed, rule.Op) {
		d.invalidf(joinPath(path, "op"), "The %s of an event cannot be compared with %q.", rule.Agg, rule.Op)
		return
	}
	before := len(d.problems)
	rule.Value = d.value(rule.Op, members["value"], path)
	row := operatorOf(rule.Op)
	if len(d.problems) > before || row.value == ValueNone {
		return
	}
	if f, ok := row.formFor(rule.Value); !ok || f.kind != kind {
		want := "a number"
		if kind == kindDate {
			want = "a date such as 2026-12-24"
		}
		d.invalidf(joinPath(path, "value"), "The %s of an event is compared with %s.", rule.Agg, want)
	}
}

// value reads what op compares with and checks its shape.
func (d *ruleDecoder) value(op Op, raw json.RawMessage, path string) any {
	at := joinPath(path, "value")
	row := operatorOf(op)
	if row == nil {
		if op != "" {
			d.invalidf(joinPath(path, "op"), "The comparison %q is not known: use %s.", shorten(string(op), 40), opNames())
		}
		return nil
	}
	if row.value == ValueNone {
		if raw != nil {
			d.invalidf(at, "%q takes no value. Remove it.", op)
		}
		return nil
	}
	if raw == nil {
		d.invalidf(at, "The value is missing. Say what to compare with.")
		return nil
	}
	if row.value == ValueDuration {
		if within := d.duration(raw, at); within != nil {
			return *within
		}
		return nil
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		d.invalidf(at, "The value cannot be read.")
		return nil
	}
	if !d.shaped(row, value, at) {
		return nil
	}
	if _, ok := row.formFor(value); !ok {
		d.invalidf(at, "%s does not fit %q, which compares %s.", shorten(string(raw), 40), op, kindsFor(row))
		return nil
	}
	return value
}

func (d *ruleDecoder) shaped(row *operator, value any, path string) bool {
	list, isList := value.([]any)
	before := len(d.problems)
	switch row.value {
	case ValueOne:
		if isList {
			d.invalidf(path, "%q compares with one value. Use \"in\" for several.", row.op)
		}
		list = []any{value}
	case ValueRange:
		if len(list) != 2 {
			d.invalidf(path, "%q needs two values, the lowest and the highest.", row.op)
		}
	case ValueNone, ValueDuration: // have no elements
	case ValueList:
		if len(list) == 0 || len(list) > maxRuleList {
			d.invalidf(path, "%q needs a list of 1 to %d values.", row.op, maxRuleList)
		}
	}
	if len(d.problems) > before {
		return false
	}
	d.elements(row, list, path)
	return len(d.problems) == before
}

// elements checks single values: plain, not too long, all of one kind, a range in order.
func (d *ruleDecoder) elements(row *operator, list []any, path string) {
	for _, element := range list {
		if _, plain := textOf(element); !plain {
			d.invalidf(path, "A value has to be a text, a number, a day, true or false.")
			return
		}
		if text, ok := element.(string); ok && (text == "" || utf8.RuneCountInString(text) > maxRuleText) {
			d.invalidf(path, "A text to compare with has 1 to %d characters. To find empty ones, use \"is_not_set\".", maxRuleText)
			return
		}
		want, fits := row.formFor(list[0])
		if got, ok := row.formFor(element); fits && (!ok || got.kind != want.kind) {
			d.invalidf(path, "The values have to be of one kind: all texts, all numbers or all days.")
			return
		}
	}
	if row.value == ValueRange {
		low, lowIs := numberOf(list[0])
		high, highIs := numberOf(list[1])
		if lowIs && highIs && low > high {
			d.invalidf(path, "The lowest value, %s, is above the highest, %s.", formatNumber(low), formatNumber(high))
		}
	}
}

func (d *ruleDecoder) duration(raw json.RawMessage, path string) *Duration {
	var read Duration
	if err := json.Unmarshal(raw, &read); err != nil {
		d.invalidf(path, "%s", sentence(err))
		return nil
	}
	if read.IsZero() {
		d.invalidf(path, "The period is empty. Say how many minutes, hours, days or weeks.")
		return nil
	}
	return &read
}

// sentence makes an error a sentence of its own.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func opNames() string {
	names := make([]string, len(operators))
	for i := range operators {
		names[i] = string(operators[i].op)
	}
	return strings.Join(names, ", ")
}

func kindsFor(row *operator) string {
	forms := operatorOf(row.base()).forms
	kinds := make([]string, 0, len(forms))
	for _, f := range forms {
		kinds = append(kinds, string(f.kind)+"s")
	}
	return strings.Join(kinds, ", ")
}
