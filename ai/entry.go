package ai

import (
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// entry draws the entry node: trigger, and the re-entry rule of SEMANTICS 7.
func (b *builder) entry() {
	config := fields{"triggers": []fields{b.trigger()}, "reentry": b.reentry()}
	b.ids["entry"] = true
	b.node("entry", "entry", "", "trigger", config)
}

// standIns are the triggers that the customer's own application may send as events over the API: where it does, or where a plan does not
// say which form or page is meant, the event is taken.
var standIns = []string{"payment_made", "booking_made", "form_submit", "page_visit"}

func (b *builder) trigger() fields {
	t := b.spec.Trigger
	if t.Kind == "" || !b.set.Kinds.HasTrigger(t.Kind) || slices.Contains(standIns, t.Kind) && !b.set.drawable(t) {
		return b.otherTrigger(t)
	}
	switch t.Kind {
	case "api_event":
		if t.Ref == "" {
			b.note("event_unnamed", "funnel_start")
		}
		return fields{"kind": t.Kind, "name": b.set.eventName(t.Kind, t.Ref)}
	case "list_join":
		if t.Ref == "" {
			b.note("list_assumed", "newsletter")
			return fields{"kind": t.Kind, "list": b.ref("list", "newsletter")}
		}
		return fields{"kind": t.Kind, "list": b.ref("list", t.Ref)}
	case "tag_added":
		if t.Ref == "" {
			b.problem("FIELD_REQUIRED", "trigger", "name the tag in trigger.ref")
			b.note("tag_assumed", "start")
			return fields{"kind": t.Kind, "tag": b.ref("tag", "start")}
		}
		return fields{"kind": t.Kind, "tag": b.ref("tag", t.Ref)}
	case "contact_created":
		config := fields{"kind": t.Kind}
		if source := slug(t.Ref); source != "" && t.When == "source" {
			config["source"] = source
		}
		return config
	default:
		return b.derivedTrigger(t)
	}
}

// otherTrigger stands in for a kind that cannot be drawn.
func (b *builder) otherTrigger(t Trigger) fields {
	if t.Kind != "" && slices.Contains(standIns, t.Kind) && b.set.Kinds.HasTrigger("api_event") {
		name := b.set.eventName(t.Kind, t.Ref)
		b.note("trigger_by_event", b.say.kind(t.Kind), name)
		return fields{"kind": "api_event", "name": name}
	}
	if t.Kind == "" {
		b.problem("ENTRY_ONE", "trigger", "choose a trigger kind")
		b.note("trigger_missing")
	} else {
		b.note("trigger_by_hand", b.say.kind(t.Kind))
	}
	return fields{"kind": "manual"}
}

// derivedTrigger fills a trigger kind through its catalogue fields: the plan's ref goes into the first field that can hold a name.
func (b *builder) derivedTrigger(t Trigger) fields {
	config := fields{"kind": t.Kind}
	ref := t.Ref
	for _, k := range b.set.Kinds.triggers {
		if k.Kind != t.Kind {
			continue
		}
		for _, f := range k.Fields {
			if f.Default != nil {
				config[f.Key] = f.Default
			}
			if ref == "" {
				continue
			}
			switch f.Type {
			case engine.TypeRef:
				config[f.Key], ref = b.ref(f.Of, ref), ""
			case engine.TypeText, engine.TypeEventName:
				config[f.Key], ref = ref, ""
			default: // no name fits there
			}
		}
	}
	return config
}

func (b *builder) reentry() fields {
	s := b.spec
	switch s.Reentry {
	case "always":
		return fields{"rule": "after_exit"}
	case "after_days":
		if s.ReentryDays > 0 {
			return fields{"rule": "after_exit", "pause": duration(s.ReentryDays, "days")}
		}
		return fields{"rule": "after_exit"}
	case "restart":
		return fields{"rule": "restart"}
	case "each":
		if key := strings.TrimPrefix(s.ReentryKey, "event."); key != "" && s.Trigger.Kind == "api_event" {
			return fields{"rule": "each", "key": key}
		}
		return fields{"rule": "after_exit"}
	default:
		return fields{"rule": "once"}
	}
}

// aliases are the names under which applications send the events a plan speaks of, the usual one first.
var aliases = map[string][]string{
	"payment_made": {"purchase", "order_placed", "order_paid", "order_completed", "payment_made", "payment_succeeded", "subscription_started"},
	"booking_made": {"booking_made", "booking_created", "appointment_booked", "appointment_created"},
	"form_submit":  {"form_submitted", "form_sent", "lead_created"},
	"page_visit":   {"page_visited", "page_viewed", "product_viewed"},
}

// eventName gives the event of the log that a word of the plan means. Of an application's possible names the one that the
// workspace already receives is taken.
func (set Setting) eventName(event, ref string) string {
	switch event {
	case "list_join":
		return "list_joined"
	case "api_event":
		if name := eventSlug(ref); name != "" {
			return name
		}
		return "funnel_start"
	}
	names, ok := aliases[event]
	if !ok {
		return event
	}
	if ws := set.Workspace; ws != nil {
		for _, n := range names {
			if _, known := ws.Events[n]; known {
				return n
			}
		}
	}
	if set.Kinds.HasTrigger(event) {
		return ownEvents[event]
	}
	return names[0]
}

// ownEvents are the events Lejek itself fires for a trigger.
var ownEvents = map[string]string{
	"payment_made": engine.EventPaymentMade, "booking_made": engine.EventBookingMade, "form_submit": engine.EventFormSubmitted,
	"page_visit": engine.EventPageVisited,
}

// drawable tells whether a trigger among the stand-ins can be drawn as itself: nothing better is received already, and the plan says which
// form or page is meant.
func (set Setting) drawable(t Trigger) bool {
	if set.eventName(t.Kind, t.Ref) != ownEvents[t.Kind] {
		return false
	}
	switch t.Kind {
	case "form_submit":
		ref := slug(t.Ref)
		return ref != "" && set.Workspace != nil && slices.ContainsFunc(set.Workspace.Forms, func(f engine.Form) bool { return f.Slug == ref })
	case "page_visit":
		return strings.HasPrefix(t.Ref, "/") || strings.Contains(t.Ref, "://")
	default:
		return true
	}
}

// event writes an event with its filter.
func (b *builder) event(event, ref string) fields {
	e := fields{"name": b.set.eventName(event, ref)}
	switch {
	case event == "list_join" && ref != "":
		e["where"] = fields{"field": "list", "op": "is", "value": strings.TrimPrefix(b.ref("list", ref), "list:")}
	case event == "tag_added" && ref != "":
		e["where"] = fields{"field": "tag", "op": "is", "value": strings.TrimPrefix(b.ref("tag", ref), "tag:")}
	case slices.Contains(standIns, event) && !b.set.Kinds.HasTrigger(event):
		b.note("event_meaning", b.say.kind(event), e["name"].(string))
	}
	return e
}
