package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestFault_28_ASmallCampaignDoesNotStandBehindALargeOne(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	sink := smtptest.New(t)
	w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 40, Active: true,
		})
	})
	t.Cleanup(w.Deliverer.Close)
	w.Funnel("letters", graph("marketing"))
	provider, err := delivery.Route(t.Context(), w.Pool, w.Workspace, "email")
	require.NoError(t, err)
	for n, size := range []int{200, 10} {
		campaign := store.NewID()
		w.Exec(`INSERT INTO campaigns (workspace_id, id, slug, name, state, document, revision, frozen_at, feed_at, total, created_at, updated_at)
			VALUES ($1, $2, $3, $3, 'sending', '{}', 1, $4, 'infinity', $5, $4, $4)`, w.Workspace, campaign, fmt.Sprintf("c-%d", n), storetest.Now, size)
		for i := range size {
			contact := w.Contact(fmt.Sprintf("p%d-%d@example.com", n, i))
			w.Exec(`INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at, next_attempt_at, created_at,
				campaign_id, artifact) VALUES ($1, $2, 0, '', $3, 'email', 'marketing', 'hello', $4, 2, 'queued', $5, $5, $5, $6, 'hash-hello')`,
				w.Workspace, store.NewID(), contact, provider, storetest.Now, campaign)
			w.Exec(`INSERT INTO campaign_recipients (workspace_id, campaign_id, contact_id, n, phase, variant, due_at, made) VALUES ($1, $2, $3, $4, 0, '', $5, true)`,
				w.Workspace, campaign, contact, i, storetest.Now)
		}
	}
	w.Jump(storetest.Now)
	for range 2 {
		w.Exec("DELETE FROM rate_buckets")
		_, err := w.Deliverer.Jobs()[0].Drain(t.Context(), pump.Batch{Lane: 2, Limit: 500})
		require.NoError(t, err)
	}
	require.Equal(t, 10, w.Count("SELECT count(*) FROM messages m JOIN campaigns c ON c.id = m.campaign_id WHERE c.slug = 'c-1' AND m.status = 'sent'"))
	require.Positive(t, w.Count("SELECT count(*) FROM messages m JOIN campaigns c ON c.id = m.campaign_id WHERE c.slug = 'c-0' AND m.status = 'sent'"))
	w.AuditBusy()
}

func TestACampaignThatHasNothingToSendTakesNoTurn(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 10, Active: true,
		})
	})
	provider, err := delivery.Route(t.Context(), w.Pool, w.Workspace, "email")
	require.NoError(t, err)
	for n, size := range []int{0, 0, 30, 3} {
		campaign := store.NewID()
		w.Exec(`INSERT INTO campaigns (workspace_id, id, slug, name, state, document, revision, frozen_at, feed_at, total, created_at, updated_at)
			VALUES ($1, $2, $3, $3, 'sending', '{}', 1, $4, 'infinity', $5, $4, $4)`, w.Workspace, campaign, fmt.Sprintf("c-%d", n), storetest.Now, size)
		for i := range size {
			w.Exec(`INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at, next_attempt_at, created_at,
				campaign_id, artifact) VALUES ($1, $2, 0, '', $3, 'email', 'marketing', 'hello', $4, 2, 'queued', $5, $5, $5, $6, 'hash-hello')`,
				w.Workspace, store.NewID(), w.Contact(fmt.Sprintf("q%d-%d@example.com", n, i)), provider, storetest.Now, campaign)
		}
	}
	w.Jump(storetest.Now)
	_, err = w.Deliverer.Jobs()[0].Drain(t.Context(), pump.Batch{Lane: 2, Limit: 500})
	require.NoError(t, err)
	require.Len(t, sink.Ledger(), 8, "all that may leave of a burst")
	require.Equal(t, 3, w.Count("SELECT count(*) FROM messages m JOIN campaigns c ON c.id = m.campaign_id WHERE c.slug = 'c-3' AND m.status = 'sent'"))
}

func TestADaysLimitHoldsForAny24HoursAndLeavesATenthToWhatSomebodyWaitsFor(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	limit := 20
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 100, PerDay: &limit, Active: true,
		})
	})
	for i := range 30 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
	}
	w.To(storetest.Now)
	require.Len(t, sink.Ledger(), 18)
	w.Exec("UPDATE rate_days SET hour = hour - interval '24 hours'")
	w.Settle()
	require.Len(t, sink.Ledger(), 18, "the hour that is 24 hours ago is not over yet")
	w.Exec("UPDATE rate_days SET hour = hour - interval '1 hour'")
	w.Settle()
	require.Len(t, sink.Ledger(), 31)
	w.Audit()
}

func TestHowLongSendingTakesIsTold(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.To(storetest.Now)
	limit := 500
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 10, PerDay: &limit, Active: true,
		})
	})
	e, err := delivery.EstimateSending(t.Context(), w.Pool, storetest.Now, w.Workspace, "email", 1500)
	require.NoError(t, err)
	require.Equal(t, 3, e.Days)
	require.Equal(t, int64(2*86400+50), e.Seconds)
	w.Exec("UPDATE providers SET warming_at = $1", storetest.Now.Add(-25*time.Hour))
	e, err = delivery.EstimateSending(t.Context(), w.Pool, storetest.Now, w.Workspace, "email", 700)
	require.NoError(t, err)
	require.Equal(t, 3, e.Days, "100, 200 and 400")
	w.Exec("UPDATE workspaces SET sending_mode = 'sandbox'")
	e, err = delivery.EstimateSending(t.Context(), w.Pool, storetest.Now, w.Workspace, "email", 700)
	require.NoError(t, err)
	require.Equal(t, delivery.Estimate{Messages: 700}, e)
}
