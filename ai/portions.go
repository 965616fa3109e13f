package ai

import (
	"slices"
	"strconv"
)

// portion is a share of the people that a prompt names: "30%", "half", "one third", "the rest".
type portion struct {
	stretch

	weight int // in percent; 0 is the rest of the people
}

// portionAt is the share named at a place.
func (r *reading) portionAt(i int) (portion, bool) {
	if r.taken[i] || r.aside[i] {
		return portion{}, false
	}
	if t := r.tokens[i]; t.kind == aNumber {
		if t.num < 1 || t.num >= 100 || i+1 >= len(r.tokens) || r.tokens[i+1].kind != aPercent && !r.word(i+1, "percent") || r.discountAt(i, i+2) {
			return portion{}, false
		}
		return portion{stretch{i, i + 2}, int(t.num)}, true
	}
	m, ok := r.at(i, "portion")
	if _, span := r.at(i, "span"); !ok || span || r.unitAt(m.end()) != "" || r.priced(m.end()) {
		return portion{}, false
	}
	return portion{stretch{i, m.end()}, atoi(m.value, 0)}, true
}

// discountAt tells whether a percentage is one of a price: "20% off", "rabat 15%", "со скидкой 10%".
func (r *reading) discountAt(from, to int) bool {
	offer := func(i int) bool {
		return i >= 0 && i < len(r.tokens) && slices.ContainsFunc([]string{"off", "discount", "rabat", "znizk", "taniej", "скид", "дешевл"}, func(stem string) bool { return begunWith(r.tokens[i].text, stem) })
	}
	return offer(to) || offer(from-1) || offer(from-2) && !r.word(from-1, "gets") && !r.conjunction(from-1)
}

// priced tells whether a share speaks of a price: "half price".
func (r *reading) priced(i int) bool {
	return i < len(r.tokens) && slices.ContainsFunc([]string{"price", "cen", "цен", "стоимост"}, func(stem string) bool { return begunWith(r.tokens[i].text, stem) })
}

// portions are the shares a prompt names that make up all people, one after another, each with what it gets.
func (r *reading) portions() []portion {
	var found []portion
	sum := 0
	for i := 0; i < len(r.tokens); i++ {
		if r.tokens[i].kind == aBreak && r.tokens[i].text != ";" && r.tokens[i].text != "\n" && len(found) > 0 && sum < 50 {
			found, sum = nil, 0
		}
		p, ok := r.portionAt(i)
		if !ok {
			continue
		}
		if n := len(found); n > 0 && !r.tells(found[n-1].to, p.from) { // "70/30: 70% get ..."
			found, sum = nil, 0
		}
		if p.weight == 0 {
			if sum == 0 {
				continue
			}
			p.weight = 100 - sum
			if next, ok := r.portionAt(p.to); ok && next.weight == p.weight { // "the remaining 15%"
				p.to = next.to
			}
		}
		if sum+p.weight > 100 {
			found, sum = nil, 0
		}
		found, sum = append(found, p), sum+p.weight
		if sum == 99 && len(found) == 3 { // three thirds
			found[2].weight, sum = 34, 100
		}
		if sum == 100 && len(found) > 1 && len(found) <= 6 && r.tells(p.to, r.armEnd(p)) {
			return found
		}
		i = p.to - 1
	}
	return nil
}

// armEnd is where what the last share gets ends: with its clause, or its sentence where the clause says nothing.
func (r *reading) armEnd(last portion) int {
	_, to := r.clause(last.to - 1)
	if !r.tells(last.to, to) {
		_, to = r.sentence(last.to - 1)
	}
	return to
}

// tells tells whether a range says anything but how people are shared out.
func (r *reading) tells(from, to int) bool {
	for i := from; i < to; i++ {
		t := r.tokens[i]
		if t.kind == aQuote || t.kind == aWord && !r.stops(t.text) && !r.conjunction(i) && !r.word(i, "people", "split", "gets") || t.kind == aWord && r.word(i, "ways") {
			return true
		}
	}
	return false
}

// readShareOut finds how the people are shared out, before anything else is read of it.
func (r *reading) readShareOut(w *wish) {
	if !r.readPortions(w) {
		r.readHoldOut(w)
	}
}

// readPortions finds a split told share by share: "60% get the short mail, 30% the long one and 10% nothing", "half get version A, half version B".
// It tells whether there is one.
func (r *reading) readPortions(w *wish) bool {
	shares := r.portions()
	if len(shares) == 0 {
		return false
	}
	last := len(shares) - 1
	w.split, w.arms, w.idle = nil, nil, 0
	for k, p := range shares {
		end := r.armEnd(shares[last])
		if k < last {
			end = shares[k+1].from
		}
		w.split, w.arms = append(w.split, p.weight), append(w.arms, stretch{p.from, end})
		if _, ok := r.find(p.from, end, "idle"); ok {
			w.idle = k + 1
		}
	}
	if len(shares) == 2 && w.idle > 0 { // who gets nothing is held out; what is told of the others is the funnel
		none := w.arms[w.idle-1]
		_, to := r.clause(shares[w.idle-1].to - 1)
		w.hold, w.split, w.arms, w.idle = w.split[w.idle-1], nil, nil, 0
		for _, p := range shares {
			r.take(p.from, p.to)
		}
		r.take(none.from, min(none.to, max(to, none.from)))
		return true
	}
	for _, p := range shares {
		r.take(p.from, p.to)
	}
	w.script = append(w.script, beat{kind: splitBeat, at: shares[0].from})
	return true
}

// readHoldOut finds a share of the people that is left out so that the others can be compared with it: "hold back 10% as a control group". It tells
// whether there is one.
func (r *reading) readHoldOut(w *wish) bool {
	for i := range r.tokens {
		p, ok := r.portionAt(i)
		if !ok || p.weight == 0 || p.weight > 60 {
			continue
		}
		from, to := r.clause(i)
		idle, ok := r.find(from, to, "idle")
		if !ok || r.taken[idle.at] {
			continue
		}
		if r.messageBetween(from, min(p.from, idle.at)) || r.messageBetween(max(p.to, idle.end()), to) && !r.ended(idle.at, "nothing") {
			from, to = min(p.from, idle.at), max(p.to, idle.end())
		}
		w.hold = p.weight
		r.take(from, to)
		if rest, ok := r.find(to, min(to+12, len(r.tokens)), "portion", "rest"); ok {
			r.take(rest.at, rest.end())
		}
		return true
	}
	return false
}

// holdOut leaves a share of the people out of everything that follows.
func (d *drawing) holdOut() {
	if d.w.hold == 0 {
		return
	}
	from, at := d.block, len(d.spec.Blocks[d.block].Steps)
	d.add(Step{Do: doSplit})
	main := d.open()
	none := d.open()
	d.spec.Blocks[from].Steps[at].Arms = []Arm{{Label: "A", Pct: 100 - d.w.hold, To: d.spec.Blocks[main].ID}, {Label: "B", Pct: d.w.hold, To: d.spec.Blocks[none].ID}}
	d.block = main
	d.assume("held_out", strconv.Itoa(d.w.hold))
}
