package ai

import "slices"

// fillArms gives each share that gets something one message.
func (w *wish) fillArms() {
	channel := ""
	for k, arm := range w.arms {
		first := -1
		w.script = slices.DeleteFunc(w.script, func(b beat) bool {
			if b.kind != sendBeat || b.at < arm.from || b.at >= arm.to {
				return false
			}
			if first >= 0 || k+1 == w.idle {
				return true
			}
			first = b.at
			return false
		})
		if k+1 == w.idle {
			continue
		}
		at := slices.IndexFunc(w.script, func(b beat) bool { return b.kind == sendBeat && b.at == first })
		if at < 0 {
			at = slices.IndexFunc(w.script, func(b beat) bool { return b.at > arm.from && b.kind != splitBeat })
			if at < 0 {
				at = len(w.script)
			}
			w.script = slices.Insert(w.script, at, beat{kind: sendBeat, at: arm.from, channel: channel})
		}
		b := &w.script[at]
		b.verb, b.ordinal, b.offer = true, 0, Offer{}
		channel = b.channel
	}
}

// shareChannels gives messages named by their times only the channels told behind them by place: "3 days, 1 day and an hour before: the first two
// by mail, the last one by text".
func (w *wish) shareChannels() {
	for from := 0; from < len(w.script); from++ {
		to := from
		for to < len(w.script) && w.script[to].kind == sendBeat && w.script[to].timed && w.script[to].channel == "" {
			to++
		}
		if to-from < 2 {
			continue
		}
		var channels []string
		open := -1 // the only one without a number is for all others
		end := to
		for end < len(w.script) && w.script[end].kind == sendBeat && !w.script[end].timed && w.script[end].noun && w.script[end].channel != "" && (w.script[end].count > 0 || w.script[end].ordinal != 0 || w.script[end].means || end > to) {
			if w.script[end].count == 0 && w.script[end].ordinal == 0 && open < 0 {
				open = len(channels)
			}
			for range max(1, w.script[end].count) {
				channels = append(channels, w.script[end].channel)
			}
			end++
		}
		for open >= 0 && end-to > 1 && len(channels) < to-from {
			channels = slices.Insert(channels, open, channels[open])
		}
		if end-to > 1 && len(channels) == to-from {
			for k := range channels {
				w.script[from+k].channel = channels[k]
			}
			w.script = slices.Delete(w.script, to, end)
		}
		from = to
	}
}

// giveMeans gives the channel that only says how something goes to what stands before it in its sentence and has none: "ask for feedback after 3
// days (...) by sms".
func (w *wish) giveMeans() {
	for k := 0; k < len(w.script); k++ {
		b := w.script[k]
		if b.kind != sendBeat || !b.means || k+1 < len(w.script) && w.script[k+1].kind == sendBeat && w.script[k+1].noun && !w.script[k+1].timed {
			continue
		}
		given := false
		for j := k - 1; j >= 0 && (w.script[j].kind != breakBeat || !w.script[j].stop); j-- {
			if o := &w.script[j]; o.kind == sendBeat && (o.channel == "" || o.channel == b.channel && j == k-1) && !o.means {
				o.channel, given = b.channel, true
			}
		}
		if given {
			w.script = slices.Delete(w.script, k, k+1)
			k--
		}
	}
}

// split sends the next messages of the sentence to the arms, one each; a single one goes to all, in variants. It returns how many beats it
// used.
func (d *drawing) split(rest []node) int {
	var messages []beat
	used := 0
	for _, n := range rest {
		if n.kind == sendBeat && len(messages) < len(d.w.split) && (len(messages) == 0 || !n.timed) {
			messages = append(messages, n.beat)
			used++
			continue
		}
		if n.kind == breakBeat && len(messages) == 0 {
			used++
			continue
		}
		break
	}
	if d.w.idle > 0 && len(messages) == len(d.w.split)-1 {
		messages = slices.Insert(messages, d.w.idle-1, beat{kind: breakBeat})
	}
	if len(messages) > 1 && len(messages) < len(d.w.split) {
		messages, used = messages[:1], used-len(messages)+1
	}
	if len(messages) == 0 {
		messages = []beat{{kind: sendBeat}}
	}
	if messages[0].timed {
		d.waitFor(messages[0].time)
	}
	arms := make([]Arm, len(d.w.split))
	for i, weight := range d.w.split {
		arms[i] = Arm{Label: string(rune('A' + i)), Pct: weight}
	}
	d.add(Step{Do: doSplit, Arms: arms})
	from := d.block
	at := len(d.spec.Blocks[from].Steps) - 1
	begin := d.now
	var ends []int
	for i := range arms {
		d.block, d.now = d.open(), begin
		arms[i].To = d.spec.Blocks[d.block].ID
		m := messages[min(i, len(messages)-1)]
		if m.kind == breakBeat { // a share that gets nothing leaves
			continue
		}
		role := d.roleOf(m)
		if i > 0 && len(messages) == 1 {
			role = d.roleOf(beat{})
		}
		d.send(role, m.channel, m.quote, m.offer)
		ends = append(ends, d.block)
	}
	after := d.open()
	for _, e := range ends {
		d.spec.Blocks[e].Next = d.spec.Blocks[after].ID
	}
	d.spec.Blocks[from].Steps[at].Arms = arms
	d.block = after
	return used
}

// atLater tells whether the time of day is named with a message behind the first one, which then need not wait for it: "a mail now, the next day
// at 9 a text".
func (w *wish) atLater(r *reading) bool {
	if from, _ := r.clause(w.atToken); w.at == "" || from == 0 {
		return false
	}
	n := 0
	for _, b := range w.script {
		if b.kind != sendBeat || b.weak() || b.at > w.atToken && n > 0 {
			continue
		}
		n++
		from, to := r.clause(w.atToken)
		at := b.at
		if b.timed {
			at = max(at, b.time.at)
		}
		if n > 1 && (at >= from && at < to || b.word >= from && b.word < to) {
			return true
		}
	}
	return false
}

// onTheDate gives the first message of a birthday, where it has no time and another one comes before the day, the day itself: "a birthday push
// and, a week before, an email".
func (d *drawing) onTheDate(nodes []node) {
	if d.spec.Trigger.Kind != "date_field" || d.spec.Trigger.When == "" || len(nodes) < 2 || nodes[0].kind != sendBeat || nodes[0].timed || d.first {
		return
	}
	if next := nodes[1]; next.kind == sendBeat && next.timed && next.time.kind == beforeTiming && next.time.hours > 0 {
		nodes[0].timed, nodes[0].time = true, timing{kind: beforeTiming}
	}
}

// evenly is how many messages a sentence counts that are shared out evenly: "three letters, in equal shares"; 0 is none.
func (r *reading) evenly(from, to int) int {
	for i := from; i < to; i++ {
		if n, ok := r.number(i); ok && n > 2 && n <= 6 && r.messageBetween(i, min(i+5, to)) {
			for j := from; j < to; j++ {
				if slices.Contains([]string{"поровну", "equally", "evenly", "rowno", "rowne"}, r.tokens[j].text) {
					return int(n)
				}
			}
		}
	}
	return 0
}

// billOnce leaves out the bill as a message where a payment is asked for in the same sentence: they are one.
func (w *wish) billOnce() {
	for k := len(w.script) - 1; k >= 0; k-- {
		b := w.script[k]
		if b.kind != sendBeat || b.noun || b.verb || b.role != "receipt" && b.role != "payment" {
			continue
		}
		for j, o := range w.script {
			if o.kind == deedBeat && o.step.Do == doPayment && w.sameSentence(min(j, k), max(j, k)) {
				w.script = slices.Delete(w.script, k, k+1)
				break
			}
		}
	}
}

// inTotal takes a count of all messages together for that of the one that comes at a pace: "one mail a day, seven mails altogether".
func (w *wish) inTotal(r *reading) {
	for k := range w.script {
		b := w.script[k]
		if b.kind != sendBeat || b.count < 2 || w.every == 0 || b.at == 0 || !slices.Contains([]string{"razem", "lacznie", "sumie", "total", "altogether", "overall", "всего", "итого"}, r.tokens[b.at-1].text) && (b.word+1 >= len(r.tokens) || !slices.Contains([]string{"altogether", "overall", "lacznie", "razem"}, r.tokens[b.word+1].text)) {
			continue
		}
		for j := range w.script {
			if o := &w.script[j]; j != k && o.kind == sendBeat && o.count < 2 && !o.weak() {
				o.count, o.plural = b.count, true
				w.script = slices.Delete(w.script, k, k+1)
				return
			}
		}
	}
}
