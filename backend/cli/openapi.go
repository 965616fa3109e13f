package cli

import (
	"context"

	"github.com/lejek/lejek/backend/api"
)

var _ = register(Command{
	Name: "openapi", Order: 90,
	Summary: "Print the description of the API (OpenAPI 3.1, YAML)",
	Run: func(_ context.Context, call *Call) error {
		if _, err := call.Parse(); err != nil {
			return err
		}
		_, err := call.Stdout.Write(api.Spec())
		return err
	},
})
