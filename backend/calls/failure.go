package calls

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

const (
	maxAttempts = 8
	firstPause  = 5 * time.Second
	longest     = 10 * time.Minute
	longText    = 1000 // bytes of an error that are kept
)

// final is an error that another attempt would meet again.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// Final marks an error that will not go away: the call fails at once.
func Final(err error) error { return final{err} }

// later is an error together with how long the other side asks to be left alone.
type later struct {
	error

	pause time.Duration
}

func (l later) Unwrap() error { return l.error }

// After marks an error that is worth another attempt no sooner than after a pause.
func After(err error, pause time.Duration) error { return later{err, pause} }

// isFinal tells the errors marked by Final.
func isFinal(err error) bool {
	_, ok := errors.AsType[final](err)
	return ok
}

// pauseAfter is how long a call rests after a failed attempt: anything up to 5 s, 10 s, 20 s, ... ten minutes, so that calls that
// failed together do not come back together. What the other side asked for counts, within an hour.
func (c *Calls) pauseAfter(attempt int, err error) time.Duration {
	pause := c.config.Jitter(min(firstPause<<min(attempt-1, 10), longest))
	if asked, ok := errors.AsType[later](err); ok {
		pause = max(pause, min(asked.pause, time.Hour))
	}
	return pause
}

func evenly(most time.Duration) time.Duration { return time.Duration(rand.Int64N(int64(most) + 1)) } //nolint:gosec,forbidigo // jitter

// contain turns a panic of a caller into an error of its call alone.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
