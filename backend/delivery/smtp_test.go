package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// graph is one mail of a class.
func graph(class string) string {
	return fmt.Sprintf(`{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello", "class": %q}}],
		"edges": [{"from": "in", "port": "next", "to": "mail-1"}]}`, class)
}

// live is a world that sends over a sink.
func live(t *testing.T, class string) (*spinetest.World, *smtptest.Sink) {
	t.Helper()
	w := spinetest.New(t)
	sink := smtptest.New(t)
	w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
	password := "s3cret"
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, Password: &password, PerSecond: 100, Active: true,
		})
	})
	t.Cleanup(w.Deliverer.Close)
	w.Contact("jan@example.com")
	w.Funnel("letters", graph(class))
	w.Event("jan@example.com", "go", nil)
	return w, sink
}

func status(w *spinetest.World) (status, reason string, attempts int) {
	w.Helper()
	require.NoError(w, w.Pool.QueryRow(w.Context(), "SELECT status, coalesce(reason, ''), attempts FROM messages").Scan(&status, &reason, &attempts))
	return status, reason, attempts
}

func TestSMTP(t *testing.T) {
	t.Parallel()

	t.Run("HandsOverOnceWithAWayOut", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "marketing")
		w.To(storetest.Now)
		require.Len(t, sink.Ledger(), 1)
		letter := sink.Ledger()[0]
		require.Equal(t, "jan@example.com", letter.To)
		require.Equal(t, "hello@acme.example", letter.From)
		require.Equal(t, "hello", letter.Header.Get("Subject"))
		require.Equal(t, "List-Unsubscribe=One-Click", letter.Header.Get("List-Unsubscribe-Post"))
		link := strings.Trim(letter.Header.Get("List-Unsubscribe"), "<>")
		require.True(t, strings.HasPrefix(link, "https://lejek.example/u/"), link)
		require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'sent' AND '<' || id || '@acme.example>' = $1", letter.Header.Get("Message-ID")))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM delivery_attempts WHERE state = 'accepted'"))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE name = 'message_sent'"))

		page, err := w.Deliverer.Farewell(t.Context(), link[len("https://lejek.example/u/"):])
		require.NoError(t, err)
		require.False(t, page.Left, "looking at the page changes nothing")
		require.Equal(t, "j***@example.com", page.Address)
		_, err = w.Deliverer.Unsubscribe(t.Context(), link[len("https://lejek.example/u/"):], false)
		require.NoError(t, err)
		page, err = w.Deliverer.Farewell(t.Context(), link[len("https://lejek.example/u/"):])
		require.NoError(t, err)
		require.True(t, page.Left)
		w.Settle()
		w.Audit()
	})

	t.Run("ARefusedRecipientIsABounce", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "marketing")
		sink.OnRcpt = func(string) error {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		}
		w.To(storetest.Now.Add(time.Hour))
		state, reason, attempts := status(w)
		require.Equal(t, []any{"failed", "refused: 550 5.1.1", 1}, []any{state, reason, attempts})
		require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE name = 'message_bounced'"))
		w.Audit()
	})

	t.Run("ABusyServerIsTriedAgainWithTheSameBytes", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "marketing")
		var seen []smtptest.Letter
		sink.OnData = func(l smtptest.Letter) error {
			if seen = append(seen, l); len(seen) == 1 {
				return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "later"}
			}
			return nil
		}
		w.To(storetest.Now)
		state, _, attempts := status(w)
		require.Equal(t, []any{"queued", 1}, []any{state, attempts})
		w.To(storetest.Now.Add(5 * time.Minute))
		state, _, attempts = status(w)
		require.Equal(t, []any{"sent", 2}, []any{state, attempts})
		require.Len(t, seen, 2)
		require.Equal(t, seen[0].Header.Get("Message-ID"), seen[1].Header.Get("Message-ID"))
		require.Equal(t, []string{storetest.Now.UTC().Format(time.RFC1123Z)}, seen[0].Header["Date"], "one, of when it was due")
		require.Equal(t, seen[0].Header["Date"], seen[1].Header["Date"])
		w.Audit()
	})

	t.Run("NoAnswerAfterTheContentMeansUnknownAndNotAgain", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "marketing")
		sink.Break = func(smtptest.Letter) bool { return true }
		w.To(storetest.Now.AddDate(0, 0, 2))
		state, _, _ := status(w)
		require.Equal(t, "unknown", state)
		require.Len(t, sink.Ledger(), 1)
		w.Audit()
	})

	t.Run("NoAnswerToATransactionalMessageIsTriedOnceMore", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "transactional")
		sink.Break = func(smtptest.Letter) bool { return true }
		w.To(storetest.Now.AddDate(0, 0, 2))
		state, _, attempts := status(w)
		require.Equal(t, []any{"unknown", 2}, []any{state, attempts})
		require.Len(t, sink.Ledger(), 2)
		require.Equal(t, sink.Ledger()[0].Header.Get("Message-ID"), sink.Ledger()[1].Header.Get("Message-ID"))
		w.Audit()
	})

	t.Run("AnUnreachableAccountUsesUpNoAttempt", func(t *testing.T) {
		t.Parallel()
		w, _ := live(t, "marketing")
		w.Tx(func(tx store.Tx) error {
			return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
				SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", Port: 1, TLS: "none"}, PerSecond: 100, Active: true,
			})
		})
		w.To(storetest.Now)
		state, reason, attempts := status(w)
		require.Equal(t, []any{"queued", "account: connection", 0}, []any{state, reason, attempts})
		require.Equal(t, 1, w.Count("SELECT count(*) FROM rate_buckets WHERE paused_until IS NOT NULL"))
		w.Audit()
	})

	t.Run("ChangedSettingsCountAtOnceThoughNoTimeHasPassed", func(t *testing.T) {
		t.Parallel()
		w, before := live(t, "marketing")
		w.To(storetest.Now)
		require.Len(t, before.Ledger(), 1)
		after := smtptest.New(t)
		w.Tx(func(tx store.Tx) error {
			return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
				SMTPConfig: delivery.SMTPConfig{Host: after.Host, Port: after.Port, TLS: "none"}, PerSecond: 100, Active: true,
			})
		})
		w.Contact("anna@example.com")
		w.Event("anna@example.com", "go", nil)
		w.Settle()
		require.Len(t, before.Ledger(), 1)
		require.Len(t, after.Ledger(), 1)
		w.Audit()
	})

	t.Run("AServerInsideOurNetworkIsRefused", func(t *testing.T) {
		t.Parallel()
		w, sink := live(t, "marketing")
		w.Deliverer.Dialer = delivery.Dialer{}
		w.To(storetest.Now)
		state, _, _ := status(w)
		require.Equal(t, "queued", state)
		require.Empty(t, sink.Ledger())
		require.Equal(t, 1, w.Count("SELECT count(*) FROM delivery_attempts WHERE detail LIKE '%private%'"))
	})
}
