package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store"
)

func TestADatabaseThatIsDownIsTold(t *testing.T) {
	t.Parallel()
	_, err := pgconn.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=2")
	require.True(t, store.IsDown(fmt.Errorf("read a token: %w", err)))
	for code, down := range map[string]bool{"57P01": true, "57P03": true, "53300": true, "08006": true, "40P01": true, "23505": false, "42703": false} {
		require.Equal(t, down, store.IsDown(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})), code)
	}
	require.False(t, store.IsDown(errors.New("a mistake of ours")))
	require.False(t, store.IsDown(context.Canceled))
	require.False(t, store.IsDown(nil))
}
