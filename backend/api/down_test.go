package api_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/auth"
)

// TestFault12_DatabaseDown: senders of events back off and come again on 503; a 500 is something they give up on.
func TestFault12_DatabaseDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nowhere, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=2")
	require.NoError(t, err)
	t.Cleanup(nowhere.Close)
	b.server = b.newServer(func(deps *api.Deps) {
		deps.DB = nowhere
		deps.Auth = auth.New(auth.Options{DB: nowhere, Machine: b.machine, BaseURL: baseURL, Mail: b.mails, Logger: b.logger})
	})
	got := b.do(caller{token: "lk_live_0123456789012345678901234567890123456789012"}, http.StatusServiceUnavailable, "POST", "/events",
		object{"name": "purchase", "contact": object{"email": "a@example.com"}})
	require.Equal(t, "unavailable", got.get(t, "code"))
	require.NotEmpty(t, got.Header().Get("Retry-After"))
}
