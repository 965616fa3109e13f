package views

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// CountTags is how many contacts have each tag.
func CountTags(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]int, error) {
	return count(ctx, db, `SELECT s, count(*) FROM contacts, unnest(tags) AS s WHERE workspace_id = $1 GROUP BY s`, workspace)
}

// CountLists is how many contacts are on each list.
func CountLists(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]int, error) {
	return count(ctx, db, `SELECT s, count(*) FROM contacts, unnest(lists) AS s WHERE workspace_id = $1 GROUP BY s`, workspace)
}

// CountTopics is how many contacts agreed to each topic.
func CountTopics(ctx context.Context, db store.DB, workspace uuid.UUID) (map[string]int, error) {
	return count(ctx, db, `SELECT topic, count(*) FROM consents WHERE workspace_id = $1 AND state = 'granted' AND topic <> '' GROUP BY topic`, workspace)
}

func count(ctx context.Context, db store.DB, sql string, args ...any) (map[string]int, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, fault.Wrap(err, "count")
	}
	counts := map[string]int{}
	var name string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		counts[name] = n
		return nil
	})
	return counts, fault.Wrap(err, "count")
}
