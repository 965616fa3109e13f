package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Wait is the detail of a RateLimited fault: when to come back.
type Wait struct{ After time.Duration }

// RetryAfter is how long to wait.
func (w Wait) RetryAfter() time.Duration { return w.After }

// rate allows burst calls at once and one more each step.
type rate struct {
	step  time.Duration
	burst int
}

var (
	perAccountAndIP = rate{step: 20 * time.Second, burst: 10}
	perIP           = rate{step: 2 * time.Second, burst: 60}
	perAccount      = rate{step: 30 * time.Second, burst: 60} // from anywhere: slows a guess spread over many addresses
)

// throttle takes one sign-in from the buckets of an account and an address, whether the account exists or not.
func (a *Auth) throttle(ctx context.Context, account, ip string) error {
	for _, bucket := range []struct {
		key  []byte
		rate rate
	}{
		{bucketKey("ip", ip), perIP},
		{bucketKey("account and ip", account, ip), perAccountAndIP},
		{bucketKey("account", account), perAccount},
	} {
		if err := a.take(ctx, bucket.key, bucket.rate); err != nil {
			return err
		}
	}
	return nil
}

func (a *Auth) take(ctx context.Context, key []byte, r rate) error {
	now := a.now()
	_, err := store.Q.TakeLogin(ctx, a.db, store.TakeLoginParams{
		Key: key, First: now.Add(r.step), StepSeconds: r.step.Seconds(), LimitAt: now.Add(time.Duration(r.burst) * r.step),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.RateLimited, "Too many attempts to sign in. Please wait %d seconds and try again.", int(r.step.Seconds())).WithDetails(Wait{r.step})
	}
	return fault.Wrap(err, "count a sign-in")
}

func bucketKey(parts ...string) []byte {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	return hash.Sum(nil)
}
