package ai

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// duration is a wait or window as configs write it.
func duration(amount int, unit string) fields { return fields{"amount": amount, "unit": unit} }

// hoursAs writes hours in the largest unit that keeps them exact.
func hoursAs(h int) fields {
	switch {
	case h > 0 && h%24 == 0:
		return duration(h/24, "days")
	default:
		return duration(h, "hours")
	}
}

// step draws a step with one way out (or, for a wait, two that lead on together).
func (b *builder) step(s Step, _ int) (string, []engine.Edge) {
	var id string
	switch s.Do {
	case doWait:
		config := fields{"mode": "duration", "for": duration(s.N, s.Unit)}
		if at := clockTime(s.At); at != "" {
			config["at"] = at
		}
		id = b.node("wait", "wait", "", s.ID, config)
	case doWaitUntil:
		id = b.waitUntil(s)
		if !slices.Contains(timesOfDay, s.Event) && s.TimeoutHours > 0 {
			return id, []engine.Edge{{From: id, Port: "next"}, {From: id, Port: "timeout"}}
		}
	case doSendEmail, doSendSMS, doSendWhatsApp, doSendPush, doSendLetter:
		id = b.send(s)
	case doAddTag:
		id = b.node("tag", doAddTag, "", s.ID, fields{"tag": b.ref("tag", s.Name)})
	case doRemoveTag:
		id = b.node("untag", doRemoveTag, "", s.ID, fields{"tag": b.ref("tag", s.Name)})
	case doSetField:
		id = b.node("field", doSetField, "", s.ID, fields{"field": "field:" + fieldKey(s.Field), "value": s.Value})
	case doAddToList, doRemoveFromList:
		id = b.node(map[bool]string{true: "list", false: "unlist"}[s.Do == doAddToList], s.Do, "", s.ID, fields{"list": b.ref("list", s.Name)})
	default:
		if config := b.actionConfig(s); config != nil {
			id = b.node(stem(s.Do), s.Do, "", s.ID, config)
			break
		}
		id = b.node(stem(s.Do), s.Do, "", s.ID, b.derivedConfig(s))
	}
	return id, []engine.Edge{{From: id, Port: b.firstPort(s.Do)}}
}

func (b *builder) firstPort(do string) string {
	kind := cmp.Or(nodeOf[do], do)
	for _, k := range b.set.Kinds.nodes {
		if k.Kind == kind && len(k.Ports) > 0 && k.Ports[0].ID != "" {
			return k.Ports[0].ID
		}
	}
	return "next"
}

// derivedConfig fills the config of a kind that is known through the catalogue only: its defaults, then what the plan says.
func (b *builder) derivedConfig(s Step) fields {
	config := fields{}
	for _, k := range b.set.Kinds.nodes {
		if k.Kind != s.Do {
			continue
		}
		for _, f := range k.Fields {
			if f.Default != nil {
				config[f.Key] = f.Default
			}
			v, ok := s.Config[f.Key]
			if word, isText := v.(string); isText && f.Type == engine.TypeRef && !strings.HasPrefix(word, f.Of+":") {
				v = b.ref(f.Of, word)
			}
			if ok {
				config[f.Key] = v
			}
		}
	}
	return config
}

func (b *builder) send(s Step) string {
	config := fields{"creative": "creative:" + slug(s.Message), "class": "marketing"}
	name := ""
	for _, m := range b.spec.Messages {
		if m.ID == s.Message {
			name = m.Brief
		}
	}
	kind := cmp.Or(nodeOf[s.Do], s.Do)
	if kind == doSendSMS {
		config["via"] = channelOf(s.Do)
	}
	id := b.node(map[bool]string{true: "mail", false: channelOf(s.Do)}[s.Do == doSendEmail], kind, short(name, 60), s.ID, config)
	if c := slug(s.Message); !slices.Contains(b.sends, c) {
		b.sends = append(b.sends, c)
	}
	b.last = id
	return id
}

// timesOfDay are what a wait lasts until that comes by itself.
var timesOfDay = []string{"weekday", "time", "date", "date_field"}

func (b *builder) waitUntil(s Step) string {
	config := fields{}
	switch s.Event {
	case "date_field":
		config["mode"], config["field"] = "date_field", b.ref("field", cmp.Or(s.Ref, "date"))
		if offset := offsetAs(-s.BeforeHours); offset != nil {
			config["offset"] = offset
		}
		if s.BeforeMins > 0 {
			config["offset"] = fields{"amount": s.BeforeMins, "unit": "minutes", "direction": "before"}
		}
		if at := clockTime(s.At); at != "" {
			config["at"] = at
		}
	case "weekday":
		config["mode"], config["weekdays"], config["at"] = "weekday", weekdays(s.Ref), cmp.Or(clockTime(s.Ref), "09:00")
	case "time":
		config["mode"], config["weekdays"], config["at"] = "weekday", weekdays(""), cmp.Or(clockTime(s.Ref), "09:00")
	case "date":
		config["mode"], config["date"] = "date", s.Ref
	case "message_opened", "link_clicked", "message_replied":
		if b.last == "" {
			config["mode"], config["event"] = "until_event", fields{"name": s.Event}
			break
		}
		config["mode"], config["rule"] = "until_rule", messageRule(b.last, s.Event)
	default:
		config["mode"], config["event"] = "until_event", b.event(s.Event, s.Ref)
	}
	if s.TimeoutHours > 0 {
		config["timeout"] = hoursAs(s.TimeoutHours)
	} else if mode := config["mode"]; mode == "until_event" || mode == "until_rule" {
		config["timeout"] = duration(7, "days")
	}
	return b.node("wait", "wait", "", s.ID, config)
}

func (b *builder) condition(s Step, hours int) string {
	return b.node("check", "condition", "", s.ID, fields{"rule": b.rule(s, hours)})
}

// rule writes the question of a branch. "Did it happen" means since the run began, so the window is the time since entry.
func (b *builder) rule(s Step, hours int) fields {
	switch s.Event {
	case "field":
		op := s.Op
		value := any(s.Value)
		if n, err := strconv.ParseFloat(s.Value, 64); err == nil {
			value = n
		}
		if s.Value == "" {
			return fields{"field": fieldKey(s.Ref), "op": map[bool]string{true: "is_not_set", false: "is_set"}[op == "is_not"]}
		}
		if op == "within_days" || op == "not_within_days" {
			return fields{"field": fieldKey(s.Ref), "op": strings.Replace(op, "within_days", "within_last", 1), "value": duration(atoi(s.Value, 1), "days")}
		}
		return fields{"field": fieldKey(s.Ref), "op": cmp.Or(op, "is"), "value": value}
	case "tag":
		return negate(fields{"tag": b.ref("tag", s.Ref)}, s.Op)
	case "list":
		return negate(fields{"list": b.ref("list", s.Ref)}, s.Op)
	case "channel_ok":
		channel := "email"
		for _, c := range []string{engine.ChannelSMS, engine.ChannelPush, engine.ChannelLetter, "whatsapp"} {
			if strings.EqualFold(s.Ref, c) {
				channel = c
			}
		}
		return negate(fields{"consent": fields{"channel": channel, "state": "granted"}}, s.Op)
	case "segment":
		return negate(fields{"segment": b.ref("segment", s.Ref)}, s.Op)
	case "message_opened", "link_clicked", "message_replied":
		if b.last != "" && s.Op != "within_days" && s.Op != "not_within_days" {
			return negate(messageRule(b.last, s.Event), s.Op)
		}
	}
	e := b.event(s.Event, s.Ref)
	e["agg"], e["op"], e["value"] = "count", "gte", 1
	if s.Value != "" && (s.Op == "gt" || s.Op == "lt" || s.Op == "contains") {
		e["where"] = propertyRule(s)
	}
	switch {
	case s.Value != "" && strings.HasSuffix(s.Op, "within_days"):
		e["within"] = duration(max(1, atoi(s.Value, 1)), "days")
	case hours > 0:
		e["within"] = hoursAs(hours)
	}
	return negate(fields{"event": e}, s.Op)
}

// propertyRule compares a property of an event: the one Ref names, or the amount.
func propertyRule(s Step) fields {
	value := any(s.Value)
	if n, err := strconv.ParseFloat(s.Value, 64); err == nil {
		value = n
	}
	return fields{"field": fieldKey(cmp.Or(s.Ref, "amount")), "op": s.Op, "value": value}
}

func negate(rule fields, op string) fields {
	if op == "is_not" || op == "not_within_days" {
		return fields{"not": rule}
	}
	return rule
}

func messageRule(node, event string) fields {
	did := map[string]string{"message_opened": "opened", "link_clicked": "clicked", "message_replied": "replied"}[event]
	return fields{"message": fields{"step": node, "did": did}}
}

func (b *builder) split(s Step) (string, []exit) {
	arms := make([]fields, 0, len(s.Arms))
	exits := make([]exit, 0, len(s.Arms))
	for i, a := range s.Arms {
		arm := string(rune('a' + i%26))
		arms = append(arms, fields{"id": arm, "label": cmp.Or(short(a.Label, 40), strings.ToUpper(arm)), "weight": a.Pct})
		exits = append(exits, exit{engine.Edge{Port: arm}, a.To})
	}
	id := b.node("split", "split", "", s.ID, fields{"arms": arms})
	for i := range exits {
		exits[i].edge.From = id
	}
	return id, exits
}

// goals lifts the goal steps of all blocks out, once each. A goal on the event that restarts the funnel is left out: the
// restart already ends the run.
func (b *builder) goals() {
	var done []string
	for _, p := range b.order {
		for _, s := range p.part.Steps {
			key := s.Event + " " + s.Ref
			if s.Do != doGoal || slices.Contains(done, key) {
				continue
			}
			done = append(done, key)
			if b.spec.Reentry == "restart" && s.Ref == "" && b.startsOn() == b.set.eventName(s.Event, s.Ref) {
				continue
			}
			config := fields{"mode": "event"}
			switch s.Event {
			case "message_opened", "link_clicked", "message_replied":
				config = b.messageGoal(s.Event)
			default:
				config["event"] = b.event(s.Event, s.Ref)
			}
			if config == nil {
				continue
			}
			b.node("goal", "goal", "", s.ID, config)
		}
	}
}

func (b *builder) messageGoal(event string) fields {
	var each []fields
	for _, n := range b.draft.Bundle.Graph.Nodes {
		if n.Kind == doSendEmail {
			each = append(each, messageRule(n.ID, event))
		}
	}
	switch len(each) {
	case 0:
		return nil
	case 1:
		return fields{"mode": "rule", "rule": each[0]}
	default:
		return fields{"mode": "rule", "rule": fields{"any": each}}
	}
}

// startsOn is the event that lets people in.
func (b *builder) startsOn() string { return b.set.eventName(b.spec.Trigger.Kind, b.spec.Trigger.Ref) }

// stem is the id stem of a kind: "http_request" gives "http-request".
func stem(kind string) string { return strings.ReplaceAll(kind, "_", "-") }

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return otherwise
	}
	return n
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
