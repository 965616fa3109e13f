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
	var out []Unmet
	miss := func(want, got string, args ...any) {
		out = append(out, Unmet{fmt.Sprintf(want, args...), got})
	}
	sends, waits, goals, tags := 0, []float64{}, 0, []string{}
	for _, n := range b.Graph.Nodes {
		c := decodeConfig(n.Config)
		switch {
		case strings.HasPrefix(n.Kind, "send_"):
			sends++
		case n.Kind == "wait":
			waits = append(waits, c.For.hours(), c.Timeout.hours())
		case n.Kind == "goal":
			goals++
		case n.Kind == doAddTag || n.Kind == doRemoveTag:
			tags = append(tags, bare(c.Tag))
		}
	}
	if n := s.sendsTotal(); n > 0 && sends != n {
		miss("exactly %d messages", fmt.Sprint(sends), n)
	}
	if s.Cap > 0 && sends > s.Cap {
		miss("at most %d messages", fmt.Sprint(sends), s.Cap)
	}
	if s.Every > 0 && s.sendsTotal() != 1 && !slices.ContainsFunc(waits, func(w float64) bool { return near(w, s.Every) }) {
		miss("a wait of %g hours between messages", "none", s.Every)
	}
	if len(s.Goals) > 0 && goals == 0 && !restarts(b) {
		miss("a goal: %s ends the funnel", "none", s.Goals[0])
	}
	for _, t := range append(slices.Clone(s.AddTags), s.DropTags...) {
		if !slices.Contains(tags, slug(t)) {
			miss("a step for the tag %q", "none", t)
		}
	}
	if s.Trigger.Kind == "api_event" && !strings.Contains(string(entryConfig(b)), `"`+s.Trigger.Ref+`"`) {
		miss("the trigger event %s", "another trigger", s.Trigger.Ref)
	}
	at := arrivals(b)
	last := 0.0
	for _, want := range s.Offsets {
		gap := want - last
		last = want
		if want > 0 && !slices.ContainsFunc(at, func(h float64) bool { return near(h, want) }) && !slices.ContainsFunc(waits, func(h float64) bool { return near(h, gap) || near(h, want) }) {
			miss("a message %g hours after the start", "none", want)
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
