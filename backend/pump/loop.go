package pump

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"
)

const (
	poll       = 200 * time.Millisecond
	pollManual = 5 * time.Millisecond
	pollBusy   = 5 * time.Millisecond

	minPause = 50 * time.Millisecond
	maxPause = 500 * time.Millisecond // a database that is back is noticed within it

	// askEvery is how often a slot asks whether it is still wanted.
	askEvery = 5 * time.Second

	// drainTimeout bounds one batch and with it every lock it holds.
	drainTimeout = 15 * time.Second
)

// loop drains one job in one slot.
type loop struct {
	job    Job
	slot   int
	now    func() time.Time // machine time
	poll   time.Duration
	nudge  <-chan struct{}
	nudges chan<- struct{} // the other end of nudge; nil in tests
	watch  chan struct{}   // holds one while a slot of this process watches the queue: the others rest; nil lets each watch for itself
	mine   bool            // this slot watches
	stop   <-chan struct{} // closed when the process is to end: the batch in hand is the last one
	logger *slog.Logger
	orphan func(context.Context) bool // asked now and then: is the process this slot belongs to dead?
	paused func(context.Context) bool // likewise: did an operator pause the queue? nil is never
}

// run drains until the instant end, the context's end, or until the slot turns out to be an orphan, which it reports.
func (l *loop) run(ctx context.Context, end time.Time) (orphaned bool) {
	defer l.unwatch()
	limit := MaxBatch / 4
	pause := time.Duration(0)
	asked := l.now()
	quiet := true // the last look found nothing
	for round := 0; ctx.Err() == nil && !l.stopping() && l.now().Before(end); round++ {
		if l.now().Sub(asked) > askEvery {
			asked = l.now()
			if l.orphan(ctx) {
				return true
			}
			if l.paused != nil && l.paused(ctx) {
				return false
			}
		}
		drained, next, err := l.round(ctx, round, limit, quiet)
		limit, quiet = next, err == nil && drained.Rows == 0
		switch {
		case err != nil:
			if ctx.Err() != nil {
				return false
			}
			l.unwatch()
			pause = min(max(2*pause, minPause), maxPause)
			l.logger.ErrorContext(ctx, "a batch failed; it is tried again", "pump", l.job.Kind, "error", err, "pause", pause)
			l.wait(ctx, pause, nil)
			continue
		case drained.Rows > 0:
			// There was something; look again at once.
		case drained.Busy > 0:
			l.wait(ctx, pollBusy, nil)
		default:
			l.rest(ctx, end)
		}
		pause = 0
	}
	return false
}

// round drains each lane once, the first lanes first, and stops at the first full batch: what is urgent is looked at again before
// the next lane gets its turn.
func (l *loop) round(ctx context.Context, round, limit int, peek bool) (sum Drained, next int, err error) {
	due, err := l.look(ctx, round, peek)
	if err != nil {
		return sum, limit, err
	}
	if len(due) > 0 {
		l.unwatch() // somebody else looks while this one works
	}
	for _, lane := range due {
		began := l.now()
		drained, err := l.drain(ctx, Batch{Lane: lane, Limit: limit, Paced: true})
		if err != nil {
			return sum, max(limit/2, MinBatch), err
		}
		full := drained.Rows >= limit
		if drained.Rows > 0 {
			limit = size(limit, drained.Rows, l.now().Sub(began))
		}
		sum.Rows += drained.Rows
		sum.Busy += drained.Busy
		if full {
			l.alarm() // the other slots of this process may rest
			break
		}
	}
	return sum, limit, nil
}

// look is the order of the lanes of this round, without those that a peek shows to be empty.
func (l *loop) look(ctx context.Context, round int, peek bool) (due []int, err error) {
	order := l.job.lanes(l.slot, round)
	if !peek || l.job.Peek == nil {
		return order, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	found, err := l.job.Peek(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(order, func(lane int) bool { return !slices.Contains(found, lane) }), nil
}

// rest waits until it is time for another look. One slot of a process looks for all: the others wait until it works, or a nudge.
func (l *loop) rest(ctx context.Context, end time.Time) {
	if l.watch != nil && !l.mine {
		timer := time.NewTimer(min(askEvery, end.Sub(l.now())))
		defer timer.Stop()
		select {
		case l.watch <- struct{}{}:
			l.mine = true
		case <-ctx.Done():
			return
		case <-l.stop:
			return
		case <-timer.C:
			return
		case <-l.nudge:
			return
		}
	}
	l.wait(ctx, l.poll, l.nudge)
}

func (l *loop) unwatch() {
	if l.mine {
		<-l.watch
		l.mine = false
	}
}

func (l *loop) alarm() {
	if l.nudges != nil {
		select {
		case l.nudges <- struct{}{}:
		default:
		}
	}
}

func (l *loop) drain(ctx context.Context, batch Batch) (drained Drained, err error) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return l.job.Drain(ctx, batch)
}

func (l *loop) stopping() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

func (l *loop) wait(ctx context.Context, d time.Duration, nudge <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-l.stop:
	case <-timer.C:
	case <-nudge:
	}
}
