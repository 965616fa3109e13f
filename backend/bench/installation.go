package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/engine"
)

// secret is shared by the processes of an installation; nothing of value is behind it.
const secret = "6265 6e63 686d 6172 6b73 2068 6176 6520 6e6f 2073 6563 7265 7473 2074 6f20 6b65 6570" //nolint:gosec // of throwaway databases

// installation is Lejek as people run it: a `serve --no-worker` and a `worker` process on a database of their own, and one workspace in
// UTC with a live funnel and a token that may send events.
type installation struct {
	db        *Database
	app       *app.App // sets up and reads, in this process; serves and works nothing
	workspace uuid.UUID
	token     string
	url       string
	env       []string
	serve     *process
	worker    *process
}

// install makes a workspace with the funnel of a bundle. settings are the environment of all processes.
func install(ctx context.Context, db *Database, settings map[string]string, bundle []byte) (*installation, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]string{
		"DATABASE_URL": db.URL, "LEJEK_DATA_DIR": db.dir, "LEJEK_ADDR": addr, "LEJEK_SECRET": strings.ReplaceAll(secret, " ", ""), "LEJEK_LOG_LEVEL": "warn",
	}
	maps.Copy(all, settings)
	cfg, err := config.From(func(name string) string { return all[name] })
	if err != nil {
		return nil, err
	}
	in := &installation{db: db, url: cfg.BaseURL, env: environment(all)}
	in.app, err = app.New(ctx, app.Config{Config: cfg}, app.Deps{Pool: db.Pool, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return in, in.found(ctx, bundle)
}

// environment is this process's without the settings of Lejek, and with the given ones.
func environment(settings map[string]string) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name != "DATABASE_URL" && !strings.HasPrefix(name, "LEJEK_") && !strings.HasPrefix(name, "AI_") {
			env = append(env, entry)
		}
	}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	return env
}

func freeAddr(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// found makes the workspace, its live funnel and its token.
func (in *installation) found(ctx context.Context, document []byte) error {
	_, _, workspace, err := in.app.Auth.Setup(ctx, in.app.Clock, auth.SetupInput{
		Name: "Bench", Email: "bench@lejek.example", Password: uuid.NewString(), Workspace: "Bench", Zone: "UTC",
	})
	if err != nil {
		return fmt.Errorf("make the workspace: %w", err)
	}
	in.workspace = workspace.ID
	var bundle engine.Bundle
	if err := json.Unmarshal(document, &bundle); err != nil {
		return fmt.Errorf("read the funnel: %w", err)
	}
	made, err := in.app.Funnels.Create(ctx, in.workspace, "Bench", funnels.Document{Graph: bundle.Graph, Creatives: bundle.Creatives}, nil)
	if err != nil {
		return fmt.Errorf("make the funnel: %w", err)
	}
	_, err = in.app.Funnels.Publish(ctx, in.workspace, made.Head.ID, funnels.Publish{Revision: made.Head.Revision, AcceptWarnings: true})
	if err != nil {
		return fmt.Errorf("publish the funnel: %w", err)
	}
	_, in.token, err = in.app.Auth.CreateToken(ctx, in.db.Pool, in.workspace, nil, auth.TokenInput{Name: "Shop", Scopes: []auth.Scope{auth.ScopeEvents}})
	return err
}

// start runs both processes and returns when they are ready.
func (in *installation) start(ctx context.Context) (err error) {
	if in.serve, err = startProcess(ctx, in.env, "serve", "--no-worker"); err != nil {
		return err
	}
	if err := in.work(ctx); err != nil {
		return err
	}
	return in.until(ctx, time.Minute, "the server and the worker are ready", func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, in.url+"/readyz", nil)
		if err != nil {
			return false, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // it is not there yet
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		alive, err := in.app.Worker.Pump.Alive(ctx)
		return alive > 0 && answer.StatusCode < 300, errors.Join(err, answer.Body.Close())
	})
}

// work starts the worker.
func (in *installation) work(ctx context.Context) (err error) {
	in.worker, err = startProcess(ctx, in.env, "worker")
	return err
}

// until asks again and again whether something has come about.
func (in *installation) until(ctx context.Context, patience time.Duration, what string, reached func() (bool, error)) error {
	return in.watch(ctx, patience, what, askEvery, reached)
}

// watch is until for questions that should not be asked too often, because they disturb what is measured.
func (in *installation) watch(ctx context.Context, patience time.Duration, what string, every time.Duration, reached func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if done, err := reached(); err != nil || done {
			return err
		}
		if err := in.serve.alive(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it was not reached within %s that %s. The last words of the worker:\n%s", patience, what, in.worker.output)
		case <-ticker.C:
		}
	}
}

const askEvery = 2 * time.Millisecond

// stop ends both processes in order.
func (in *installation) stop(ctx context.Context) error {
	return errors.Join(in.serve.stop(), in.worker.stop(), in.app.Close(ctx))
}
