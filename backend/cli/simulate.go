package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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
	contact := call.Flags.String("contact", "", "`FILE` with the contact as JSON; without it, the person")
	person := call.Flags.String("person", engine.PersonSample, "sample (everything is known of them) or nobody (nothing but an address): finds missing fallbacks")
	event := call.Flags.String("event", "", "`FILE` with the event that starts the run; without it, the first trigger's usual one")
	events := call.Flags.String("events", "", "`FILE` with a list of events that happen on the way")
	assume := call.Flags.String("assume", "", "`FILE` with what the person does with the message of each step, and how calls and waits come out")
	start := call.Flags.String("start", "", "`TIME` of entry, such as 2026-12-01T09:00:00Z; without it, now")
	until := call.Flags.String("until", "", "`TIME` to stop at; without it, two years later")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return Usage("name one file")
	}
	if *person != engine.PersonSample && *person != engine.PersonNobody {
		return Usage("--person: choose %s or %s", engine.PersonSample, engine.PersonNobody)
	}
	in := engine.SimInput{Start: clock.Micro(clock.Machine{}.Now())}
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
	if *contact == "" {
		in.Contact = engine.Nobody()
		if *person == engine.PersonSample {
			in.Contact = engine.Sample(bundle.Workspace)
		}
	}
	if in.Event == nil {
		usual, err := engine.UsualEvent(bundle, *person == engine.PersonSample)
		if err != nil {
			return err
		}
		in.Event = &usual
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
	for _, a := range t.Assumed {
		fmt.Fprintf(out, "Assumed: %s\n", assumption(a))
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
	if m.Held != "" {
		text += fmt.Sprintf(" held until %s: %s", stamp(m.At), strings.ReplaceAll(m.Held, "_", " "))
	}
	switch m.Skipped {
	case "":
	case engine.ReasonMissing:
		text += " would not leave: " + m.Missing + " has no value"
	default:
		text += " would not leave: " + strings.ReplaceAll(m.Skipped, "_", " ")
	}
	return text
}

// assumption says how a step was supposed to come out.
func assumption(a engine.Assumed) string {
	name := a.Name
	if name == "" {
		name = a.Node
	}
	if a.Does != "" {
		return fmt.Sprintf("with %q the person does this: %s", name, a.Does)
	}
	return fmt.Sprintf("%q comes out by %s, not by %s", name, a.Port, strings.Join(slices.DeleteFunc(slices.Clone(a.Ports), func(p string) bool { return p == a.Port }), ", "))
}
