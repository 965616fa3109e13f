package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// A day's limit counts what was given in the last 24 whole hours and the one begun, so that no 24 hours whatsoever have more; unlike that of a second
// it may be used up at once.
const dayHours = 25

// claimDay takes up to want of what an account may send in 24 hours. now is machine time.
func claimDay(ctx context.Context, db store.DB, key string, now time.Time, limit, want int) (granted int, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		hour := now.UTC().Truncate(time.Hour)
		counts, err := lockDay(ctx, tx, key, hour)
		if err != nil {
			return err
		}
		sum := 0
		for _, n := range counts {
			sum += int(n)
		}
		granted = min(want, max(limit-sum, 0))
		counts[0] += int32(granted)
		return storeDay(ctx, tx, key, hour, counts)
	})
	if err != nil {
		return 0, fmt.Errorf("claim of a day's limit: %w", err)
	}
	return granted, nil
}

// returnDay gives back what was not used.
func returnDay(ctx context.Context, db store.DB, key string, now time.Time, n int) error {
	if n <= 0 {
		return nil
	}
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		hour := now.UTC().Truncate(time.Hour)
		counts, err := lockDay(ctx, tx, key, hour)
		if err != nil {
			return err
		}
		counts[0] = max(counts[0]-int32(n), 0)
		return storeDay(ctx, tx, key, hour, counts)
	})
	if err != nil {
		return fmt.Errorf("give back of a day's limit: %w", err)
	}
	return nil
}

// lockDay reads the counts as of an hour, the newest first, and holds them.
func lockDay(ctx context.Context, tx pgx.Tx, key string, hour time.Time) ([]int32, error) {
	if _, err := tx.Exec(ctx, "INSERT INTO rate_days (key, hour, counts) VALUES ($1, $2, '{0}') ON CONFLICT (key) DO NOTHING", key, hour); err != nil {
		return nil, err
	}
	var newest time.Time
	var counts []int32
	if err := tx.QueryRow(ctx, "SELECT hour, counts FROM rate_days WHERE key = $1 FOR UPDATE", key).Scan(&newest, &counts); err != nil {
		return nil, err
	}
	return shiftDay(counts, int(hour.Sub(newest)/time.Hour)), nil
}

// shiftDay lets hours pass. A clock that went back changes nothing.
func shiftDay(counts []int32, hours int) []int32 {
	shifted := make([]int32, dayHours)
	hours = max(hours, 0)
	for i, n := range counts {
		if at := i + hours; at < dayHours {
			shifted[at] = n
		}
	}
	return shifted
}

func storeDay(ctx context.Context, tx pgx.Tx, key string, hour time.Time, counts []int32) error {
	_, err := tx.Exec(ctx, "UPDATE rate_days SET hour = greatest(hour, $2), counts = $3 WHERE key = $1", key, hour, counts)
	return err
}

// usedToday is how much of a day's limit is used up.
func usedToday(ctx context.Context, db store.DB, key string, now time.Time) (int, error) {
	var newest time.Time
	var counts []int32
	err := db.QueryRow(ctx, "SELECT hour, counts FROM rate_days WHERE key = $1", key).Scan(&newest, &counts)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read what was sent today: %w", err)
	}
	sum := 0
	for _, n := range shiftDay(counts, int(now.UTC().Truncate(time.Hour).Sub(newest)/time.Hour)) {
		sum += int(n)
	}
	return sum, nil
}

// warmUp is what a domain that nobody knows yet may send on each of its first days; then the account's own limits hold.
var warmUp = []int{50, 100, 200, 400, 800, 1500, 3000, 5000, 10_000, 20_000, 40_000}

// warmLimit is how many messages the n-th day of a warm-up may have, counted from its beginning; ok is false when it is over.
func warmLimit(since, now time.Time) (limit int, ok bool) {
	day := max(int(now.Sub(since)/(24*time.Hour)), 0)
	if day >= len(warmUp) {
		return 0, false
	}
	return warmUp[day], true
}

// daily is the tighter of the account's day and its warm-up; ok is false if there is no such limit. A warm-up does not hold for transactional
// messages.
func (p provider) daily(business time.Time, lane int) (limit int, ok bool) {
	if p.rate.perDay != nil {
		limit, ok = *p.rate.perDay, true
		if lane != laneTransactional { // a tenth of the day is kept for what somebody waits for
			limit -= limit / 10
		}
	}
	if p.warming == nil || lane == laneTransactional {
		return limit, ok
	}
	if warm, still := warmLimit(*p.warming, business); still && (!ok || warm < limit) {
		return warm, true
	}
	return limit, ok
}
