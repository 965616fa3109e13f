package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lejek/lejek/backend/clock"
)

// LatenessOptions size the measurement; the zero value is the design's.
type LatenessOptions struct {
	Rate int           // runs that become due a second; 0 is 500
	For  time.Duration // 0 is 20 s
}

// LatenessResult is how long after their due instant runs were committed while a steady stream of them became due.
type LatenessResult struct {
	LateP50 float64 `json:"late_p50_ms"`
	LateP99 float64 `json:"late_p99_ms"`
}

// lead is how far ahead the first run is due: the worker is ready and rests by then.
const lead = 6 * time.Second

// Lateness measures a worker process as people run it, which also delivers the messages that come of the runs to the Test inbox.
func Lateness(ctx context.Context, options LatenessOptions, progress io.Writer) (result LatenessResult, err error) {
	options.Rate, options.For = cmp.Or(options.Rate, 500), cmp.Or(options.For, 20*time.Second)
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
	n := int(options.For.Seconds() * float64(options.Rate))
	if err := h.add(ctx, n, clock.Micro(in.app.Clock.Now().Add(24*time.Hour))); err != nil {
		return result, err
	}
	if err := in.start(ctx); err != nil {
		return result, err
	}
	first := clock.Micro(in.app.Clock.Now().Add(lead))
	last := first.Add(options.For)
	_, err = db.Pool.Exec(ctx, `UPDATE runs r SET wake_at = x.due, deadline = x.due, at = x.due - interval '1 hour'
		FROM (SELECT id, $2::timestamptz + (row_number() OVER (ORDER BY id) - 1) * interval '1 second' / $3::int AS due FROM runs WHERE workspace_id = $1) x
		WHERE r.workspace_id = $1 AND r.id = x.id`, h.workspace, first, options.Rate)
	if err != nil {
		return result, fmt.Errorf("spread the runs: %w", err)
	}
	fmt.Fprintf(progress, "%d runs, %d due a second\n", n, options.Rate)
	err = in.watch(ctx, options.For+2*time.Minute, "nobody who was due waits any more", 250*time.Millisecond, func() (bool, error) {
		if in.app.Clock.Now().Before(last) {
			return false, nil
		}
		some := false
		err := db.Pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM runs WHERE lane = 1 AND wake_at <= $1)", last).Scan(&some)
		return !some, err
	})
	if err != nil {
		return result, err
	}
	var measured int
	var worst float64
	err = db.Pool.QueryRow(ctx, `SELECT count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY late), percentile_cont(0.99) WITHIN GROUP (ORDER BY late), max(late)
		FROM (SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin) - at) * 1000 AS late FROM runs WHERE workspace_id = $1 AND node = 'wait-2') AS measured`,
		h.workspace).Scan(&measured, &result.LateP50, &result.LateP99, &worst)
	if err != nil {
		return result, fmt.Errorf("read when the runs were committed: %w", err)
	}
	if measured != n {
		return result, fmt.Errorf("%d of %d runs came through", measured, n)
	}
	fmt.Fprintf(progress, "Worst: %.0f ms\n", worst)
	return result, nil
}

// herd is the installation's workspace and funnel, which must be that of herd.json.
func (in *installation) herd(ctx context.Context) (*herd, error) {
	h := &herd{db: in.db, workspace: in.workspace}
	err := in.db.Pool.QueryRow(ctx, "SELECT id, live_version FROM funnels WHERE workspace_id = $1", in.workspace).Scan(&h.funnel, &h.version)
	if err != nil {
		return nil, fmt.Errorf("look up the funnel: %w", err)
	}
	return h, nil
}
