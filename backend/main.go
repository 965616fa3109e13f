// Command backend is Lejek: server, worker and tools in one binary. See `go run ./backend help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/lejek/lejek/backend/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
