package ai

import (
	"slices"
	"strings"
	"unicode"
)

// readOffers finds percentages, sums and codes. A number with a percent sign that belongs to a split is not an offer.
func (r *reading) readOffers(s *Slots, times []timing) {
	var offers []Offer
	for i, t := range r.tokens {
		if t.kind != aNumber || r.covered(times, i) {
			continue
		}
		next := i + 1
		switch {
		case next < len(r.tokens) && (r.tokens[next].kind == aPercent || r.word(next, "percent")) && t.num > 0 && t.num <= 100:
			if !r.any("word", "split") {
				offers = append(offers, Offer{Percent: int(t.num)})
				r.understand(i, 2)
			}
		case next < len(r.tokens) && r.word(next, "money") && r.any("role", "offer") && !r.any("event", "amount"):
			offers = append(offers, Offer{Amount: t.raw + " " + r.tokens[next].raw})
			r.understand(i, 2)
		}
	}
	if code := r.code(); code != "" {
		if len(offers) == 0 {
			offers = append(offers, Offer{})
		}
		offers[len(offers)-1].Code = code
	}
	s.Offers = offers
}

// code finds a promotion code: capitals and digits next to a word such as "code".
func (r *reading) code() string {
	for _, m := range r.marks {
		if m.class != "word" || m.value != "code" {
			continue
		}
		for j := m.end(); j < len(r.tokens) && j <= m.end()+1; j++ {
			t := r.tokens[j]
			if t.kind == aQuote && len(t.raw) <= 24 && !strings.ContainsAny(t.raw, " {}<>") {
				return t.raw
			}
			if t.kind == aWord && capitals(t.raw) {
				return t.raw
			}
		}
	}
	return ""
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

// readSplit finds a random split: two arms, by the percentages given or in halves.
func (r *reading) readSplit(s *Slots) {
	if !r.any("word", "split") {
		return
	}
	var weights []int
	sum := 0
	for i, t := range r.tokens {
		if t.kind == aNumber && t.num >= 1 && t.num < 100 && i+1 < len(r.tokens) && (r.tokens[i+1].kind == aPercent || r.tokens[i+1].text == "/" || i > 0 && r.tokens[i-1].text == "/") {
			weights = append(weights, int(t.num))
			sum += int(t.num)
		}
	}
	if sum != 100 || len(weights) < 2 {
		weights = []int{50, 50}
	}
	s.Split = weights
}

// readTrigger finds what lets people in: an event named outright, or the first cue that says so.
func (r *reading) readTrigger(s *Slots) {
	if s.Trigger.Kind != "" {
		return
	}
	if name := r.named(); name != "" {
		s.Trigger = Trigger{Kind: "api_event", Ref: name}
		return
	}
	for _, m := range r.marks {
		if m.class != "trigger" || m.value == "tag_added" || r.before(m.at, 4, "stop") {
			continue
		}
		s.Trigger = Trigger{Kind: m.value}
		if m.value == "list_join" || m.value == "segment_enter" {
			s.Trigger.Ref = r.quotedName()
			if s.Trigger.Ref == "" && m.value == "list_join" {
				s.Trigger.Ref = "newsletter"
			}
		}
		return
	}
}

func (r *reading) quotedName() string {
	for i, t := range r.tokens {
		if t.kind == aQuote && len(t.raw) <= 40 && i > 0 {
			return t.raw
		}
	}
	return ""
}

// refusal returns the code of a request that must not be drawn, "" for all others. It looks for the wish, not for the topic: a
// funnel about unsubscribing is fine, mail to the unsubscribed is not. Words in quotation are somebody else's.
func (r *reading) refusal() string {
	for _, code := range []string{"consent", "deception", "out_of_scope"} {
		if r.any("refuse", code) && !r.forbids(code) {
			return code
		}
	}
	return ""
}

// forbids tells whether the prompt itself excludes what the cue names: "never mail people who unsubscribed".
func (r *reading) forbids(code string) bool {
	if code != "consent" {
		return false
	}
	all := true
	r.each("refuse", func(m mark) {
		if m.value != code {
			return
		}
		from, _ := r.clause(m.at)
		excluded := false
		for j := from; j < m.at; j++ {
			excluded = excluded || slices.Contains(excludeWords, r.tokens[j].text)
		}
		all = all && excluded
	})
	return all
}

var excludeWords = []string{"except", "exclude", "excluding", "never", "dont", "oprocz", "wyklucz", "pomijaj", "nigdy", "кроме", "исключ", "исключая", "никогда"}

// contradiction returns the topic of two wishes that cannot both be met, "" when there is none.
func contradiction(s Slots) string {
	n := s.sendsTotal()
	switch {
	case s.Cap > 0 && n > s.Cap:
		return "count"
	case s.Span > 0 && s.Every > 0 && n > 1 && s.Every*float64(n-1) > s.Span*1.05:
		return "timing"
	case n > 0 && len(s.Offsets) > n && n > 1:
		return "timing"
	}
	return ""
}
