package delivery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/providers/providertest"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// texting is a world with one text of a class on its way through Twilio, which fails at the first one as it is told.
func texting(t *testing.T, class string, fault providertest.Fault) (*spinetest.World, *providertest.Fake) {
	t.Helper()
	fake := providertest.Twilio(t, "AC1", "token")
	fake.Faults = func(n int) providertest.Fault {
		if n == 1 {
			return fault
		}
		return providertest.Fault{}
	}
	w := spinetest.New(t)
	w.Deliverer.Client = providertest.Client()
	t.Cleanup(w.Deliverer.Close)
	w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
	w.Tx(func(tx store.Tx) error {
		_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, delivery.ProviderInput{
			Kind: "twilio", Channel: "sms", Name: "Twilio", Config: map[string]string{"account_sid": "AC1", "from": "+48111222333", "base_url": fake.URL},
			Secrets: map[string]string{"auth_token": "token"}, Role: delivery.RoleActive, PerSecond: 10,
		})
		return err
	})
	w.Funnel("letters", graph(class)) // for its texts
	contact := w.Contact("jan@example.com")
	w.Exec("UPDATE contacts SET phone = '+48500600700' WHERE id = $1", contact)
	w.Exec("INSERT INTO consents (workspace_id, contact_id, channel, topic, state, source, at) VALUES ($1, $2, 'sms', '', 'granted', 'test', $3)", w.Workspace, contact, storetest.Now)
	provider, err := delivery.Route(t.Context(), w.Pool, w.Workspace, "sms")
	require.NoError(t, err)
	w.Exec(`INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at, next_attempt_at, created_at, artifact)
		VALUES ($1, $2, 0, '', $3, 'sms', $4, 'hello', $5, 0, 'queued', $6, $6, $6, 'hash-hello')`, w.Workspace, store.NewID(), contact, class, provider, storetest.Now)
	w.To(storetest.Now)
	return w, fake
}

func TestWhatTwilioHasIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	for class, before := range map[string]string{"transactional": "queued", "marketing": "unknown"} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			w, fake := texting(t, class, providertest.Fault{Drop: true})
			state, reason, _ := status(w)
			require.Equal(t, []string{before, "possibly sent"}, []string{state, reason})
			w.To(storetest.Now.Add(time.Minute))
			state, _, _ = status(w)
			require.Equal(t, before, state, "it is too early to ask")
			w.Exec("UPDATE delivery_attempts SET finished_at = finished_at - interval '2 minutes'")
			w.Settle()
			state, _, _ = status(w)
			require.Equal(t, "sent", state)
			require.Equal(t, 1, w.Count("SELECT count(*) FROM delivery_attempts WHERE state = 'accepted' AND code = 'found' AND provider_msg_id LIKE 'SM%'"))
			w.To(storetest.Now.Add(time.Hour))
			require.Equal(t, 1, fake.Requests())
			require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE name = 'message_sent'"))
			w.Audit()
		})
	}
}

func TestWhatTwilioDoesNotHaveIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	w, fake := texting(t, "transactional", providertest.Fault{Status: http.StatusBadGateway})
	w.Exec("UPDATE delivery_attempts SET finished_at = finished_at - interval '2 minutes'")
	drained, err := w.Deliverer.Reconcile(t.Context(), pump.Batch{})
	require.NoError(t, err)
	require.Equal(t, 1, drained.Rows)
	drained, err = w.Deliverer.Reconcile(t.Context(), pump.Batch{})
	require.NoError(t, err)
	require.Zero(t, drained.Rows, "each hand-over is asked about once")
	require.Empty(t, fake.Ledger())
	w.To(storetest.Now.Add(6 * time.Minute))
	require.Len(t, fake.Ledger(), 1)
	state, _, _ := status(w)
	require.Equal(t, "sent", state)
	w.Audit()
}
