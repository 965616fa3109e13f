package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/lejek/lejek/backend/bench"
)

var _ = register(Command{
	Name: "bench", Args: "engine|lateness|waiting|ingest|replay|segment|audience|e2e|send|limits", Order: 90,
	Summary: "measure this machine, each on a database of its own",
	Run:     runBench,
})

func runBench(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the result as one line of JSON")
	file := call.Flags.String("events", "", "replay, segment: `FILE` of purchases, CSV with customer_id and date; audience: how many events (5,000,000)")
	var replay bench.ReplayOptions
	call.Flags.IntVar(&replay.Kill, "kill", 0, "replay, send: kill the worker so often, at random moments between 20 and 80 % of the way")
	call.Flags.Uint64Var(&replay.Seed, "seed", 0, "replay, send: seed of those moments; 0 chooses one")
	full := call.Flags.Bool("full", false, "limits: 180,000 mails under 200,000 an hour as they are, which takes an hour; else scaled")
	mails := call.Flags.Int("mails", 0, "send: mails of each run (40,000, signed 12,000)")
	call.Flags.BoolVar(&replay.Twice, "twice", false, "replay: hand the file in once more at the end; nothing may come of it")
	var audience bench.AudienceOptions
	call.Flags.IntVar(&audience.Contacts, "contacts", 1_000_000, "audience: people")
	rest, err := call.Parse()
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return Usage("name one of: engine, lateness, waiting, ingest, replay, segment, audience, e2e, send, limits")
	}
	switch rest[0] {
	case "engine":
		result, err := bench.Engine(ctx, bench.EngineOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "lateness":
		result, err := bench.Lateness(ctx, bench.LatenessOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "waiting":
		result, err := bench.Waiting(ctx, bench.WaitingOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "ingest":
		result, err := bench.Ingest(ctx, bench.IngestOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "segment":
		return runSegment(ctx, call, *file, *asJSON)
	case "replay":
		return runReplay(ctx, call, *file, replay, *asJSON)
	case "audience":
		return runAudience(ctx, call, *file, audience, *asJSON)
	case "send":
		options := bench.SendOptions{Unsigned: *mails, Signed: *mails, Kill: replay.Kill, Seed: cmp.Or(replay.Seed, rand.Uint64())} //nolint:gosec,forbidigo // it is printed
		result, err := bench.Send(ctx, options, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "limits":
		result, err := bench.Limits(ctx, bench.LimitsOptions{Full: *full}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	case "sink": // a mail server in a process of its own
		return bench.RunSink(ctx, os.Stdin, call.Stdout)
	case "e2e":
		result, err := bench.EndToEnd(ctx, bench.EndToEndOptions{}, call.Stderr)
		if err != nil {
			return err
		}
		return printBench(call, *asJSON, result)
	default:
		return Usage("there is no bench %q; name one of: engine, lateness, waiting, ingest, replay, segment, audience, e2e, send, limits", rest[0])
	}
}

func runReplay(ctx context.Context, call *Call, path string, options bench.ReplayOptions, asJSON bool) error {
	if path == "" {
		return Usage("say which purchases to replay: --events FILE")
	}
	file, err := os.Open(path) //nolint:gosec // the person at the command line names the file
	if err != nil {
		return fmt.Errorf("open the purchases: %w", err)
	}
	defer file.Close()
	options.Events = file
	if options.Seed == 0 {
		options.Seed = rand.Uint64() //nolint:gosec,forbidigo // it is printed
	}
	result, err := bench.Replay(ctx, options, call.Stderr)
	if result.Events > 0 {
		err = errors.Join(printBench(call, asJSON, result), err)
	}
	return err
}

func runSegment(ctx context.Context, call *Call, path string, asJSON bool) error {
	if path == "" {
		return Usage("say which purchases to replay: --events FILE")
	}
	file, err := os.Open(path) //nolint:gosec // the person at the command line names the file
	if err != nil {
		return fmt.Errorf("open the purchases: %w", err)
	}
	defer file.Close()
	result, err := bench.Segments(ctx, bench.ReplayOptions{Events: file}, call.Stderr)
	if result.Seconds > 0 {
		err = errors.Join(printBench(call, asJSON, result), err)
	}
	return err
}

func runAudience(ctx context.Context, call *Call, events string, options bench.AudienceOptions, asJSON bool) error {
	if events != "" {
		n, err := strconv.Atoi(events)
		if err != nil || n < 1 {
			return Usage("--events %s is not a number of events; say for instance --events 100000", events)
		}
		options.Events = n
	}
	if options.Contacts < 1 {
		return Usage("--contacts %d is too few; say for instance --contacts 20000", options.Contacts)
	}
	result, err := bench.Audience(ctx, options, call.Stderr)
	if err != nil {
		return err
	}
	return printBench(call, asJSON, result)
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
