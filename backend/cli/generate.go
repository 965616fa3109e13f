package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "generate", Args: "TEXT", Order: 52,
	Summary: "Draft a funnel from a sentence in English, Polish or Russian (- is standard input); nothing is saved",
	Run:     generate,
})

func generate(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	asBundle := call.Flags.Bool("bundle", false, "print the bundle only, as validate and simulate read it")
	lang := call.Flags.String("lang", "", "`LANGUAGE` of texts and notes: en, pl or ru; without it, that of the sentence")
	offline := call.Flags.Bool("offline", false, "use the built-in planner even if a model is configured")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return Usage("say what the funnel should do")
	}
	if err := spoken(*lang); err != nil {
		return err
	}
	prompt := strings.Join(args, " ")
	if prompt == "-" {
		data, err := readFile("-")
		if err != nil {
			return err
		}
		prompt = string(data)
	}
	settings, err := config.Read()
	if err != nil {
		return err
	}
	if *offline {
		settings.AI = config.AI{}
	}
	result := drafts.NewDrafter(settings.AI).Draft(ctx, ai.Request{Prompt: prompt, Language: *lang})
	result.SuggestName(prompt)
	switch {
	case *asBundle && result.Graph != nil:
		err = printJSON(call.Stdout, result.Bundle())
	case *asJSON:
		err = printJSON(call.Stdout, drafted(result))
	default:
		err = printDraft(call.Stdout, result)
	}
	if err == nil && len(ai.Errors(result.Problems)) > 0 {
		return ErrFound
	}
	return err
}

// spoken refuses a language the assistant does not speak; "" is that of the sentence.
func spoken(lang string) error {
	if lang != "" && !slices.Contains([]string{"en", "pl", "ru"}, lang) {
		return Usage("--lang is en, pl or ru, not %q", lang)
	}
	return nil
}

// namedCreative is a creative in a list.
type namedCreative struct {
	Slug string `json:"slug"`
	engine.Creative
}

// MarshalJSON writes the slug among the creative's own members, whose way of writing itself would else leave it out.
func (n namedCreative) MarshalJSON() ([]byte, error) {
	rest, err := json.Marshal(n.Creative)
	if err != nil {
		return nil, err
	}
	slug, err := json.Marshal(n.Slug)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"slug":`), slug...), append([]byte(","), rest[1:]...)...), nil
}

// draftDocument is a result with its creatives as a list, in the order of their slugs.
type draftDocument struct {
	ai.Result
	Creatives []namedCreative `json:"creatives"`
}

func drafted(r ai.Result) draftDocument {
	doc := draftDocument{Result: r, Creatives: []namedCreative{}}
	for _, slug := range slices.Sorted(maps.Keys(r.Creatives)) {
		doc.Creatives = append(doc.Creatives, namedCreative{slug, r.Creatives[slug]})
	}
	return doc
}

// printDraft prints a result for people.
func printDraft(out io.Writer, r ai.Result) error {
	fmt.Fprintf(out, "%s\n", r.Headline())
	if r.Explanation != "" {
		fmt.Fprintf(out, "\n%s\n", r.Explanation)
	}
	if r.Message != "" {
		fmt.Fprintf(out, "\n%s\n", r.Message)
	}
	for i, question := range r.Questions {
		fmt.Fprintf(out, "\n%s\n", question)
		if i < len(r.Choices) && len(r.Choices[i]) > 0 {
			fmt.Fprintf(out, "  %s\n", strings.Join(r.Choices[i], " / "))
		}
	}
	if len(r.Assumptions) > 0 {
		fmt.Fprintln(out)
	}
	for _, a := range r.Assumptions {
		fmt.Fprintf(out, "- %s\n", a)
	}
	if len(r.Problems) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	return printProblems(out, r.Problems, false)
}
