package ai

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// entry draws the entry node: trigger, and the re-entry rule of SEMANTICS 7.
func (b *builder) entry() {
	config := fields{"triggers": []fields{b.trigger()}, "reentry": b.reentry()}
	b.ids["entry"] = true
	b.node("entry", "entry", "", "trigger", config)
}

// standIns are the triggers that the customer's own application may send as events over the API: where the workspace receives such an
// event already, it is taken.
var standIns = []string{"payment_made", "booking_made", "form_submit", "page_visit"}

func (b *builder) trigger() fields {
	t := b.spec.Trigger
	if t.Kind == "" || !b.set.Kinds.HasTrigger(t.Kind) || slices.Contains(standIns, t.Kind) && b.set.eventName(t.Kind, t.Ref) != ownEvents[t.Kind] {
		return b.otherTrigger(t)
	}
	config := fields{"kind": t.Kind}
	switch t.Kind {
	case "api_event":
		if t.Ref == "" {
			b.note("event_unnamed", "funnel_start")
		}
		config["name"] = b.set.eventName(t.Kind, t.Ref)
	case "list_join":
		config["list"] = b.ref("list", b.named(t.Ref, "newsletter", "list_assumed"))
	case "tag_added":
		if t.Ref == "" {
			b.problem("FIELD_REQUIRED", "trigger", "name the tag in trigger.ref")
		}
		config["tag"] = b.ref("tag", b.named(t.Ref, "start", "tag_assumed"))
	case "segment_enter":
		config["segment"] = b.ref("segment", b.named(t.Ref, "audience", "segment_assumed"))
	case "form_submit":
		config["form"] = b.ref("form", b.named(t.Ref, b.usualForm(), "form_assumed"))
	case "contact_created":
		if source := slug(t.Ref); source != "" && t.When == "source" {
			config["source"] = source
		}
	case "page_visit":
		b.page(t, config)
	case "booking_made":
		if slug(t.Ref) != "" {
			config["resource"] = b.ref("resource", t.Ref)
		}
	case "payment_made":
		if t.AtLeast > 0 {
			config["amount"] = fields{"op": "gte", "value": t.AtLeast}
		}
	case "message_opened", "link_clicked":
		config["message"] = engine.AnyMessage
		if t.Ref != "" && t.Kind == "link_clicked" {
			config["link"] = clickedLink(t.Ref)
		}
	case "date_field":
		b.dated(t, config)
	case "schedule":
		config["rrule"], config["audience"] = recurrence(t.When), b.audience(t.Ref)
	case "manual":
	default:
		return b.derivedTrigger(t)
	}
	return config
}

// named is a name, or the one that is taken where the plan has none.
func (b *builder) named(name, otherwise, note string) string {
	if slug(name) != "" {
		return name
	}
	b.note(note, otherwise)
	return otherwise
}

// usualForm is the workspace's only form, or a new one.
func (b *builder) usualForm() string {
	if ws := b.set.Workspace; ws != nil && len(ws.Forms) == 1 {
		return ws.Forms[0].Slug
	}
	return "sign-up"
}

func (b *builder) page(t Trigger, config fields) {
	address := strings.TrimSpace(t.Ref)
	switch {
	case address == "":
		address = "/*"
		b.note("page_assumed")
	case !strings.ContainsAny(address, "/*") || strings.ContainsAny(address, " \t\n#"):
		address = "/" + slug(address) + "*"
	}
	config["url"] = address
	if t.Times > 1 {
		config["times"] = min(t.Times, 100)
	}
}

func (b *builder) dated(t Trigger, config fields) {
	config["field"] = b.ref("field", b.named(t.Ref, "date", "date_assumed"))
	if offset := offsetAs(t.OffsetDays * 24); offset != nil {
		config["offset"] = offset
	}
	config["at"] = cmp.Or(clockTime(t.When), "09:00")
	if strings.Contains(strings.ToLower(t.When), "yearly") {
		config["yearly"] = true
	}
}

// audience is whom a recurring time is for: a segment, unless the plan says list.
func (b *builder) audience(ref string) string {
	if name, ok := strings.CutPrefix(ref, "list:"); ok {
		return b.ref("list", name)
	}
	name := strings.TrimPrefix(ref, "segment:")
	if slug(name) == "" {
		return b.ref("list", b.named("", "newsletter", "list_assumed"))
	}
	if ws := b.set.Workspace; ws != nil && !slices.Contains(ws.Segments, slug(name)) && slices.Contains(ws.Lists, slug(name)) {
		return "list:" + slug(name)
	}
	return b.ref("segment", name)
}

// clickedLink is the address a click leads to; the words of a link are not its address, so any link of that name is meant.
func clickedLink(ref string) string {
	if strings.Contains(ref, "/") || strings.Contains(ref, "*") {
		return strings.TrimSpace(ref)
	}
	return "*" + slug(ref) + "*"
}

var weekdayOfMonth = regexp.MustCompile(`(-?[1-4])(mon|tue|wed|thu|fri|sat|sun)`)

// recurrence reads a recurring time: an RRULE, or words such as "weekly mon,wed 08:00", "daily 9:00", "monthly 1", "yearly 03-08".
func recurrence(when string) string {
	if _, err := engine.ParseRecurrence(when); err == nil && strings.Contains(when, "FREQ=") {
		return when
	}
	low := strings.ToLower(when)
	clock := cmp.Or(clockTime(low), "09:00")
	at := ";BYHOUR=" + strconv.Itoa(atoi(clock[:2], 9)) + ";BYMINUTE=" + strconv.Itoa(atoi(clock[3:], 0))
	switch {
	case strings.Contains(low, "daily"):
		return "FREQ=DAILY" + at
	case strings.Contains(low, "yearly"):
		if m := monthDay.FindStringSubmatch(low); m != nil {
			rule := "FREQ=YEARLY;BYMONTH=" + strconv.Itoa(atoi(m[1], 1)) + ";BYMONTHDAY=" + strconv.Itoa(atoi(m[2], 1)) + at
			if _, err := engine.ParseRecurrence(rule); err == nil {
				return rule
			}
		}
		return "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1" + at
	case strings.Contains(low, "quarterly"):
		return "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1" + at
	case strings.Contains(low, "twicemonthly"):
		return "FREQ=MONTHLY;BYMONTHDAY=1,15" + at
	case strings.Contains(low, "monthly"):
		day := 1
		if m := weekdayOfMonth.FindStringSubmatch(low); m != nil {
			return "FREQ=MONTHLY;BYDAY=" + m[1] + strings.ToUpper(m[2][:2]) + at
		}
		for word := range strings.FieldsSeq(low) {
			if n := atoi(word, 0); n >= 1 && n <= 31 || n == -1 {
				day = n
			}
		}
		return "FREQ=MONTHLY;BYMONTHDAY=" + strconv.Itoa(day) + at
	}
	names := weekdayNames(low)
	if len(names) == 0 {
		names = []string{"mon"}
	}
	by := make([]string, 0, len(names))
	for _, d := range names {
		by = append(by, strings.ToUpper(d[:2]))
	}
	interval := ""
	if strings.Contains(low, "biweekly") {
		interval = ";INTERVAL=2"
	}
	return "FREQ=WEEKLY" + interval + ";BYDAY=" + strings.Join(by, ",") + at
}

var monthDay = regexp.MustCompile(`(\d{1,2})-(\d{1,2})`)

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
	if s.Trigger.Kind == "schedule" || s.Trigger.Kind == "date_field" && strings.Contains(strings.ToLower(s.Trigger.When), "yearly") {
		s.Reentry = cmp.Or(strings.TrimSuffix(s.Reentry, "never"), "always") // what comes again lets people in again
	}
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
