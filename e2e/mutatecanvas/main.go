// Command mutatecanvas shows that the browser test of the editor's commands tests each of them: it takes every command out of the registry
// in turn and expects that command's part of TestP16_EveryCommand to fail. It builds the interface once with a registry that leaves out
// what an entry of the browser's storage names, lays that build over the embedded one for a test binary of its own, and tells the tests by
// an environment variable which command to leave out. Exit 1 when a part fails without a mutant or stays green with one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	dist = "backend/web/dist"
	test = "TestP16_EveryCommand"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutatecanvas:", err)
		os.Exit(1)
	}
}

var id = regexp.MustCompile(`(?m)^\s+id: "([a-z0-9-]+)",|\{ id: "([a-z0-9-]+)",`)

// commands reads the ids of the registry from its source.
func commands() ([]string, error) {
	source, err := os.ReadFile("frontend/src/canvas/commands.ts")
	if err != nil {
		return nil, err
	}
	_, list, found := strings.Cut(string(source), "const all: Command[] = [")
	list, _, ends := strings.Cut(list, "\n];")
	if !found || !ends {
		return nil, errors.New("frontend/src/canvas/commands.ts holds no registry; run from the root of the project")
	}
	var all []string
	for _, m := range id.FindAllStringSubmatch(list, -1) {
		all = append(all, m[1]+m[2])
	}
	return all, nil
}

func run(ctx context.Context, out io.Writer, only []string) error {
	all, err := commands()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutatecanvas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-14s %s\n", "COMMAND", "ITS TEST")
	bad, tried := 0, 0
	for _, command := range all {
		if len(only) > 0 && !slices.Contains(only, command) {
			continue
		}
		tried++
		verdict, ok := judge(ctx, program, command)
		if !ok {
			bad++
		}
		fmt.Fprintf(out, "%-14s %s\n", command, verdict)
	}
	if bad > 0 {
		return fmt.Errorf("%d commands are not proved; they are named above", bad)
	}
	fmt.Fprintf(out, "All %d commands, taken out in turn, are missed by their tests.\n", tried)
	return nil
}

func judge(ctx context.Context, program, command string) (string, bool) {
	if text, err := execute(ctx, program, command, ""); err != nil || !strings.Contains(text, "--- PASS: "+test+"/"+command+" ") {
		return "FAILS without a mutant, or is missing:\n" + text, false
	}
	text, err := execute(ctx, program, command, command)
	if err == nil || !strings.Contains(text, "--- FAIL: "+test+"/"+command+" ") {
		return "GREEN: nothing tests that it is there", false
	}
	return "red", true
}

// build makes the interface with the hole and the tests over it.
func build(ctx context.Context, dir string) (string, error) {
	made, overlay, program := filepath.Join(dir, "dist"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "e2e.test")
	vite := exec.CommandContext(ctx, "node", "scripts/mutable.mjs", made)
	vite.Dir, vite.Stderr = "frontend", os.Stderr
	if err := vite.Run(); err != nil {
		return "", fmt.Errorf("build the interface: %w", err)
	}
	replace, err := laid(made)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", program, "./e2e")
	compile.Stderr = os.Stderr
	return program, compile.Run()
}

// laid maps every file of the embedded interface away, and every file of the new one into its place.
func laid(made string) (map[string]string, error) {
	here, err := filepath.Abs(dist)
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	walk := func(root string, each func(path, name string)) error {
		return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			each(path, name)
			return err
		})
	}
	err = walk(here, func(path, name string) {
		if name != "placeholder.html" {
			replace[path] = ""
		}
	})
	return replace, errors.Join(err, walk(made, func(path, name string) { replace[filepath.Join(here, name)] = path }))
}

func execute(ctx context.Context, program, command, mutant string) (string, error) {
	run := exec.CommandContext(ctx, program, "-test.v", "-test.timeout=3m", "-test.run=^"+test+"$/^"+regexp.QuoteMeta(command)+"$")
	run.Dir = "e2e"
	run.Env = append(os.Environ(), "LEJEK_MUTANT="+mutant)
	text, err := run.CombinedOutput()
	return string(text), err
}
