// Command mutatekinds shows that the tests of package kindtest test something: it empties each node kind and trigger kind in turn and
// expects that kind's tests to fail. It builds the tests once, with a file laid over package engine that empties the kind an environment
// variable names, so that the product itself has no such door. Exit 1 when a kind has no test, a test fails without a mutant, or stays
// green with one.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed mutant.go.txt
var mutant []byte

const tests = "backend/kindtest"

// passing are kinds whose whole work is to let people through, so that to do nothing else changes nothing: they are only emptied.
var passing = []string{engine.KindEntry, "join"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutatekinds:", err)
		os.Exit(1)
	}
}

// mutation is one kind that is emptied in one way.
type mutation struct{ family, kind, how string }

func mutations(only []string) (all []mutation) {
	catalogue := engine.Catalogue()
	for _, k := range catalogue.Triggers {
		all = append(all, mutation{"trigger", k.Kind, "hollow"})
	}
	for _, k := range catalogue.Nodes {
		if !slices.Contains(passing, k.Kind) && k.Kind != engine.KindGoal {
			all = append(all, mutation{"step", k.Kind, "hollow"})
		}
		all = append(all, mutation{"step", k.Kind, "empty"})
	}
	return slices.DeleteFunc(all, func(m mutation) bool { return len(only) > 0 && !slices.Contains(only, m.kind) })
}

func run(ctx context.Context, out io.Writer, only []string) error {
	dir, err := os.MkdirTemp("", "mutatekinds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	all := mutations(only)
	fmt.Fprintf(out, "%-8s %-18s %-7s %s\n", "FAMILY", "KIND", "MUTANT", "ITS TESTS")
	bad, skip := 0, ""
	for i, m := range all {
		if skip == m.kind {
			continue
		}
		if i == 0 || all[i-1].kind != m.kind {
			verdict, ok := sound(ctx, program, m.kind)
			if !ok {
				bad, skip = bad+1, m.kind
				fmt.Fprintf(out, "%-8s %-18s %-7s %s\n", m.family, m.kind, "none", verdict)
				continue
			}
		}
		failed, err := test(ctx, program, m)
		if err != nil {
			return err
		}
		verdict := "red: " + strings.Join(failed, ", ")
		if len(failed) == 0 {
			verdict = "GREEN: nothing tests what it does"
			bad++
		}
		fmt.Fprintf(out, "%-8s %-18s %-7s %s\n", m.family, m.kind, m.how, verdict)
	}
	if bad > 0 {
		return fmt.Errorf("%d kinds or mutants are not proved; they are named above", bad)
	}
	fmt.Fprintf(out, "All %d mutants are caught.\n", len(all))
	return nil
}

// build compiles the tests over the emptied engine.
func build(ctx context.Context, dir string) (string, error) {
	over, err := filepath.Abs("engine/zz_mutant.go")
	if err != nil {
		return "", err
	}
	file, overlay, program := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "kindtest")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{over: file}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(file, mutant, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return "", err
	}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", program, "./"+tests)
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return "", fmt.Errorf("build the tests of kinds from the root of the project: %w", err)
	}
	return program, nil
}

var (
	failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (TestKind_\S+)`)
	passed  = regexp.MustCompile(`(?m)^--- PASS: (TestKind_\S+)`)
)

// sound requires that a kind has its three tests and that they pass.
func sound(ctx context.Context, program, kind string) (verdict string, ok bool) {
	text, err := execute(ctx, program, mutation{kind: kind})
	if err != nil {
		return "FAILS without any mutant:\n" + text, false
	}
	var missing []string
	for _, part := range []string{"Works", "Fails", "Refused"} {
		if !strings.Contains(strings.Join(names(passed, text), " ")+" ", "TestKind_"+kind+"_"+part) {
			missing = append(missing, part)
		}
	}
	return "MISSING: " + strings.Join(missing, ", "), len(missing) == 0
}

// test runs a kind's tests against a mutant and lists those that fail.
func test(ctx context.Context, program string, m mutation) ([]string, error) {
	text, err := execute(ctx, program, m)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	failed := names(failure, text)
	if err != nil && len(failed) == 0 {
		return nil, fmt.Errorf("the tests of %s broke: %s", m.kind, text)
	}
	var short []string
	for _, name := range failed {
		if !strings.Contains(name, "/") {
			short = append(short, strings.TrimPrefix(name, "TestKind_"+m.kind+"_"))
		}
	}
	slices.Sort(short)
	return short, nil
}

func names(pattern *regexp.Regexp, text string) (all []string) {
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	return all
}

func execute(ctx context.Context, program string, m mutation) (string, error) {
	command := exec.CommandContext(ctx, program, "-test.v", "-test.timeout=3m", "-test.run=^TestKind_"+m.kind+"_(Works|Fails|Refused)")
	command.Dir = tests
	command.Env = os.Environ()
	if m.how != "" {
		command.Env = append(command.Env, "LEJEK_MUTANT="+m.how+":"+m.kind)
	}
	text, err := command.CombinedOutput()
	return string(text), err
}
