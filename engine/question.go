package engine

// Question is a rule inside a config, about the person and the run.
type Question struct {
	Rule

	compiled *CompiledRule
}

// UnmarshalJSON reads and compiles the rule; its error is that of Rule.
func (q *Question) UnmarshalJSON(raw []byte) error {
	if err := q.Rule.UnmarshalJSON(raw); err != nil {
		return err
	}
	compiled, err := q.Compile()
	q.compiled = compiled
	return err
}

// Where is a rule inside a config that filters events: its bare fields are the event's properties.
type Where struct {
	Rule

	compiled *CompiledRule
}

// UnmarshalJSON reads and compiles the rule; its error is a *RuleError that names every mistake.
func (w *Where) UnmarshalJSON(raw []byte) error {
	rule, problems := decodeWhere(raw)
	if len(problems) > 0 {
		return &RuleError{problems}
	}
	compiled, err := rule.CompileWhere()
	w.Rule, w.compiled = *rule, compiled
	return err
}

// decodeWhere reads a rule that filters events, as DecodeRule reads one about a person.
func decodeWhere(raw []byte) (*Rule, []Problem) {
	if len(raw) > maxRuleBytes {
		return DecodeRule(raw) // for its problem
	}
	d := &ruleDecoder{}
	rule := d.rule(raw, "", 0, true)
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	return &rule, nil
}

// questions are those of the given ones that are asked at all.
func questions(asked ...*Question) []*Question {
	var set []*Question
	for _, q := range asked {
		if q != nil {
			set = append(set, q)
		}
	}
	return set
}

// Ask puts a question about the person and the run, as of now.
func (m *Moment) Ask(q *Question) Verdict {
	return q.compiled.Eval(RuleInput{Now: m.Now, Contact: m.Contact, Event: m.Run.Event, Vars: m.Run.Vars, Zone: m.Home})
}

// picks tells whether the signal of the moment passes the filter; no filter lets all pass.
func (m *Moment) picks(w *Where) bool {
	return w == nil || w.compiled.True(RuleInput{
		Now: m.Now, Contact: m.Contact, Event: m.Run.Event, Vars: m.Run.Vars, Props: m.Signal.Props, Zone: m.Home,
	})
}
