package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// grown lists tables of which more changed than was known when they were last analysed.
const grown = `SELECT c.oid::regclass::text FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
	WHERE s.schemaname = 'public' AND s.n_mod_since_analyze > 500 + 0.5 * greatest(c.reltuples, 0) ORDER BY 1`

// AnalyzeGrown has the database look anew at tables that have grown by half since it last did, and names them.
//
// Every index of ours begins with workspace_id. While the database believes a table to be nearly empty, all of them look equally good, and
// a plan that walks all rows of the workspace is kept for as long as the connection lives: checks of foreign keys become linear in the size
// of the table. Autovacuum looks once a minute, which is late when a workspace is filled.
func AnalyzeGrown(ctx context.Context, db DB) ([]string, error) {
	rows, err := db.Query(ctx, grown)
	if err != nil {
		return nil, fmt.Errorf("look for tables that have grown: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for tables that have grown: %w", err)
	}
	for _, table := range tables {
		if _, err := db.Exec(ctx, "ANALYZE "+table); err != nil {
			return nil, fmt.Errorf("analyse %s: %w", table, err)
		}
	}
	return tables, nil
}
