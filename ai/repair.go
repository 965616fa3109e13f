package ai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// repairEdit asks for the smallest change of a plan that can be read: operations on its steps, by the plan's own ids. A whole plan is not
// written anew, and what was good in the first stays good.
func (a *attempt) repairEdit(spec Spec, problems []string, unmet []Unmet) call {
	var out strings.Builder
	out.WriteString(section("workspace", workspaceNames(a.req.Workspace, a.req.Prompt)) + section("funnel", encodeSpec(spec)) + section("request", a.req.Prompt))
	out.WriteString("<errors>\n" + strings.Join(problems, "\n") + "\n</errors>\n")
	for _, u := range unmet {
		out.WriteString(section("unmet", u))
	}
	out.WriteString("The funnel is your own plan. Return operations (status ops) that mend only what these lines say. Leave everything else as it is.")
	return call{name: "repair", schema: a.d.kinds.EditSchema(), maxTokens: 1500, system: a.d.editSystem(a.set), user: out.String()}
}

// mended reads the answer to a repair: operations on the plan, or a whole plan from a model that writes one all the same.
func mended(spec Spec, reply string) (out Spec, err error) {
	edit, err := DecodeEdit([]byte(reply))
	if err == nil && edit.Status == StatusOps {
		return spec.patched(edit.Ops)
	}
	if whole, err := DecodeSpec([]byte(reply)); err == nil {
		return whole, nil
	}
	if err == nil {
		err = fmt.Errorf("status is %q; mend the plan with operations", edit.Status)
	}
	return Spec{}, err
}

// sameTrouble names what is wrong, to see whether a round made any difference.
func (c *candidate) sameTrouble() string {
	var all []string
	for _, p := range slices.Concat(c.errors, c.missing) {
		all = append(all, p.Code+" "+p.Node+" "+p.Field+" "+p.Port)
	}
	for _, u := range c.unmet {
		all = append(all, u.Want+" "+u.Got)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// patched is the plan after operations on it. Operations that name a step there is not are an error that says so.
func (s Spec) patched(ops []Op) (Spec, error) {
	s.Blocks = slices.Clone(s.Blocks)
	for i := range s.Blocks {
		s.Blocks[i].Steps = slices.Clone(s.Blocks[i].Steps)
	}
	s.Messages = slices.Clone(s.Messages)
	for i, op := range ops {
		if err := s.patch(op); err != nil {
			return Spec{}, fmt.Errorf("ops[%d]: %w", i, err)
		}
	}
	return s, nil
}

// place is where a step stands.
func (s *Spec) place(id string) (block, step int, err error) {
	for b := range s.Blocks {
		for i := range s.Blocks[b].Steps {
			if s.Blocks[b].Steps[i].ID == id {
				return b, i, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("there is no step %q", id)
}

func (s *Spec) patch(op Op) error {
	switch op.Do {
	case opSetting:
		return s.set(op.At, op.Text)
	case opMessage:
		brief := strings.TrimSpace(op.Brief + " " + op.Subject)
		for i := range s.Messages {
			if s.Messages[i].ID == op.At {
				s.Messages[i].Brief = brief
				return nil
			}
		}
		s.Messages = append(s.Messages, Brief{ID: op.At, Brief: brief})
		return nil
	case opReplace:
		return nil // a plan has no texts yet
	case opPut:
		return s.put(op)
	}
	b, i, err := s.place(op.At)
	if err != nil {
		return err
	}
	steps := s.Blocks[b].Steps
	switch op.Do {
	case opRemove:
		s.Blocks[b].Steps = slices.Delete(steps, i, i+1)
	case opMove:
		moved := steps[i]
		s.Blocks[b].Steps = slices.Delete(steps, i, i+1)
		to, j, err := s.place(op.After)
		if err != nil {
			return err
		}
		s.Blocks[to].Steps = slices.Insert(s.Blocks[to].Steps, j+1, moved)
	case opBranch:
		return s.lead(b, i, op.Port, op.To)
	case opUpdate:
		changed, err := steps[i].with(op.Fields)
		if err != nil {
			return err
		}
		steps[i] = changed
	}
	return nil
}

func (s *Spec) put(op Op) error {
	if op.How == putBlock {
		next := op.Next
		if next == "end" || next == wayNext {
			next = ""
		}
		s.Blocks = append(s.Blocks, Part{ID: op.At, Steps: op.Steps, Next: next})
		return nil
	}
	for b := range s.Blocks { // "after" a block is at its end, "before" at its beginning
		if s.Blocks[b].ID != op.At {
			continue
		}
		at := len(s.Blocks[b].Steps)
		if op.How == putBefore {
			at = 0
		}
		s.Blocks[b].Steps = slices.Insert(s.Blocks[b].Steps, at, op.Steps...)
		return nil
	}
	b, i, err := s.place(op.At)
	if err != nil {
		return err
	}
	steps := s.Blocks[b].Steps
	switch op.How {
	case putReplace:
		s.Blocks[b].Steps = slices.Replace(steps, i, i+1, op.Steps...)
	case putBefore:
		s.Blocks[b].Steps = slices.Insert(steps, i, op.Steps...)
	default:
		if op.Port != "" && op.Port != wayNext { // on one way out of a branch: a block of its own, in front of where that led
			to := steps[i].way(op.Port)
			name := op.At + "-" + op.Port
			s.Blocks = append(s.Blocks, Part{ID: name, Steps: op.Steps, Next: blockOrEnd(to)})
			return s.lead(b, i, op.Port, name)
		}
		s.Blocks[b].Steps = slices.Insert(steps, i+1, op.Steps...)
	}
	return nil
}

func blockOrEnd(to string) string {
	if to == "end" {
		return ""
	}
	return to
}

// way is where a port of a branch leads.
func (s Step) way(port string) string {
	switch port {
	case "yes":
		return s.Yes
	case "no":
		return s.No
	}
	for _, arm := range s.Arms {
		if arm.Label == port {
			return arm.To
		}
	}
	return ""
}

// lead makes a way out of a step lead to a block or a step.
func (s *Spec) lead(b, i int, port, to string) error {
	if to, err := s.target(to); err != nil {
		return err
	} else if step := &s.Blocks[b].Steps[i]; step.Do == doIf {
		switch port {
		case "yes":
			step.Yes = to
		case "no":
			step.No = to
		default:
			return fmt.Errorf("the step %q has the ways yes and no, not %q", step.ID, port)
		}
		return nil
	} else if step.Do == doSplit {
		step.Arms = slices.Clone(step.Arms)
		for n := range step.Arms {
			if step.Arms[n].Label == port {
				step.Arms[n].To = to
				return nil
			}
		}
		return fmt.Errorf("the step %q has no arm %q", step.ID, port)
	} else {
		s.Blocks[b].Steps = s.Blocks[b].Steps[:i+1] // what stood behind it is not on the way any more
		s.Blocks[b].Next = blockOrEnd(to)
		return nil
	}
}

// target is the block a way leads to: a block, or the one that begins with a step; a block in which the step stands further down is parted
// there.
func (s *Spec) target(to string) (string, error) {
	if to == "" || to == "end" {
		return "end", nil
	}
	if slices.ContainsFunc(s.Blocks, func(p Part) bool { return p.ID == to }) {
		return to, nil
	}
	b, i, err := s.place(to)
	if err != nil {
		return "", fmt.Errorf("there is no block or step %q", to)
	}
	if i == 0 {
		return s.Blocks[b].ID, nil
	}
	rest := Part{ID: "from-" + to, Steps: slices.Clone(s.Blocks[b].Steps[i:]), Next: s.Blocks[b].Next}
	s.Blocks[b].Steps, s.Blocks[b].Next = s.Blocks[b].Steps[:i:i], rest.ID
	s.Blocks = append(s.Blocks, rest)
	return rest.ID, nil
}

// with is the step with other values of members, named as in the written form.
func (s Step) with(changes []NamedText) (Step, error) {
	written := fields{}
	raw, err := json.Marshal(encodeStep(s))
	if err == nil {
		err = json.Unmarshal(raw, &written)
	}
	if err != nil {
		return s, err
	}
	for _, f := range changes {
		if _, known := written[f.Name]; !known {
			return s, fmt.Errorf("the step %q has no member %q", s.ID, f.Name)
		}
		written[f.Name] = f.Value
		if n, err := strconv.Atoi(f.Value); err == nil && numeric(f.Name) {
			written[f.Name] = n
		}
		var composite any
		if json.Unmarshal([]byte(f.Value), &composite) == nil {
			if _, list := composite.([]any); list {
				written[f.Name] = composite
			}
		}
	}
	if raw, err = json.Marshal(written); err != nil {
		return s, err
	}
	return decodeStep(raw)
}

// numeric are the members that hold whole numbers.
func numeric(name string) bool {
	return slices.Contains([]string{"n", "timeout_h", "before_h", "max"}, name)
}

func (s *Spec) set(name, value string) error {
	days := func() (int, error) { return strconv.Atoi(strings.TrimSpace(value)) }
	var err error
	switch name {
	case "reentry":
		s.Reentry = value
	case "reentry_days":
		s.ReentryDays, err = days()
	case "trigger_kind":
		s.Trigger.Kind = value
	case "trigger_ref":
		s.Trigger.Ref = value
	case "trigger_when":
		s.Trigger.When = value
	case "trigger_offset_days":
		s.Trigger.OffsetDays, err = days()
	}
	if err != nil {
		return fmt.Errorf("%s is a whole number", name)
	}
	return nil
}
