package ai

import (
	"slices"
)

// elaborate works the details of a counted series into it: "3 emails: the first at once, the second after 2 days, the third ...".
func (w *wish) elaborate() {
	at := slices.IndexFunc(w.script, func(b beat) bool { return b.kind == sendBeat && b.count > 1 })
	if at < 0 {
		return
	}
	series := w.script[at]
	var details []int
	for j := at + 1; j < len(w.script); j++ {
		b := w.script[j]
		if b.kind == condBeat || b.kind == elseBeat || b.kind == splitBeat {
			break
		}
		if b.kind != sendBeat {
			continue
		}
		if b.count > 1 || b.noun && b.ordinal == 0 && b.channel != "" && series.channel != "" && b.channel != series.channel {
			break
		}
		details = append(details, j)
	}
	switch {
	case len(details) == 0:
	case len(details) == series.count || len(details) == series.count-1 && len(details) > 1 && w.script[details[0]].ordinal != 1 && !w.script[details[0]].noun && w.script[details[0]].timed && !series.timed:
		for _, j := range details {
			if w.script[j].channel == "" {
				w.script[j].channel = series.channel
			}
			w.script[j].verb = true
		}
		if len(details) == series.count {
			w.script = slices.Delete(w.script, at, at+1)
		} else {
			w.script[at].count = 0
			w.script[at].verb = true
		}
	default:
		w.partly(at, details)
	}
}

// partly expands a series of which only some messages are described.
func (w *wish) partly(at int, details []int) {
	series := w.script[at]
	named := false
	extra := false
	for _, j := range details {
		named = named || w.script[j].ordinal != 0
		extra = extra || w.script[j].noun && w.script[j].ordinal == 0
	}
	if extra && !named {
		if series.channel == "" && len(details) < series.count && w.plainNouns(details) { // "6 touches, email and sms"
			w.spread(at, details)
		}
		return
	}
	if !named && len(details) > series.count {
		return
	}
	all := w.expand(series)
	for n, j := range details {
		d := w.script[j]
		k := n
		switch {
		case d.ordinal == -1:
			k = len(all) - 1
		case d.ordinal > 0:
			k = min(d.ordinal, len(all)) - 1
		case named:
			k = len(all) - 1
		}
		all[k].role, all[k].roles = d.role, d.roles
		all[k].offer, all[k].quote = d.offer, d.quote
		if d.timed {
			all[k].timed, all[k].time = true, d.time
		}
		if d.channel != "" {
			all[k].channel = d.channel
		}
	}
	for n := len(details) - 1; n >= 0; n-- {
		w.script = slices.Delete(w.script, details[n], details[n]+1)
	}
	w.script = slices.Replace(w.script, at, at+1, all...)
}

func (w *wish) plainNouns(at []int) bool {
	for _, j := range at {
		if b := w.script[j]; b.timed || b.role != "" || b.count != 0 || !b.noun {
			return false
		}
	}
	return true
}

// spread lets a series go through the channels in turn.
func (w *wish) spread(at int, details []int) {
	all := w.expand(w.script[at])
	for k := range all {
		all[k].channel = w.script[details[k%len(details)]].channel
	}
	w.script = slices.Replace(w.script, at, details[len(details)-1]+1, all...)
}

// expand writes a counted series out. Its times, where it has any, are counted from the start.
func (w *wish) expand(series beat) []beat {
	times := series.also
	if series.timed {
		times = append([]timing{series.time}, series.also...)
	}
	out := make([]beat, series.count)
	for k := range out {
		b := series
		b.count, b.also, b.timed, b.noun, b.verb = 0, nil, false, true, true
		b.roles, b.quote, b.offer = nil, "", Offer{}
		if k > 0 {
			b.role, b.again = "", false
		}
		if k == 0 {
			b.quote = series.quote
		}
		i := k
		if len(times) == series.count-1 && len(times) > 0 && times[0].hours > 0 && times[0].kind != beforeTiming {
			i = k - 1
		}
		switch {
		case i < 0:
			b.timed, b.time = true, timing{kind: offsetTiming, at: series.at}
		case i < len(times):
			b.timed, b.time = true, times[i]
			if b.time.kind == afterTiming && len(times) > 1 && ascending(times) {
				b.time.kind = offsetTiming
			}
		}
		out[k] = b
	}
	if !series.offer.None() {
		out[len(out)-1].offer = series.offer
	}
	return out
}

func ascending(times []timing) bool {
	for i := 1; i < len(times); i++ {
		if times[i].hours <= times[i-1].hours {
			return false
		}
	}
	return true
}
