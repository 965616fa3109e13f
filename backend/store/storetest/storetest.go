package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/migrations"
)

// Zone is the time zone of all test databases.
const Zone = "Canada/Newfoundland"

// Now is the instant of Clock: a Monday in March 2026, 09:00 UTC, the last week before Europe's clocks change.
var Now = time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)

// Clock is business time that stands at Now.
var Clock = clock.Fixed(Now)

// Tx is a transaction at Now that is rolled back when the test ends. Begin makes a savepoint in it, so InTx works as usual;
// it has one connection, so nothing may run in parallel inside.
func Tx(t testing.TB) store.Tx {
	t.Helper()
	pool, err := shared()
	require.NoError(t, err)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := cleanupContext()
		defer cancel()
		_ = tx.Rollback(ctx) // a test may have lost its connection on purpose
	})
	return store.Tx{Tx: tx, Now: Now}
}

// DB is a pool on a migrated database of the test's own, dropped when it ends.
func DB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := store.Open(t.Context(), URL(t), 0)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// URL is the address of a migrated database of the test's own, dropped when it ends, for tests that start processes.
func URL(t testing.TB) string {
	t.Helper()
	template, err := template()
	require.NoError(t, err)
	name := "lejek_test_" + strings.ToLower(rand.Text()[:16])
	require.NoError(t, admin(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template))
	t.Cleanup(func() {
		ctx, cancel := cleanupContext()
		defer cancel()
		_ = admin(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") // the server goes away with it
	})
	require.NoError(t, admin(t.Context(), "ALTER DATABASE "+name+" SET timezone TO '"+Zone+"'"))
	address, err := databaseURL(name)
	require.NoError(t, err)
	return address
}

// Empty is a pool on a database of the test's own without any table.
func Empty(t testing.TB) *pgxpool.Pool {
	t.Helper()
	name := "lejek_empty_" + strings.ToLower(rand.Text()[:16])
	require.NoError(t, admin(t.Context(), "CREATE DATABASE "+name))
	t.Cleanup(func() {
		ctx, cancel := cleanupContext()
		defer cancel()
		_ = admin(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	})
	address, err := databaseURL(name)
	require.NoError(t, err)
	pool, err := store.Open(t.Context(), address, 0)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// Workspace inserts a workspace in UTC, English and PLN, with the sandbox on, and answers its id.
func Workspace(t testing.TB, db store.DB) uuid.UUID {
	t.Helper()
	id := store.NewID()
	err := store.Q.InsertWorkspace(t.Context(), db, store.InsertWorkspaceParams{
		ID: id, Slug: "w-" + id.String(), Name: "Acme", Zone: "UTC", Language: "en", Currency: "PLN",
		SendingMode: "sandbox", PostalAddress: "Acme, 1 Long Street, Krakow", Now: Now,
	})
	require.NoError(t, err)
	return id
}

// shared is the pool of Tx, on one database that nothing is ever committed to.
var shared = sync.OnceValues(func() (*pgxpool.Pool, error) {
	name := "lejek_tx_" + migrations.Hash()
	if err := prepare(name, false); err != nil {
		return nil, err
	}
	address, err := databaseURL(name)
	if err != nil {
		return nil, err
	}
	return store.Open(context.Background(), address, 8)
})

// template is the name of the migrated database that DB clones.
var template = sync.OnceValues(func() (string, error) {
	name := "lejek_template_" + migrations.Hash()
	return name, prepare(name, true)
})

// prepare makes a migrated database unless another program has. It is built under another name and renamed when ready, so
// that nobody ever sees half a schema.
func prepare(name string, sealed bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	url, err := serverURL()
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return fmt.Errorf("wait for another program to prepare %s: %w", name, err)
	}
	var ready bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&ready)
	if err != nil || ready {
		return err
	}
	raw := name + "_raw"
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + raw + " WITH (FORCE)", "CREATE DATABASE " + raw} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
	}
	if err := migrate(ctx, raw); err != nil {
		return err
	}
	for _, sql := range []string{
		"ALTER DATABASE " + raw + " SET timezone TO '" + Zone + "'",
		fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", raw, !sealed),
		"ALTER DATABASE " + raw + " RENAME TO " + name,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("prepare %s: %w", name, err)
		}
	}
	return nil
}

func migrate(ctx context.Context, name string) error {
	address, err := databaseURL(name)
	if err != nil {
		return err
	}
	pool, err := store.Open(ctx, address, 4)
	if err != nil {
		return err
	}
	defer pool.Close()
	return migrations.Up(ctx, pool)
}

func admin(ctx context.Context, sql string) error {
	url, err := serverURL()
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, sql)
	return err
}

func databaseURL(name string) (string, error) {
	server, err := serverURL()
	if err != nil {
		return "", err
	}
	parsed, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("%s is not a URL", urlVariable)
	}
	parsed.Path = "/" + name
	return parsed.String(), nil
}

func cleanupContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 30*time.Second)
}
