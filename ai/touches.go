package ai

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// touches decides which messages go out and when: the numbers and times of the prompt, filled up from the playbook.
func (d *drawing) touches() []touch {
	base := d.base()
	n := d.number(base)
	if n == 0 {
		return nil
	}
	reminded := n == 1 && d.condition() != ""
	if reminded {
		n++ // "if they do not click, remind": the reminder is a message of its own
	}
	out := d.roles(base, n)
	if reminded && d.book == nil {
		out[0].Role, out[1].Role = "note", "remind"
	}
	d.times(out, base)
	if reminded && len(d.s.Offsets) == 0 {
		after := d.s.Within
		if after == 0 {
			after = 48
		}
		out[1].Hours = out[0].Hours + after
	}
	for i := 1; i < len(out) && d.s.MinGap > 0; i++ {
		out[i].Hours = max(out[i].Hours, out[i-1].Hours+d.s.MinGap)
	}
	d.channels(out)
	return out
}

// base are the messages when the prompt says nothing about them.
func (d *drawing) base() []touch {
	if d.book != nil {
		return slices.Clone(d.book.Touches)
	}
	return []touch{{Role: "note"}}
}

// number is how many messages there will be.
func (d *drawing) number(base []touch) int {
	n, s := d.s.sendsTotal(), d.s
	switch {
	case n > 0:
	case s.leads:
		n = len(s.Offsets) + 1
	case d.mentions() >= 2 && d.mentions() == len(s.Offsets)+1:
		n = d.mentions()
	case len(s.Offsets) >= 2:
		n = len(s.Offsets)
	case len(d.named(base)) >= 2 && len(s.Offsets) == 0:
		n = len(d.named(base))
	case s.Cap > 0 && (s.Every > 0 || d.book == nil):
		n = s.Cap
	case d.book == nil:
		n = max(d.mentions(), len(d.s.Roles), len(s.Offsets))
		if len(d.s.AddTags)+len(d.s.DropTags) == 0 {
			n = max(n, 1)
		}
		if n > 0 && d.mentions() > 0 && len(s.Roles) > 0 && len(s.Offsets) == 0 {
			n = min(n, d.mentions())
		}
	default:
		n = len(base)
	}
	if s.Cap > 0 {
		n = min(n, s.Cap)
	}
	if s.sendsTotal() == 0 && d.book != nil && n == len(base) {
		d.assume("count_default", strconv.Itoa(n))
	}
	return min(n, 40)
}

// named are the playbook's own messages that the prompt names, in the order of the prompt.
func (d *drawing) named(base []touch) []string {
	var out []string
	if d.book == nil {
		return nil
	}
	for _, role := range d.s.Roles {
		mapped := d.book.role(role)
		if slices.ContainsFunc(base, func(t touch) bool { return t.Role == mapped }) && !slices.Contains(out, mapped) {
			out = append(out, mapped)
		}
	}
	return out
}

// mentions counts the messages named one by one, without a number: "a mail, after a week an sms".
func (d *drawing) mentions() int {
	if len(d.s.Sends) > 0 {
		return 0
	}
	return d.r.messages()
}

// messages counts the nouns that mean a message.
func (r *reading) messages() int {
	n := 0
	r.each("channel", func(m mark) {
		if m.value != "team" && !r.before(m.at, 2, "not") {
			n++
		}
	})
	return n
}

// roles chooses the texts: those the prompt names when they are as many as the messages, else the playbook's.
func (d *drawing) roles(base []touch, n int) []touch {
	var named []string
	for _, role := range d.s.Roles {
		if mapped := d.book.role(role); !slices.Contains(named, mapped) && hasText(mapped) {
			named = append(named, mapped)
		}
	}
	out := make([]touch, 0, n)
	if len(named) == n || d.book == nil && len(named) > 0 {
		for i := range n {
			role := "note"
			if i < len(named) {
				role = named[i]
			}
			out = append(out, touch{Role: role})
		}
		return out
	}
	if d.book == nil {
		for i := range n {
			role := "note"
			switch {
			case i == n-1 && n > 2:
				role = "last"
			case i > 0:
				role = []string{"remind", "checkin", "proof", "favourites", "news", "story"}[(i-1)%6]
			}
			out = append(out, touch{Role: role})
		}
		return out
	}
	return d.fill(base, n)
}

// fill takes n of the playbook's messages, in its order, and more when it has fewer.
func (d *drawing) fill(base []touch, n int) []touch {
	out := base
	if n < len(out) {
		keep := d.book.Keep
		if len(keep) == 0 {
			return out[:n]
		}
		var kept []touch
		for _, t := range out {
			if slices.Index(keep, t.Role) < n {
				kept = append(kept, t)
			}
		}
		return kept
	}
	for i := 0; len(out) < n; i++ {
		role := "note"
		if i < len(d.book.More) {
			role = d.book.More[i]
		}
		out = append(out, touch{Role: role, Hours: out[len(out)-1].Hours + d.book.Gap})
	}
	return out
}

// times sets when the messages go out.
func (d *drawing) times(out, base []touch) {
	s := d.s
	first, gap := 0.0, 48.0
	if d.book != nil {
		first, gap = base[0].Hours, d.book.Gap
	}
	switch {
	case d.leads(len(out)):
		out[0].Hours = 0
		for i, h := range s.Offsets {
			out[i+1].Hours = h
		}
		d.sayTimes(s.Offsets)
	case len(s.Offsets) >= 2 || len(s.Offsets) == 1 && (len(out) == 1 || s.Every > 0):
		d.byOffsets(out, gap)
		if len(s.Offsets) >= 2 {
			d.sayTimes(s.Offsets)
		}
	case s.Every > 0:
		for i := range out {
			out[i].Hours = first + float64(i)*s.Every
		}
	case s.Span > 0 && len(out) > 1:
		overSpan(out, s.Span)
	case len(s.Offsets) == 1:
		shift := s.Offsets[0] - out[0].Hours
		for i := range out {
			out[i].Hours += shift
		}
	case d.book == nil:
		for i := range out {
			out[i].Hours = float64(i) * gap
		}
	case len(out) > 1 && out[0].Hours == 0 && out[1].Hours == 0:
		d.spread(out, base, gap)
	}
}

// leads tells whether the first of n messages goes out at once and the times of the prompt are those of the others.
func (d *drawing) leads(n int) bool {
	times := len(d.s.Offsets)
	return n > 1 && times == n-1 && d.s.Every == 0 && d.s.Offsets[0] > 0 && (times > 1 || d.book == nil || d.s.leads || d.mentions() == n)
}

// overSpan spreads messages evenly over a time, in whole days where it is long enough.
func overSpan(out []touch, span float64) {
	steps := float64(len(out) - 1)
	for i := range out {
		h := span / steps * float64(i)
		if span >= 24*steps {
			h = math.Round(h/24) * 24
		}
		out[i].Hours = h
	}
}

// spread gives messages with roles of their own the playbook's times, in order.
func (d *drawing) spread(out, base []touch, gap float64) {
	for i := range out {
		if at := slices.IndexFunc(base, func(t touch) bool { return t.Role == out[i].Role }); at >= 0 && (i == 0 || base[at].Hours >= out[i-1].Hours) {
			out[i].Hours = base[at].Hours
		} else if i < len(base) && (i == 0 || base[i].Hours >= out[i-1].Hours) {
			out[i].Hours = base[i].Hours
		} else {
			out[i].Hours = out[i-1].Hours + gap
		}
	}
}

func (d *drawing) byOffsets(out []touch, gap float64) {
	if d.s.Every > 0 {
		gap = d.s.Every
	}
	for i := range out {
		if i < len(d.s.Offsets) {
			out[i].Hours = d.s.Offsets[i]
		} else {
			out[i].Hours = out[i-1].Hours + gap
		}
	}
}

func (d *drawing) sayTimes(hours []float64) {
	var words []string
	last := 0.0
	for _, h := range hours {
		if d.s.AsGaps {
			words = append(words, d.say.hours(h-last))
			last = h
			continue
		}
		words = append(words, d.say.hours(h))
	}
	key := "offsets"
	if d.s.AsGaps {
		key = "gaps"
	}
	d.assume(key, strings.Join(words, ", "))
}

// channels gives each message its channel: the counts of the prompt, the order of mention, or all channels in turn.
func (d *drawing) channels(out []touch) {
	var order []string
	for _, c := range d.s.Channels {
		for range d.s.Sends[c] {
			order = append(order, c)
		}
	}
	if len(order) == 0 {
		d.r.each("channel", func(m mark) {
			if m.value != "team" && !d.r.before(m.at, 2, "not") {
				order = append(order, m.value)
			}
		})
	}
	for i := range out {
		out[i].Channel = "email"
		switch {
		case len(order) == len(out):
			out[i].Channel = order[i]
		case len(d.s.Channels) > 0:
			out[i].Channel = d.s.Channels[i%len(d.s.Channels)]
		}
		if out[i].Channel == "whatsapp" || out[i].Channel == "any" {
			out[i].Channel = "email"
		}
	}
}

// offers puts each offer of the prompt into a message: several in order from the first, a single one into the last message.
func (d *drawing) offers(out []touch) {
	if len(out) == 0 || len(d.s.Offers) == 0 {
		return
	}
	if len(d.s.Offers) == 1 {
		out[len(out)-1].Offer = d.s.Offers[0]
		if len(out) > 1 {
			d.assume("offer_once")
		}
		return
	}
	from := max(0, len(out)-len(d.s.Offers))
	for i, o := range d.s.Offers {
		if from+i < len(out) {
			out[from+i].Offer = o
		}
	}
}
