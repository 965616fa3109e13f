package app_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/store/storetest"
)

func read(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	c, err := config.From(func(name string) string { return env[name] })
	require.NoError(t, err)
	return c
}

func TestApp(t *testing.T) {
	t.Parallel()
	quiet := app.Deps{Logger: slog.New(slog.DiscardHandler)}

	t.Run("ServesAndStopsInOrder", func(t *testing.T) {
		t.Parallel()
		c := read(t, map[string]string{"DATABASE_URL": storetest.URL(t), "LEJEK_DATA_DIR": t.TempDir(), "LEJEK_ADDR": "127.0.0.1:0"})
		lejek, err := app.New(t.Context(), app.Config{Config: c, Serve: true, Work: true}, quiet)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- lejek.Run(ctx) }()
		for path, want := range map[string]int{"/healthz": 204, "/readyz": 204, "/metrics": 200, "/": 200, "/api/v1/setup": 200, "/api/v1/session": 401, "/api/v1/nothing": 404} {
			response, err := http.Get("http://" + lejek.Addr().String() + path)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, response.Body)
			require.NoError(t, response.Body.Close())
			require.Equal(t, want, response.StatusCode, path)
		}
		stop()
		require.NoError(t, <-done)
		require.NoError(t, lejek.Close(context.WithoutCancel(t.Context())))
	})

	t.Run("ABusyPortIsSaidBeforeAnythingStarts", func(t *testing.T) {
		t.Parallel()
		busy, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer busy.Close()
		c := read(t, map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "LEJEK_DATA_DIR": t.TempDir(), "LEJEK_ADDR": busy.Addr().String()})
		_, err = app.New(t.Context(), app.Config{Config: c, Serve: true}, quiet)
		require.ErrorContains(t, err, "LEJEK_ADDR")
	})
}
