package engine

import (
	"encoding/json"
	"strings"
)

// Checker collects the problems of one node. Its methods return the problem just added, to say more about it.
type Checker struct {
	node     string
	prefix   string // of fields, such as "triggers.0."
	bundle   *Bundle
	problems *[]Problem

	members       map[string]json.RawMessage // of the config being judged
	content       bool                       // references are judged too, not only what a plan needs
	senders       []string                   // ids of the nodes that send messages
	triggerEvents []string                   // names of the events that can start the funnel
}

// found is a problem that is being described.
type found struct {
	checker *Checker
	index   int
}

// Error adds a problem that stops publishing.
func (k *Checker) Error(code, field, message string) found {
	return k.add(Problem{Code: code, Severity: Error, Field: field, Message: message})
}

// Warning adds a problem that has to be confirmed.
func (k *Checker) Warning(code, field, message string) found {
	return k.add(Problem{Code: code, Severity: Warning, Field: field, Message: message})
}

// Required adds FIELD_REQUIRED.
func (k *Checker) Required(field, message string) found {
	return k.Error(CodeFieldRequired, field, message)
}

// Invalid adds FIELD_INVALID.
func (k *Checker) Invalid(field, message string) found {
	return k.Error(CodeFieldInvalid, field, message)
}

// inside is the checker of a part of the config.
func (k *Checker) inside(prefix string) *Checker {
	part := *k
	part.prefix = k.prefix + prefix + "."
	return &part
}

func (k *Checker) add(p Problem) found {
	p.Node, p.Field = k.node, strings.TrimSuffix(k.prefix+p.Field, ".")
	*k.problems = append(*k.problems, p)
	return found{k, len(*k.problems) - 1}
}

// with names a value of the message, for translation.
func (f found) with(key, value string) found {
	p := f.problem()
	if p.Params == nil {
		p.Params = Params{}
	}
	p.Params[key] = value
	return f
}

// port names the port the problem is about.
func (f found) port(port string) { f.problem().Port = port }

// fix offers to set a field of the same node to a value.
func (f found) fix(label, field string, value any) {
	f.problem().Fix = &Fix{Label: label, Field: f.checker.prefix + field, Value: value}
}

func (f found) problem() *Problem { return &(*f.checker.problems)[f.index] }
