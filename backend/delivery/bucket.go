package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// rate is what a provider account may send.
type rate struct {
	perSecond       int
	burst           int // at once
	perHour, perDay *int
}

// pace is one token bucket: the time between two messages in the long run, and how many may go at once.
type pace struct {
	emission time.Duration
	burst    int
}

func (r rate) second() pace { return pace{time.Second / time.Duration(r.perSecond), r.burst} }

// hour spreads what an hour may have, such that no hour whatsoever has more: a burst and what refills within an hour are the limit
// together.
func (r rate) hour() pace {
	burst := max(*r.perHour/1000, min(10, *r.perHour/2), 1)
	return pace{time.Hour / time.Duration(max(*r.perHour-burst, 1)), burst}
}

// ask is what somebody wants of a bucket: up to want tokens but not fewer than least, so that few large batches leave instead of many of one
// message; reserve tokens of the burst are left for more urgent lanes.
type ask struct{ want, least, reserve int }

// claim takes tokens of one account out of the bucket all workers share (GCRA: the row keeps the theoretical arrival time of the next
// token). It returns how many were granted, and, when the bucket has no more, when it is worth asking again. now is machine time; a
// bucket that lies in its future by a minute more than a burst was filled by a clock that went wrong, and counts as just emptied. The
// statement is its own short transaction: the row is the hottest there is.
func claim(ctx context.Context, db store.DB, key string, now time.Time, p pace, a ask) (granted int, retry time.Time, err error) {
	room := p.burst - a.reserve
	a.least = max(min(a.least, a.want, room), 1)
	var tat time.Time
	var emission int64
	var paused *time.Time
	take := func() error {
		return db.QueryRow(ctx, `
		WITH bucket AS (
			SELECT key, CASE WHEN tat > $2::timestamptz + full_ + interval '1 minute' THEN $2 + full_ ELSE greatest(tat, $2) END AS base, paused_until, emission
			FROM rate_buckets, LATERAL (SELECT ($5::bigint * `+slowNow+`)::bigint AS emission) AS e,
				LATERAL (SELECT $6::bigint * emission * interval '1 microsecond' AS full_) AS f WHERE key = $1 FOR UPDATE OF rate_buckets
		), room AS (
			SELECT key, base, paused_until, emission, CASE WHEN paused_until > $2 THEN 0 ELSE
				greatest(0, least($3::int, floor($4::int - extract(epoch FROM base - $2::timestamptz) * 1000000 / emission)::int)) END AS n
			FROM bucket
		), grant_ AS (
			SELECT key, base, paused_until, emission, CASE WHEN n < $7::int THEN 0 ELSE n END AS n FROM room
		)
		UPDATE rate_buckets b SET tat = g.base + g.n * g.emission * interval '1 microsecond'
		FROM grant_ g WHERE b.key = g.key
		RETURNING g.n, b.tat, b.paused_until, g.emission`,
			key, now, a.want, room, p.emission.Microseconds(), p.burst, a.least).Scan(&granted, &tat, &paused, &emission)
	}
	if err = take(); errors.Is(err, pgx.ErrNoRows) {
		if _, err = db.Exec(ctx, "INSERT INTO rate_buckets (key, tat) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", key, now); err == nil {
			err = take()
		}
	}
	if err != nil {
		return 0, retry, fmt.Errorf("claim rate tokens: %w", err)
	}
	if granted == a.want {
		return granted, retry, nil
	}
	retry = tat.Add(-time.Duration(room-a.least) * time.Duration(emission) * time.Microsecond)
	if paused != nil && paused.After(retry) {
		retry = *paused
	}
	return granted, retry, nil
}

// slowNow is by how much longer the time between two messages is because the provider said that we were too fast: it goes back by a
// twentieth a minute.
const slowNow = `greatest(1, slow * power(0.95, greatest(extract(epoch FROM $2::timestamptz - coalesce(slow_at, $2)), 0) / 60))`

const slowest = 16

// slowDown doubles the time between two messages of an account.
func slowDown(ctx context.Context, db store.DB, key string, now time.Time) error {
	_, err := db.Exec(ctx, `UPDATE rate_buckets SET slow = least($3, 2 * `+slowNow+`), slow_at = $2 WHERE key = $1`, key, now, slowest)
	if err != nil {
		return fmt.Errorf("slow a provider down: %w", err)
	}
	return nil
}

// giveBack returns tokens that were not used, at once.
func giveBack(ctx context.Context, db store.DB, key string, p pace, n int) error {
	if n <= 0 {
		return nil
	}
	_, err := db.Exec(ctx, `UPDATE rate_buckets SET tat = tat - $2::bigint * $3::bigint * interval '1 microsecond' WHERE key = $1`, key, n, p.emission.Microseconds())
	if err != nil {
		return fmt.Errorf("give rate tokens back: %w", err)
	}
	return nil
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
