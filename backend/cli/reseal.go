package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lejek/lejek/backend/app"
)

var _ = register(Command{
	Name: "reseal", Order: 72,
	Summary: "Seal stored passwords and keys with a new LEJEK_SECRET; set LEJEK_SECRET_PREVIOUS to the one before",
	Run:     runReseal,
})

func runReseal(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print what was done as JSON")
	if _, err := call.Parse(); err != nil {
		return err
	}
	return withApp(ctx, call, func(lejek *app.App) error {
		counts, err := lejek.Reseal(ctx)
		if err != nil {
			return err
		}
		sealed, fresh, forgotten := 0, 0, 0
		for _, c := range counts {
			sealed, fresh, forgotten = sealed+c.Sealed, fresh+c.Fresh, forgotten+c.Forgotten
			if !*asJSON && c.Forgotten > 0 {
				fmt.Fprintf(call.Stdout, "%d secrets of %s open with none of the secrets. Enter them again, or add the secret they were saved under to LEJEK_SECRET_PREVIOUS.\n", c.Forgotten, c.Table)
			}
		}
		if *asJSON {
			if err := json.NewEncoder(call.Stdout).Encode(map[string]any{"columns": counts}); err != nil {
				return err
			}
			return foundIf(forgotten > 0)
		}
		fmt.Fprintf(call.Stdout, "Sealed anew: %d. Sealed with the newest secret already: %d.\n", sealed, fresh)
		return foundIf(forgotten > 0)
	})
}
