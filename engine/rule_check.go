package engine

import (
	"fmt"
	"slices"
	"strings"
)

// RuleScope is what a rule may refer to where it stands.
type RuleScope struct {
	Workspace *Workspace // nil: references and fields are not checked
	Events    []string   // names of the events that event.* may come from; nil: there is no trigger event here
	Run       bool       // the rule is asked of somebody in a funnel, who may have vars.*
	Steps     []string   // ids of the steps whose messages the rule may ask for
	Where     string     // not empty: the rule filters events of this name, and its bare fields are their properties
}

// Check names every reference of the rule that leads nowhere and every comparison that does not fit its field. Fields are
// paths inside the rule; see PlaceProblems.
func (r *Rule) Check(scope RuleScope) []Problem {
	c := &ruleChecker{scope: scope}
	r.walk("", c.leaf)
	return c.problems
}

type ruleChecker struct {
	scope    RuleScope
	problems []Problem
}

func (c *ruleChecker) reportf(code, path string, params Params, format string, args ...any) {
	c.problems = append(c.problems, Problem{
		Code: code, Severity: Error, Field: path, Message: fmt.Sprintf(format, args...), Params: params,
	})
}

func (c *ruleChecker) leaf(path string, leaf *Rule) {
	workspace := c.scope.Workspace
	switch {
	case c.scope.Where != "" && leaf.Field != "":
		c.property([]string{c.scope.Where}, "", leaf.Field, joinPath(path, "field"))
	case leaf.Field != "":
		c.field(leaf, path)
	case leaf.Event != nil:
		c.event(leaf.Event, joinPath(path, "event"))
	case leaf.Tag != "" && workspace != nil:
		c.reference("tag", leaf.Tag, workspace.Tags, joinPath(path, "tag"))
	case leaf.List != "" && workspace != nil:
		c.reference("list", leaf.List, workspace.Lists, joinPath(path, "list"))
	case leaf.Segment != "" && workspace != nil:
		c.reference("segment", leaf.Segment, workspace.Segments, joinPath(path, "segment"))
	case leaf.Consent != nil && leaf.Consent.Topic != "" && workspace != nil:
		c.reference("topic", leaf.Consent.Topic, workspace.Topics, joinPath(path, "consent.topic"))
	case leaf.Message != nil:
		c.message(leaf.Message, joinPath(path, "message.step"))
	}
}

func (c *ruleChecker) field(leaf *Rule, path string) {
	at := joinPath(path, "field")
	if property, ok := strings.CutPrefix(leaf.Field, "event."); ok {
		if c.scope.Events == nil {
			c.reportf("FIELD_UNKNOWN", at, Params{"name": leaf.Field},
				"There is no event here to take %q from. Choose a field of the contact.", leaf.Field)
			return
		}
		c.property(c.scope.Events, "event.", property, at)
		return
	}
	if strings.HasPrefix(leaf.Field, "vars.") && !c.scope.Run {
		c.reportf("FIELD_UNKNOWN", at, Params{"name": leaf.Field},
			"There is no run of a funnel here to take %q from. Choose a field of the contact.", leaf.Field)
		return
	}
	if strings.HasPrefix(leaf.Field, "vars.") || c.scope.Workspace == nil {
		return
	}
	fieldType, known := c.scope.Workspace.FieldType(leaf.Field)
	if !known {
		var keys []string
		for _, f := range c.scope.Workspace.ContactFields() {
			keys = append(keys, f.Key)
		}
		c.unknown("FIELD_UNKNOWN", "contacts have no field", "", leaf.Field, keys, at)
		return
	}
	c.fits(leaf, fieldType, path)
}

// fits checks that the comparison and its value suit the type of the field.
func (c *ruleChecker) fits(leaf *Rule, fieldType, path string) {
	row := operatorOf(leaf.Op)
	if row == nil {
		return
	}
	forms := operatorOf(row.base()).forms
	i := slices.IndexFunc(forms, func(f form) bool { return slices.Contains(f.types, fieldType) })
	params := Params{"field": leaf.Field, "type": fieldType, "op": string(leaf.Op)}
	if i < 0 {
		c.reportf("RULE_INVALID", joinPath(path, "op"), params,
			"The field %q is a %s and cannot be compared with %q.", leaf.Field, fieldType, leaf.Op)
		return
	}
	if row.value == ValueNone || row.value == ValueDuration || slices.Contains(kindsOf(leaf.Value), valueKind(fieldType)) {
		return
	}
	c.reportf("RULE_INVALID", joinPath(path, "value"), params,
		"The field %q is a %s. Compare it with a %s, not with %s.", leaf.Field, fieldType, fieldType, say(leaf.Value))
}

func (c *ruleChecker) event(event *EventRule, path string) {
	c.property([]string{event.Name}, "", event.Property, joinPath(path, "property"))
	if event.Where != nil {
		inner := event.Where.Check(RuleScope{Workspace: c.scope.Workspace, Where: event.Name})
		c.problems = append(c.problems, PlaceProblems(inner, "", joinPath(path, "where"))...)
	}
}

func (c *ruleChecker) property(events []string, prefix, property, path string) {
	props, known := c.scope.Workspace.knownProps(events)
	if property == "" || !known || hasProp(props, property) {
		return
	}
	what := fmt.Sprintf("the event %q has no property", strings.Join(events, ", "))
	c.unknown("FIELD_UNKNOWN", what, prefix, property, props, path)
}

func (c *ruleChecker) reference(of, slug string, known []string, path string) {
	if !slices.Contains(known, slug) {
		c.unknown("REF_MISSING", "there is no "+of, of+":", slug, known, path)
	}
}

func (c *ruleChecker) message(message *MessageRule, path string) {
	if !slices.Contains(c.scope.Steps, message.Step) {
		c.unknown("REF_MISSING", "this funnel has no message step", "", message.Step, c.scope.Steps, path)
	}
}

// unknown reports a name that leads nowhere, with the one that was probably meant. Prefix is what the document writes
// before such a name.
func (c *ruleChecker) unknown(code, what, prefix, name string, known []string, path string) {
	params := Params{"name": name}
	near := Nearest(name, known)
	if near == "" {
		c.reportf(code, path, params, "%s %q. Choose another or create it.", upperFirst(what), name)
		return
	}
	params["near"] = near
	c.reportf(code, path, params, "%s %q. Did you mean %q?", upperFirst(what), name, near)
	c.problems[len(c.problems)-1].Fix = &Fix{Label: fmt.Sprintf("Use %q", near), Field: path, Value: prefix + near}
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
