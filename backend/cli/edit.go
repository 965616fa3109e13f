package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
)

var _ = register(Command{
	Name: "edit", Args: "FILE TEXT", Order: 53,
	Summary: "Change a funnel by a sentence in English, Polish or Russian; FILE is a bundle (- is standard input) and stays as it is",
	Run:     edit,
})

func edit(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	asBundle := call.Flags.Bool("bundle", false, "print the changed bundle only, as validate and simulate read it")
	lang := call.Flags.String("lang", "", "`LANGUAGE` of texts and notes: en, pl or ru; without it, that of the sentence")
	offline := call.Flags.Bool("offline", false, "use the built-in grammar even if a model is configured")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return Usage("name the file of the funnel, and say what to change")
	}
	if err := spoken(*lang); err != nil {
		return err
	}
	base, problems, err := readBundle(args[0])
	if err != nil {
		return err
	}
	if len(problems) > 0 && len(base.Graph.Nodes) == 0 {
		if err := printProblems(call.Stdout, problems, *asJSON); err != nil {
			return err
		}
		return ErrFound
	}
	settings, err := config.Read()
	if err != nil {
		return err
	}
	if *offline {
		settings.AI = config.AI{}
	}
	request := ai.EditRequest{Request: ai.Request{Prompt: strings.Join(args[1:], " "), Language: *lang, Workspace: base.Workspace}, Base: base}
	result := drafts.NewDrafter(settings.AI).Edit(ctx, request)
	switch {
	case *asBundle && result.Graph != nil:
		changed := base
		changed.Graph, changed.Creatives = *result.Graph, result.Creatives
		err = printJSON(call.Stdout, changed)
	case *asBundle:
		err = printJSON(call.Stdout, base)
	case *asJSON:
		err = printJSON(call.Stdout, drafted(result))
	default:
		err = printEdit(call.Stdout, result)
	}
	if err == nil && result.Change != nil && len(ai.NewErrors(base, result.Bundle(), base.Workspace)) > 0 && result.Graph != nil {
		return ErrFound
	}
	return err
}

// printEdit prints a change for people: its parts, each with what it does.
func printEdit(out io.Writer, r ai.Result) error {
	if r.Outcome != ai.StatusGraph || r.Change == nil {
		r.Problems = nil // the question says in words what cannot be done
		return printDraft(out, r)
	}
	fmt.Fprintf(out, "%s\n", r.Headline())
	for _, g := range r.Change.Groups {
		fmt.Fprintf(out, "\n%d.\n", g.ID+1)
		for _, line := range g.Summary {
			fmt.Fprintf(out, "   %s\n", line)
		}
	}
	for i, a := range r.Assumptions {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "- %s\n", a)
	}
	return nil
}
