package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/config"
)

var _ = register(Command{
	Name: "serve", Order: 10,
	Summary: "Serve the interface and the API, and do a worker's work beside it",
	Run:     serve,
})

var _ = register(Command{
	Name: "worker", Order: 11,
	Summary: "Wake runs, deliver messages and do tasks, without serving",
	Run: func(ctx context.Context, call *Call) error {
		if _, err := call.Parse(); err != nil {
			return err
		}
		return start(ctx, call, app.Config{Work: true}, false, nil)
	},
})

func serve(ctx context.Context, call *Call) error {
	noWorker := call.Flags.Bool("no-worker", false, "serve only; run `worker` processes beside it")
	withSample := call.Flags.Bool("sample", false, "fill an empty installation with the sample workspace, and say how to sign in to it")
	addr := call.Flags.String("addr", "", "host:port to listen on, instead of LEJEK_ADDR")
	if _, err := call.Parse(); err != nil {
		return err
	}
	return start(ctx, call, app.Config{Serve: true, Work: !*noWorker}, *withSample, func(c *config.Config) {
		if *addr == "" {
			return
		}
		if c.BaseURL == "http://"+c.Addr {
			c.BaseURL = "http://" + *addr
		}
		c.Addr = *addr
	})
}

// start runs a process until ctx ends.
func start(ctx context.Context, call *Call, cfg app.Config, withSample bool, adjust func(*config.Config)) (err error) {
	if cfg.Config, err = config.Read(); err != nil {
		return err
	}
	if adjust != nil {
		adjust(&cfg.Config)
	}
	logger := logTo(call.Stderr, cfg.LogLevel)
	lejek, err := app.New(ctx, cfg, app.Deps{Logger: logger, Progress: call.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lejek.Close(context.WithoutCancel(ctx))) }()
	if withSample {
		if err := offerSample(ctx, call.Stderr, lejek); err != nil {
			return err
		}
	}
	if cfg.Serve {
		greet(ctx, call.Stderr, lejek)
	} else {
		fmt.Fprintln(call.Stderr, "The worker is running. Stop it with Ctrl-C.")
	}
	return lejek.Run(ctx)
}

func logTo(out io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
}

// greet says where to go.
func greet(ctx context.Context, out io.Writer, lejek *app.App) {
	fmt.Fprintf(out, "\nLejek is running on %s\n", lejek.Config.BaseURL)
	if need, err := lejek.Auth.NeedsSetup(ctx); err == nil && need {
		fmt.Fprintf(out, "Nobody can sign in yet: make the first administrator on %s/setup\n", lejek.Config.BaseURL)
	}
	fmt.Fprintln(out, "Stop it with Ctrl-C.")
}

// offerSample makes the sample workspace where there is nobody yet, and says how to sign in to it.
func offerSample(ctx context.Context, out io.Writer, lejek *app.App) error {
	if need, err := lejek.Auth.NeedsSetup(ctx); err == nil && need {
		fmt.Fprintln(out, "Making the sample workspace (once) ...")
	}
	login, ok, err := lejek.Sample(ctx)
	if err != nil || !ok {
		return err
	}
	fmt.Fprintf(out, "\nSample workspace: sign in as %s with the password %s\n", login.Email, login.Password)
	return nil
}
