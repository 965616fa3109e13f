package engine

import (
	"encoding/json"
	"slices"
)

// The ports kinds share.
const (
	portNext    = "next"
	portTimeout = "timeout"
	portYes     = "yes"
	portNo      = "no"
	portReached = "reached"
)

// PortsOf resolves the ways out of a node of the kind under a config, in order. The canvas derives the same from the
// same data.
func (k Kind) PortsOf(config json.RawMessage) []Port {
	members := membersOf(config)
	var ports []Port
	for _, spec := range k.Ports {
		switch {
		case !shown(spec.ShowIf, members, k.Fields):
		case spec.Each != "":
			ports = append(ports, eachPort(members[spec.Each])...)
		default:
			ports = append(ports, Port{ID: spec.ID, Label: spec.Label})
		}
	}
	return ports
}

// eachPort makes a port of every element of a list.
func eachPort(list json.RawMessage) []Port {
	var elements []Port
	if json.Unmarshal(list, &elements) != nil {
		return nil
	}
	return elements
}

// shown tells whether all conditions hold. A select that is absent counts with its default.
func shown(conditions []ShowIf, members map[string]json.RawMessage, fields []Field) bool {
	for _, condition := range conditions {
		if !slices.Contains(condition.In, choiceOf(condition.Key, members, fields)) {
			return false
		}
	}
	return true
}

func choiceOf(key string, members map[string]json.RawMessage, fields []Field) string {
	var value string
	if raw, given := members[key]; given {
		_ = json.Unmarshal(raw, &value) // anything but a string is no choice
		return value
	}
	for _, field := range fields {
		if field.Key == key {
			value, _ = field.Default.(string)
		}
	}
	return value
}

// membersOf splits a config; what is no object has no members.
func membersOf(config json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(config, &members)
	return members
}
