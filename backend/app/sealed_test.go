package app_test

import (
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/connections"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/webhooks"
)

var oldest, newest = strings.Repeat("6f6c6465", 8), strings.Repeat("6e657765", 8)

// under is the installation with these secrets.
func under(t *testing.T, pool *pgxpool.Pool, secret, previous string) *app.App {
	t.Helper()
	c := read(t, map[string]string{"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_SECRET": secret, "LEJEK_SECRET_PREVIOUS": previous})
	lejek, err := app.New(t.Context(), app.Config{Config: c}, app.Deps{Pool: pool, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return lejek
}

// furnish keeps one secret in every column there is, and answers the workspace and its provider.
func furnish(t *testing.T, lejek *app.App) (workspace, provider uuid.UUID) {
	t.Helper()
	_, _, made, err := lejek.Auth.Setup(t.Context(), lejek.Clock, auth.SetupInput{Name: "Anna", Email: "anna@lejek.example", Password: uuid.NewString(), Workspace: "Acme", Zone: "UTC"})
	require.NoError(t, err)
	workspace = made.ID
	worker, text := lejek.Worker, func(s string) *string { return &s }
	require.NoError(t, store.InTx(t.Context(), lejek.Pool, lejek.Clock, func(tx store.Tx) error {
		provider, err = worker.Deliverer.SaveProvider(t.Context(), tx, workspace, delivery.ProviderInput{
			Kind: "resend", Channel: "email", Name: "Resend", Secrets: map[string]string{"api_key": "re_secret"}, Role: delivery.RoleOff, PerSecond: 2,
		})
		require.NoError(t, err)
		_, err := worker.Deliverer.EnsureDomain(t.Context(), tx, workspace, "acme.example")
		require.NoError(t, err)
		_, err = worker.Connections.Create(t.Context(), tx, workspace, connections.Input{
			Kind: "http", Name: text("Shop"), BaseURL: text("https://shop.example"), Headers: []connections.Header{{Name: "X-Key", Value: text("secret")}},
		})
		require.NoError(t, err)
		_, err = worker.Receipts.Create(t.Context(), tx, workspace, receipts.Input{Kind: receipts.Resend, Name: "Resend", Secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte("secret"))})
		require.NoError(t, err)
		require.NoError(t, worker.Mailboxes.Save(t.Context(), tx, workspace, replies.Input{
			Mailbox: replies.Mailbox{Host: "imap.example.com", Port: 993, Security: "tls", Username: "anna", Address: "anna@example.com"}, Password: text("secret"),
		}))
		endpoint, _, err := worker.Webhooks.Create(t.Context(), tx, workspace, webhooks.Input{URL: text("https://shop.example/hooks")})
		require.NoError(t, err)
		_, err = worker.Webhooks.Rotate(t.Context(), tx, workspace, endpoint.ID)
		return err
	}))
	require.NoError(t, lejek.Drafts.SaveEndpoint(t.Context(), workspace, "primary", drafts.EndpointInput{BaseURL: "https://ai.example/v1", Model: "m", Key: text("secret")}))
	return workspace, provider
}

func TestSecurity_22_AnotherSecretSealsAndTheOldOneStillOpens(t *testing.T) {
	t.Parallel()
	pool := storetest.DB(t)
	workspace, provider := furnish(t, under(t, pool, oldest, ""))
	readable := func(lejek *app.App) []string {
		all, err := lejek.Worker.Deliverer.Providers(t.Context(), workspace)
		require.NoError(t, err)
		require.Equal(t, provider, all[0].ID)
		return all[0].Secrets
	}
	// sums are how many secrets were sealed anew, are fresh, and open with no key.
	sums := func(lejek *app.App) [3]int {
		counts, err := lejek.Reseal(t.Context())
		require.NoError(t, err)
		var sum [3]int
		for _, c := range counts {
			require.Equal(t, 1, c.Sealed+c.Fresh+c.Forgotten, "the test keeps one secret in %s.%s", c.Table, c.Column)
			sum[0], sum[1], sum[2] = sum[0]+c.Sealed, sum[1]+c.Fresh, sum[2]+c.Forgotten
		}
		return sum
	}
	alone, both := under(t, pool, newest, ""), under(t, pool, newest, oldest)
	require.Empty(t, readable(alone))
	require.Equal(t, [3]int{0, 0, 8}, sums(alone), "what cannot be opened is told, and left as it is")
	require.Equal(t, []string{"api_key"}, readable(both))
	require.Equal(t, [3]int{8, 0, 0}, sums(both))
	require.Equal(t, [3]int{0, 8, 0}, sums(both), "a second run has nothing to do")
	require.Equal(t, []string{"api_key"}, readable(alone))
	require.Equal(t, [3]int{0, 8, 0}, sums(alone))
	require.Empty(t, readable(under(t, pool, oldest, "")), "the old secret opens nothing any more")

	require.Equal(t, under(t, pool, oldest, "").Config.Secret, both.Config.Secret, "links in mails and hashes of erased people go on with the first secret")
	_, err := pool.Exec(t.Context(), "UPDATE providers SET id = gen_random_uuid() WHERE id = $1", provider)
	require.NoError(t, err)
	all, err := alone.Worker.Deliverer.Providers(t.Context(), workspace)
	require.NoError(t, err)
	require.Empty(t, all[0].Secrets, "a secret moved to another row does not open")
}

func TestEverySealedColumnIsResealed(t *testing.T) {
	t.Parallel()
	pool := storetest.DB(t)
	counts, err := under(t, pool, newest, "").Reseal(t.Context())
	require.NoError(t, err)
	var known []string
	for _, c := range counts {
		known = append(known, c.Table+"."+c.Column)
	}
	rows, err := pool.Query(t.Context(), `SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c
		WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND (c.column_name LIKE '%secret' OR c.column_name LIKE '%key')
			AND EXISTS (SELECT 1 FROM information_schema.columns w WHERE w.table_schema = 'public' AND w.table_name = c.table_name AND w.column_name = 'workspace_id')`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.ElementsMatch(t, found, known)
}
