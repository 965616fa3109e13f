package ai

import (
	"slices"
	"strings"
	"unicode"
)

// readOffers finds percentages, sums and codes and puts them into the script where they stand. A percentage that belongs to a split is no
// offer.
func (r *reading) readOffers(w *wish, times []timing) {
	inTime := func(i int) bool {
		for _, t := range times {
			if i >= t.at && i < t.end() {
				return true
			}
		}
		return false
	}
	for i, t := range r.tokens {
		if t.kind != aNumber || r.taken[i] || r.aside[i] || inTime(i) {
			continue
		}
		next := i + 1
		switch {
		case next < len(r.tokens) && (r.tokens[next].kind == aPercent || r.word(next, "percent")) && t.num > 0 && t.num <= 100:
			r.offered(w, i, next+1, Offer{Percent: int(t.num)})
		case r.currencyAt(i) != "" && r.offersMoney(i):
			end := next
			if r.word(next, "money") {
				end++
			}
			r.offered(w, i, end, Offer{Amount: r.currencyAt(i)})
		}
	}
	r.readCodes(w)
}

// currencyAt is a sum with its currency as written; "" where the number at i is none.
func (r *reading) currencyAt(i int) string {
	if r.word(i+1, "money") {
		return r.tokens[i].raw + " " + r.tokens[i+1].raw
	}
	behind := strings.TrimLeft(r.prompt[r.tokens[i].end:], " ")
	ahead := strings.TrimRight(r.prompt[:r.tokens[i].at], " ")
	for _, sign := range []string{"€", "$", "£", "₽"} {
		if strings.HasPrefix(behind, sign) || strings.HasSuffix(ahead, sign) {
			return r.tokens[i].raw + " " + sign
		}
	}
	return ""
}

// offersMoney tells whether an offer is spoken of near a sum: a voucher, a bonus.
func (r *reading) offersMoney(i int) bool {
	from, to := r.clause(i)
	if r.before(i, 4, "over", "above", "more", "collect") {
		return false
	}
	_, ok := r.find(from, to, "role", "offer")
	return ok
}

func (r *reading) offered(w *wish, from, to int, o Offer) {
	r.take(from, to)
	w.offers = append(w.offers, o)
	w.script = append(w.script, beat{kind: sendBeat, at: from, role: "offer", offer: o, count: -1}) // becomes part of the message around it
}

// readCodes finds promotion codes: capitals and digits next to a word such as "code", or capitals with digits anywhere.
func (r *reading) readCodes(w *wish) {
	for i, t := range r.tokens {
		if r.taken[i] || r.aside[i] || t.kind != aWord && t.kind != aQuote {
			continue
		}
		near := r.before(i, 2, "code")
		bare := t.kind == aWord && capitals(t.raw) && strings.ContainsFunc(t.raw, unicode.IsDigit) && strings.ContainsFunc(t.raw, unicode.IsLetter)
		if !bare && !(near && (t.kind == aQuote && len(t.raw) <= 24 && !strings.ContainsAny(t.raw, " {}<>") || capitals(t.raw))) {
			continue
		}
		r.take(i, i+1)
		if n := len(w.offers); n > 0 && w.offers[n-1].Code == "" {
			w.offers[n-1].Code = t.raw
			for k := len(w.script) - 1; k >= 0; k-- {
				if w.script[k].count == -1 && w.script[k].offer.Code == "" {
					w.script[k].offer.Code = t.raw
					break
				}
			}
			continue
		}
		o := Offer{Code: t.raw}
		w.offers = append(w.offers, o)
		w.script = append(w.script, beat{kind: sendBeat, at: i, role: "offer", offer: o, count: -1})
	}
}

// capitals tells whether a word is at least four capitals or digits.
func capitals(s string) bool {
	n := 0
	for _, c := range s {
		if !unicode.IsUpper(c) && !unicode.IsDigit(c) {
			return false
		}
		n++
	}
	return n >= 4 && n <= 16
}

// readSplit finds a random split: arms by the percentages or shares given, or in halves.
func (r *reading) readSplit(w *wish) {
	if len(w.split) > 0 || w.hold > 0 {
		return
	}
	at := -1
	r.each("word", func(m mark) {
		if m.value == "split" && at < 0 && !r.taken[m.at] {
			at = m.at
		}
	})
	if at < 0 {
		at = r.sharesAt()
	}
	if at < 0 {
		return
	}
	var weights []int
	sum, last := 0, -1
	from, to := r.sentence(at)
	for i := from; i < to; i++ {
		t := r.tokens[i]
		if t.kind != aNumber || r.taken[i] || t.num < 1 || t.num >= 100 {
			continue
		}
		slash := i+1 < to && r.tokens[i+1].text == "/" || i > 0 && r.tokens[i-1].text == "/" || i+2 < to && r.sharesJoin(i+1) && r.tokens[i+2].num+t.num == 100 || i > 1 && r.sharesJoin(i-1) && r.tokens[i-2].num+t.num == 100
		percent := i+1 < to && (r.tokens[i+1].kind == aPercent || r.word(i+1, "percent"))
		near := i-at < 14 && at-i < 6 && (last < 0 || i-last < 8) || percent && len(weights) >= 2 && slices.Contains(weights, int(t.num))
		if near && (slash || percent && (last >= 0 || r.percentAfter(i+2, to))) {
			weights = append(weights, int(t.num))
			sum += int(t.num)
			last = i
			r.take(i, i+1)
			if percent {
				r.take(i+1, i+2)
			}
		}
	}
	ways := 2
	for i := from; i < to; i++ {
		if n, ok := r.number(i); ok && n >= 2 && n <= 6 && (r.word(i+1, "ways") || r.word(i+2, "ways")) {
			ways = int(n)
			r.take(i, i+2)
		}
	}
	if r.word(at, "three") {
		ways = 3
	}
	switch {
	case len(weights) >= 4 && sum == 200 && slices.Equal(weights[:len(weights)/2], weights[len(weights)/2:]):
		weights = weights[:len(weights)/2] // "70/30: 70% get ..., 30% get ..."
	case len(weights) >= 2 && sum != 100:
		w.splits = true
	case len(weights) < 2:
		if n := r.evenly(from, to); n > 2 {
			ways = n
		}
		weights = nil
		for range ways {
			weights = append(weights, 100/ways)
		}
		weights[0] += 100 - 100/ways*ways
	}
	w.split = weights
	m, _ := r.wordAt(at, "split")
	r.take(at, m.end())
	w.script = append(w.script, beat{kind: splitBeat, at: at})
}

// sharesAt finds shares that make up a hundred, such as 60/40; -1 where there are none.
func (r *reading) sharesAt() int {
	for i := 0; i+2 < len(r.tokens); i++ {
		a, b := r.tokens[i], r.tokens[i+2]
		if a.kind == aNumber && b.kind == aNumber && r.sharesJoin(i+1) && a.num+b.num == 100 && !r.taken[i] {
			return i
		}
	}
	return -1
}

func (r *reading) percentAfter(from, to int) bool {
	for i := from; i < to && i < from+9; i++ {
		if r.tokens[i].kind == aPercent || r.word(i, "percent") {
			return true
		}
	}
	return false
}

// sharesJoin tells whether a place joins two shares: "60/40", "80 to 20", "80 на 20".
func (r *reading) sharesJoin(i int) bool {
	return slices.Contains([]string{"/", ":", "to", "na", "на", "do", "к"}, r.tokens[i].text)
}

// mergeOffers puts each offer into the message of its clause, makes a message of one that has a time of its own, and leaves the others to
// the last message.
func (r *reading) mergeOffers(w *wish) {
	clauseOf := map[int]int{}
	for k, c := range r.clauses() {
		for i := c.from; i < c.to; i++ {
			clauseOf[i] = k
		}
	}
	for k := range w.script {
		o := &w.script[k]
		if o.kind != sendBeat || o.count != -1 {
			continue
		}
		o.count = -2
		home := -1
		for j := range w.script {
			b := w.script[j]
			if j != k && b.kind == sendBeat && b.count >= 0 && (clauseOf[b.at] == clauseOf[o.at] || b.time.n > 0 && clauseOf[b.time.at] == clauseOf[o.at]) {
				home = j
			}
		}
		if home >= 0 {
			w.script[home].offer = o.offer
			if w.script[home].role == "" {
				w.script[home].role = "offer"
			}
			continue
		}
		for j := range w.script {
			b := &w.script[j]
			if b.kind == timeBeat && clauseOf[b.at] == clauseOf[o.at] && !b.time.wait {
				b.kind, b.role, b.offer, b.verb = sendBeat, "offer", o.offer, true
				home = j
				break
			}
		}
		if home < 0 {
			w.nearestMessage(k, o)
		}
	}
}

// nearestMessage gives an offer to the message before it in the sentence, else to the one after it.
func (w *wish) nearestMessage(k int, o *beat) {
	for j := k - 1; j >= 0 && w.script[j].kind != breakBeat; j-- {
		if b := &w.script[j]; b.kind == sendBeat && b.count >= 0 && b.count < 2 && (b.noun || b.verb || b.timed) {
			b.offer = o.offer
			return
		}
	}
	defer func() {
		if o.count == -2 && o.kind == sendBeat && !w.placed(o.offer) {
			w.loose = append(w.loose, o.offer)
		}
	}()
	for j := k + 1; j < len(w.script); j++ {
		if b := &w.script[j]; b.kind == sendBeat && b.count >= 0 && b.count < 2 && (b.noun || b.verb || b.timed) {
			b.offer = o.offer
			return
		}
	}
}

// placed tells whether an offer stands in a message.
func (w *wish) placed(o Offer) bool {
	for _, b := range w.script {
		if b.kind == sendBeat && b.count >= 0 && b.offer == o {
			return true
		}
	}
	return false
}
