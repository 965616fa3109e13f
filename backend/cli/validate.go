package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "validate", Args: "FILE", Order: 50,
	Summary: "Name everything wrong with a funnel (a bundle as JSON; - is standard input)",
	Run:     validate,
})

func validate(_ context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	args, err := call.Parse()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return Usage("name one file")
	}
	bundle, problems, err := readBundle(args[0])
	if err != nil {
		return err
	}
	if problems == nil {
		problems = engine.Validate(bundle)
	}
	if err := printProblems(call.Stdout, problems, *asJSON); err != nil {
		return err
	}
	if !engine.Publishable(problems) {
		return ErrFound
	}
	return nil
}

// readBundle reads a bundle. A document that is no bundle is a problem of its own.
func readBundle(path string) (engine.Bundle, []engine.Problem, error) {
	data, err := readFile(path)
	if err != nil {
		return engine.Bundle{}, nil, err
	}
	bundle, err := engine.DecodeBundle(data)
	if unreadable := (*engine.DecodeError)(nil); errors.As(err, &unreadable) {
		return engine.Bundle{}, []engine.Problem{unreadable.Problem()}, nil
	}
	return bundle, nil, err
}

// readFile reads a file that holds a document; - is standard input.
func readFile(path string) ([]byte, error) {
	in := io.Reader(os.Stdin)
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // the person at the command line names the file
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	return io.ReadAll(io.LimitReader(in, engine.MaxDocumentBytes+1))
}

// printProblems prints problems for people or programs.
func printProblems(out io.Writer, problems []engine.Problem, asJSON bool) error {
	if asJSON {
		if problems == nil {
			problems = []engine.Problem{}
		}
		return printJSON(out, map[string]any{"problems": problems})
	}
	if len(problems) == 0 {
		_, err := fmt.Fprintln(out, "No problems.")
		return err
	}
	for _, p := range problems {
		where := p.Node
		if p.Field != "" {
			where += " " + p.Field
		}
		if _, err := fmt.Fprintf(out, "%-7s %-20s %s\n        %s\n", p.Severity, p.Code, where, p.Message); err != nil {
			return err
		}
		if p.Fix != nil {
			fmt.Fprintf(out, "        Fix: %s.\n", p.Fix.Label)
		}
	}
	return nil
}

// printJSON prints one document, indented.
func printJSON(out io.Writer, document any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
