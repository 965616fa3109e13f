package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/config"
)

var _ = register(Command{
	Name: "seed", Order: 22,
	Summary: "Fill an empty installation with the sample workspace, and say how to sign in to it",
	Run: func(ctx context.Context, call *Call) (err error) {
		if _, err := call.Parse(); err != nil {
			return err
		}
		cfg := app.Config{}
		if cfg.Config, err = config.Read(); err != nil {
			return err
		}
		lejek, err := app.New(ctx, cfg, app.Deps{Logger: logTo(call.Stderr, cfg.LogLevel), Progress: call.Stderr})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, lejek.Close(context.WithoutCancel(ctx))) }()
		if err := offerSample(ctx, call.Stderr, lejek); err != nil {
			return err
		}
		if _, ok, err := lejek.Sample(ctx); err == nil && !ok {
			fmt.Fprintln(call.Stderr, "This installation has people of its own already; it stays as it is.")
		}
		return nil
	},
})
