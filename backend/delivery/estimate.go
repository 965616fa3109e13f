package delivery

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// Estimate is how long so many messages take to leave, by the limits of the channel's provider and what waits for it already.
type Estimate struct {
	Messages int
	Waiting  int // before them
	Seconds  int64
	Days     int // begun ones
	PerDay   *int
	PerHour  *int
	Provider string // "" is the sandbox, which has no limit
	Warming  bool   // it takes fewer than its limits for some days more
}

// EstimateSending says how long n messages of a channel would take to leave, were they queued now.
func EstimateSending(ctx context.Context, db store.DB, now time.Time, workspace uuid.UUID, channel string, n int) (Estimate, error) {
	e := Estimate{Messages: n}
	var perSecond int
	var warming *time.Time
	err := db.QueryRow(ctx, `SELECT coalesce(p.name, ''), coalesce(p.per_second, 0), p.per_hour, p.per_day, p.warming_at,
			coalesce((SELECT count(*) FROM messages m WHERE m.provider_id = p.id AND m.status = 'queued'), 0)
		FROM workspaces w LEFT JOIN providers p ON p.workspace_id = w.id AND p.channel = $2 AND p.active AND w.sending_mode = 'live' WHERE w.id = $1`,
		workspace, channel).Scan(&e.Provider, &perSecond, &e.PerHour, &e.PerDay, &warming, &e.Waiting)
	if err != nil {
		return e, fmt.Errorf("estimate how long sending takes: %w", err)
	}
	if e.Provider == "" || n <= 0 {
		return e, nil
	}
	if warming != nil {
		_, e.Warming = warmLimit(*warming, now)
	}
	left, day := n+e.Waiting, 0
	for ; left > 0 && day < maxDays; day++ {
		quota := dayQuota(perSecond, e.PerHour, e.PerDay)
		if warming != nil {
			if warm, still := warmLimit(*warming, now.AddDate(0, 0, day)); still {
				quota = min(quota, warm)
			}
		}
		if left <= quota {
			e.Seconds = int64(day)*86400 + int64(math.Ceil(float64(left)/throughput(perSecond, e.PerHour)))
			e.Days = day + 1
			return e, nil
		}
		left -= quota
	}
	e.Seconds, e.Days = int64(day)*86400, day
	return e, nil
}

const maxDays = 3650

func throughput(perSecond int, perHour *int) float64 {
	rate := float64(perSecond)
	if perHour != nil {
		rate = min(rate, float64(*perHour)/3600)
	}
	return rate
}

// dayQuota is what may leave in a day.
func dayQuota(perSecond int, perHour, perDay *int) int {
	quota := int(throughput(perSecond, perHour) * 86400)
	if perDay != nil {
		quota = min(quota, *perDay)
	}
	return max(quota, 1)
}
