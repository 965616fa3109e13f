package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/store"
)

// rate is what a provider account may send.
type rate struct {
	perSecond int
	burst     int
}

// claim takes up to want tokens of one account out of the bucket all workers share (GCRA: the row keeps the theoretical arrival time
// of the next token). reserve tokens of the burst are left for more urgent lanes. It returns how many were granted, and when to
// ask again when that is none. now is machine time; a bucket that lies in its future by a minute more than a burst was
// filled by a clock that went wrong, and counts as just emptied. The statement is its own short transaction: the row is the hottest there is.
func claim(ctx context.Context, db store.DB, key string, now time.Time, r rate, want, reserve int) (granted int, retry time.Time, err error) {
	if _, err := db.Exec(ctx, "INSERT INTO rate_buckets (key, tat) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", key, now); err != nil {
		return 0, retry, fmt.Errorf("make a rate bucket: %w", err)
	}
	emission := time.Second / time.Duration(r.perSecond)
	var tat time.Time
	var paused *time.Time
	err = db.QueryRow(ctx, `
		WITH bucket AS (
			SELECT key, CASE WHEN tat > $2::timestamptz + full_ + interval '1 minute' THEN $2 + full_ ELSE greatest(tat, $2) END AS base, paused_until
			FROM rate_buckets, LATERAL (SELECT $6::bigint * $5::bigint * interval '1 microsecond' AS full_) AS f WHERE key = $1 FOR UPDATE OF rate_buckets
		), grant_ AS (
			SELECT key, base, paused_until, CASE WHEN paused_until > $2 THEN 0 ELSE
				greatest(0, least($3::int, floor($4::int - extract(epoch FROM base - $2::timestamptz) * 1000000 / $5::bigint)::int)) END AS n
			FROM bucket
		)
		UPDATE rate_buckets b SET tat = g.base + g.n * $5::bigint * interval '1 microsecond'
		FROM grant_ g WHERE b.key = g.key
		RETURNING g.n, b.tat, b.paused_until`,
		key, now, want, r.burst-reserve, emission.Microseconds(), r.burst).Scan(&granted, &tat, &paused)
	if err != nil {
		return 0, retry, fmt.Errorf("claim rate tokens: %w", err)
	}
	if granted > 0 {
		return granted, retry, nil
	}
	retry = tat.Add(-time.Duration(r.burst-reserve-1) * emission)
	if paused != nil && paused.After(retry) {
		retry = *paused
	}
	return 0, retry, nil
}

// pauseAccount stops all workers from claiming until an instant of machine time, because the provider said so or cannot be reached.
func pauseAccount(ctx context.Context, db store.DB, key string, until time.Time, reason string) error {
	_, err := db.Exec(ctx, `INSERT INTO rate_buckets (key, tat, paused_until, reason) VALUES ($1, $2, $2, $3)
		ON CONFLICT (key) DO UPDATE SET paused_until = greatest(rate_buckets.paused_until, excluded.paused_until), reason = excluded.reason`,
		key, until, reason)
	if err != nil {
		return fmt.Errorf("pause a provider: %w", err)
	}
	return nil
}
