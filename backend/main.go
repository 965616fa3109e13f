// Command backend is Lejek: server, worker and tools in one binary. See `go run ./backend help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/lejek/lejek/backend/cli"
)

// gcPercent lets the heap grow fivefold between collections: what lives is small, a few tens of megabytes, and batches of rows make much
// that dies young. GOGC in the environment stands above it.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" { //nolint:forbidigo // it belongs to the runtime, not to our configuration
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
