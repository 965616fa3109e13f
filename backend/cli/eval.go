package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/eval"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
)

var _ = register(Command{
	Name: "eval", Order: 53,
	Summary: "Measure how well drafts do what prompts ask: the built-in planner, or a model named by AI_EVAL_BASE_URL, AI_EVAL_KEY and AI_EVAL_MODEL",
	Run:     evaluate,
})

// evaluated is what the command prints: the built-in planner's figures, and the model's, or why it was not measured.
type evaluated struct {
	eval.Score

	Model any `json:"model"`
}

func evaluate(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	file := call.Flags.String("prompts", "", "`FILE` with a prompt as JSON in each line (- is standard input)")
	mutants := call.Flags.Bool("mutants", false, "also measure the prompts written badly: typos, case, no accents, synonyms")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if *file == "" || len(args) > 0 {
		return Usage("name the prompts with --prompts FILE")
	}
	data, err := readFile(*file)
	if err != nil {
		return err
	}
	prompts, err := eval.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	offline := func(p eval.Prompt) ai.Result {
		return ai.DraftOffline(ai.Request{Prompt: p.Prompt}, ai.Drawable())
	}
	score, _ := eval.Run(prompts, offline, clock.Machine{}.Now)
	if *mutants {
		score.Mutants = eval.Mutate(prompts, offline, score.IntentMicro)
	}
	out := evaluated{Score: score, Model: measureModel(ctx, prompts)}
	if *asJSON {
		return printJSON(call.Stdout, out)
	}
	return printScore(call.Stdout, out)
}

// measureModel runs the same prompts against the model of the environment; a text says why it did not.
func measureModel(ctx context.Context, prompts []eval.Prompt) any {
	base, key, model := os.Getenv("AI_EVAL_BASE_URL"), os.Getenv("AI_EVAL_KEY"), os.Getenv("AI_EVAL_MODEL")
	if base == "" || model == "" {
		return "skipped: AI_EVAL_BASE_URL, AI_EVAL_KEY and AI_EVAL_MODEL are not set"
	}
	drafter := drafts.NewDrafter(config.AI{Endpoint: config.Endpoint{BaseURL: base, Key: key, Model: model}})
	var out modelScore
	out.Score, _ = eval.Run(prompts, func(p eval.Prompt) ai.Result {
		result := drafter.Draft(ctx, ai.Request{Prompt: p.Prompt})
		switch {
		case result.Engine == model:
			out.ByModel++
		case result.Calls == 0:
			out.ByCode++
		default:
			out.ByPlanner++
		}
		return result
	}, clock.Machine{}.Now)
	out.Engine = model
	return out
}

// modelScore are the figures of a model. An answer that is not its own is told apart: a model that is away does not get the planner's marks
// in silence.
type modelScore struct {
	eval.Score

	ByModel   int `json:"by_model"`
	ByPlanner int `json:"by_planner"` // it was asked, and the built-in planner had to answer
	ByCode    int `json:"by_code"`    // policy and contradictions, which no model decides
}

// printScore prints the figures for people.
func printScore(out io.Writer, e evaluated) error {
	fmt.Fprintf(out, "%d prompts, %s\n", e.Prompts, e.Engine)
	fmt.Fprintf(out, "valid %.1f %%, checks met %.1f %%, outcome as asked %.1f %%\n", 100*e.Validity, 100*e.IntentMicro, 100*e.Outcome)
	for _, lang := range slices.Sorted(maps.Keys(e.IntentMacro)) {
		fmt.Fprintf(out, "whole prompts in %s: %.1f %%\n", lang, 100*e.IntentMacro[lang])
	}
	fmt.Fprintf(out, "graphs for what must be refused: %d, safety violations: %d, 95 %% within %.1f ms\n", e.RefuseGraphs, e.SafetyViolations, e.P95)
	if m := e.Mutants; m != nil {
		fmt.Fprintf(out, "written badly (%d prompts): checks met %.1f %%, %.1f points less\n", m.Prompts, 100*m.IntentMicro, m.Drop)
	}
	for _, f := range e.Failed {
		fmt.Fprintf(out, "- %s: %s\n", f.ID, strings.Join(f.Checks, ", "))
	}
	_, err := fmt.Fprintf(out, "model: %v\n", e.Model)
	return err
}
