package bench

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lejek/lejek/backend/embedpg"
	"github.com/lejek/lejek/migrations"
)

// Database is a throw-away Postgres with default durability.
type Database struct {
	Pool   *pgxpool.Pool
	URL    string
	Server *embedpg.Server
	dir    string
}

// OpenDatabase starts a fresh server and brings its database up to the current schema. conns bounds the pool.
func OpenDatabase(ctx context.Context, conns int, progress io.Writer) (*Database, error) {
	dir, err := os.MkdirTemp("", "lejek-bench")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the server may run as another user
		return nil, err
	}
	db := &Database{dir: dir}
	db.Server, err = embedpg.Start(ctx, embedpg.Options{Dir: dir, Progress: progress, Settings: map[string]string{
		"track_commit_timestamp": "on", "shared_buffers": "512MB",
	}})
	if err != nil {
		return nil, err
	}
	db.URL = db.Server.URL("postgres")
	config, err := pgxpool.ParseConfig(db.URL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(conns)
	if db.Pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if err := migrations.Up(ctx, db.Pool); err != nil {
		return nil, fmt.Errorf("make the tables: %w", err)
	}
	return db, nil
}

// Close stops the server and removes its files.
func (d *Database) Close(ctx context.Context) error {
	if d.Pool != nil {
		d.Pool.Close()
	}
	if err := d.Server.Stop(ctx); err != nil {
		return err
	}
	if d.Server.Dir() != d.dir {
		if err := os.RemoveAll(d.Server.Dir()); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.dir)
}
