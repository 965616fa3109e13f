package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/migrations"
)

// infrastructure are the tables of no workspace.
var infrastructure = []string{"goose_db_version", "workspaces", "rate_buckets", "rate_days", "workers", "clock", "users", "sessions", "password_resets", "login_buckets"}

func TestEveryTenantTableStartsItsKeyWithTheWorkspace(t *testing.T) {
	t.Parallel()
	tx := storetest.Tx(t)
	rows, err := tx.Query(t.Context(), `
		SELECT c.relname, coalesce((
			SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
			WHERE i.indrelid = c.oid AND i.indisprimary), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL($1)`, infrastructure)
	require.NoError(t, err)
	tables := 0
	for rows.Next() {
		var table, first string
		require.NoError(t, rows.Scan(&table, &first))
		require.Equal(t, "workspace_id", first, "the primary key of %s", table)
		tables++
	}
	require.NoError(t, rows.Err())
	require.Greater(t, tables, 10)
}

func TestNoForeignKeyAndNoUniqueLetsOneWorkspacePointIntoAnother(t *testing.T) {
	t.Parallel()
	tx := storetest.Tx(t)
	rows, err := tx.Query(t.Context(), `
		SELECT k.conname, c.relname, t.relname, s.attname, coalesce(d.attname, '')
		FROM pg_constraint k
		JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_class t ON t.oid = k.confrelid
		JOIN pg_attribute s ON s.attrelid = k.conrelid AND s.attnum = k.conkey[1]
		JOIN pg_attribute d ON d.attrelid = k.confrelid AND d.attnum = k.confkey[1]
		WHERE n.nspname = 'public' AND k.contype = 'f' AND c.relname <> ALL($1) AND t.relname NOT IN ('users', 'sessions')`, infrastructure)
	require.NoError(t, err)
	for rows.Next() {
		var name, from, to, source, target string
		require.NoError(t, rows.Scan(&name, &from, &to, &source, &target))
		require.Equal(t, "workspace_id", source, "%s of %s", name, from)
		want := "workspace_id"
		if to == "workspaces" {
			want = "id"
		}
		require.Equal(t, want, target, "%s of %s", name, from)
	}
	require.NoError(t, rows.Err())

	rows, err = tx.Query(t.Context(), `
		SELECT i.indexrelid::regclass::text, a.attname
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE n.nspname = 'public' AND i.indisunique AND NOT c.relispartition AND c.relname <> ALL($1)`, infrastructure)
	require.NoError(t, err)
	for rows.Next() {
		var index, first string
		require.NoError(t, rows.Scan(&index, &first))
		// A token, a secret and the code of a short link are all their bearer sends, so each is unique by itself.
		require.Contains(t, []string{"workspace_id", "token_hash", "secret_hash", "code"}, first, index)
	}
	require.NoError(t, rows.Err())
}

func TestNoColumnTakesItsValueFromTheDatabasesClock(t *testing.T) {
	t.Parallel()
	tx := storetest.Tx(t)
	rows, err := tx.Query(t.Context(), `
		SELECT table_name || '.' || column_name, column_default FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name <> 'goose_db_version' AND data_type LIKE 'timestamp%' AND column_default IS NOT NULL`)
	require.NoError(t, err)
	for rows.Next() {
		var column, value string
		require.NoError(t, rows.Scan(&column, &value))
		require.Fail(t, "a default instant", "%s defaults to %s", column, value)
	}
	require.NoError(t, rows.Err())
}

// forbidden are the ways to ask the database for the hour.
var forbidden = regexp.MustCompile(`(?i)\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)|\b(current_timestamp|current_date|current_time|localtimestamp|localtime)\b`)

func TestNoStatementOfOursAsksTheDatabaseForTheHour(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	checked := 0
	for _, dir := range []string{"backend", "migrations", "engine", "ai", "e2e"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || entry.IsDir() {
				return err
			}
			if strings.HasSuffix(path, ".sql") {
				checked++
				check(t, path, func(line string) string { code, _, _ := strings.Cut(line, "--"); return code })
			}
			// In Go only string literals count, and the clock's own reading is the one exception.
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, filepath.Join("backend", "clock")) {
				checked++
				check(t, path, literals())
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, checked, 20)
}

func check(t *testing.T, path string, code func(line string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for n, line := range strings.Split(string(text), "\n") {
		if found := forbidden.FindString(code(line)); found != "" {
			require.Fail(t, "SQL asks for the hour", "%s:%d: %s", path, n+1, found)
		}
	}
}

// literals keeps of each line what stands inside a Go string.
func literals() func(line string) string {
	raw := false
	return func(line string) string {
		if code, _, found := strings.Cut(line, "//"); found && !raw && !strings.Contains(code, `"`) && !strings.Contains(code, "`") {
			line = code
		}
		var kept strings.Builder
		quoted := false
		for i, r := range line {
			switch {
			case r == '`' && !quoted:
				raw = !raw
			case r == '"' && !raw && (i == 0 || line[i-1] != '\\'):
				quoted = !quoted
			case raw || quoted:
				kept.WriteRune(r)
			}
		}
		return kept.String()
	}
}

func TestMigrations(t *testing.T) {
	t.Parallel()

	t.Run("UpDownUp", func(t *testing.T) {
		t.Parallel()
		db := storetest.Empty(t)
		require.NoError(t, migrations.Up(t.Context(), db))
		pending, err := migrations.Pending(t.Context(), db)
		require.NoError(t, err)
		require.False(t, pending)
		require.NoError(t, migrations.Down(t.Context(), db))
		var left int
		require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname IN ('public', 'river') AND c.relkind IN ('r', 'p') AND c.relname <> 'goose_db_version'`).Scan(&left))
		require.Zero(t, left)
		pending, err = migrations.Pending(t.Context(), db)
		require.NoError(t, err)
		require.True(t, pending)
		require.NoError(t, migrations.Up(t.Context(), db))
	})

	t.Run("ManyProcessesAtOnce", func(t *testing.T) {
		t.Parallel()
		db := storetest.Empty(t)
		errs := make(chan error)
		for range 3 {
			go func() { errs <- migrations.Up(t.Context(), db) }()
		}
		for range 3 {
			require.NoError(t, <-errs)
		}
		var index string
		require.NoError(t, db.QueryRow(t.Context(), "SELECT indexdef FROM pg_indexes WHERE schemaname = 'river' AND indexname = 'river_job_schedule_ix'").Scan(&index))
		require.Contains(t, index, "scheduled_at")
	})
}

// A foreign key's check against a large table keeps the plan made for the first row, when the tables are empty: it must be the one by the whole
// key already then, or filling a fresh database takes time with the square of its size.
func TestForeignKeysAreCheckedByTheWholeKeyInAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t)
	rows, err := db.Query(t.Context(), `
		SELECT DISTINCT k.confrelid::regclass::text, i.relname,
			'SELECT 1 FROM ONLY ' || k.confrelid::regclass || ' x WHERE ' || (
				SELECT string_agg(a.attname || ' = ' || CASE a.atttypid::regtype::text
					WHEN 'uuid' THEN '''01a22a99-6f2f-7d02-bd68-e961afed9f7d''' WHEN 'text' THEN '''x''' ELSE '1' END, ' AND ')
				FROM unnest(k.confkey) AS c (n) JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = c.n) || ' FOR KEY SHARE OF x'
		FROM pg_constraint k JOIN pg_class i ON i.oid = k.conindid JOIN pg_namespace n ON n.oid = k.connamespace
		WHERE k.contype = 'f' AND n.nspname = 'public' AND k.confrelid::regclass::text = ANY($1)`, []string{"contacts", "runs", "messages"})
	require.NoError(t, err)
	type check struct{ Table, Index, SQL string }
	checks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[check])
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(checks), 3)
	for _, check := range checks {
		plan, err := db.Query(t.Context(), "EXPLAIN "+check.SQL)
		require.NoError(t, err, check.SQL)
		lines, err := pgx.CollectRows(plan, pgx.RowTo[string])
		require.NoError(t, err)
		require.Contains(t, strings.Join(lines, "\n"), check.Index+" ", "the check against %s: create its key after its other indexes", check.Table)
	}
}
