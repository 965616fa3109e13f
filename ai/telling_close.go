package ai

import (
	"cmp"
	"slices"
)

// close ends the story and judges it.
func (t *telling) close() {
	if len(t.pending) > 0 {
		if t.acted != nil && t.acted.kind == sendBeat && !t.acted.timed {
			t.acted.timed, t.acted.beat.time, t.acted.also = true, t.pending[0], t.pending[1:]
		} else {
			t.doubt("time")
		}
	}
	if !t.named {
		t.doubt("start")
	}
	if t.acted == nil {
		t.doubt("nothing")
	}
	if t.w.every > 0 && !t.paced {
		t.paced = slices.ContainsFunc(t.root, func(tw *twig) bool { return tw.kind == sendBeat && tw.count > 1 })
		if !t.paced {
			t.doubt("every")
		}
	}
	for _, c := range t.clauses {
		numbered := 0
		for _, it := range c.items {
			if it.kind == aHappening && slices.Contains([]string{"attended", "no_show"}, it.event.value) && it.at != t.w.trigger.at && !slices.ContainsFunc(c.items, func(o item) bool { return o.kind == aHappening && o.event.value == "api_event" }) {
				t.doubt("meeting") // known only to the playbooks
			}
			if it.kind == anAction && it.beat.ordinal > 0 {
				numbered++
			}
		}
		if numbered > 2 {
			t.doubt("numbered")
		}
	}
	t.beginAsked()
	t.root = t.written(t.root)
	for _, m := range t.r.marks {
		if m.class == "playbook" && t.named && t.w.trigger.at >= m.at && t.w.trigger.at < m.end() && t.w.trigger.Kind != "api_event" && m.value == "post_purchase" && !t.r.word(m.at, "after") {
			t.doubt("book") // "a post-purchase sequence" is no purchase told
		}
	}
	t.lastly()
	t.judge(t.root)
	if t.verbs && !t.nouns {
		t.doubt("verbs")
	}
	t.settleTimes()
	t.w.script = nil
	t.w.told = t.nodes(t.root)
	for _, o := range t.offers {
		if o.count == -1 {
			t.w.loose = append(t.w.loose, o.offer)
		}
	}
}

// nodes is the story as it is drawn.
func (t *telling) nodes(list []*twig) []node {
	out := make([]node, 0, len(list))
	for _, tw := range list {
		t.w.script = append(t.w.script, tw.beat)
		out = append(out, node{tw.beat, t.nodes(tw.then), t.nodes(tw.other)})
	}
	return out
}

// beginAsked puts a message before a question whether it was opened, where none was sent and none starts the funnel.
func (t *telling) beginAsked() {
	for k, tw := range t.root {
		if tw.kind == sendBeat || tw.kind == splitBeat {
			return
		}
		if tw.kind == condBeat && slices.Contains(reading3, tw.cond.event) && !slices.Contains(reading3, t.w.trigger.Kind) {
			first := &twig{beat: beat{kind: sendBeat, at: tw.at, channel: "email", noun: true, verb: true}}
			t.root = slices.Insert(t.root, k, first)
			return
		}
	}
}

// written leaves questions with nothing to do out, and writes counted messages and those with several times out.
func (t *telling) written(list []*twig) []*twig {
	var out []*twig
	for k, tw := range list {
		tw.then, tw.other = t.written(tw.then), t.written(tw.other)
		switch {
		case tw.kind == condBeat && len(tw.then)+len(tw.other) == 0:
		case tw.kind == sendBeat && k > 0 && list[k-1].kind == splitBeat && tw.count == len(t.w.split):
			tw.count = 0
			out = append(out, tw)
		case tw.kind == sendBeat && (tw.count > 1 || len(tw.also) > 0):
			if k == 1 && len(out) == 1 && out[0].kind == sendBeat && !out[0].timed && out[0].count == 0 && out[0].channel == tw.channel && tw.count > 1 {
				out = nil // "a mail course, 4 mails": the first only names the whole
			}
			out = append(out, t.series(tw, list[k+1:])...)
		default:
			out = append(out, tw)
		}
	}
	return out
}

// series writes a counted message out: at the times named, at the pace of the whole, or two days apart.
func (t *telling) series(tw *twig, rest []*twig) []*twig {
	b := tw.beat
	if b.count <= 1 {
		b.count = 1 + len(b.also)
	}
	if len(b.also) > 0 && 1+len(b.also) > b.count || slices.ContainsFunc(rest, func(o *twig) bool { return o.kind == sendBeat && (o.ordinal != 0 || !o.noun) }) {
		t.doubt("count")
	}
	if t.w.every == 0 && len(b.also) == 0 {
		t.doubt("count")
	}
	var out []*twig
	for k, one := range t.w.expand(b) {
		if !one.timed && k > 0 {
			one.timed, one.time = true, timing{hours: cmp.Or(t.w.every, 48), kind: gapTiming}
		}
		if one.time.kind == afterTiming && len(b.also) > 0 {
			one.time.kind = offsetTiming
		}
		out = append(out, &twig{beat: one})
	}
	return out
}

// lastly puts what ends all funnels of a person behind everything else.
func (t *telling) lastly() {
	ends := func(tw *twig) bool { return tw.kind == deedBeat && tw.step.Name == allFunnels }
	k := slices.IndexFunc(t.root, ends)
	if k >= 0 {
		last := t.root[k]
		t.root = append(slices.DeleteFunc(t.root, ends), last)
	}
}

// judge doubts what the playbooks read better: messages that only verbs mean, and waits for something nobody says the answers of.
func (t *telling) judge(list []*twig) {
	for k, tw := range list {
		if k > 0 && tw.kind == sendBeat && tw.noun && !tw.timed && list[k-1].kind == sendBeat && !list[k-1].noun {
			t.doubt("means") // "ask for a review after 10 days, one mail"
		}
		switch {
		case tw.kind == sendBeat && tw.noun:
			t.nouns = true
		case tw.kind == sendBeat:
			t.verbs = true
		case tw.kind == condBeat && tw.cond.until && len(tw.other) == 0:
			t.doubt("awaited")
		}
		t.judge(tw.then)
		t.judge(tw.other)
	}
}
