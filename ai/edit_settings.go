package ai

import (
	"strconv"
	"strings"
)

// setting changes the start, the rule of coming again, or the funnel's name.
func (e *editing) setting(op Op) {
	if op.At == "name" {
		if e.name = short(op.Text, 100); e.name != "" {
			e.touch("name", "funnel")
		}
		return
	}
	entry := ""
	for _, n := range e.draft.Bundle.Graph.Nodes {
		if n.Kind == "entry" {
			entry = n.ID
		}
	}
	if entry == "" {
		e.fault("ENTRY_ONE", "trigger", "there is no start")
		return
	}
	switch op.At {
	case "trigger_kind":
		e.plan.Trigger = Trigger{Kind: op.Text}
	case "trigger_ref":
		e.plan.Trigger.Ref = op.Text
	case "trigger_when":
		e.plan.Trigger.When = op.Text
	case "trigger_offset_days":
		e.plan.Trigger.OffsetDays = atoi(op.Text, 0)
	case "reentry":
		e.plan.Reentry = op.Text
	case "reentry_days":
		e.plan.ReentryDays, e.plan.Reentry = atoi(op.Text, 0), "after_days"
	default:
		e.fault("FIELD_UNKNOWN", op.At, "there is no setting "+op.At)
		return
	}
	e.touch("node", entry)
	e.spec.Trigger, e.spec.Reentry, e.spec.ReentryDays, e.spec.ReentryKey = e.plan.Trigger, e.plan.Reentry, e.plan.ReentryDays, e.plan.ReentryKey
	if strings.HasPrefix(op.At, "trigger") {
		if op.At == "trigger_kind" && e.followedByRef() {
			return // the next operation names what it is about
		}
		e.setMembers(entry, fields{"triggers": []fields{e.trigger()}})
		return
	}
	e.setMembers(entry, fields{"reentry": e.reentry()})
}

func (e *editing) followedByRef() bool {
	return e.at+1 < len(e.ops) && e.ops[e.at+1].Do == opSetting && e.ops[e.at+1].At == "trigger_ref" && e.take(e.at+1)
}

// setMembers replaces members of a node's config; nil takes one away.
func (e *editing) setMembers(id string, members fields) {
	for i, n := range e.draft.Bundle.Graph.Nodes {
		if n.ID != id {
			continue
		}
		config := configMap(n)
		for key, value := range members {
			if value == nil {
				delete(config, key)
			} else {
				config[key] = value
			}
		}
		e.draft.Bundle.Graph.Nodes[i].Config = quote(config)
	}
}

func atof(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), ",", "."), 64)
	return f, err == nil
}
