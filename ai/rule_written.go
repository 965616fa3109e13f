package ai

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// writtenRule is a rule as a model writes it: two levels of groups, values as text.
type writtenRule struct {
	Name          string         `json:"name"`
	Match         string         `json:"match"`
	Groups        []writtenGroup `json:"groups"`
	Assumptions   []string       `json:"assumptions"`
	NotUnderstood []string       `json:"not_understood"`
}

type writtenGroup struct {
	Match      string             `json:"match"`
	Conditions []writtenCondition `json:"conditions"`
}

// writtenCondition is every member a condition can have; the first that is set names it.
type writtenCondition struct {
	Event      string      `json:"event"`
	Tag        string      `json:"tag"`
	List       string      `json:"list"`
	Segment    string      `json:"segment"`
	Field      string      `json:"field"`
	Consent    string      `json:"consent"`
	Not        bool        `json:"not"`
	Agg        string      `json:"agg"`
	Property   *string     `json:"property"`
	Op         string      `json:"op"`
	Value      *string     `json:"value"`
	WithinN    json.Number `json:"within_n"`
	WithinUnit *string     `json:"within_unit"`
	State      string      `json:"state"`
	Because    string      `json:"because"`
}

// readRule is a model's rule after it was judged: the conditions that hold, and what is wrong with the others.
type readRule struct {
	rule        any
	name        string
	assumptions []string
	ignored     []string
	problems    []engine.Problem
}

// The bounds of a rule by a model.
const (
	maxGroups     = 8
	maxConditions = 30
)

// judgeRule makes a rule of what a model wrote. A condition that the rule validator refuses is left out, and its words are told.
func (a *attempt) judgeRule(w writtenRule) *readRule {
	out := &readRule{name: w.Name, assumptions: w.Assumptions}
	for _, s := range w.NotUnderstood[:min(len(w.NotUnderstood), 8)] {
		if s = tidyText(strings.TrimSpace(s), 200); s != "" {
			out.ignored = append(out.ignored, s)
		}
	}
	var groups []any
	n := 0
	for at, g := range w.Groups[:min(len(w.Groups), maxGroups)] {
		var parts []any
		for i, c := range g.Conditions {
			if n++; n > maxConditions {
				break
			}
			leaf, problems, missing := a.leaf(c)
			for _, p := range problems {
				p.Node, p.Field = "", strings.Trim("groups."+strconv.Itoa(at)+".conditions."+strconv.Itoa(i)+"."+p.Field, ".")
				out.problems = append(out.problems, p)
			}
			if len(problems) > 0 {
				out.ignored = append(out.ignored, a.leftOut(c, missing))
				continue
			}
			parts = append(parts, leaf)
		}
		if len(parts) > 0 {
			groups = append(groups, joined(g.Match, parts))
		}
	}
	if len(groups) > 0 {
		out.rule = joined(w.Match, groups)
		if _, problems := engine.DecodeRule(quote(out.rule)); len(problems) > 0 {
			out.rule, out.problems = nil, append(out.problems, problems...)
		}
	}
	if out.rule == nil {
		return out
	}
	for _, lost := range numbersLost(a.req.Prompt, out) {
		out.problems = append(out.problems, engine.Problem{Code: "NUMBER_LOST", Field: "groups", Message: "the sentence says " + lost + ", and no condition does; use it, or put its words into not_understood"})
		out.ignored = append(out.ignored, lost)
	}
	return out
}

func joined(match string, parts []any) any {
	if len(parts) == 1 {
		return parts[0]
	}
	if match == "any" {
		return fields{"any": parts}
	}
	return fields{"all": parts}
}

// leftOut says which words of the sentence a condition stood for, and the name that is missing, if it is that.
func (a *attempt) leftOut(c writtenCondition, missing [2]string) string {
	words := tidyText(strings.TrimSpace(c.Because), 200)
	if words == "" || !strings.Contains(fold(a.req.Prompt), fold(words)) { // it has to be the sentence's own words
		words = tidyText(strings.TrimSpace(c.Event+c.Tag+c.List+c.Segment+c.Field+c.Consent), 100)
	}
	if missing[0] == "" {
		return words
	}
	return a.say.line("rule_missing", words, missing[0], tidyText(missing[1], 60))
}

// leaf makes one condition and has the rule validator judge it. missing is the kind and the name of what the workspace does not have.
func (a *attempt) leaf(c writtenCondition) (leaf any, problems []engine.Problem, missing [2]string) {
	ws := a.req.Workspace
	switch {
	case c.Event != "":
		if ws != nil && !engine.IsInternalEvent(c.Event) {
			if _, known := ws.Events[c.Event]; !known {
				return nil, []engine.Problem{{Code: "REF_MISSING", Field: "event", Message: "the workspace has no event " + c.Event}}, [2]string{a.say.line("rule_event"), c.Event}
			}
		}
		leaf = fields{"event": c.happened()}
	case c.Tag != "", c.List != "", c.Segment != "":
		of, name := "tag", c.Tag
		if c.List != "" {
			of, name = "list", c.List
		} else if c.Segment != "" {
			of, name = "segment", c.Segment
		}
		name = strings.TrimPrefix(name, of+":")
		if known := knownNames(ws, of); !slices.Contains(known, name) && slices.Contains(known, slug(name)) {
			name = slug(name)
		}
		leaf, missing = fields{of: of + ":" + name}, [2]string{a.say.line("ref_" + of), name}
	case c.Field != "":
		leaf, missing = c.compared(ws), [2]string{a.say.line("ref_field"), c.Field}
	case c.Consent != "":
		leaf = fields{"consent": fields{"channel": c.Consent, "state": c.State}}
	default:
		return nil, []engine.Problem{{Code: "RULE_INVALID", Message: "a condition names nothing"}}, missing
	}
	rule, problems := engine.DecodeRule(quote(leaf))
	if len(problems) == 0 {
		problems = rule.Check(engine.RuleScope{Workspace: ws, Run: true})
	}
	if !slices.ContainsFunc(problems, func(p engine.Problem) bool { return p.Code == "REF_MISSING" || p.Code == "FIELD_UNKNOWN" }) {
		missing = [2]string{}
	}
	if c.Not {
		leaf = fields{"not": leaf}
	}
	return leaf, problems, missing
}

// happened is a condition on events.
func (c writtenCondition) happened() fields {
	out := fields{"name": c.Event, "agg": c.Agg, "op": c.Op}
	if p := deref(c.Property); p != "" && slices.Contains([]string{"sum", "min", "max", "avg"}, c.Agg) {
		out["property"] = p
	}
	of := "number"
	if c.Agg == "first" || c.Agg == "last" {
		of = "date"
	}
	if v := valueOf(c.Op, deref(c.Value), of); v != nil {
		out["value"] = v
	}
	if n, err := strconv.Atoi(c.WithinN.String()); err == nil && n > 0 {
		out["within"] = fields{"amount": n, "unit": deref(c.WithinUnit)}
	}
	return out
}

// compared is a condition on a field.
func (c writtenCondition) compared(ws *engine.Workspace) fields {
	of, _ := ws.FieldType(c.Field)
	out := fields{"field": c.Field, "op": c.Op}
	if v := valueOf(c.Op, deref(c.Value), of); v != nil {
		out["value"] = v
	}
	return out
}

// valueOf reads a value that was written as text; nil where the comparison takes none.
func valueOf(op, text, of string) any {
	one := func(s string) any {
		s = strings.TrimSpace(s)
		switch of {
		case "number":
			if n, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
				return n
			}
		case "boolean":
			if b, err := strconv.ParseBool(s); err == nil {
				return b
			}
		}
		return s
	}
	shape := engine.ValueOne
	for _, o := range engine.Operators() {
		if string(o.Op) == op {
			shape = o.Value
		}
	}
	switch shape {
	case engine.ValueNone:
		return nil
	case engine.ValueList, engine.ValueRange:
		var out []any
		for part := range strings.SplitSeq(text, "|") {
			out = append(out, one(part))
		}
		return out
	case engine.ValueDuration:
		amount, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
		n, err := strconv.Atoi(amount)
		if err != nil {
			return text
		}
		return fields{"amount": n, "unit": strings.TrimSpace(unit)}
	case engine.ValueOne:
	}
	if text == "" {
		return nil
	}
	return one(text)
}
