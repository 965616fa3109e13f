package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// CompiledRule answers a rule for one person after another. It is safe for concurrent use.
//
// A rule becomes one expr program over two arrays: x holds the values met, already brought to the kind their comparison
// needs (nil when missing), p the bounds, computed from the instant and the zone. So the program sees no clock, no text
// of a user and no value it could trip over.
type CompiledRule struct {
	rule    *Rule
	leaves  []*compiledLeaf
	bounds  int // length of p
	program *vm.Program
	where   bool
}

// compiledLeaf is one comparison.
type compiledLeaf struct {
	path  string
	rule  *Rule
	form  form // of a comparison with a value
	op    Op
	value any // what it compares with
	at    int // index of its first bound in p
	where *CompiledRule
}

// ruleEnv is all a program can see.
type ruleEnv struct {
	X []any `expr:"x"`
	P []any `expr:"p"`
}

var machines = sync.Pool{New: func() any { return new(vm.VM) }}

// Compile readies a rule for evaluation. A rule that came from DecodeRule always compiles.
func (r *Rule) Compile() (*CompiledRule, error) { return r.compile(false) }

// CompileWhere readies a rule that filters events: its bare fields are RuleInput.Props.
func (r *Rule) CompileWhere() (*CompiledRule, error) { return r.compile(true) }

func (r *Rule) compile(where bool) (*CompiledRule, error) {
	c := &CompiledRule{rule: r, where: where}
	var declared strings.Builder
	var names []string
	var failed error
	r.walk("", func(path string, leaf *Rule) {
		source, err := c.addLeaf(path, leaf)
		if err != nil && failed == nil {
			failed = err
		}
		name := "a" + strconv.Itoa(len(names))
		names = append(names, name)
		fmt.Fprintf(&declared, "let %s = %s;\n", name, source)
	})
	if failed != nil {
		return nil, failed
	}
	next := 0
	tree := r.source(func() string { next++; return names[next-1] })
	program, err := expr.Compile(declared.String()+"["+strings.Join(append([]string{tree}, names...), ", ")+"]",
		expr.Env(ruleEnv{}), expr.DisableAllBuiltins())
	if err != nil {
		return nil, fmt.Errorf("compile rule: %w", err)
	}
	c.program = program
	return c, nil
}

// source writes the tree of groups over the names of the leaves.
func (r *Rule) source(leaf func() string) string {
	group := func(parts []Rule, empty, between string) string {
		if len(parts) == 0 {
			return empty
		}
		sources := make([]string, len(parts))
		for i := range parts {
			sources[i] = parts[i].source(leaf)
		}
		return "(" + strings.Join(sources, between) + ")"
	}
	switch {
	case r.All != nil:
		return group(r.All, "true", " && ")
	case r.Any != nil:
		return group(r.Any, "false", " || ")
	case r.Not != nil:
		return "!" + r.Not.source(leaf)
	default:
		return leaf()
	}
}

// addLeaf adds one comparison and writes its source.
func (c *CompiledRule) addLeaf(path string, rule *Rule) (string, error) {
	leaf := &compiledLeaf{path: path, rule: rule, op: rule.Op, value: rule.Value, at: c.bounds}
	x := "x[" + strconv.Itoa(len(c.leaves)) + "]"
	c.leaves = append(c.leaves, leaf)
	switch {
	case rule.Event != nil:
		leaf.op, leaf.value = rule.Event.Op, rule.Event.Value
		if rule.Event.Where != nil {
			where, err := rule.Event.Where.CompileWhere()
			if err != nil {
				return "", err
			}
			leaf.where = where
		}
	case rule.Field == "":
		return "(" + x + " == true)", nil // a membership: x is its truth
	}
	row := operatorOf(leaf.op)
	if row == nil {
		return "", fmt.Errorf("compile rule: the comparison %q is not known", leaf.op)
	}
	f, ok := row.formFor(leaf.value)
	if !ok {
		return "", fmt.Errorf("compile rule: %v does not fit %q", leaf.value, leaf.op)
	}
	leaf.form = f
	bounds := f.bind(leaf.value, binding{zone: time.UTC})
	replaced := []string{"$x", x}
	for i := range bounds {
		replaced = append(replaced, "$"+strconv.Itoa(i+1), "p["+strconv.Itoa(c.bounds+i)+"]")
	}
	c.bounds += len(bounds)
	source := "(" + x + " != nil && " + strings.NewReplacer(replaced...).Replace(f.expr) + ")"
	if row.not != "" {
		source = "!" + source
	}
	return source, nil
}

// Eval answers the rule. It cannot fail: what does not fit is missing.
func (c *CompiledRule) Eval(in RuleInput) Verdict {
	truths, met, next := c.run(&in)
	verdict := Verdict{True: truths[0].(bool), NextChange: next, Explain: make([]Fact, len(c.leaves))}
	for i, leaf := range c.leaves {
		verdict.Explain[i] = leaf.fact(met[i], truths[i+1].(bool))
	}
	return verdict
}

// True answers the rule without saying why.
func (c *CompiledRule) True(in RuleInput) bool {
	truths, _, _ := c.run(&in)
	return truths[0].(bool)
}

// run evaluates the program: the answer, then the truth of each leaf; the raw values met; the next change.
func (c *CompiledRule) run(in *RuleInput) (truths, met []any, next time.Time) {
	if in.Zone == nil {
		in.Zone = time.UTC
	}
	env := ruleEnv{X: make([]any, len(c.leaves)), P: make([]any, 0, c.bounds)}
	met = make([]any, len(c.leaves))
	bound := binding{now: in.Now, zone: in.Zone}
	for i, leaf := range c.leaves {
		var change time.Time
		met[i], change = c.meet(leaf, in)
		next = sooner(next, change)
		if leaf.form.bind == nil {
			env.X[i] = met[i]
			continue
		}
		env.X[i] = bring(met[i], leaf.form.kind, in.Zone)
		env.P = append(env.P, leaf.form.bind(leaf.value, bound)...)
		if x, ok := env.X[i].(int64); ok && leaf.form.flips != nil {
			for _, at := range leaf.form.flips(x, leaf.value) {
				next = sooner(next, after(time.UnixMicro(at).UTC(), in.Now))
			}
		}
	}
	machine := machines.Get().(*vm.VM)
	defer machines.Put(machine)
	out, err := machine.Run(c.program, env)
	if err != nil {
		// The program compares values of known kinds only, so this is a fault of the table of operators.
		panic(fmt.Sprintf("engine: rule program failed: %v", err))
	}
	return out.([]any), met, next
}

// meet finds the value a leaf looks at and, for events in a window, when it will change by time alone.
func (c *CompiledRule) meet(leaf *compiledLeaf, in *RuleInput) (value any, next time.Time) {
	rule := leaf.rule
	switch {
	case rule.Event != nil:
		return leaf.figure(in)
	case rule.Field == "" && in.Contact == nil:
		return rule.Consent != nil && rule.Consent.State == "unknown", next
	case rule.Tag != "":
		return slices.Contains(in.Contact.Tags, rule.Tag), next
	case rule.List != "":
		return slices.Contains(in.Contact.Lists, rule.List), next
	case rule.Segment != "":
		return slices.Contains(in.Contact.Segments, rule.Segment), next
	case rule.Consent != nil:
		return in.Contact.consent(rule.Consent.Channel, rule.Consent.Topic) == rule.Consent.State, next
	case rule.Message != nil:
		return in.Contact.message(rule.Message.Step, rule.Message.Did), next
	case c.where:
		return lookup(in.Props, rule.Field), next
	}
	if property, ok := strings.CutPrefix(rule.Field, "event."); ok {
		return lookup(in.Event, property), next
	}
	if name, ok := strings.CutPrefix(rule.Field, "vars."); ok {
		return lookup(in.Vars, name), next
	}
	if in.Contact == nil {
		return nil, next
	}
	return lookup(in.Contact.Fields, rule.Field), next
}

// sooner is the earlier of two instants; zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// after is the instant if it is still to come, else never.
func after(at, now time.Time) time.Time {
	if at.After(now) {
		return at
	}
	return time.Time{}
}
