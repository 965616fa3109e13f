package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// deliver takes the messages that are due through the gate, the one that waited longest first.
func (l *Life) deliver() {
	slices.SortStableFunc(l.letters, func(a, b *lifeLetter) int { return cmp.Or(a.next.Compare(b.next), a.Due.Compare(b.Due)) })
	var waiting []*lifeLetter
	for _, letter := range l.letters {
		if letter.next.After(l.now) || l.judge(letter) {
			waiting = append(waiting, letter)
		}
	}
	l.letters = waiting
}

// judge asks the gate about one message and tells whether it still waits.
func (l *Life) judge(letter *lifeLetter) (waits bool) {
	run, m := letter.run, letter.SendMessage
	judgement := l.gate(letter).Judge(l.now)
	if judgement.Passage == Leaves {
		if l.Witness.Lacks(&run.Run, &l.contact, m) != "" {
			judgement = Judgement{Passage: Skipped, Reason: ReasonMissing}
		}
	}
	l.Witness.Judged(&run.Run, m, l.now, judgement)
	switch judgement.Passage {
	case Waits:
		letter.next = judgement.Until
		return true
	case Leaves:
		if m.Class != ClassTransactional {
			l.Got(m.Channel, l.now)
		}
		for _, event := range l.Witness.Sent(&run.Run, m, l.now) {
			if l.hears(event.Name) {
				l.Expect(event)
			}
		}
	case Skipped, Expired:
	}
	return false
}

func (l *Life) gate(letter *lifeLetter) Gate {
	m := letter.SendMessage
	permission := Permission{
		Class: m.Class, Address: l.contact.reachable(m.Channel), AllowUnknown: l.House.AllowUnknown, Channel: l.contact.consent(m.Channel, ""),
	}
	if m.Topic != "" {
		permission.Topic = l.contact.consent(m.Channel, m.Topic)
	}
	if since, shut := l.Shut[m.Channel]; shut && !l.now.Before(since) {
		permission.Suppressed = true
	}
	quiet := l.House.Quiet
	if m.Quiet != nil {
		quiet = append(slices.Clip(quiet), *m.Quiet)
	}
	gate := Gate{
		Class: m.Class, Void: m.Seq < letter.run.voidBefore, Refusal: permission.Refusal(), Expires: m.ExpiresAt,
		Quiet: quiet, Zone: ZoneOf(l.contact.Zone, l.House.Zone), Sent: l.sent[m.Channel],
	}
	if limit, capped := l.House.Caps[m.Channel]; capped {
		gate.Cap = &limit
	}
	return gate
}

// reachable tells whether the person has an address for a channel.
func (c *Contact) reachable(channel string) bool {
	set := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { text, _ := c.Fields[key].(string); return text == "" })
	}
	switch channel {
	case ChannelEmail:
		return set("email")
	case "sms", "whatsapp":
		return set("phone")
	case "letter":
		return set("street", "postal_code", "city")
	default: // a device is no field
		return true
	}
}

// void takes back what a run has still to send of its visits so far.
func (l *Life) void(run *lifeRun) {
	l.letters = slices.DeleteFunc(l.letters, func(letter *lifeLetter) bool {
		gone := letter.run == run && letter.Seq < run.voidBefore
		if gone {
			l.Witness.Judged(&run.Run, letter.SendMessage, l.now, Judgement{Passage: Skipped, Reason: GateVoid})
		}
		return gone
	})
}

// hears tells whether events of a name make any difference.
func (l *Life) hears(name string) bool {
	for _, names := range [][]string{l.Plan.mentions, l.Plan.eventNames, l.Plan.starts} {
		if _, there := slices.BinarySearch(names, name); there {
			return true
		}
	}
	return len(l.Plan.steps) > 0 && aboutMessages(name)
}

// change turns a change of the person into the event it is.
func (l *Life) change(c ChangeContact) {
	switch change, member := memberships[c.Op]; {
	case !member:
		l.Expect(Event{Name: "contact_updated", At: l.now, Props: map[string]any{"fields": []any{c.Name}}})
	case change.changes(&l.contact, c.Name):
		l.Expect(Event{Name: change.event, At: l.now, Props: map[string]any{change.prop: c.Name}})
	}
	l.contact = *l.contact.Changed(c.Op, c.Name, c.Value)
}

// DeliveredEvents are the events of a message that left and arrived.
func DeliveredEvents(run *Run, m SendMessage, at time.Time) []Event {
	return []Event{messageEvent("message_sent", run, m, at, nil), messageEvent("message_delivered", run, m, at, nil)}
}

// messageEvent is an event about a message of a run.
func messageEvent(name string, run *Run, m SendMessage, at time.Time, props map[string]any) Event {
	whole := map[string]any{PropRun: run.ID, PropStep: m.Node}
	maps.Copy(whole, props)
	return Event{Name: name, At: at, Props: whole}
}
