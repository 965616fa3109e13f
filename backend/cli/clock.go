package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/timeline"
)

var _ = register(Command{
	Name: "clock", Args: "show|set|advance [TIME]", Order: 60,
	Summary: "Show or move business time under LEJEK_CLOCK=manual",
	Run:     runClock,
})

func runClock(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the clock as one line of JSON")
	patience := call.Flags.Duration("patience", 10*time.Minute, "how long one instant may keep the workers busy")
	rest, err := call.Parse()
	if err != nil {
		return err
	}
	if len(rest) == 0 || rest[0] != "show" && len(rest) != 2 || rest[0] == "show" && len(rest) != 1 {
		return Usage("say show, set TIME, or advance TIME; TIME is 2026-03-23T09:00:00Z, or a distance such as 36h or 3d")
	}
	return withApp(ctx, call, func(lejek *app.App) error {
		manual, ok := lejek.Clock.(*clock.Manual)
		if !ok {
			return errors.New("the clock is the real one. Set LEJEK_CLOCK=manual for this command and for every process of this installation")
		}
		now, _, err := manual.Read(ctx, lejek.Pool)
		if err != nil {
			return err
		}
		switch rest[0] {
		case "show":
		case "set", "advance":
			to, err := readMoment(rest[1], now)
			if err != nil {
				return err
			}
			move := func() error { return timeline.Walk(ctx, lejek.Pool, manual, to, settler(lejek, manual, *patience)) }
			if rest[0] == "set" {
				move = func() error { return errors.Join(manual.SetNow(ctx, to), manual.SetDue(ctx, to)) }
			}
			if err := move(); err != nil {
				return err
			}
		default:
			return Usage("there is no %q; say show, set or advance", rest[0])
		}
		return showClock(ctx, call, lejek, manual, *asJSON)
	})
}

func showClock(ctx context.Context, call *Call, lejek *app.App, manual *clock.Manual, asJSON bool) error {
	now, due, err := manual.Read(ctx, lejek.Pool)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(call.Stdout).Encode(map[string]time.Time{"now": now, "due": due})
	}
	next, ok, err := timeline.Next(ctx, lejek.Pool, due)
	if err != nil {
		return err
	}
	fmt.Fprintf(call.Stdout, "It is %s; waits are taken up to %s.\n", now.Format(time.RFC3339Nano), due.Format(time.RFC3339Nano))
	if ok {
		fmt.Fprintf(call.Stdout, "Something becomes due at %s.\n", next.Format(time.RFC3339Nano))
	}
	return nil
}

// settler waits for the workers to do what is due; where none is running it does the work itself.
func settler(lejek *app.App, manual *clock.Manual, patience time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		alive, err := lejek.Worker.Pump.Alive(ctx)
		if err != nil {
			return err
		}
		if alive == 0 {
			return lejek.Settle(ctx)
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			idle, err := timeline.Idle(ctx, lejek.Pool, manual)
			if err != nil || idle {
				return err
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("the workers are still busy after %s; `doctor` says with what", patience)
			case <-ticker.C:
			}
		}
	}
}

// readMoment reads an instant, or a distance from now in the units of time.ParseDuration or whole days.
func readMoment(text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && fmt.Sprintf("%dd", days) == text {
		return now.AddDate(0, 0, days), nil
	}
	distance, err := time.ParseDuration(text)
	if err != nil {
		return now, Usage("%q is not a time; write 2026-03-23T09:00:00Z, or a distance such as 36h or 3d", text)
	}
	return now.Add(distance), nil
}
