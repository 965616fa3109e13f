package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// queued counts what is visibly due, up to a limit, so that no tokens are claimed in vain.
func (d *Deliverer) queued(ctx context.Context, p provider, lane, limit int) (n int, err error) {
	err = d.DB.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM messages WHERE provider_id = $1 AND lane = $2 AND status = 'queued'
		AND next_attempt_at <= $3 LIMIT $4) AS due`, p.id, lane, d.Clock.Now(), limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count due messages: %w", err)
	}
	return n, nil
}

// reserved is the part of a burst that is left to what somebody waits for: a fifth.
func reserved(p pace, lane int) int {
	if lane == laneTransactional {
		return 0
	}
	return p.burst / 5
}

// worthwhile is how many tokens are worth a batch: for bulk half of what its part of the burst holds, so that an account which is at its limit is
// asked a few times a second and not for every message. What somebody waits for takes what there is.
func worthwhile(p pace, lane, want int) ask {
	a := ask{want: want, least: 1, reserve: reserved(p, lane)}
	if lane != laneTransactional {
		a.least = (p.burst - a.reserve) / 2
	}
	return a
}

// grant claims tokens of all limits of an account: those of the day first, because they are the scarcest, and gives back what another
// limit does not allow. When there are fewer than were wanted it says when it is worth asking again.
func (d *Deliverer) grant(ctx context.Context, p provider, lane, want int) (granted int, again time.Time, err error) {
	now := d.Machine.Now()
	granted = want
	daily, byDay := p.daily(d.Clock.Now(), lane)
	if byDay {
		if granted, err = claimDay(ctx, d.DB, p.bucket(), now, daily, granted); err != nil || granted == 0 {
			return 0, now.Add(longestRest), err
		}
	}
	day := granted
	if p.rate.perHour != nil {
		if granted, again, err = claim(ctx, d.DB, p.bucket()+":hour", now, p.rate.hour(), worthwhile(p.rate.hour(), lane, granted)); err != nil {
			return 0, again, err
		}
	}
	hour := granted
	if granted > 0 {
		var second time.Time
		if granted, second, err = claim(ctx, d.DB, p.bucket(), now, p.rate.second(), worthwhile(p.rate.second(), lane, granted)); err != nil {
			return 0, again, err
		}
		if second.After(again) {
			again = second
		}
	}
	if p.rate.perHour != nil {
		err = giveBack(ctx, d.DB, p.bucket()+":hour", p.rate.hour(), hour-granted)
	}
	if byDay {
		err = joined(err, returnDay(ctx, d.DB, p.bucket(), now, day-granted))
	}
	return granted, again, err
}

// giveBack returns what was granted and not used.
func (d *Deliverer) giveBack(ctx context.Context, p provider, lane, n int) error {
	if n <= 0 {
		return nil
	}
	err := giveBack(ctx, d.DB, p.bucket(), p.rate.second(), n)
	if p.rate.perHour != nil {
		err = joined(err, giveBack(ctx, d.DB, p.bucket()+":hour", p.rate.hour(), n))
	}
	if _, byDay := p.daily(d.Clock.Now(), lane); byDay {
		err = joined(err, returnDay(ctx, d.DB, p.bucket(), d.Machine.Now(), n))
	}
	return err
}

func joined(errs ...error) error { return errors.Join(errs...) }
