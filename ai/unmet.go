package ai

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Unmet is a wish of the prompt that a graph does not fulfil.
type Unmet struct {
	Want string `json:"want"`
	Got  string `json:"got"`

	key string // of the phrase that says Want to a person
	arg string
}

func unmet(key, arg, got string) Unmet {
	return Unmet{Want: sayIn("en").line(key, arg), Got: got, key: key, arg: arg}
}

// in says it in a language.
func (u Unmet) in(say phrases) string { return say.line("unmet", say.line(u.key, u.arg), u.Got) }

// Check compares a graph with what the prompt says in numbers and names. It knows only what [Slots] read with certainty.
func (s Slots) Check(b engine.Bundle) []Unmet {
	g := surveyed(b)
	out := slices.Concat(s.checkCounts(g), s.checkTimes(g))
	if len(s.Goals) > 0 && g.goals == 0 && !restarts(b) {
		out = append(out, unmet("want_goal", s.Goals[0], "0"))
	}
	for _, t := range slices.Concat(s.AddTags, s.DropTags) {
		if !slices.Contains(g.tags, slug(t)) {
			out = append(out, unmet("want_tag", t, "0"))
		}
	}
	if s.Trigger.Kind == "api_event" && !strings.Contains(string(entryConfig(b)), `"`+s.Trigger.Ref+`"`) {
		out = append(out, unmet("want_event", s.Trigger.Ref, "0"))
	}
	return out
}

// survey is what a graph has of the things prompts name.
type survey struct {
	sends, goals int
	waits        []float64 // hours
	arrivals     []float64 // hours from the start at which messages go out
	tags         []string
}

func surveyed(b engine.Bundle) survey {
	g := survey{arrivals: arrivals(b)}
	for _, n := range b.Graph.Nodes {
		c := decodeConfig(n.Config)
		switch {
		case strings.HasPrefix(n.Kind, "send_"):
			g.sends++
		case n.Kind == "wait":
			g.waits = append(g.waits, c.For.hours(), c.Timeout.hours())
		case n.Kind == doGoal:
			g.goals++
		case n.Kind == doAddTag || n.Kind == doRemoveTag:
			g.tags = append(g.tags, bare(c.Tag))
		}
	}
	return g
}

func (s Slots) checkCounts(g survey) []Unmet {
	var out []Unmet
	if n := s.sendsTotal(); n > 0 && g.sends != n {
		out = append(out, unmet("want_exactly", strconv.Itoa(n), strconv.Itoa(g.sends)))
	}
	if s.Cap > 0 && g.sends > s.Cap {
		out = append(out, unmet("want_most", strconv.Itoa(s.Cap), strconv.Itoa(g.sends)))
	}
	return out
}

func (s Slots) checkTimes(g survey) []Unmet {
	var out []Unmet
	among := func(hours []float64, want float64) bool {
		return slices.ContainsFunc(hours, func(h float64) bool { return near(h, want) })
	}
	if s.Every > 0 && s.sendsTotal() != 1 && !among(g.waits, s.Every) {
		out = append(out, unmet("want_every", fmt.Sprintf("%g", s.Every), "0"))
	}
	last := 0.0
	for _, want := range s.Offsets {
		gap := want - last
		last = want
		if want > 0 && !among(g.arrivals, want) && !among(g.waits, gap) && !among(g.waits, want) {
			out = append(out, unmet("want_at", fmt.Sprintf("%g", want), "0"))
		}
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 0.05*b }

func entryConfig(b engine.Bundle) json.RawMessage {
	for _, n := range b.Graph.Nodes {
		if n.Kind == "entry" {
			return n.Config
		}
	}
	return nil
}

func restarts(b engine.Bundle) bool { return strings.Contains(string(entryConfig(b)), `"restart"`) }

// arrivals are the hours from the start at which messages go out, along the first way to each.
func arrivals(b engine.Bundle) []float64 {
	nodes := map[string]engine.Node{}
	for _, n := range b.Graph.Nodes {
		nodes[n.ID] = n
	}
	at := map[string]float64{"entry": 0}
	var out []float64
	queue := []string{"entry"}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		h := at[id]
		if nodes[id].Kind == "wait" {
			c := decodeConfig(nodes[id].Config)
			h += c.For.hours() + c.Timeout.hours()
		}
		for _, e := range b.Graph.Edges {
			if _, seen := at[e.To]; e.From == id && !seen {
				at[e.To] = h
				queue = append(queue, e.To)
				if strings.HasPrefix(nodes[e.To].Kind, "send_") {
					out = append(out, h)
				}
			}
		}
	}
	return out
}
