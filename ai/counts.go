package ai

import (
	"math"
	"strings"
)

// readCounts finds "4 emails", "series of 5", "max 3 messages" and "one message per 2 days". Ordinals ("email 2") are not counts.
func (r *reading) readCounts(s *Slots, times []timing) {
	c := counts{r: r, s: s, repeats: 1}
	for i := range r.tokens {
		n, ok := r.number(i)
		if ok && n >= 1 && n <= 60 && math.Trunc(n) == n && !r.covered(times, i) {
			c.number(i, int(n))
		}
	}
	c.settle()
}

// counts is what the numbers of a prompt have said so far.
type counts struct {
	r *reading
	s *Slots

	ordinal int    // the highest one: "email 4"
	repeats int    // "three times"
	single  string // the channel of "one email"
}

func (c *counts) number(i, n int) {
	r := c.r
	if o := r.ordinal(i); o > 0 {
		c.ordinal = max(c.ordinal, o)
		return
	}
	most := r.before(i, 3, "most")
	channel, end := r.counted(i)
	if channel == "" && r.before(i, 1, "most") && r.endsCount(i+1) {
		channel, end = "any", i+1
	}
	if channel == "" {
		return
	}
	if n == 1 && r.tokens[i].kind == aWord && !most {
		// "An email" and "one more" name the thing, they do not count.
		if r.tokens[i].text != "a" && r.tokens[i].text != "an" && !r.before(i, 1, "another") {
			c.single = channel
		}
		return
	}
	r.understand(i, 1)
	per := r.rate(end)
	switch {
	case per > 0:
		c.s.MinGap = per / float64(n)
	case most:
		c.s.Cap = n
	case channel == "times":
		c.repeats = n
	default:
		c.s.Sends[channel] += n
	}
}

// settle decides the count when all numbers are read.
func (c *counts) settle() {
	s := c.s
	for j, o := range []string{"first", "second", "third", "fourth", "fifth"} {
		if j > 0 && c.r.any("word", "first") && c.r.any("word", o) {
			c.ordinal = max(c.ordinal, j+1)
		}
	}
	if c.single != "" && len(s.Sends) == 0 && c.r.messages() == 1 {
		s.Sends[c.single] = 1
	}
	if c.repeats > 1 {
		s.Sends = map[string]int{"any": max(1, s.sendsTotal()) * c.repeats} // "one mail three times"
	}
	if len(s.Sends) > 0 && s.Sends["any"] == 0 {
		for _, channel := range s.Channels {
			s.Sends[channel] = max(s.Sends[channel], 1) // "3 mails, then an SMS"
		}
	}
	if c.ordinal > 1 && len(s.Sends) == 0 {
		s.Sends["any"] = c.ordinal
	}
	for channel, n := range s.Sends {
		s.Sends[channel] = min(n, 60)
	}
}

// endsCount tells whether nothing after a number says what else it might measure.
func (r *reading) endsCount(i int) bool {
	return i >= len(r.tokens) || r.tokens[i].kind != aPercent && r.tokens[i].kind != aNumber && r.unitAt(i) == "" && !r.word(i, "money")
}

// rate reads "per 2 days", "a week" and "dziennie" after a count, in hours.
func (r *reading) rate(i int) float64 {
	if i >= len(r.tokens) || r.following(i, 4, "every") {
		return 0
	}
	for _, m := range r.marks {
		if m.at != i || m.class != "word" || m.value != "rate" {
			continue
		}
		for j := i; j < i+4 && j < len(r.tokens); j++ {
			if u := r.unitAt(j); u != "" {
				n, ok := r.number(j - 1)
				if !ok || j-1 <= i && m.n == 1 && r.tokens[i].kind != aNumber && j-1 < i {
					n = 1
				}
				return n * hoursPer[u]
			}
		}
		if strings.HasPrefix(r.tokens[i].text, "dzien") {
			return 24
		}
		return 168
	}
	return 0
}

// counted gives the channel of the messages a number counts, the noun within two words, and where that ends. "Three times"
// counts messages too.
func (r *reading) counted(i int) (channel string, end int) {
	for j := i + 1; j <= i+3 && j < len(r.tokens) && r.tokens[j].kind == aWord; j++ {
		if r.unitAt(j) != "" || r.word(j, "now") || r.word(j, "after") {
			return "", 0
		}
		if j == i+1 && r.word(j, "times") && r.any("channel", "email", "sms", "push", "any") {
			return "times", j + 1
		}
		for _, m := range r.marks {
			if m.at == j && m.class == "channel" && m.value != "team" {
				return m.value, m.end()
			}
		}
	}
	return "", 0
}

// ordinal reads "email 2".
func (r *reading) ordinal(i int) int {
	if r.tokens[i].kind != aNumber || i == 0 {
		return 0
	}
	for _, m := range r.marks {
		if m.class == "channel" && m.end() == i && r.unitAt(i+1) == "" {
			return int(min(r.tokens[i].num, 60))
		}
	}
	return 0
}
