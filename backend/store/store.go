package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lejek/lejek/backend/clock"
)

// DB is a pool, a connection or a transaction. Begin on a transaction makes a savepoint.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Tx is a transaction with its instant of business time.
type Tx struct {
	pgx.Tx

	Now time.Time
}

// Q are the generated queries; they hold no state.
var Q = New()

const (
	attempts      = 3
	rollbackLimit = 5 * time.Second
)

// InTx runs body in a transaction and commits when it answers nil. The business clock is read once into tx.Now. A
// serialization failure or a deadlock runs the whole body again, three times at most, so body must not change anything
// outside the transaction before it succeeds. Inside a transaction InTx makes a savepoint, keeps the outer instant if
// there is one, and leaves retrying to the outermost.
func InTx(ctx context.Context, db DB, clk clock.Clock, body func(tx Tx) error) error {
	_, nested := db.(pgx.Tx)
	for attempt := 1; ; attempt++ {
		err := once(ctx, db, clk, body)
		if err == nil || nested || attempt == attempts || !retryable(err) {
			return err
		}
		if err := pause(ctx, time.Duration(rand.Int64N(int64(20*time.Millisecond)<<attempt))); err != nil { //nolint:gosec,forbidigo // jitter
			return err
		}
	}
}

// InTxV is InTx for a body with an answer.
func InTxV[T any](ctx context.Context, db DB, clk clock.Clock, body func(tx Tx) (T, error)) (T, error) {
	var answer T
	err := InTx(ctx, db, clk, func(tx Tx) (err error) {
		answer, err = body(tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return answer, nil
}

func once(ctx context.Context, db DB, clk clock.Clock, body func(tx Tx) error) error {
	begun, err := db.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer func() { // after a commit it does nothing; a panic of body passes through
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
		defer cancel()
		_ = begun.Rollback(ctx) // a lost connection has rolled back by itself
	}()
	tx := Tx{Tx: begun}
	if tx.Now, err = instant(ctx, db, clk, begun); err != nil {
		return err
	}
	if err := body(tx); err != nil {
		return err
	}
	if err := begun.Commit(ctx); err != nil {
		return fmt.Errorf("commit a transaction: %w", err)
	}
	return nil
}

func instant(ctx context.Context, outer DB, clk clock.Clock, tx pgx.Tx) (time.Time, error) {
	if outer, ok := outer.(Tx); ok && !outer.Now.IsZero() {
		return outer.Now, nil
	}
	if source, ok := clk.(clock.Source); ok {
		return source.NowIn(ctx, tx)
	}
	return clock.Micro(clk.Now()), nil
}

func retryable(err error) bool {
	return IsCode(err, pgerrcode.SerializationFailure) || IsCode(err, pgerrcode.DeadlockDetected)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// IsCode says whether err is the database's error of that SQLSTATE.
func IsCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

// Violated is the name of the unique constraint or index err broke, "" for any other error.
func Violated(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == pgerrcode.UniqueViolation {
		return pg.ConstraintName
	}
	return ""
}

// NewID is a new public id. Ids of one process sort by the order they were made in.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
