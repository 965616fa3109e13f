package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/doctor"
)

var _ = register(Command{
	Name: "doctor", Order: 70,
	Summary: "Look for what is wrong with an installation and its data",
	Run:     runDoctor,
})

func runDoctor(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the findings as JSON")
	if _, err := call.Parse(); err != nil {
		return err
	}
	return withApp(ctx, call, func(lejek *app.App) error {
		findings, err := doctor.Examine(ctx, lejek.Pool, lejek.Clock)
		if err != nil {
			return err
		}
		if *asJSON {
			if err := json.NewEncoder(call.Stdout).Encode(map[string]any{"findings": findings}); err != nil {
				return err
			}
			return foundIf(doctor.Bad(findings))
		}
		for _, f := range findings {
			fmt.Fprintf(call.Stdout, "%-8s %-12s %s\n", f.Level, f.Code, f.Message)
		}
		return foundIf(doctor.Bad(findings))
	})
}
