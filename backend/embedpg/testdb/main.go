// Command testdb keeps one throw-away Postgres for a whole test run: "start" prints its URL, "stop" ends and removes it.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lejek/lejek/backend/embedpg"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testdb:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 || args[0] != "start" && args[0] != "stop" {
		return fmt.Errorf("usage: testdb start|stop DIR")
	}
	dir, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	srv, err := embedpg.Start(ctx, embedpg.Options{Dir: dir, Settings: embedpg.Throwaway(), Progress: os.Stderr})
	if err != nil {
		return err
	}
	if args[0] == "start" {
		fmt.Println(srv.URL("postgres"))
		return srv.Leave()
	}
	if err := srv.Stop(ctx); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(srv.Dir(), "data"))
}
