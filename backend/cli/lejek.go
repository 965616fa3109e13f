package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/store"
)

// withApp puts Lejek together on the configured database, without serving or working, for the time of body.
func withApp(ctx context.Context, call *Call, body func(*app.App) error) error {
	settings, err := config.Read()
	if err != nil {
		return err
	}
	lejek, err := app.New(ctx, app.Config{Config: settings}, app.Deps{Logger: logTo(call.Stderr, settings.LogLevel)})
	if err != nil {
		return err
	}
	return errors.Join(body(lejek), lejek.Close(context.WithoutCancel(ctx)))
}

// theWorkspace is the one of that slug, or the only one.
func theWorkspace(ctx context.Context, db store.DB, slug string) (store.Workspace, error) {
	all, err := store.Q.Workspaces(ctx, db)
	if err != nil {
		return store.Workspace{}, fmt.Errorf("list workspaces: %w", err)
	}
	slugs := make([]string, len(all))
	for i, workspace := range all {
		slugs[i] = workspace.Slug
		if workspace.Slug == slug || slug == "" && len(all) == 1 {
			return workspace, nil
		}
	}
	switch {
	case len(all) == 0:
		return store.Workspace{}, errors.New("there is no workspace yet; run `serve` and open /setup, or run `seed`")
	case slug == "":
		return store.Workspace{}, fmt.Errorf("there are several workspaces: choose one with --workspace: %s", strings.Join(slugs, ", "))
	default:
		return store.Workspace{}, fmt.Errorf("there is no workspace %q; there are: %s", slug, strings.Join(slugs, ", "))
	}
}
