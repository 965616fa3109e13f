package ai

import (
	"slices"
)

// settle turns the beats as the prompt has them into a script to draw: times find their messages, ordinals and topics their place in a
// counted series, and words that only describe the whole go.
func (w *wish) settle() {
	w.fillArms()
	w.giveMeans()
	w.billOnce()
	w.atThatTime()
	w.oneLetter()
	w.keepOnly()
	w.dropTopics()
	w.dropFrames()
	w.countBehind()
	w.placeTimes()
	w.shareChannels()
	w.elaborate()
	w.askAhead()
	w.capOnce()
}

// capOnce makes "at most one a day" of the only message a pause before somebody may come again.
func (w *wish) capOnce() {
	if w.minGap < 24 || w.every > 0 || w.span > 0 {
		return
	}
	named := 0
	for _, b := range w.script {
		if b.kind == sendBeat && !b.weak() {
			named += max(1, b.count) + len(b.also)
			if b.plural {
				named++
			}
		}
	}
	if named == 1 {
		w.reentry, w.minGap = max(w.reentry, int(w.minGap/24)), 0
	}
}

// atThatTime gives a message the time that the words before it name: "after 50 days it runs out, so email them then".
func (w *wish) atThatTime() {
	for k := 1; k < len(w.script); k++ {
		b, before := &w.script[k], w.script[k-1]
		if b.kind != sendBeat || !b.then || b.timed || !before.timed || before.kind != timeBeat && (before.kind != sendBeat || before.noun || before.verb) {
			continue
		}
		b.timed, b.time, b.also = true, before.time, before.also
		w.script = slices.Delete(w.script, k-1, k)
		k--
	}
}

// oneLetter joins what only says that a letter goes by post to the letter: "a thank-you letter to ..., on paper".
func (w *wish) oneLetter() {
	for k := 1; k < len(w.script); k++ {
		b, at := w.script[k], w.near(k-1, -1)
		for at >= 0 && w.script[at].kind == condBeat {
			at = w.near(at-1, -1)
		}
		if at >= 0 && b.kind == sendBeat && b.channel == "letter" && !b.timed && b.count == 0 && b.role == "" && b.ordinal == 0 && !b.verb && !b.again && w.script[at].kind == sendBeat && w.script[at].channel == "letter" && w.sameSentence(at, k) {
			w.script = slices.Delete(w.script, k, k+1)
			k--
		}
	}
}

// keepOnly makes a message of the only topic of a prompt that says what starts it and nothing else: "thanks for the visit"; a recurring time
// without any message is for one.
func (w *wish) keepOnly() {
	if w.trigger.strength == 0 || slices.ContainsFunc(w.script, func(b beat) bool { return b.kind != breakBeat && !b.weak() }) {
		return
	}
	for k := range w.script {
		if w.script[k].weak() && w.script[k].count == 0 {
			w.script[k].verb = true
			return
		}
	}
	if w.trigger.Kind == "schedule" || len(w.split) > 0 {
		w.script = append(w.script, beat{kind: sendBeat, verb: true})
	}
}

// weak tells whether a beat is only a topic: a word such as "welcome" without a noun, verb or time.
func (b beat) weak() bool {
	return b.kind == sendBeat && !b.noun && !b.verb && !b.timed && b.ordinal == 0 && b.count == 0
}

// dropTopics leaves out topics that stand alone: they describe the whole. In a list of three, or next to other messages of the sentence,
// a topic is a message: "welcome, tips, case study".
func (w *wish) dropTopics() {
	var out []beat
	for k := 0; k < len(w.script); k++ {
		if !w.script[k].weak() {
			out = append(out, w.script[k])
			continue
		}
		end := k
		for end < len(w.script) && w.script[end].weak() {
			end++
		}
		run := end - k
		listed := slices.ContainsFunc(w.script[k+1:end], func(b beat) bool { return b.later }) || k > 0 && end < len(w.script) && w.script[end].kind == condBeat && w.script[end].who
		after := k > 0 && w.script[k-1].kind == sendBeat
		ahead := end < len(w.script) && w.script[end].kind == sendBeat
		series := slices.ContainsFunc(w.script[:k], func(b beat) bool { return b.kind == sendBeat && b.count > 1 })
		timed := after && w.script[k-1].timed || ahead && w.script[end].timed
		pending := end < len(w.script) && w.script[end].kind == timeBeat || k > 0 && w.script[k-1].kind == timeBeat
		pending = pending || ahead && w.script[end].further
		inBranch := k > 0 && (w.script[k-1].kind == condBeat || w.script[k-1].kind == elseBeat)
		named := after && (w.script[k-1].noun || w.script[k-1].verb) && w.script[k-1].role != ""
		if run >= 3 || listed || series && run >= 2 || timed || pending || inBranch || named || run == 2 && (after || ahead) {
			for i := k; i < end; i++ {
				b := w.script[i]
				if b.role == "offer" && run < 3 && !timed && !pending && !inBranch {
					continue
				}
				b.verb = true
				out = append(out, b)
			}
		}
		for i := k; i < end; i++ {
			if b := w.script[i]; b.alone && !slices.ContainsFunc(out, func(o beat) bool { return o.at == b.at && o.kind == sendBeat }) {
				b.verb = true // "form sent: confirmation, tell sales"
				out = append(out, b)
			}
		}
		for _, b := range w.script[k:end] {
			if !b.offer.None() && !slices.ContainsFunc(out, func(o beat) bool { return o.kind == sendBeat && o.offer == b.offer }) {
				w.loose = append(w.loose, b.offer)
			}
		}
		k = end - 1
	}
	w.script = out
}

// dropFrames leaves out what names the whole where its messages are named too; the channel stays theirs.
func (w *wish) dropFrames() {
	others := slices.ContainsFunc(w.script, func(b beat) bool { return b.kind == sendBeat && !b.frame })
	if !others {
		return
	}
	for k, b := range w.script {
		if !b.frame || b.timed {
			continue
		}
		for j := range w.script {
			if o := &w.script[j]; o.kind == sendBeat && o.channel == "" && !o.frame {
				o.channel = b.channel
			}
		}
		w.script[k].kind = breakBeat
		w.script[k].frame = false
	}
}

// countBehind joins a count that stands alone to the one message before it: "ask for a review after 5 days, 2 emails".
func (w *wish) countBehind() {
	var at []int
	for k, b := range w.script {
		if b.kind == sendBeat {
			at = append(at, k)
		}
	}
	if len(at) != 2 {
		return
	}
	first, count := &w.script[at[0]], w.script[at[1]]
	if first.noun || first.quote != "" || first.count > 0 || !count.noun || count.timed || count.role != "" || count.verb || count.again || count.ordinal != 0 || count.count == 0 {
		return
	}
	if count.count == 1 && slices.ContainsFunc(w.script[at[0]:at[1]], func(b beat) bool { return b.kind == timeBeat }) {
		return // "the intro, wait 5 days, then one push"
	}
	first.channel, first.noun, first.plural = count.channel, true, count.plural
	first.count = count.count
	w.script = slices.Delete(w.script, at[1], at[1]+1)
}

// placeTimes gives times that stand alone to messages, or leaves them in the script as waits.
func (w *wish) placeTimes() {
	for k := 0; k < len(w.script); k++ {
		if w.script[k].kind != timeBeat {
			continue
		}
		end := k
		for end < len(w.script) && w.script[end].kind == timeBeat && !w.script[k].lead && (end == k || !w.script[end].lead) {
			end++
		}
		k = w.placeRun(k, max(end, k+1))
	}
}

// near finds the beat of the script next to a place, over the end of a sentence; -1 is none.
func (w *wish) near(k, step int) int {
	for j := k; j >= 0 && j < len(w.script); j += step {
		if w.script[j].kind != breakBeat {
			return j
		}
	}
	return -1
}

func (w *wish) placeRun(k, end int) int {
	times := make([]timing, 0, end-k)
	for _, b := range w.script[k:end] {
		times = append(times, b.time)
	}
	prev, next := w.near(k-1, -1), w.near(end, 1)
	isSend := func(j int) bool { return j >= 0 && w.script[j].kind == sendBeat }
	untimed := func(j int) bool { return isSend(j) && !w.script[j].timed }
	drop := func() int {
		w.script = slices.Delete(w.script, k, end)
		return k - 1
	}
	give := func(j int) int {
		b := &w.script[j]
		b.timed, b.time, b.also = true, times[0], times[1:]
		return drop()
	}
	if isSend(prev) && w.script[prev].count > 1 && !w.script[prev].timed && (len(times) > 1 || !untimed(next) && !times[0].wait && w.every == 0) {
		return give(prev)
	}
	if isSend(prev) && w.script[prev].count > 1 && w.script[prev].timed && w.sameSentence(prev, k) && 1+len(w.script[prev].also)+len(times) <= w.script[prev].count {
		w.script[prev].also = append(slices.Clone(w.script[prev].also), times...) // "2 emails after 1 hour and 1 day" is one list
		return drop()
	}
	if isSend(next) && w.script[next].timed && w.script[next].plural && w.script[next].count == 0 && w.script[next].time.day && times[0].day && w.sameSentence(k, next) {
		b := &w.script[next] // "day 0, day 3, day 9 emails"
		b.also = slices.Concat(times[1:], []timing{b.time}, b.also)
		b.time, b.at = times[0], w.script[k].at
		return drop()
	}
	if isSend(next) && w.script[next].timed && w.script[next].time.kind == beforeTiming && times[0].kind == beforeTiming && !w.script[next].trail && w.script[next].time.at-times[len(times)-1].end() <= 2 {
		b := &w.script[next] // "7 days and 1 day before the date a push"
		b.also = slices.Concat(times[1:], []timing{b.time}, b.also)
		b.time, b.at = times[0], w.script[k].at
		return drop()
	}
	if untimed(next) && len(times) > 1 {
		m := 0
		for j := next; j < len(w.script) && w.script[j].kind == sendBeat && !w.script[j].timed; j++ {
			m++
		}
		switch {
		case w.script[next].count == len(times) || m == 1:
			return give(next)
		case m <= len(times): // channels in turn over the times
			turn := slices.Clone(w.script[next : next+m])
			var out []beat
			for i, t := range times {
				b := turn[i%m]
				b.at, b.timed, b.time, b.count, b.verb = t.at, true, t, 0, true
				if i >= m {
					b.role, b.roles = "", nil
				}
				out = append(out, b)
			}
			w.script = slices.Replace(w.script, k, next+m, out...)
			return k + len(out) - 1
		}
	}
	if end == k+1 && w.script[k].names && (!untimed(next) || !w.sameSentence(k, next)) { // "day 0 intro, day 2 case study"
		b := &w.script[k]
		b.kind, b.verb = sendBeat, true
		return k
	}
	if w.script[k].lead && end == k+1 {
		return k
	}
	if isSend(prev) && w.script[prev].timed && times[0].kind == beforeTiming && w.script[prev].time.kind == beforeTiming && w.sameSentence(prev, k) { // "1 day and 15 minutes before, after it send ..."
		next = -1
	}
	if len(times) == 1 {
		switch {
		case untimed(next) && (times[0].wait || !untimed(prev) || w.script[next].at > w.script[k].at && w.sameSentence(k, next)):
			return give(next)
		case next >= 0 && w.script[next].kind != sendBeat && w.sameSentence(k, next) || times[0].wait:
			w.script[k].lead = true
			return k
		}
	}
	switch {
	case untimed(prev):
		return give(prev)
	case isSend(prev): // once more at each of the times
		var out []beat
		for _, t := range times {
			b := w.script[prev]
			b.at, b.time, b.also, b.offer, b.quote, b.again = t.at, t, nil, Offer{}, "", true
			out = append(out, b)
		}
		w.script = slices.Replace(w.script, k, end, out...)
		return k + len(out) - 1
	default:
		for i := k; i < end; i++ {
			w.script[i].lead = true
		}
		if times[0].kind == beforeTiming && (len(times) > 1 || next < 0) { // "contract ends: 30 and 7 days before"
			for i := k; i < end; i++ {
				w.script[i].kind, w.script[i].verb, w.script[i].lead = sendBeat, true, false
			}
		}
		return end - 1
	}
}

func (w *wish) sameSentence(a, b int) bool {
	for j := min(a, b); j < max(a, b); j++ {
		if w.script[j].kind == breakBeat {
			return false
		}
	}
	return true
}
