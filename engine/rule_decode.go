package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a rule.
const (
	maxRuleDepth  = 4         // groups (all, any, not) inside each other
	maxRuleLeaves = 100       // comparisons
	maxRuleBytes  = 64 * 1024 // of JSON
	maxRuleList   = 1000      // elements of "is any of"
	maxRuleText   = 1000      // characters of a value
)

// DecodeRule reads a rule from JSON and names everything wrong with it at once. The Field of a problem is the path
// inside the rule, such as "all.0.op"; see PlaceProblems. References and field names are Check's concern.
func DecodeRule(raw []byte) (*Rule, []Problem) {
	d := &ruleDecoder{}
	if len(raw) > maxRuleBytes {
		d.invalidf("", "This condition is too large: at most %d KB. Split it, or use a segment.", maxRuleBytes/1024)
		return nil, d.problems
	}
	rule := d.rule(raw, "", 0, false)
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	return &rule, nil
}

// PlaceProblems puts problems found inside a part of a document at the part's own path and node.
func PlaceProblems(problems []Problem, node, path string) []Problem {
	placed := make([]Problem, len(problems))
	for i, p := range problems {
		p.Node, p.Field = node, joinPath(path, p.Field)
		if p.Fix != nil {
			fix := *p.Fix
			fix.Field = joinPath(path, fix.Field)
			p.Fix = &fix
		}
		placed[i] = p
	}
	return placed
}

func joinPath(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

func joinIndex(path, key string, i int) string { return joinPath(path, key) + "." + strconv.Itoa(i) }

// ruleDecoder walks a document once and gathers problems.
type ruleDecoder struct {
	leaves   int
	problems []Problem
}

func (d *ruleDecoder) invalidf(path, format string, args ...any) {
	d.problems = append(d.problems, Problem{
		Code: "RULE_INVALID", Severity: Error, Field: path, Message: fmt.Sprintf(format, args...),
	})
}

// ruleShapes lists the members of each kind of rule; the first names it.
var ruleShapes = [][]string{
	{"all"}, {"any"}, {"not"}, {"field", "op", "value"}, {"event"}, {"tag"}, {"list"}, {"segment"}, {"consent"}, {"message"},
}

func (d *ruleDecoder) rule(raw json.RawMessage, path string, depth int, inWhere bool) (rule Rule) {
	members, ok := d.object(raw, path, "A condition")
	if !ok {
		return rule
	}
	i := slices.IndexFunc(ruleShapes, func(shape []string) bool { return members[shape[0]] != nil })
	if i < 0 {
		d.invalidf(path, "This condition is empty. Choose a field, an event, a tag, a list or a segment.")
		return rule
	}
	shape := ruleShapes[i]
	d.only(members, path, shape...)
	group := i < 3
	if group && depth >= maxRuleDepth {
		d.invalidf(path, "Groups inside groups go at most %d deep. Move this part into a segment.", maxRuleDepth)
		return rule
	}
	if !group {
		if d.leaves++; d.leaves == maxRuleLeaves+1 {
			d.invalidf(path, "This condition has more than %d comparisons. Move a part of it into a segment.", maxRuleLeaves)
		}
	}
	if inWhere && !group && shape[0] != "field" {
		d.invalidf(joinPath(path, shape[0]), "A filter on an event can look at the properties of that event only, not at %s.", shape[0])
		return rule
	}
	value, at := members[shape[0]], joinPath(path, shape[0])
	switch shape[0] {
	case "all":
		rule.All = d.rules(value, at, depth+1, inWhere)
	case "any":
		rule.Any = d.rules(value, at, depth+1, inWhere)
	case "not":
		inner := d.rule(value, at, depth+1, inWhere)
		rule.Not = &inner
	case "field":
		rule.Field = d.text(value, at, "A field")
		rule.Op = Op(d.text(members["op"], joinPath(path, "op"), "The comparison"))
		rule.Value = d.value(rule.Op, members["value"], path)
	case "event":
		rule.Event = d.event(value, at)
	case "tag", "list", "segment":
		slug := d.reference(value, at, shape[0])
		switch shape[0] {
		case "tag":
			rule.Tag = slug
		case "list":
			rule.List = slug
		default:
			rule.Segment = slug
		}
	case "consent":
		rule.Consent = d.consent(value, at)
	case "message":
		rule.Message = d.message(value, at)
	}
	return rule
}

func (d *ruleDecoder) rules(raw json.RawMessage, path string, depth int, inWhere bool) []Rule {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		d.invalidf(path, "This group has to be a list of conditions.")
		return nil
	}
	if len(parts) == 0 {
		d.invalidf(path, "This group is empty. Add a condition or remove the group.")
	}
	if len(parts) > maxRuleLeaves {
		d.invalidf(path, "This group has more than %d conditions. Move a part of it into a segment.", maxRuleLeaves)
		return nil
	}
	rules := make([]Rule, 0, len(parts))
	for i, part := range parts {
		rules = append(rules, d.rule(part, path+"."+strconv.Itoa(i), depth, inWhere))
	}
	return rules
}

func (d *ruleDecoder) consent(raw json.RawMessage, path string) *ConsentRule {
	members, ok := d.object(raw, path, "A consent")
	if !ok {
		return nil
	}
	d.only(members, path, "channel", "topic", "state")
	rule := &ConsentRule{
		Channel: d.oneOf(members["channel"], joinPath(path, "channel"), "The channel", "email", "sms", "push", "letter", "whatsapp"),
		State:   d.oneOf(members["state"], joinPath(path, "state"), "The consent", "granted", "denied", "unknown"),
	}
	if topic := members["topic"]; topic != nil {
		rule.Topic = d.reference(topic, joinPath(path, "topic"), "topic")
	}
	return rule
}

func (d *ruleDecoder) message(raw json.RawMessage, path string) *MessageRule {
	members, ok := d.object(raw, path, "A message")
	if !ok {
		return nil
	}
	d.only(members, path, "step", "did")
	return &MessageRule{
		Step: d.text(members["step"], joinPath(path, "step"), "The step"),
		Did:  d.oneOf(members["did"], joinPath(path, "did"), "What happened", "sent", "delivered", "opened", "clicked", "replied", "bounced"),
	}
}

// object reads the members of an object; those that are null count as absent.
func (d *ruleDecoder) object(raw json.RawMessage, path, what string) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		d.invalidf(path, "%s has to be an object, such as {\"field\": \"city\", \"op\": \"is\", \"value\": \"Kraków\"}.", what)
		return nil, false
	}
	for key, value := range members {
		if bytes.Equal(value, []byte("null")) {
			delete(members, key)
		}
	}
	return members, true
}

// only refuses members that are not in the list.
func (d *ruleDecoder) only(members map[string]json.RawMessage, path string, known ...string) {
	var strange []string
	for key := range members {
		if !slices.Contains(known, key) {
			strange = append(strange, key)
		}
	}
	slices.Sort(strange)
	for _, key := range strange {
		d.invalidf(joinPath(path, key), "%q does not belong here: this part takes only %s.", shorten(key, 40), strings.Join(known, ", "))
	}
}

func (d *ruleDecoder) text(raw json.RawMessage, path, what string) string {
	var text string
	switch {
	case raw == nil:
		d.invalidf(path, "%s is missing. Choose one.", what)
	case json.Unmarshal(raw, &text) != nil:
		d.invalidf(path, "%s has to be a text.", what)
	case text == "":
		d.invalidf(path, "%s is empty. Choose one.", what)
	case utf8.RuneCountInString(text) > 200:
		d.invalidf(path, "%s is too long: at most 200 characters.", what)
	}
	return text
}

func (d *ruleDecoder) oneOf(raw json.RawMessage, path, what string, known ...string) string {
	before := len(d.problems)
	text := d.text(raw, path, what)
	if len(d.problems) == before && !slices.Contains(known, text) {
		d.invalidf(path, "%s %q is not known: use %s.", what, shorten(text, 40), strings.Join(known, ", "))
	}
	return text
}

// reference reads "tag:vip" and gives the slug.
func (d *ruleDecoder) reference(raw json.RawMessage, path, of string) string {
	before := len(d.problems)
	text := d.text(raw, path, "The "+of)
	slug, found := strings.CutPrefix(text, of+":")
	if len(d.problems) == before && (!found || slug == "") {
		d.invalidf(path, "%q has to be written as %s:name.", shorten(text, 40), of)
	}
	return slug
}
