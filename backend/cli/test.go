package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lejek/lejek/backend/funneltest"
	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "test", Args: "FILE", Order: 52,
	Summary: "Run the tests kept in a funnel (a bundle as JSON); nothing is sent",
	Run:     runTests,
})

func runTests(_ context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print JSON")
	junit := call.Flags.String("junit", "", "write the results as JUnit XML to `FILE`")
	page := call.Flags.String("html", "", "write a report to print to `FILE`")
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
	if found := engine.Validate(bundle); problems == nil && !engine.Publishable(found) {
		problems = found // tests of a funnel that cannot run would pass for the wrong reason
	}
	if problems != nil {
		if err := printProblems(call.Stdout, problems, *asJSON); err != nil {
			return err
		}
		return ErrFound
	}
	tests, err := engine.DecodeTests(bundle.Tests)
	if err != nil {
		return err
	}
	report := funneltest.Run(args[0], bundle, tests)
	if err := firstError(writeReport(*junit, report.JUnit), writeReport(*page, report.HTML)); err != nil {
		return err
	}
	if *asJSON {
		err = printJSON(call.Stdout, report)
	} else {
		err = report.Text(call.Stdout)
	}
	if err == nil && report.Failed > 0 {
		return ErrFound
	}
	return err
}

// writeReport writes a file; no path writes none.
func writeReport(path string, write func(io.Writer) error) (err error) {
	if path == "" {
		return nil
	}
	file, err := os.Create(path) //nolint:gosec // the person at the command line names the file
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	defer func() { err = firstError(err, file.Close()) }()
	return write(file)
}
