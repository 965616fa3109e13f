package funnels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Tests are kept with a funnel. Results are those of the last run of the stored draft, nil while there was none since the tests were
// changed.
type Tests struct {
	Cases    []engine.TestCase
	Results  []engine.TestResult
	TestedAt *time.Time
}

// CodeTestFailed is the warning of publishing a funnel one of whose tests fails.
const CodeTestFailed = "TEST_FAILED"

// Tests reads the tests of a funnel.
func (f *Funnels) Tests(ctx context.Context, workspace, id uuid.UUID) (Tests, error) {
	if _, err := f.Get(ctx, workspace, id); err != nil {
		return Tests{}, err
	}
	return testsOf(ctx, f.db, workspace, id)
}

func testsOf(ctx context.Context, db store.DB, workspace, id uuid.UUID) (Tests, error) {
	row, err := store.Q.FunnelTests(ctx, db, store.FunnelTestsParams{WorkspaceID: workspace, FunnelID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Tests{Cases: []engine.TestCase{}}, nil
	}
	if err != nil {
		return Tests{}, fmt.Errorf("read the tests of a funnel: %w", err)
	}
	return decodeTests(row)
}

func decodeTests(row store.FunnelTest) (tests Tests, err error) {
	if tests.Cases, err = engine.DecodeTests(row.Tests); err != nil {
		return tests, err
	}
	tests.TestedAt = row.TestedAt
	if len(row.Report) > 0 {
		if err := json.Unmarshal(row.Report, &tests.Results); err != nil {
			return tests, fmt.Errorf("read the report of a funnel's tests: %w", err)
		}
	}
	return tests, nil
}

// PutTests replaces the tests of a funnel.
func (f *Funnels) PutTests(ctx context.Context, workspace, id uuid.UUID, cases []engine.TestCase, by *uuid.UUID) (Tests, error) {
	if cases == nil {
		cases = []engine.TestCase{} // none is a list too
	}
	raw, err := json.Marshal(cases)
	if err != nil {
		return Tests{}, fmt.Errorf("write the tests of a funnel: %w", err)
	}
	if _, err := engine.DecodeTests(raw); err != nil {
		return Tests{}, fault.InvalidField("tests", "%s.", err.Error()).WithErr(err)
	}
	if raw, err = canonical(raw); err != nil {
		return Tests{}, err
	}
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Tests, error) {
		if _, err := lock(ctx, tx, workspace, id); err != nil {
			return Tests{}, err
		}
		row, err := store.Q.PutFunnelTests(ctx, tx, store.PutFunnelTestsParams{WorkspaceID: workspace, FunnelID: id, Tests: raw, Now: tx.Now, By: by})
		if err != nil {
			return Tests{}, fmt.Errorf("keep the tests of a funnel: %w", err)
		}
		return decodeTests(row)
	})
}

// RunTests runs the tests of a funnel: against its draft, which keeps the report, or against another document.
func (f *Funnels) RunTests(ctx context.Context, workspace, id uuid.UUID, other *Document) (Tests, error) {
	current, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Tests{}, err
	}
	tests, err := testsOf(ctx, f.db, workspace, id)
	if err != nil {
		return Tests{}, err
	}
	set, err := References(ctx, f.db, workspace)
	if err != nil {
		return Tests{}, err
	}
	document := current.Document
	if other != nil {
		document = *other
	}
	tests.Results = runTests(document.Bundle(set), tests.Cases)
	if other != nil || len(tests.Cases) == 0 {
		return tests, nil
	}
	report, err := json.Marshal(tests.Results)
	if err != nil {
		return Tests{}, fmt.Errorf("write the report of a funnel's tests: %w", err)
	}
	return tests, store.InTx(ctx, f.db, f.clock, func(tx store.Tx) error {
		tests.TestedAt = &tx.Now
		err := store.Q.NoteFunnelTests(ctx, tx, store.NoteFunnelTestsParams{WorkspaceID: workspace, FunnelID: id, Report: report, Now: &tx.Now})
		if err != nil {
			return fmt.Errorf("keep the report of a funnel's tests: %w", err)
		}
		return nil
	})
}

// runTests runs tests and leaves out of the results how it came to them.
func runTests(bundle engine.Bundle, cases []engine.TestCase) []engine.TestResult {
	results := make([]engine.TestResult, len(cases))
	for i, test := range cases {
		results[i] = engine.RunTest(bundle, test)
		results[i].Timeline = nil
	}
	return results
}

// failing are the tests of a funnel that fail against a bundle, as warnings at the step that differs. A funnel that cannot run has
// problems enough of its own.
func failing(ctx context.Context, db store.DB, workspace, id uuid.UUID, bundle engine.Bundle, problems []engine.Problem) ([]engine.Problem, error) {
	if !engine.Publishable(problems) {
		return nil, nil
	}
	tests, err := testsOf(ctx, db, workspace, id)
	if err != nil {
		return nil, err
	}
	var found []engine.Problem
	for _, result := range runTests(bundle, tests.Cases) {
		if result.Passed {
			continue
		}
		first := result.Differences[0]
		problem := engine.Problem{
			Code: CodeTestFailed, Severity: engine.Warning,
			Message: fmt.Sprintf("The test %q fails: expected %s, came %s. Mend the funnel or the test, or publish anyway.", result.Name, first.Want, first.Got),
			Params:  map[string]string{"test": result.Name, "want": first.Want, "got": first.Got},
		}
		if slices.ContainsFunc(bundle.Graph.Nodes, func(n engine.Node) bool { return n.ID == first.Step }) {
			problem.Node = first.Step
		}
		found = append(found, problem)
	}
	return found, nil
}

// Overridden are the names of tests that failed when something was published all the same.
func (p Published) Overridden() []string {
	var names []string
	for _, problem := range p.Problems {
		if problem.Code == CodeTestFailed {
			names = append(names, problem.Params["test"])
		}
	}
	return names
}
