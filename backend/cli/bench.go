package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lejek/lejek/backend/bench"
)

var _ = register(Command{
	Name: "bench", Args: "engine|replay|e2e", Order: 90,
	Summary: "measure this machine, each on a database of its own",
	Run:     runBench,
})

func runBench(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the result as one line of JSON")
	rest, err := call.Parse()
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return Usage("name one of: engine, replay, e2e")
	}
	switch rest[0] {
	case "engine":
		result, err := bench.Engine(ctx, bench.EngineOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	default:
		return Usage("there is no bench %q; name one of: engine, replay, e2e", rest[0])
	}
}

func printBench(call *Call, asJSON bool, result any) error {
	if asJSON {
		return json.NewEncoder(call.Stdout).Encode(result)
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(call.Stdout, string(text))
	return err
}
