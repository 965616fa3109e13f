package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "simulate", Args: "FILE", Order: 51,
	Summary: "Follow one person through a funnel (a bundle as JSON) in virtual time; nothing is sent",
	Run:     simulate,
})

func simulate(_ context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	contact := call.Flags.String("contact", "", "`FILE` with the contact as JSON; without it, somebody who agreed to everything")
	event := call.Flags.String("event", "", "`FILE` with the event that starts the run; without it, the first trigger's usual one")
	events := call.Flags.String("events", "", "`FILE` with a list of events that happen on the way")
	assume := call.Flags.String("assume", "", "`FILE` with what the person does with the message of each step")
	start := call.Flags.String("start", "", "`TIME` of entry, such as 2026-12-01T09:00:00Z; without it, now")
	until := call.Flags.String("until", "", "`TIME` to stop at; without it, two years later")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return Usage("name one file")
	}
	in := engine.SimInput{Contact: somebody(), Start: clock.Micro(clock.Machine{}.Now())}
	if err := firstError(
		readInto(*contact, &in.Contact), readInto(*event, &in.Event), readInto(*events, &in.Events), readInto(*assume, &in.Assume),
		readTime("start", *start, &in.Start), readTime("until", *until, &in.Until),
	); err != nil {
		return err
	}
	bundle, problems, err := readBundle(args[0])
	if err != nil {
		return err
	}
	if problems == nil {
		problems = engine.Validate(bundle)
	}
	if !engine.Publishable(problems) {
		if err := printProblems(call.Stdout, problems, *asJSON); err != nil {
			return err
		}
		return ErrFound
	}
	timeline, err := engine.Simulate(bundle, in)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(call.Stdout, timeline)
	}
	return printTimeline(call.Stdout, timeline)
}

// somebody is a contact nothing is held back from.
func somebody() engine.Contact {
	return engine.Contact{
		ID:       "simulated",
		Fields:   map[string]any{"email": "anna@example.com", "first_name": "Anna"},
		Consents: []engine.Consent{{Channel: engine.ChannelEmail, State: "granted"}},
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readInto reads a JSON file; no path leaves the value alone.
func readInto(path string, into any) error {
	if path == "" {
		return nil
	}
	data, err := readFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readTime(name, text string, into *time.Time) error {
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return Usage("--%s: %q is no time; write it as 2026-12-01T09:00:00Z", name, text)
	}
	*into = at.UTC()
	return nil
}

// printTimeline prints a line for each visit and message, in order of time.
func printTimeline(out io.Writer, t engine.Timeline) error {
	if t.Trigger == "" {
		_, err := fmt.Fprintln(out, "The event starts nothing: no trigger fires.")
		return err
	}
	if t.Refused != "" {
		_, err := fmt.Fprintf(out, "The trigger %s fires, but the person is not let in: %s.\n", t.Trigger, t.Refused)
		return err
	}
	messages := t.Messages
	for _, visit := range t.Visits {
		fmt.Fprintf(out, "%s  %-28s %s\n", stamp(visit.At), called(visit), outcome(visit))
		for _, m := range messages {
			if m.Seq == visit.Seq {
				fmt.Fprintf(out, "%s  %-28s %s\n", strings.Repeat(" ", 16), "", mail(m))
			}
		}
	}
	var err error
	if t.Status == engine.Active {
		_, err = fmt.Fprintf(out, "%s  still in the funnel\n", stamp(t.WaitsFor))
	} else {
		_, err = fmt.Fprintf(out, "%s  %s: %s\n", stamp(t.EndedAt), t.Status, t.Reason)
	}
	return err
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }

func called(v engine.SimVisit) string {
	if v.Name != "" {
		return v.Name
	}
	return v.Node
}

// outcome says which way a visit went and on what ground.
func outcome(v engine.SimVisit) string {
	if v.Port == "" {
		if until, ok := v.Detail["until"].(time.Time); ok {
			return "waits until " + stamp(until)
		}
		return "waits"
	}
	text := "→ " + v.Port
	if v.Detail["off"] == true {
		text += " (turned off)"
	}
	if event, ok := v.Detail["event"].(string); ok {
		text += " (" + event + ")"
	}
	if facts, ok := v.Detail["because"].([]engine.Fact); ok {
		var said []string
		for _, fact := range facts {
			said = append(said, fact.Text)
		}
		text += " (" + strings.Join(said, "; ") + ")"
	}
	return text
}

func mail(m engine.SimMessage) string {
	text := fmt.Sprintf("✉ %q", m.Subject)
	switch m.Skipped {
	case engine.NoConsent:
		text += " would not leave: no consent"
	case engine.ReasonMissing:
		text += " would not leave: " + m.Missing + " has no value"
	}
	return text
}
