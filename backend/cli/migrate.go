package cli

import (
	"context"
	"fmt"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/config"
)

var _ = register(Command{
	Name: "migrate", Order: 12,
	Summary: "Bring the database up to this program's schema",
	Run:     migrate,
})

func migrate(ctx context.Context, call *Call) error {
	if _, err := call.Parse(); err != nil {
		return err
	}
	cfg, err := config.Read()
	if err != nil {
		return err
	}
	if err := app.Migrate(ctx, cfg, call.Stderr); err != nil {
		return err
	}
	fmt.Fprintln(call.Stdout, "The database is up to date.")
	return nil
}
