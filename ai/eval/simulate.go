package eval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lejek/lejek/engine"
)

// began is when the simulated people come in: a Monday morning.
var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// simulated follows people through the graph: one who does nothing, and one who does everything. It tells whether each message is reached by
// somebody or by a way the graph has, and whether who does nothing gets the messages the prompt counts at the times it names.
func simulated(b engine.Bundle, v *view, m Must) (bool, string) {
	quiet, err := simulate(b, v, engine.Assumption{})
	if err != nil {
		return false, err.Error()
	}
	if quiet.Trigger == "" || quiet.Refused != "" {
		return false, "nobody is let in: " + quiet.Refused
	}
	if quiet.Status == engine.Parked {
		return false, "the run is stuck: " + quiet.Reason
	}
	var at []float64
	for _, visit := range quiet.Visits {
		if strings.HasPrefix(visit.Kind, "send_") && visit.Port != "" {
			at = append(at, visit.At.Sub(began).Hours())
		}
	}
	if ok, why := simulatedCounts(v, m, at); !ok {
		return false, why
	}
	shift := 0.0 // a first message may wait for a time of day
	if len(at) > 0 && len(m.Offsets) > 0 && m.TimeOfDay != "" {
		shift = at[0] - m.Offsets[0]
	}
	for _, want := range m.Offsets {
		if !slices.ContainsFunc(at, func(h float64) bool { return m.near(h-shift, want) }) && !v.branches() {
			return false, fmt.Sprintf("no message after %g hours", want)
		}
	}
	return true, ""
}

// branches tells whether what people do decides which messages they get.
func (v *view) branches() bool { return len(v.of("condition", "split")) > 0 }

// simulatedCounts compares the messages one person got with those the prompt counts. A graph with branches may give one person fewer.
func simulatedCounts(v *view, m Must, at []float64) (bool, string) {
	if m.Sends != nil && (len(at) > *m.Sends || len(at) < *m.Sends && !v.branches()) {
		return false, fmt.Sprintf("%d messages, not %d", len(at), *m.Sends)
	}
	if m.MinSends != nil && len(at) < *m.MinSends && !v.branches() {
		return false, fmt.Sprintf("%d messages, not at least %d", len(at), *m.MinSends)
	}
	if m.MaxSends != nil && len(at) > *m.MaxSends {
		return false, fmt.Sprintf("%d messages, not at most %d", len(at), *m.MaxSends)
	}
	if m.MinGap != nil {
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < *m.MinGap-1e-9 {
				return false, fmt.Sprintf("%g hours between messages, not %g", at[i]-at[i-1], *m.MinGap)
			}
		}
	}
	return true, ""
}

// simulate follows the sample person; dates of theirs lie where the graph expects them.
func simulate(b engine.Bundle, v *view, does engine.Assumption) (engine.Timeline, error) {
	event, err := engine.UsualEvent(b, true)
	if err != nil {
		return engine.Timeline{}, fmt.Errorf("no event starts it: %w", err)
	}
	if event.Props == nil {
		event.Props = map[string]any{}
	}
	ahead := began.AddDate(0, 0, 40)
	if event.Name == engine.EventBookingMade {
		event.Props["from"] = ahead.Format(time.RFC3339)
	}
	contact := engine.Sample(b.Workspace)
	contact.Zone = "UTC"
	for _, t := range v.entry().config.Triggers {
		if t.Kind == "date_field" {
			contact.Fields[bare(t.Field)] = began.Add(-time.Duration(t.Offset.hours()) * time.Hour).Format(time.RFC3339)
		}
	}
	for _, s := range v.of("wait") {
		if field := bare(s.config.Field); s.config.Mode == "date_field" && contact.Fields[field] == nil {
			contact.Fields[field] = ahead.Format(time.RFC3339)
		}
	}
	assume := map[string]engine.Assumption{}
	for _, s := range v.sends() {
		assume[s.ID] = does
	}
	return engine.Simulate(b, engine.SimInput{Contact: contact, Event: &event, Start: began, Until: began.AddDate(1, 0, 0), Assume: assume})
}
