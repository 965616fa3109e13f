package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// MinVersion is the oldest Postgres Lejek runs on, as server_version_num.
const MinVersion = 150000

// Open connects to the database and refuses one that is too old. conns is the size of the pool, 0 is pgx's default.
func Open(ctx context.Context, url string, conns int) (*pgxpool.Pool, error) {
	config, err := Config(url, conns)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	var version int
	if err := pool.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	if version < MinVersion {
		pool.Close()
		return nil, fmt.Errorf("the database is Postgres %d; Lejek needs 15 or newer. Upgrade it, or leave DATABASE_URL empty to use the embedded one", version/10000)
	}
	return pool, nil
}

// Config is a pool's configuration as all of Lejek uses it: instants are read in UTC, and a transaction left open by a
// lost process ends after ten seconds.
func Config(url string, conns int) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database's URL is not understood; expected postgres://user:password@host:port/name") // the cause may hold the password
	}
	if conns > 0 {
		config.MaxConns = int32(conns)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	params := config.ConnConfig.RuntimeParams
	setDefault(params, "application_name", "lejek")
	setDefault(params, "idle_in_transaction_session_timeout", "10s")
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		codec := &pgtype.TimestamptzCodec{ScanLocation: time.UTC}
		instant := &pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: codec}
		conn.TypeMap().RegisterType(instant)
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "_timestamptz", OID: pgtype.TimestamptzArrayOID, Codec: &pgtype.ArrayCodec{ElementType: instant},
		})
		return nil
	}
	return config, nil
}

func setDefault(params map[string]string, key, value string) {
	if _, ok := params[key]; !ok {
		params[key] = value
	}
}
