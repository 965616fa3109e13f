package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/runner"
)

// WaitingOptions size the measurement; the zero value is the design's.
type WaitingOptions struct {
	Runs  int           // that wait; 0 is 1,000,000
	Watch time.Duration // how long the worker is watched; 0 is 15 s
}

// WaitingResult is what it costs that many people wait: the query that looks for due runs (p99, from the program's side), and the most
// memory the worker held while it looked and woke a few.
type WaitingResult struct {
	DueQuery  float64 `json:"due_query_ms"`
	WorkerRSS float64 `json:"worker_rss_mb"`
}

const looks = 2000

// Waiting measures what runs cost that are not due.
func Waiting(ctx context.Context, options WaitingOptions, progress io.Writer) (result WaitingResult, err error) {
	options.Runs, options.Watch = cmp.Or(options.Runs, 1_000_000), cmp.Or(options.Watch, 15*time.Second)
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	in, err := install(ctx, db, nil, herdFunnel)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, in.stop(context.WithoutCancel(ctx))) }()
	h, err := in.herd(ctx)
	if err != nil {
		return result, err
	}
	now := clock.Micro(in.app.Clock.Now())
	fmt.Fprintf(progress, "Adding %d waiting runs ...\n", options.Runs)
	err = h.copy(ctx, options.Runs, func(i int) time.Time { return now.Add(24*time.Hour + time.Duration(i)*time.Second) })
	if err != nil {
		return result, err
	}
	if err := h.tidy(ctx); err != nil {
		return result, err
	}
	if result.DueQuery, err = h.look(ctx, in.app.Clock, progress); err != nil {
		return result, err
	}
	if err := in.start(ctx); err != nil {
		return result, err
	}
	if _, err := db.Pool.Exec(ctx, `UPDATE runs SET wake_at = $2, deadline = $2 WHERE workspace_id = $1 AND wake_at < $3`,
		h.workspace, clock.Micro(in.app.Clock.Now()), now.Add(24*time.Hour+2000*time.Second)); err != nil {
		return result, fmt.Errorf("wake a few: %w", err)
	}
	end := clock.Machine{}.Now().Add(options.Watch)
	err = in.watch(ctx, options.Watch+time.Minute, "the worker was watched", 100*time.Millisecond, func() (bool, error) {
		held, err := in.worker.memory(ctx)
		result.WorkerRSS = max(result.WorkerRSS, held)
		return clock.Machine{}.Now().After(end), err
	})
	return result, err
}

// look asks again and again for due runs, of which there are none, and answers the 99th percentile in milliseconds.
func (h *herd) look(ctx context.Context, clk clock.Clock, progress io.Writer) (float64, error) {
	var machine clock.Machine
	var took []float64
	err := pgx.BeginFunc(ctx, h.db.Pool, func(tx pgx.Tx) error {
		for i := range looks {
			var from time.Time // every full look is from the beginning; the others start at the floor
			if i%25 != 0 {
				from = clk.Now().Add(-time.Minute)
			}
			began := machine.Now()
			tag, err := tx.Exec(ctx, runner.DueQuery, 1, clk.Now(), from, 125)
			if err != nil {
				return err
			}
			if tag.RowsAffected() > 0 {
				return fmt.Errorf("%d runs were due", tag.RowsAffected())
			}
			took = append(took, float64(machine.Now().Sub(began).Microseconds())/1000)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("look for due runs: %w", err)
	}
	fmt.Fprintf(progress, "Due query: median %.2f ms, p99 %.2f ms\n", percentile(took, 50), percentile(took, 99))
	return percentile(took, 99), nil
}

// memory is what the process holds now, in megabytes.
func (p *process) memory(ctx context.Context) (float64, error) {
	text, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(p.cmd.Process.Pid)).Output() //nolint:gosec // a number
	if err != nil {
		return 0, fmt.Errorf("ask for the memory of `%s`: %w", p.name, errors.Join(err, p.alive()))
	}
	kilobytes, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return kilobytes / 1024, err
}
