package store

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	statisticsEvery  = 2 * time.Second
	statisticsChange = 500 // rows, and a fifth of the table; of one that is large already, half of it
	statisticsLarge  = 20_000
	statisticsLock   = 0x6c656a656b01 // of the process that analyses; the others need not
)

// KeepStatistics analyses tables that have grown since the planner last looked, until ctx ends. Postgres does the same by
// itself, but waits a minute or more, and until then works with plans made for empty tables: in that time a new
// installation takes an import, a test a hundred thousand events. Any number of processes may run it: one of them does it at a time.
func KeepStatistics(ctx context.Context, db DB, logger *slog.Logger) {
	ticker := time.NewTicker(statisticsEvery)
	defer ticker.Stop()
	for {
		if _, err := FreshenStatistics(ctx, db); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "tables were not analysed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// FreshenStatistics analyses every table of ours and River's of which a fifth or more, and at least five hundred rows, has
// changed since it was analysed last, and answers their names. Of a large table it is half: its plans do not change any more.
func FreshenStatistics(ctx context.Context, db DB) ([]string, error) {
	rows, err := db.Query(ctx, `
		SELECT quote_ident(s.schemaname) || '.' || quote_ident(s.relname)
		FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
		WHERE s.schemaname IN ('public', 'river') AND c.relkind = 'r' AND c.relname NOT LIKE 'goose%'
			AND s.n_mod_since_analyze >= $1 AND s.n_mod_since_analyze >= CASE WHEN c.reltuples < $2 THEN 0.2 ELSE 0.5 END * greatest(c.reltuples, 0)
		ORDER BY 1`, statisticsChange, statisticsLarge)
	if err != nil {
		return nil, fmt.Errorf("find grown tables: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find grown tables: %w", err)
	}
	for _, table := range tables {
		if err := analyse(ctx, db, table); err != nil {
			return nil, fmt.Errorf("analyse %s: %w", table, err)
		}
	}
	return tables, nil
}

// analyse analyses a table unless another process is at one: it takes a processor, and holds back what may be cleared away.
func analyse(ctx context.Context, db DB, table string) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(statisticsLock)).Scan(&mine); err != nil || !mine {
			return err
		}
		_, err := tx.Exec(ctx, "ANALYZE "+table)
		return err
	})
}
