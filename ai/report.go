package ai

import "strings"

// Coverage tells what the built-in planner made of a prompt: nothing it passed over is hidden.
type Coverage struct {
	Share      float64  `json:"share"`      // of the words that carry meaning, from 0 to 1
	Understood []string `json:"understood"` // spans of the prompt, in its own words
	Ignored    []string `json:"ignored"`
}

// report cuts the prompt into what was understood and what was passed over. Words that only hold a sentence together belong to
// what stands around them.
func (r *reading) report() *Coverage {
	c := &Coverage{Understood: []string{}, Ignored: []string{}}
	total, known := 0, 0
	from, state := -1, 0
	flush := func(to int) {
		if from < 0 {
			return
		}
		text := strings.TrimSpace(r.prompt[r.tokens[from].at:r.tokens[to].end])
		if state > 0 {
			c.Understood = append(c.Understood, text)
		} else {
			c.Ignored = append(c.Ignored, text)
		}
		from = -1
	}
	last := 0
	for i, t := range r.tokens {
		if t.kind == aBreak || t.kind == aComma {
			flush(last)
			continue
		}
		now := r.stateOf(i)
		if now != 0 {
			total++
			if now > 0 {
				known++
			}
		}
		switch {
		case from < 0 && now != 0:
			from, state = i, now
		case now != 0 && now != state:
			flush(last)
			from, state = i, now
		}
		if now != 0 {
			last = i
		}
	}
	flush(last)
	c.Ignored = append(c.Ignored, r.comments()...)
	if total > 0 {
		c.Share = float64(known) / float64(total)
	}
	return c
}

// stateOf is 1 for a token that was understood, -1 for one that was passed over, 0 for one that carries no meaning of its own.
func (r *reading) stateOf(i int) int {
	switch t := r.tokens[i]; {
	case r.aside[i]:
		return -1
	case r.known[i]:
		return 1
	case t.kind == aWord && r.stops(t.text), t.kind == aPercent:
		return 0
	default:
		return -1
	}
}

// comments are the parts that were cut out before reading.
func (r *reading) comments() []string {
	var out []string
	for _, found := range comments.FindAllString(r.prompt, -1) {
		out = append(out, short(found, 200))
	}
	return out
}
