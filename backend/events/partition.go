package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// ensureMonths makes the partitions of the given instants where they are missing. Months to come are made ahead by Prepare, so that
// this is one cheap look; an import of old events makes its months here.
func ensureMonths(ctx context.Context, db store.DB, instants []time.Time) error {
	names := make([]string, 0, 2)
	months := map[string]time.Time{}
	for _, at := range instants {
		month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		name := "events_" + month.Format("2006_01")
		if _, ok := months[name]; !ok {
			months[name] = month
			names = append(names, name)
		}
	}
	slices.Sort(names)
	rows, err := db.Query(ctx, "SELECT n FROM unnest($1::text[]) AS n WHERE to_regclass(n) IS NULL ORDER BY n", names)
	if err != nil {
		return fmt.Errorf("look for the months of events: %w", err)
	}
	missing, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for the months of events: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	// One at a time over all processes, or two of them would fail on each other's month.
	if _, err := db.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('lejek event months'))"); err != nil {
		return fmt.Errorf("make months of events: %w", err)
	}
	for _, name := range missing {
		from := months[name]
		// The second look reads the catalogue's table: to_regclass would answer from this connection's cache, which waiting for the lock does
		// not refresh. Attaching, unlike CREATE TABLE .. PARTITION OF, lets the other writers of events go on.
		_, err := db.Exec(ctx, fmt.Sprintf(`DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_class c, pg_class e WHERE e.oid = 'events'::regclass AND c.relnamespace = e.relnamespace AND c.relname = '%[1]s') THEN
				CREATE TABLE %[1]s (LIKE events INCLUDING DEFAULTS);
				ALTER TABLE events ATTACH PARTITION %[1]s FOR VALUES FROM ('%[2]s') TO ('%[3]s');
			END IF;
		END $$`, name, from.Format(time.RFC3339), from.AddDate(0, 1, 0).Format(time.RFC3339)))
		if err != nil {
			return fmt.Errorf("make the month %s of events: %w", from.Format("2006-01"), err)
		}
	}
	return nil
}

// Prepare makes the partitions of this month and the next three. Call it at start and daily.
func Prepare(ctx context.Context, db store.DB, now time.Time) error {
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		return ensureMonths(ctx, tx, []time.Time{first, first.AddDate(0, 1, 0), first.AddDate(0, 2, 0), first.AddDate(0, 3, 0)})
	})
}
