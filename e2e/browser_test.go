package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// flags keep Chromium from asking the closed network for updates and from needing a GPU or a sandbox of its own.
var flags = []string{
	"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
}

var launched = sync.OnceValues(func() (playwright.Browser, error) {
	driver, err := driverDirectory()
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", node); err != nil {
		return nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: driver, SkipInstallBrowsers: true, Verbose: false})
	if err != nil {
		return nil, err
	}
	chromium := os.Getenv("LEJEK_CHROMIUM")
	return pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: new(chromium), Args: flags, Env: browserEnv(chromium),
	})
})

// browser is the one Chromium of the test run.
func browser(t *testing.T) playwright.Browser {
	t.Helper()
	if os.Getenv("LEJEK_CHROMIUM") == "" {
		t.Skip("browser journeys need LEJEK_CHROMIUM; 'make e2e' sets it")
	}
	b, err := launched()
	require.NoError(t, err)
	return b
}

// driverDirectory presents the npm package playwright-core as the driver that playwright-go would download.
func driverDirectory() (string, error) {
	module, err := filepath.Abs("../frontend/node_modules/playwright-core")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "lejek-playwright")
	if err != nil {
		return "", err
	}
	return dir, os.Symlink(module, filepath.Join(dir, "package"))
}

// browserEnv adds the variables that a browser unpacked from npm needs, one NAME=value a line in the file "<browser>.env" beside it.
func browserEnv(chromium string) map[string]string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	f, err := os.Open(chromium + ".env")
	if err != nil {
		return env
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			env[name] = value
		}
	}
	return env
}
