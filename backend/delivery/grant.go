package delivery

import (
	"context"
	"errors"
	"fmt"
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

// grant claims tokens of all limits of an account: those of the day first, because they are the scarcest, and gives back what another
// limit does not allow.
func (d *Deliverer) grant(ctx context.Context, p provider, lane, want int) (granted int, err error) {
	now := d.Machine.Now()
	granted = want
	daily, byDay := p.daily(d.Clock.Now(), lane)
	if byDay {
		if granted, err = claimDay(ctx, d.DB, p.bucket(), now, daily, granted); err != nil || granted == 0 {
			return 0, err
		}
	}
	day := granted
	if p.rate.perHour != nil {
		if granted, _, err = claim(ctx, d.DB, p.bucket()+":hour", now, p.rate.hour(), granted, reserved(p.rate.hour(), lane)); err != nil {
			return 0, err
		}
	}
	hour := granted
	if granted > 0 {
		if granted, _, err = claim(ctx, d.DB, p.bucket(), now, p.rate.second(), granted, reserved(p.rate.second(), lane)); err != nil {
			return 0, err
		}
	}
	if p.rate.perHour != nil {
		err = giveBack(ctx, d.DB, p.bucket()+":hour", p.rate.hour(), hour-granted)
	}
	if byDay {
		err = joined(err, returnDay(ctx, d.DB, p.bucket(), now, day-granted))
	}
	return granted, err
}

// giveBack returns what was granted and not used. What a second allows is lost: it would be given at once to somebody else, in the same second.
func (d *Deliverer) giveBack(ctx context.Context, p provider, lane, n int) error {
	if n <= 0 {
		return nil
	}
	var err error
	if p.rate.perHour != nil {
		err = giveBack(ctx, d.DB, p.bucket()+":hour", p.rate.hour(), n)
	}
	if _, byDay := p.daily(d.Clock.Now(), lane); byDay {
		err = joined(err, returnDay(ctx, d.DB, p.bucket(), d.Machine.Now(), n))
	}
	return err
}

func joined(errs ...error) error { return errors.Join(errs...) }
