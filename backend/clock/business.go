package clock

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	sampleEvery   = 4 * time.Second // who follows a clock that jumped stops within five seconds
	resampleEvery = time.Second     // while unsettled
	maxJump       = 2 * time.Second // a larger correction is an alarm, not a correction
	probes        = 3               // per sample; the one with the least round trip counts
)

// Business is business time in production. It advances by the local monotonic clock and follows the database's by
// corrections of at most two seconds. A larger difference is an alarm: Settled turns false until a second sample confirms
// the new difference. The same alarm is given at once when this machine's clock jumps against its own monotonic one, as it does when
// somebody sets it or the machine slept. Business never goes backwards; to follow a database that did, it stands still.
type Business struct {
	base    time.Time // carries the monotonic reading all instants are counted from
	elapsed func() time.Duration
	wall    func() time.Time // what this machine takes for the time, without a monotonic reading
	shifted func() time.Duration
	query   Querier
	log     *slog.Logger
	jumps   func(by time.Duration)

	mu        sync.Mutex
	offset    time.Duration // the database's clock minus ours
	last      time.Time
	unsettled bool
	candidate time.Duration
	drift     time.Duration // of wall against elapsed when the clock was last settled
}

// Options of NewBusiness.
type Options struct {
	Logger *slog.Logger           // nil is slog.Default()
	OnJump func(by time.Duration) // called once per alarm, for a metric; may be nil

	// MachineShift and DatabaseShift move a clock, for fault tests; nil moves nothing.
	MachineShift, DatabaseShift func() time.Duration
}

// NewBusiness reads the database's clock once and returns business time. Run keeps it disciplined.
func NewBusiness(ctx context.Context, query Querier, options Options) (*Business, error) {
	wall := func() time.Time { return time.Now().Round(0) }
	base := time.Now()
	began := base
	if shift := options.MachineShift; shift != nil {
		wall = func() time.Time { return time.Now().Round(0).Add(shift()) }
		base = base.Add(shift())
	}
	clock := newBusiness(base, func() time.Duration { return time.Since(began) }, options)
	clock.wall, clock.query, clock.shifted = wall, query, options.DatabaseShift
	offset, err := clock.sample(ctx)
	if err != nil {
		return nil, err
	}
	clock.offset = offset
	return clock, nil
}

func newBusiness(base time.Time, elapsed func() time.Duration, options Options) *Business {
	clock := &Business{base: base, elapsed: elapsed, log: options.Logger, jumps: options.OnJump}
	clock.wall = func() time.Time { return base.Round(0).Add(elapsed()) }
	if clock.log == nil {
		clock.log = slog.Default()
	}
	if clock.jumps == nil {
		clock.jumps = func(time.Duration) {}
	}
	return clock
}

// Now is business time in microseconds, UTC, never before an instant it gave earlier.
func (c *Business) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := Micro(c.base.Add(c.elapsed() + c.offset))
	if now.Before(c.last) {
		return c.last
	}
	c.last = now
	return now
}

// NowIn is Now; the transaction is not asked.
func (c *Business) NowIn(context.Context, Querier) (time.Time, error) { return c.Now(), nil }

// Due is Now.
func (c *Business) Due(context.Context, Querier) (time.Time, error) { return c.Now(), nil }

// Machine is the same time for leases, heartbeats and rate tokens, which processes on several machines compare: real, disciplined to the
// database as well, but free to go backwards.
func (c *Business) Machine() Clock { return machineOf{c} }

type machineOf struct{ business *Business }

// Now implements Clock.
func (m machineOf) Now() time.Time {
	c := m.business
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base.Add(c.elapsed() + c.offset).UTC()
}

// Settled says whether the last sample of the database's clock agreed with ours, and this machine's clock has not jumped since.
func (c *Business) Settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if by := c.drifted() - c.drift; !c.unsettled && abs(by) > maxJump {
		c.alarm("this machine's clock jumped; due work waits until it has settled", by)
		c.candidate = c.offset
	}
	return !c.unsettled
}

// drifted is how far this machine's clock has gone from its monotonic one since the start.
func (c *Business) drifted() time.Duration { return c.wall().Sub(c.base.Round(0)) - c.elapsed() }

func (c *Business) alarm(says string, by time.Duration) {
	c.unsettled = true
	c.log.Error(says, "by", by.String())
	c.jumps(by)
}

// Run samples the database's clock until ctx is done. A database that does not answer changes nothing: the local clock
// goes on by itself.
func (c *Business) Run(ctx context.Context) {
	timer := time.NewTimer(sampleEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if offset, err := c.sample(ctx); err == nil {
			c.observe(offset)
		} else if ctx.Err() == nil {
			c.log.WarnContext(ctx, "the database's clock was not read", "error", err)
		}
		if c.Settled() {
			timer.Reset(sampleEvery)
		} else {
			timer.Reset(resampleEvery)
		}
	}
}

// sample measures the database's clock against ours: of a few probes the one with the least round trip, taking the middle
// of the round trip as the instant of the answer.
func (c *Business) sample(ctx context.Context) (time.Duration, error) {
	var offset time.Duration
	least := time.Duration(-1)
	for range probes {
		before := c.elapsed()
		var theirs time.Time
		if err := c.query.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&theirs); err != nil {
			return 0, fmt.Errorf("read the database's clock: %w", err)
		}
		if c.shifted != nil {
			theirs = theirs.Add(c.shifted())
		}
		trip := c.elapsed() - before
		if least < 0 || trip < least {
			least = trip
			ours := c.base.Round(0).Add(before + trip/2)
			offset = theirs.Sub(ours)
		}
	}
	return offset, nil
}

// observe takes one measured offset in.
func (c *Business) observe(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reference := c.offset
	if c.unsettled && abs(offset-c.candidate) <= maxJump {
		reference = c.candidate // confirmed by a second sample
	}
	if by := offset - reference; abs(by) > maxJump {
		if !c.unsettled {
			c.alarm("the database's clock jumped; due work waits until it has settled", by)
		}
		c.candidate = offset
		return
	}
	if c.unsettled {
		c.log.Info("the database's clock has settled", "by", (offset - c.offset).String())
	}
	c.unsettled, c.offset, c.drift = false, offset, c.drifted()
}

func abs(d time.Duration) time.Duration { return max(d, -d) }
