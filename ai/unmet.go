package ai

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Unmet is a wish of the prompt that a graph does not fulfil.
type Unmet struct {
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Check compares a graph with what the prompt says in numbers and names. It knows only what [Slots] read with certainty.
func (s Slots) Check(b engine.Bundle) []Unmet {
	g := surveyed(b)
	out := slices.Concat(s.checkCounts(g), s.checkTimes(g))
	if len(s.Goals) > 0 && g.goals == 0 && !restarts(b) {
		out = append(out, Unmet{fmt.Sprintf("a goal: %s ends the funnel", s.Goals[0]), "none"})
	}
	for _, t := range slices.Concat(s.AddTags, s.DropTags) {
		if !slices.Contains(g.tags, slug(t)) {
			out = append(out, Unmet{fmt.Sprintf("a step for the tag %q", t), "none"})
		}
	}
	if s.Trigger.Kind == "api_event" && !strings.Contains(string(entryConfig(b)), `"`+s.Trigger.Ref+`"`) {
		out = append(out, Unmet{"the trigger event " + s.Trigger.Ref, "another trigger"})
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
		out = append(out, Unmet{fmt.Sprintf("exactly %d messages", n), fmt.Sprint(g.sends)})
	}
	if s.Cap > 0 && g.sends > s.Cap {
		out = append(out, Unmet{fmt.Sprintf("at most %d messages", s.Cap), fmt.Sprint(g.sends)})
	}
	return out
}

func (s Slots) checkTimes(g survey) []Unmet {
	var out []Unmet
	among := func(hours []float64, want float64) bool {
		return slices.ContainsFunc(hours, func(h float64) bool { return near(h, want) })
	}
	if s.Every > 0 && s.sendsTotal() != 1 && !among(g.waits, s.Every) {
		out = append(out, Unmet{fmt.Sprintf("a wait of %g hours between messages", s.Every), "none"})
	}
	last := 0.0
	for _, want := range s.Offsets {
		gap := want - last
		last = want
		if want > 0 && !among(g.arrivals, want) && !among(g.waits, gap) && !among(g.waits, want) {
			out = append(out, Unmet{fmt.Sprintf("a message %g hours after the start", want), "none"})
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
