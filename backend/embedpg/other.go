//go:build !unix

package embedpg

import (
	"context"
	"errors"
	"io"
)

// Options say where and how the server runs.
type Options struct {
	Dir      string
	Port     int
	Settings map[string]string
	Progress io.Writer
}

// Server is a running Postgres; on this system there is none.
type Server struct{}

var errSystem = errors.New("the built-in Postgres runs on Linux and macOS; on this system set DATABASE_URL to a running Postgres 15 or newer")

// Start explains that this system has no built-in Postgres.
func Start(context.Context, Options) (*Server, error) { return nil, errSystem }

// URL is empty on this system.
func (*Server) URL(string) string { return "" }

// Owned is false on this system.
func (*Server) Owned() bool { return false }

// Dir is empty on this system.
func (*Server) Dir() string { return "" }

// Stop does nothing on this system.
func (*Server) Stop(context.Context) error { return nil }

// Leave does nothing on this system.
func (*Server) Leave() error { return nil }

// Crash explains that this system has no built-in Postgres.
func (*Server) Crash(context.Context) error { return errSystem }
