package engine

import (
	"fmt"
	"strings"
	"time"
)

// fact says what a comparison met.
func (l *compiledLeaf) fact(got any, truth bool) Fact {
	fact := Fact{Path: l.path, Subject: l.subject(), Op: l.op, Want: l.value, Got: got, True: truth}
	answer := "no"
	if truth {
		answer = "yes"
	}
	if l.form.bind == nil {
		fact.Text = fmt.Sprintf("%s: %s", fact.Subject, answer)
		return fact
	}
	if isMissing(got) {
		fact.Got = nil
	}
	label, _, _ := strings.Cut(operatorOf(l.op).label, " (")
	claim := fact.Subject + " " + label
	if l.value != nil {
		claim += " " + say(l.value)
	}
	fact.Text = fmt.Sprintf("%s: %s, it is %s", claim, answer, say(fact.Got))
	return fact
}

// subject names what a leaf looks at.
func (l *compiledLeaf) subject() string {
	rule := l.rule
	switch {
	case rule.Event != nil:
		return rule.Event.subject()
	case rule.Tag != "":
		return "tag " + rule.Tag
	case rule.List != "":
		return "list " + rule.List
	case rule.Segment != "":
		return "segment " + rule.Segment
	case rule.Consent != nil && rule.Consent.Topic != "":
		return fmt.Sprintf("consent for %s about %s is %s", rule.Consent.Channel, rule.Consent.Topic, rule.Consent.State)
	case rule.Consent != nil:
		return fmt.Sprintf("consent for %s is %s", rule.Consent.Channel, rule.Consent.State)
	case rule.Message != nil:
		return fmt.Sprintf("message of %s was %s", rule.Message.Step, rule.Message.Did)
	default:
		return rule.Field
	}
}

func (e EventRule) subject() string {
	subject := string(e.Agg) + " of " + e.Name
	if e.Property != "" {
		subject += "." + e.Property
	}
	if e.Within != nil {
		subject += " in the last " + e.Within.String()
	}
	return subject
}

// say writes a value for a sentence.
func say(v any) string {
	switch v := v.(type) {
	case nil:
		return "unknown"
	case Duration:
		return v.String()
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04 UTC")
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = say(element)
		}
		return shorten(strings.Join(parts, ", "), 100)
	case string:
		return fmt.Sprintf("%q", shorten(v, 60))
	}
	if text, ok := textOf(v); ok {
		return text
	}
	return "a group of values"
}
