package clock

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Clock tells the time, in UTC.
type Clock interface {
	Now() time.Time
}

// Querier is what a clock needs of a connection, a transaction or a pool.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Source is business time as the store and the pumps read it.
type Source interface {
	Clock
	// NowIn is the instant of a transaction, read through it.
	NowIn(ctx context.Context, q Querier) (time.Time, error)
	// Due is the instant up to which waits may be taken: NowIn, except under the manual clock.
	Due(ctx context.Context, q Querier) (time.Time, error)
	// Settled says whether the clock is to be trusted. Who takes due work stops while it is not.
	Settled() bool
}

// Machine is real time.
type Machine struct{}

// Now is the operating system's time in UTC. It keeps its monotonic reading.
func (Machine) Now() time.Time { return time.Now().UTC() }

// Fixed is an instant that does not move.
type Fixed time.Time

// Now is the instant.
func (f Fixed) Now() time.Time { return time.Time(f).UTC() }

// Micro cuts an instant to the database's precision, in UTC, without a monotonic reading: what is written is what is read.
func Micro(t time.Time) time.Time { return t.UTC().Round(0).Truncate(time.Microsecond) }
