// Package migrations holds the numbered schema and brings a database up to it. River's own tables live in the schema
// "river" and are migrated in the same call, so that a database is either wholly ready or says why not.
package migrations

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// RiverSchema is where River keeps its tables.
const RiverSchema = "river"

//go:embed *.sql
var files embed.FS

// lockKey is the advisory lock under which one process at a time migrates; the others wait and then find nothing to do.
const lockKey = 0x6c656a656b // "lejek"

// afterRiver is what we add to River's tables. River's scheduler scans scheduled jobs by time without an index of its own.
const afterRiver = `CREATE INDEX IF NOT EXISTS river_job_schedule_ix ON river.river_job (scheduled_at)
	WHERE state IN ('retryable', 'scheduled')`

// Up applies every migration the database lacks, ours and River's. It is safe to call from many processes at once and
// needs a pool of at least two connections: one holds the lock.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	return locked(ctx, pool, func(db *sql.DB) error {
		provider, err := newProvider(db)
		if err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate the schema: %w", err)
		}
		if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+RiverSchema); err != nil {
			return fmt.Errorf("create River's schema: %w", err)
		}
		river, err := newRiver(pool)
		if err != nil {
			return err
		}
		if _, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate River's tables: %w", err)
		}
		if _, err := pool.Exec(ctx, afterRiver); err != nil {
			return fmt.Errorf("index River's scheduled jobs: %w", err)
		}
		return nil
	})
}

// Down takes everything back, ours and River's, with all data.
func Down(ctx context.Context, pool *pgxpool.Pool) error {
	return locked(ctx, pool, func(db *sql.DB) error {
		if _, err := pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+RiverSchema+" CASCADE"); err != nil {
			return fmt.Errorf("drop River's schema: %w", err)
		}
		provider, err := newProvider(db)
		if err != nil {
			return err
		}
		if _, err := provider.DownTo(ctx, 0); err != nil {
			return fmt.Errorf("migrate the schema down: %w", err)
		}
		return nil
	})
}

// Pending says whether the database lacks a migration. It changes nothing.
func Pending(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close() //nolint:errcheck // the pool stays; there is nothing to lose
	provider, err := newProvider(db)
	if err != nil {
		return false, err
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("read the schema's version: %w", err)
	}
	if pending {
		return true, nil
	}
	river, err := newRiver(pool)
	if err != nil {
		return false, err
	}
	validated, err := river.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("read the version of River's tables: %w", err)
	}
	return !validated.OK, nil
}

// Hash names the schema: it changes whenever a migration, or River's version, does.
func Hash() string {
	sum := sha256.New()
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(text))
		sum.Write(text)
	}
	sum.Write([]byte(afterRiver))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/riverqueue/river" {
				sum.Write([]byte(dep.Version))
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithVerbose(false))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

func newRiver(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: RiverSchema})
	if err != nil {
		return nil, fmt.Errorf("read River's migrations: %w", err)
	}
	return migrator, nil
}

// locked runs body while no other process migrates the same database.
func locked(ctx context.Context, pool *pgxpool.Pool, body func(*sql.DB) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockKey)); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockKey)) //nolint:errcheck // the lock ends with the session anyway

	db := stdlib.OpenDBFromPool(pool)
	defer db.Close() //nolint:errcheck // the pool stays; there is nothing to lose
	return body(db)
}
