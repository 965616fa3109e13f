// Package limits bounds how often something may happen, over all processes: one GCRA row of rate_buckets per key, in machine time.
package limits

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Rate allows Burst at once and one more every Every.
type Rate struct {
	Every time.Duration
	Burst int
}

// Wait is in the details of a fault.RateLimited: when to come back.
type Wait struct{ After time.Duration }

// RetryAfter is how long to wait.
func (w Wait) RetryAfter() time.Duration { return w.After }

// Limits count in a database.
type Limits struct {
	DB      store.DB
	Machine clock.Clock
}

// prefix tells our keys from those of providers.
const prefix = "in:"

// Take takes one from the bucket of key. When it is empty the error is a fault.RateLimited that says when to come back.
func (l Limits) Take(ctx context.Context, key string, rate Rate) error {
	now := l.Machine.Now()
	every := rate.Every.Seconds()
	err := l.DB.QueryRow(ctx, `INSERT INTO rate_buckets AS b (key, tat) VALUES ($1, $2::timestamptz + $3 * interval '1 second')
		ON CONFLICT (key) DO UPDATE SET tat = greatest(b.tat, $2) + $3 * interval '1 second'
			WHERE greatest(b.tat, $2) + $3 * interval '1 second' <= $2::timestamptz + $4 * interval '1 second'
		RETURNING tat`, prefix+key, now, every, every*float64(rate.Burst)).Scan(new(time.Time))
	if err == nil {
		return nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("count a request: %w", err)
	}
	var tat time.Time
	if err := l.DB.QueryRow(ctx, "SELECT tat FROM rate_buckets WHERE key = $1", prefix+key).Scan(&tat); err != nil {
		return fmt.Errorf("count a request: %w", err)
	}
	wait := max(tat.Add(rate.Every).Add(-time.Duration(rate.Burst)*rate.Every).Sub(now), time.Second)
	return fault.New(fault.RateLimited, "This was too often. Please wait %d seconds and try again.", int(math.Ceil(wait.Seconds()))).WithDetails(Wait{wait})
}

// Prune forgets buckets that are full again.
func (l Limits) Prune(ctx context.Context) error {
	if _, err := l.DB.Exec(ctx, "DELETE FROM rate_buckets WHERE key LIKE $1 AND tat < $2", prefix+"%", l.Machine.Now()); err != nil {
		return fmt.Errorf("forget full rate buckets: %w", err)
	}
	return nil
}
