package main_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/lejek/lejek/"

// allowed says, for each room with a rule, which packages of this module and which foreign modules it may import itself.
var allowed = map[string]struct{ ours, foreign []string }{
	"engine":     {ours: []string{"engine"}, foreign: []string{"github.com/expr-lang/expr", "github.com/teambition/rrule-go"}},
	"ai":         {ours: []string{"engine", "ai"}, foreign: []string{"github.com/sashabaranov/go-openai", "github.com/sony/gobreaker/v2", "golang.org/x/text"}},
	"migrations": {ours: []string{"migrations"}, foreign: []string{"github.com/pressly/goose/v3", "github.com/riverqueue/river", "github.com/jackc/pgx/v5"}},
}

// leaves import nothing of ours but each other.
var leaves = []string{"backend/clock", "backend/fault", "backend/config"}

// forTests are imported by tests and by each other alone.
var forTests = []string{"backend/store/storetest", "backend/spinetest", "backend/delivery/smtptest", "backend/delivery/dnstest", "backend/creative/pdftest", "backend/stripe/stripetest", "engine/enginetest", "ai/aitest"}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p pkg
		require.NoError(t, dec.Decode(&p))
		all = append(all, p)
	}
	return all
}

func under(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") })
}

func TestDependencyRule(t *testing.T) {
	t.Parallel()
	all := packages(t)
	require.NotEmpty(t, all)
	for _, p := range all {
		name := strings.TrimPrefix(p.ImportPath, module)
		room, _, _ := strings.Cut(name, "/")
		for _, imp := range p.Imports {
			ours, isOurs := strings.CutPrefix(imp, module)
			foreign := !isOurs && strings.Contains(strings.Split(imp, "/")[0], ".")
			if rule, ok := allowed[room]; ok && !strings.HasSuffix(name, "test") {
				require.False(t, isOurs && !under(ours, rule.ours), "%s may not import %s", name, ours)
				require.False(t, foreign && !under(imp, rule.foreign), "%s may not import %s", name, imp)
			}
			if slices.Contains(leaves, name) {
				require.False(t, isOurs && !slices.Contains(leaves, ours), "%s is a leaf and may not import %s", name, ours)
			}
			if isOurs {
				require.False(t, under(name, []string{"backend/store"}) && under(ours, []string{"backend/api", "backend/app"}), "%s may not import %s", name, ours)
				require.False(t, ours == "backend/app" && !under(name, []string{"backend", "backend/cli", "backend/bench", "e2e"}), "only the composition root's callers import it, not %s", name)
				require.False(t, slices.Contains(forTests, ours) && !strings.HasSuffix(name, "test"), "%s imports the test package %s", name, ours)
			}
		}
	}
}
