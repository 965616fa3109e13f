package ai

import (
	"encoding/json"
	"slices"

	"github.com/lejek/lejek/engine"
)

// shape is a piece of JSON schema with its members in order: models write keys in the schema's order, so "plan" comes
// before "blocks" and the discriminator of a step comes first.
type shape json.RawMessage

func (s shape) MarshalJSON() ([]byte, error) { return s, nil }

type member struct {
	name string
	is   shape
}

// quote writes plain values as JSON; they always can be.
func quote(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func raw(s string) shape { return shape(s) }

func enum(words ...string) shape { return raw(`{"type":"string","enum":` + string(quote(words)) + `}`) }

func list(of shape) shape { return raw(`{"type":"array","items":` + string(of) + `}`) }

func anyOf(of ...shape) shape {
	b := []byte(`{"anyOf":[`)
	for i, s := range of {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s...)
	}
	return append(b, ']', '}')
}

// object is closed and requires all its members, which is what strict structured outputs ask for; what may be absent is null.
func object(members ...member) shape {
	b := []byte(`{"type":"object","properties":{`)
	names := make([]string, 0, len(members))
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(m.name)...), ':'), m.is...)
		names = append(names, m.name)
	}
	b = append(append(b, `},"required":`...), quote(names)...)
	return append(b, `,"additionalProperties":false}`...)
}

var (
	text     = raw(`{"type":"string"}`)
	textNull = raw(`{"type":["string","null"]}`)
	whole    = raw(`{"type":"integer"}`)
	wholeN   = raw(`{"type":["integer","null"]}`)
)

// Schema is the JSON schema of a [Spec] restricted to what can be drawn now. It depends on the catalogue only, so a provider
// compiles it once per release.
func (k Kinds) Schema() json.RawMessage {
	triggers := filter(planTriggers, k.HasTrigger)
	for _, t := range k.triggers {
		if !slices.Contains(triggers, t.Kind) {
			triggers = append(triggers, t.Kind)
		}
	}
	root := object(
		member{"status", enum("graph", "clarify", "refuse")},
		member{"lang", enum("en", "pl", "ru", "other")},
		member{"plan", text},
		member{"assumptions", list(text)},
		member{"questions", list(object(member{"text", text}, member{"options", list(text)}))},
		member{"reason", textNull},
		member{"trigger", object(member{"kind", enum(triggers...)}, member{"ref", textNull}, member{"when", textNull}, member{"offset_days", wholeN},
			member{"times", wholeN}, member{"at_least", raw(`{"type":["number","null"]}`)})},
		member{"reentry", enum("never", "always", "after_days", "restart", "each")},
		member{"reentry_days", wholeN},
		member{"reentry_key", textNull},
		member{"blocks", list(object(member{"id", text}, member{"steps", list(anyOf(k.steps()...))}, member{"next", textNull}))},
		member{"messages", list(object(member{"id", text}, member{"brief", text}, member{"because", text}))},
	)
	return json.RawMessage(root)
}

func (k Kinds) steps() []shape {
	var out []shape
	// one writes a step whose discriminator is a word of the plan and whose values are the kinds of it that can be drawn.
	one := func(word string, kinds []string, members ...member) {
		if kinds = filter(kinds, k.can); len(kinds) > 0 {
			out = append(out, object(append([]member{{word, enum(kinds...)}}, append(members, member{"id", text})...)...))
		}
	}
	// own writes a step that is named by the plan's own word; its values are something else than kinds.
	own := func(word string, values []string, members ...member) {
		if k.can(word) {
			out = append(out, object(append([]member{{word, enum(values...)}}, append(members, member{"id", text})...)...))
		}
	}
	own(doWait, []string{"minutes", "hours", "days", "weeks"}, member{"n", whole}, member{"at", textNull})
	own(doWaitUntil, append(slices.Clone(planEvents), "weekday", "time", "date", "date_field"), member{"ref", textNull}, member{"timeout_h", wholeN}, member{"before_h", wholeN})
	one("send", []string{doSendEmail, doSendSMS, doSendPush, doSendLetter}, member{"message", text})
	one("notify", []string{doNotify}, member{"to", textNull}, member{"text", text})
	one("tag", []string{doAddTag, doRemoveTag}, member{"name", text})
	one("list", []string{doAddToList, doRemoveFromList}, member{"name", text})
	one("set", []string{doSetField}, member{"field", text}, member{"value", text})
	one("call", []string{doRequest}, member{"connection", text})
	one("pay", []string{doPayment}, member{"amount", text}, member{"title", text})
	one("book", []string{doBook}, member{"service", text})
	one("funnel", []string{doEnterFunnel, doExitFunnel}, member{"name", textNull})
	one("ai", []string{doGenerate}, member{"message", text}, member{"vars", list(object(member{"name", text}, member{"ask", text}, member{"max", whole}, member{"fallback", text}))})
	own(doIf, append(slices.Clone(planEvents), "field", "tag", "segment", "list", "channel_ok"), member{"ref", textNull},
		member{"op", enum("is", "is_not", "gt", "lt", "contains", "within_days", "not_within_days")}, member{"value", textNull},
		member{"yes", text}, member{"no", text})
	one("split", []string{doSplit}, member{"arms", list(object(member{"label", text}, member{"pct", whole}, member{"to", text}))})
	own(doGoal, planEvents, member{"ref", textNull})
	one("limit", []string{doThrottle, doQuietHours}, member{"max", wholeN}, member{"per", enum("hour", "day", "week", "none")}, member{"frm", textNull},
		member{"to", textNull}, member{"days", textNull})
	for _, n := range k.derived() {
		out = append(out, derivedStep(n))
	}
	return out
}

// derivedStep writes a step for a kind the plan has no words of its own for: its name as the discriminator, then its fields.
func derivedStep(n engine.Kind) shape {
	members := []member{{n.Kind, enum(n.Kind)}}
	for _, f := range n.Fields {
		if s := fieldSchema(f); s != nil && f.Key != "id" {
			members = append(members, member{f.Key, s})
		}
	}
	return object(append(members, member{"id", text})...)
}

// fieldSchema is how a plan writes one config field, nil for the types it cannot write.
func fieldSchema(f engine.Field) shape {
	optional := !f.Required || len(f.ShowIf) > 0
	switch f.Type {
	case engine.TypeText, engine.TypeMerge, engine.TypeLines, engine.TypeTimeOfDay, engine.TypeDateTime, engine.TypeRef, engine.TypeEventName:
		if optional {
			return textNull
		}
		return text
	case engine.TypeNumber:
		if optional {
			return raw(`{"type":["number","null"]}`)
		}
		return raw(`{"type":"number"}`)
	case engine.TypeBool:
		return raw(`{"type":"boolean"}`)
	case engine.TypeSelect:
		return enum(optionValues(f)...)
	case engine.TypeMulti:
		return list(enum(optionValues(f)...))
	case engine.TypeDuration:
		d := object(member{"amount", whole}, member{"unit", enum("minutes", "hours", "days", "weeks")})
		if optional {
			return anyOf(d, raw(`{"type":"null"}`))
		}
		return d
	default:
		return nil
	}
}

func optionValues(f engine.Field) []string {
	out := make([]string, 0, len(f.Options))
	for _, o := range f.Options {
		out = append(out, o.Value)
	}
	return out
}
